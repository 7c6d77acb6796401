// Reads a Blob, such as the File that a user of a browser chose, in pieces.

/** @returns pieces, each borrowed until the next one is asked for: a buffer for each would wait for its collection. */
export async function* blobChunks(blob: Blob): AsyncGenerator<Uint8Array> {
  const reader = byteReader(blob);
  if (reader === null) {
    for (let at = 0; at < blob.size; at += CHUNK) yield new Uint8Array(await blob.slice(at, at + CHUNK).arrayBuffer());
    return;
  }
  try {
    let buffer = new ArrayBuffer(CHUNK);
    for (;;) {
      const { value, done } = await reader.read(new Uint8Array(buffer));
      if (value === undefined || done) return;
      yield value;
      buffer = value.buffer;
    }
  } finally {
    await reader.cancel();
  }
}

/** null: this browser has none that reads into a given buffer (Safari 18). */
function byteReader(blob: Blob): ReadableStreamBYOBReader | null {
  try {
    return blob.stream().getReader({ mode: 'byob' });
  } catch {
    return null;
  }
}

/** Bytes that are read at once: reading a Blob waits for another process of the browser each time. */
const CHUNK = 1 << 20;
