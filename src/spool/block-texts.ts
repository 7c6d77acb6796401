// The texts of a block, by number: in UTF-8, one after the other.

import { concat, text } from '../core/bytes/bytes.js';

/** @returns the bytes of all texts, and where each ends in them. */
export function encodeTexts(texts: readonly string[]): { readonly bytes: Uint8Array; readonly ends: Uint32Array } {
  const joined = texts.join('');
  const whole = ENCODER.encode(joined);
  const isAscii = whole.length === joined.length;
  const parts = isAscii ? texts : texts.map((one) => ENCODER.encode(one));
  const ends = new Uint32Array(texts.length);
  let end = 0;
  for (let i = 0; i < parts.length; i++) {
    end += parts[i].length;
    ends[i] = end;
  }
  return { bytes: isAscii ? whole : concat(parts as readonly Uint8Array[]), ends };
}

export class BlockTexts {
  readonly #bytes: Uint8Array;
  readonly #ends: Uint32Array;

  constructor(bytes: Uint8Array, ends: Uint32Array) {
    this.#bytes = bytes;
    this.#ends = ends;
  }

  get count(): number {
    return this.#ends.length;
  }

  /** Messages of all blocks share the texts that come again. */
  at(number: number): string {
    return text(this.#bytes, this.#beginOf(number), this.#ends[number]);
  }

  /** @returns by number, 1 for each text that is wanted; null: none is. */
  find(wanted: ReadonlySet<string>): Uint8Array | null {
    const lengths = new Set(Array.from(wanted, (one) => ENCODER.encode(one).length));
    let found: Uint8Array | null = null;
    for (let number = 0; number < this.count; number++) {
      const begin = this.#beginOf(number);
      const end = this.#ends[number];
      if (!lengths.has(end - begin) || !wanted.has(text(this.#bytes, begin, end))) continue;
      found ??= new Uint8Array(this.count);
      found[number] = 1;
    }
    return found;
  }

  #beginOf(number: number): number {
    return number === 0 ? 0 : this.#ends[number - 1];
  }
}

const ENCODER = new TextEncoder();
