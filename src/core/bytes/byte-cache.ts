// Caches byte strings in a hash table of fixed size, in which a newer string replaces the older one in its slot.
//
//   a slot   its bytes are BYTES[slot · longest …], their number LENGTHS[slot]; 0: empty

export class ByteCache {
  readonly #longest: number;
  readonly #mask: number;
  readonly #lengths: Uint8Array;
  readonly #bytes: Uint8Array;
  /** Hash of the latest lookup in each slot. */
  readonly #lookups: Int32Array;

  /** @param slots a power of two. @param longest bytes of a slot, at most 255. */
  constructor(slots: number, longest: number) {
    this.#longest = longest;
    this.#mask = slots - 1;
    this.#lengths = new Uint8Array(slots);
    this.#bytes = new Uint8Array(slots * longest);
    this.#lookups = new Int32Array(slots);
  }

  slotOf(hash: number): number {
    return hash & this.#mask;
  }

  lengthAt(slot: number): number {
    return this.#lengths[slot];
  }

  /** Whether a slot holds exactly these bytes. */
  holds(slot: number, bytes: Uint8Array, start: number, length: number): boolean {
    return this.#lengths[slot] === length && this.isPrefix(slot, bytes, start);
  }

  /** Whether the bytes at `start` begin with those of a slot. */
  isPrefix(slot: number, bytes: Uint8Array, start: number): boolean {
    const from = slot * this.#longest;
    const cached = this.#bytes;
    // Backwards, because similar names differ at their ends.
    for (let i = this.#lengths[slot] - 1; i >= 0; i--) if (cached[from + i] !== bytes[start + i]) return false;
    return true;
  }

  put(slot: number, bytes: Uint8Array, start: number, length: number): void {
    this.#lengths[slot] = length;
    const cached = this.#bytes;
    for (let i = 0, to = slot * this.#longest; i < length; i++) cached[to + i] = bytes[start + i];
  }

  copy(from: number, to: number): void {
    const length = this.#lengths[from];
    this.#lengths[to] = length;
    this.#bytes.copyWithin(to * this.#longest, from * this.#longest, from * this.#longest + length);
  }

  /** Whether the latest lookup in this slot had the same hash: bytes that appear only once need not be cached. */
  isRepeated(hash: number): boolean {
    const slot = hash & this.#mask;
    const isRepeated = this.#lookups[slot] === hash;
    this.#lookups[slot] = hash;
    return isRepeated;
  }
}

/** Hashes the length, the last four bytes and up to sixteen spread over the rest, four at a time. */
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
  // The first and the last of the four bytes must both reach the bits that choose a slot.
  return product ^ (product >>> 13);
}

const FACTOR = 0x9e3779b1;
