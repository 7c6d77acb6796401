// Decodes text that repeats (field names, user agents, kinds, uids) through a cache keyed by its bytes: a hit needs no call out of
// JavaScript (80 ns) and no garbage collection, and all messages share one string.

import { ByteCache, hashOf } from './byte-cache.js';
import { latin1, text } from './bytes.js';

/** Like `text`. */
export function cachedText(bytes: Uint8Array, start: number, end: number): string {
  const length = end - start;
  if (length > LONGEST || length <= 0) return text(bytes, start, end);
  const texts = length <= SHORT ? SHORT_TEXTS : LONG_TEXTS;
  const slot = texts.slotOf(bytes, start, end);
  return texts.find(slot, bytes, start, length) ?? texts.put(slot, bytes, start, length, text(bytes, start, end));
}

/** Like `latin1`. */
export function cachedLatin1(bytes: Uint8Array, start: number, end: number): string {
  const length = end - start;
  if (length > LONGEST || length <= 0) return latin1(bytes, start, end);
  const texts = length <= SHORT ? SHORT_TEXTS : LONG_TEXTS;
  const slot = texts.slotOf(bytes, start, end);
  return texts.find(slot, bytes, start, length) ?? texts.put(slot, bytes, start, length, latin1(bytes, start, end));
}

// Each text has two slots, the newer text in the first: a text that appears only once (an audit id) evicts one of them at most.
class Texts {
  readonly #bytes: ByteCache;
  readonly #texts: string[];

  constructor(slots: number, longest: number) {
    this.#bytes = new ByteCache(slots, longest);
    this.#texts = new Array<string>(slots).fill('');
  }

  slotOf(bytes: Uint8Array, start: number, end: number): number {
    return this.#bytes.slotOf(hashOf(bytes, start, end));
  }

  find(slot: number, bytes: Uint8Array, start: number, length: number): string | undefined {
    const cached = this.#bytes;
    if (cached.holds(slot, bytes, start, length)) return this.#texts[slot];
    const second = slot ^ 1;
    return cached.holds(second, bytes, start, length) ? this.#texts[second] : undefined;
  }

  /** @returns `decoded`, the text of these bytes. */
  put(slot: number, bytes: Uint8Array, start: number, length: number, decoded: string): string {
    // Only ASCII, where both encodings agree. A text that the end of the bytes cut short is not cached either.
    if (decoded.length !== length) return decoded;
    for (let i = start; i < start + length; i++) if (bytes[i] > 0x7f) return decoded;
    this.#texts[slot ^ 1] = this.#texts[slot];
    this.#bytes.copy(slot, slot ^ 1);
    this.#texts[slot] = decoded;
    this.#bytes.put(slot, bytes, start, length);
    return decoded;
  }
}

/** Bytes: names and uids, which fit into a line of the processor's cache; user agents and request targets. */
const SHORT = 64;
const LONGEST = 192;
/** Names in a cluster, its nodes and busy objects; their request targets and user agents. 0.9 MiB. */
const SHORT_TEXTS = new Texts(8192, SHORT);
const LONG_TEXTS = new Texts(2048, LONGEST);
