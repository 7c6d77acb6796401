// Opens captures that a program has in memory or as Blobs.

import { beginningOf, type CaptureBytes, type CaptureSource } from '../index.js';
import { blobChunks } from '../library/blob-chunks.js';

export { blobChunks } from '../library/blob-chunks.js';

/** A capture that can be read more than once. */
export interface NamedCapture {
  readonly name: string;
  readonly blob: Blob;
}

/** @param onRead gets the bytes of the captures that were read so far. */
export function blobSources(
  captures: readonly NamedCapture[],
  onRead: (bytes: number) => void = () => {},
): Promise<CaptureSource[]> {
  let read = 0;
  async function* counted(blob: Blob): AsyncGenerator<Uint8Array> {
    for await (const chunk of blobChunks(blob)) {
      read += chunk.length;
      onRead(read);
      yield chunk;
    }
  }
  const sources = captures.map(async ({ name, blob }) => ({
    // It serves to compare several captures alone.
    beginning: captures.length === 1 ? null : await beginningOf(blobChunks(blob)),
    // A look at the file does not count as read.
    look: () => blobChunks(blob),
    bytes: () => Object.assign(counted(blob), { randomAccess: partsOf(name, blob) }),
  }));
  return Promise.all(sources);
}

function partsOf(name: string, blob: Blob): NonNullable<CaptureBytes['randomAccess']> {
  return {
    name,
    size: blob.size,
    read: async (start, end) => new Uint8Array(await blob.slice(start, end).arrayBuffer()),
  };
}
