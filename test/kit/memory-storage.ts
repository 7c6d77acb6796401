// A spool's storage in memory.

import type { SpoolStorage } from '../../src/spool/spool-storage.js';

export class MemoryStorage implements SpoolStorage {
  #bytes = new Uint8Array(1 << 20);
  #length = 0;

  append(bytes: Uint8Array): void {
    while (this.#length + bytes.length > this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  read(into: Uint8Array, position: number): void {
    into.set(this.#bytes.subarray(position, position + into.length));
  }
}
