// Where a spool keeps its blocks: a file of the command, memory in tests.

export interface SpoolStorage {
  /** @param bytes valid during the call. */
  append(bytes: Uint8Array): void;
  /** Fills `into` with what was appended. @param position bytes from the beginning. */
  read(into: Uint8Array, position: number): void;
}
