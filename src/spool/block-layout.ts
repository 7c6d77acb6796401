// How a block of messages lies in a spool: columns of numbers, then the packed values of each message, then texts.

/** Messages of one block: its columns, values and texts are a MB together. */
export const BLOCK_MESSAGES = 4096;

/** The columns of a block: what is looked for without unpacking messages. */
export class BlockColumns {
  readonly bytes: Uint8Array = new Uint8Array(COLUMNS_BYTES);
  /** ns since the epoch. */
  readonly time: BigInt64Array = this.#big(0);
  readonly started: BigInt64Array = this.#big(1);
  readonly seq: Uint32Array = this.#number(0);
  readonly exchange: Uint32Array = this.#number(1);
  /** `seq`; 0: no cause is known. */
  readonly causedBy: Uint32Array = this.#number(2);
  /** Numbers of participants. */
  readonly from: Uint32Array = this.#number(3);
  readonly to: Uint32Array = this.#number(4);
  /** Where the packed values of each message end. */
  readonly end: Uint32Array = this.#number(5);
  /** Index in KINDS. */
  readonly kind: Uint8Array = this.#small(0);
  /** What the caller gave with the message. */
  readonly mark: Uint16Array = this.#medium(0);

  #big(column: number): BigInt64Array {
    return new BigInt64Array(this.bytes.buffer, column * 8 * BLOCK_MESSAGES, BLOCK_MESSAGES);
  }

  #number(column: number): Uint32Array {
    return new Uint32Array(this.bytes.buffer, (16 + column * 4) * BLOCK_MESSAGES, BLOCK_MESSAGES);
  }

  #medium(column: number): Uint16Array {
    return new Uint16Array(this.bytes.buffer, (40 + column * 2) * BLOCK_MESSAGES, BLOCK_MESSAGES);
  }

  #small(column: number): Uint8Array {
    return new Uint8Array(this.bytes.buffer, (42 + column) * BLOCK_MESSAGES, BLOCK_MESSAGES);
  }
}

const COLUMNS_BYTES = 43 * BLOCK_MESSAGES;

/** Where a block lies in its spool. */
export interface BlockPlace {
  /** Bytes from the beginning of the spool; columns come first, values and texts follow. */
  readonly offset: number;
  /** Its length, in bytes. */
  readonly bytes: number;
  /** Messages. */
  readonly count: number;
  /** Bytes of packed values. */
  readonly values: number;
  /** Number of texts. */
  readonly texts: number;
  /** Bytes of texts. */
  readonly textBytes: number;
}
