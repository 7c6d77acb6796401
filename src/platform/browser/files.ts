// Takes the place of `platform/files.ts` in browsers, which have no paths.

/** @throws TypeError */
export async function* fileChunks(_path: string | URL, _chunk: number): AsyncGenerator<Uint8Array> {
  yield* [];
  throw new TypeError('a browser has no paths: give a Blob (as a File), a Uint8Array or an ArrayBuffer');
}
