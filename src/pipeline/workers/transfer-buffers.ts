// Holds the buffers of a batch, which grow, move to another thread and come back to be used again.

/** Doubles and, in the same memory, 64-bit integers; bytes; 32-bit words. */
export interface BatchBuffers {
  readonly numbers: ArrayBuffer;
  readonly bytes: ArrayBuffer;
  readonly words: ArrayBuffer;
}

/** Buffers that come back; the bytes may stay with their reader. */
export type SpareBuffers = Omit<BatchBuffers, 'bytes'> & { readonly bytes?: ArrayBuffer };

export class BatchWriter {
  numbers: Float64Array;
  /** `numbers`, as integers. */
  integers: BigInt64Array;
  bytes: Uint8Array;
  words: Int32Array;
  /** Used elements of each buffer. */
  numberCount = 0;
  byteCount = 0;
  wordCount = 0;

  constructor(spare: SpareBuffers | undefined, numbers: number, bytes: number, words: number) {
    const buffer = spare?.numbers ?? new ArrayBuffer(numbers * 8);
    this.numbers = new Float64Array(buffer);
    this.integers = new BigInt64Array(buffer);
    this.bytes = new Uint8Array(spare?.bytes ?? new ArrayBuffer(bytes));
    this.words = new Int32Array(spare?.words ?? new ArrayBuffer(words * 4));
  }

  get buffers(): BatchBuffers {
    return {
      numbers: this.numbers.buffer as ArrayBuffer,
      bytes: this.bytes.buffer as ArrayBuffer,
      words: this.words.buffer as ArrayBuffer,
    };
  }

  /** @returns index of `count` reserved numbers. */
  takeNumbers(count: number): number {
    const at = this.numberCount;
    this.numberCount += count;
    if (this.numberCount > this.numbers.length) {
      const grown = new BigInt64Array(Math.max(this.numberCount, this.integers.length * 2));
      grown.set(this.integers);
      this.integers = grown;
      this.numbers = new Float64Array(grown.buffer);
    }
    return at;
  }

  /** @returns offset of the copy of `bytes`. */
  putBytes(bytes: Uint8Array): number {
    const at = this.byteCount;
    this.byteCount += bytes.length;
    if (this.byteCount > this.bytes.length) {
      const grown = new Uint8Array(Math.max(this.byteCount, this.bytes.length * 2));
      grown.set(this.bytes.subarray(0, at));
      this.bytes = grown;
    }
    this.bytes.set(bytes, at);
    return at;
  }

  putWord(word: number): void {
    if (this.wordCount === this.words.length) {
      const grown = new Int32Array(this.words.length * 2);
      grown.set(this.words);
      this.words = grown;
    }
    this.words[this.wordCount] = word;
    this.wordCount += 1;
  }
}

/** The buffers of a batch as a transfer list for `postMessage`. */
export function transferred({ numbers, bytes, words }: SpareBuffers): ArrayBuffer[] {
  return bytes === undefined ? [numbers, words] : [numbers, words, bytes];
}
