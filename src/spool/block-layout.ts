// How a block of messages lies in a spool: columns of numbers, then the packed values of each message, then texts.

/** Messages of one block: its columns, values and texts are a MB together. */
export const BLOCK_MESSAGES = 4096;

/** The columns of a block: what is looked for without unpacking messages. */
export class BlockColumns {
  readonly bytes: Uint8Array = new Uint8Array(COLUMNS_BYTES);
  /** ns since the epoch. */
  readonly time: BigInt64Array = new BigInt64Array(this.bytes.buffer, 0, BLOCK_MESSAGES);
  readonly started: BigInt64Array = new BigInt64Array(this.bytes.buffer, 8 * BLOCK_MESSAGES, BLOCK_MESSAGES);
  // Saved messages may have any safe integer as number.
  readonly seq: Float64Array = new Float64Array(this.bytes.buffer, 16 * BLOCK_MESSAGES, BLOCK_MESSAGES);
  readonly exchange: Float64Array = new Float64Array(this.bytes.buffer, 24 * BLOCK_MESSAGES, BLOCK_MESSAGES);
  /** `seq`; 0: no cause is known. */
  readonly causedBy: Float64Array = new Float64Array(this.bytes.buffer, 32 * BLOCK_MESSAGES, BLOCK_MESSAGES);
  /** Numbers of participants. */
  readonly from: Uint32Array = new Uint32Array(this.bytes.buffer, 40 * BLOCK_MESSAGES, BLOCK_MESSAGES);
  readonly to: Uint32Array = new Uint32Array(this.bytes.buffer, 44 * BLOCK_MESSAGES, BLOCK_MESSAGES);
  /** Where the packed values of each message end, in bytes. */
  readonly end: Uint32Array = new Uint32Array(this.bytes.buffer, 48 * BLOCK_MESSAGES, BLOCK_MESSAGES);
  /** What the caller gave with the message. */
  readonly mark: Uint16Array = new Uint16Array(this.bytes.buffer, 52 * BLOCK_MESSAGES, BLOCK_MESSAGES);
  /** Index in KINDS. */
  readonly kind: Uint8Array = new Uint8Array(this.bytes.buffer, 54 * BLOCK_MESSAGES, BLOCK_MESSAGES);
}

const COLUMNS_BYTES = 55 * BLOCK_MESSAGES;

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
