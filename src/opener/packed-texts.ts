// Keeps texts in a Blob, one behind the other, and reads them again by their numbers.

import { BlobSink } from './blob-sink.js';

/** Can be posted from one worker to another. */
export interface PackedTexts {
  /** In UTF-8. */
  readonly blob: Blob;
  /** Where each text ends, in bytes. */
  readonly ends: Float64Array;
}

export class TextAppender {
  readonly #sink = new BlobSink();
  readonly #ends: number[] = [];
  #bytes = 0;

  /** Bytes of all texts. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of texts, which is the number of the next one. */
  get count(): number {
    return this.#ends.length;
  }

  /** @param text in UTF-8; may be empty. */
  add(text: Uint8Array): void {
    this.#sink.append(text);
    this.#bytes += text.length;
    this.#ends.push(this.#bytes);
  }

  end(): PackedTexts {
    return { blob: this.#sink.end(), ends: Float64Array.from(this.#ends) };
  }
}

/** @returns the text of a number, in UTF-8: a part of all of them. */
export async function textsIn({ blob, ends }: PackedTexts): Promise<(number: number) => Uint8Array> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return (number) => bytes.subarray(number === 0 ? 0 : ends[number - 1], ends[number]);
}
