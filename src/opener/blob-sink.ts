// Writes bytes into a Blob piece by piece, so that what is kept of a capture takes no memory of the tab while it is read.

import type { SpoolSink } from '../index.js';

export class BlobSink implements SpoolSink {
  readonly #parts: Blob[] = [];
  readonly #piece = new Uint8Array(PIECE);
  #used = 0;

  append(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + PIECE - this.#used);
      this.#piece.set(part, this.#used);
      this.#used += part.length;
      at += part.length;
      if (this.#used === PIECE) this.#flush();
    }
  }

  /** Everything that was appended. */
  end(): Blob {
    this.#flush();
    return new Blob(this.#parts);
  }

  #flush(): void {
    if (this.#used > 0) this.#parts.push(new Blob([this.#piece.subarray(0, this.#used)]));
    this.#used = 0;
  }
}

/** Bytes of a piece. */
const PIECE = 1 << 20;
