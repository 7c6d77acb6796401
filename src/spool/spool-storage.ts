// Where a spool keeps its blocks: a file of the command, memory in tests, a Blob in a browser.

/** What blocks are written to. */
export interface SpoolSink {
  /** @param bytes valid during the call. */
  append(bytes: Uint8Array): void;
}

/** What they are read from. */
export interface SpoolSource {
  /** Fills `into` with what was appended. @param position bytes from the beginning. */
  read(into: Uint8Array, position: number): void;
}

export interface SpoolStorage extends SpoolSink, SpoolSource {}
