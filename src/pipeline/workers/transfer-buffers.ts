// Buffers of a batch: they grow, are handed over, and come back to be used again. Knows room, not what stands in it.

/** Doubles and, in the same places, 64-bit integers; bytes; and 32-bit words. */
export interface RoomBuffers {
  readonly numbers: ArrayBuffer;
  readonly bytes: ArrayBuffer;
  readonly words: ArrayBuffer;
}

/** What of it comes back: bytes may stay with whoever read them. */
export type SpareBuffers = Omit<RoomBuffers, 'bytes'> & { readonly bytes?: ArrayBuffer };

export class TransferBuffers {
  numbers: Float64Array;
  /** `numbers`, as integers. */
  integers: BigInt64Array;
  bytes: Uint8Array;
  words: Int32Array;
  /** How much of each is used. */
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

  get buffers(): RoomBuffers {
    return {
      numbers: this.numbers.buffer as ArrayBuffer,
      bytes: this.bytes.buffer as ArrayBuffer,
      words: this.words.buffer as ArrayBuffer,
    };
  }

  /** @returns where the next `count` numbers stand. */
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

  /** @returns where the copy of `bytes` begins. */
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

/** Buffers of a batch that are sent, not copied. */
export function transferred({ numbers, bytes, words }: SpareBuffers): ArrayBuffer[] {
  return bytes === undefined ? [numbers, words] : [numbers, words, bytes];
}
