// What a reader of capture files must know of a format to walk its records. Types and answers only.

/** What a file format says about its records. */
export interface RecordLayout {
  /** After an answer that more bytes are needed: how many, counted from the start of that record. */
  readonly needed: number;
  /**
   * Reads the record at `at` and says what is in it.
   * @param copy frames must not be views of `bytes`.
   * @param final no more bytes will come.
   * @returns its size in bytes, or MORE, or DAMAGED.
   */
  read(bytes: Uint8Array, at: number, copy: boolean, final: boolean): number;
  /**
   * The same, strictly judged, as anything may stand there, and without reading it.
   * @param isFirst false: it stands behind the record that was asked for last.
   */
  believable(bytes: Uint8Array, at: number, final: boolean, isFirst: boolean): number;
  /** Of a record that the end of the file cuts, by its own numbers: up to where a packet may stand in it. */
  packetEnd(bytes: Uint8Array, at: number): number;
  /** The file is over: what only then can be said. */
  end(): void;
}

export const MORE = 0;
export const DAMAGED = -1;
