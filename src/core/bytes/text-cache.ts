// Bytes → text for the words that come again and again: field names, user agents, kinds, uids. A text that is known is
// found by its bytes, not made again: no call out of JavaScript (80 ns), nothing to collect, one object however many
// messages hold it. Bytes are compared with bytes, which takes a third of the time of looking into a text. Knows bytes;
// bounded, whatever a capture holds.

import { ByteCache, hashOf } from './byte-cache.js';
import { latin1, text } from './bytes.js';

/** UTF-8 text of `bytes[start, end)`, as `text` gives it. */
export function cachedText(bytes: Uint8Array, start: number, end: number): string {
  const length = end - start;
  if (length > LONGEST || length <= 0) return text(bytes, start, end);
  const texts = length <= SHORT ? SHORT_TEXTS : LONG_TEXTS;
  const place = texts.placeOf(bytes, start, end);
  return texts.find(place, bytes, start, length) ?? texts.keep(place, bytes, start, length, text(bytes, start, end));
}

/** One character a byte, as `latin1` gives it. */
export function cachedLatin1(bytes: Uint8Array, start: number, end: number): string {
  const length = end - start;
  if (length > LONGEST || length <= 0) return latin1(bytes, start, end);
  const texts = length <= SHORT ? SHORT_TEXTS : LONG_TEXTS;
  const place = texts.placeOf(bytes, start, end);
  return texts.find(place, bytes, start, length) ?? texts.keep(place, bytes, start, length, latin1(bytes, start, end));
}

// Two places for each text, the newer one first: what comes only once (an audit id) pushes out one of them at most.
class Texts {
  readonly #bytes: ByteCache;
  readonly #texts: string[];

  constructor(places: number, longest: number) {
    this.#bytes = new ByteCache(places, longest);
    this.#texts = new Array<string>(places).fill('');
  }

  placeOf(bytes: Uint8Array, start: number, end: number): number {
    return this.#bytes.placeOf(hashOf(bytes, start, end));
  }

  find(place: number, bytes: Uint8Array, start: number, length: number): string | undefined {
    const kept = this.#bytes;
    if (kept.holds(place, bytes, start, length)) return this.#texts[place];
    const other = place ^ 1;
    return kept.holds(other, bytes, start, length) ? this.#texts[other] : undefined;
  }

  /** @returns `made`, the text of these bytes. */
  keep(place: number, bytes: Uint8Array, start: number, length: number, made: string): string {
    // Only ASCII: there both ways to read bytes agree. What was cut short by the end of the bytes is not kept either.
    if (made.length !== length) return made;
    for (let i = start; i < start + length; i++) if (bytes[i] > 0x7f) return made;
    this.#texts[place ^ 1] = this.#texts[place];
    this.#bytes.copy(place, place ^ 1);
    this.#texts[place] = made;
    this.#bytes.keep(place, bytes, start, length);
    return made;
  }
}

/** Bytes of a text worth keeping: names and uids, which fit into a line of the processor's cache; agents and targets. */
const SHORT = 64;
const LONGEST = 192;
/** Words of a cluster, its nodes and the objects that are busy; their targets and agents. 0.9 MiB. */
const SHORT_TEXTS = new Texts(8192, SHORT);
const LONG_TEXTS = new Texts(2048, LONGEST);
