// Reads files by their paths, for programs that give the library a path.

/** The module is loaded where there is a path. @param chunk bytes that are read at once. */
export async function* fileChunks(path: string | URL, chunk: number): AsyncGenerator<Uint8Array> {
  const { createReadStream } = await import('node:fs');
  yield* createReadStream(path, { highWaterMark: chunk });
}
