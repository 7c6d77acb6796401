// A set of the numbers of messages, in a bit each: selected messages of a long capture are millions.

export class SeqSet {
  /** Number of a page → its bits. */
  readonly #pages = new Map<number, Uint32Array>();

  add(seq: number): void {
    const number = Math.floor(seq / PAGE);
    let page = this.#pages.get(number);
    if (page === undefined) {
      page = new Uint32Array(PAGE / 32);
      this.#pages.set(number, page);
    }
    const bit = seq % PAGE;
    page[bit >>> 5] |= 1 << (bit & 31);
  }

  has(seq: number): boolean {
    const page = this.#pages.get(Math.floor(seq / PAGE));
    if (page === undefined) return false;
    const bit = seq % PAGE;
    return (page[bit >>> 5] & (1 << (bit & 31))) !== 0;
  }
}

/** Numbers in a page: one that saved messages give far from all others takes no more than 512 bytes. */
const PAGE = 4096;
