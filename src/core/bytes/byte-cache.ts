// Bytes that come again and again, each in a place that is told by what they are: whoever comes there next takes it. Knows
// bytes and places; what was made of the bytes at a place is kept by whoever made it. Bounded, whatever a capture holds.
//
//   a place   its bytes in KEPT[place · longest …], their number in LENGTHS[place]; 0: empty

export class ByteCache {
  readonly #longest: number;
  readonly #mask: number;
  readonly #lengths: Uint8Array;
  readonly #kept: Uint8Array;
  /** What was asked about last at each place, by its hash. */
  readonly #asked: Int32Array;

  /** @param places how many, a power of two. @param longest bytes that a place has room for, at most 255. */
  constructor(places: number, longest: number) {
    this.#longest = longest;
    this.#mask = places - 1;
    this.#lengths = new Uint8Array(places);
    this.#kept = new Uint8Array(places * longest);
    this.#asked = new Int32Array(places);
  }

  /** Where bytes with this hash belong. */
  placeOf(hash: number): number {
    return hash & this.#mask;
  }

  lengthAt(place: number): number {
    return this.#lengths[place];
  }

  /** Are these the bytes that are kept at a place? */
  holds(place: number, bytes: Uint8Array, start: number, length: number): boolean {
    return this.#lengths[place] === length && this.isAt(place, bytes, start);
  }

  /** Do the bytes at `start` begin with those that are kept at a place? */
  isAt(place: number, bytes: Uint8Array, start: number): boolean {
    const kept = place * this.#longest;
    const all = this.#kept;
    // From the end: names of one kind differ there.
    for (let i = this.#lengths[place] - 1; i >= 0; i--) if (all[kept + i] !== bytes[start + i]) return false;
    return true;
  }

  keep(place: number, bytes: Uint8Array, start: number, length: number): void {
    this.#lengths[place] = length;
    const all = this.#kept;
    for (let i = 0, to = place * this.#longest; i < length; i++) all[to + i] = bytes[start + i];
  }

  /** What is kept at one place is kept at another one, too. */
  copy(from: number, to: number): void {
    const length = this.#lengths[from];
    this.#lengths[to] = length;
    this.#kept.copyWithin(to * this.#longest, from * this.#longest, from * this.#longest + length);
  }

  /** Was the same asked before, and nothing else of its place meanwhile? What comes only once need not be kept. */
  cameBefore(hash: number): boolean {
    const place = hash & this.#mask;
    const known = this.#asked[place] === hash;
    this.#asked[place] = hash;
    return known;
  }
}

/** From the length, the last four bytes and up to sixteen spread over the rest, four at a time. */
export function hashOf(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  let hash = length;
  if (length < 4) for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at], FACTOR);
  else {
    const last = end - 4;
    const step = Math.max(4, length >> 2);
    for (let at = start; at < last; at += step) hash = mixed(hash, bytes, at);
    hash = mixed(hash, bytes, last);
  }
  return hash ^ (hash >>> 15);
}

function mixed(hash: number, bytes: Uint8Array, at: number): number {
  const four = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
  const product = Math.imul(hash ^ four, FACTOR);
  // What the first of four bytes says must reach the bits that choose a place, and that of the last one, too.
  return product ^ (product >>> 13);
}

const FACTOR = 0x9e3779b1;
