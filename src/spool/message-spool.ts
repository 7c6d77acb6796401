// Keeps more messages than fit into memory: packed, block by block, in a file or whatever else its storage is.

import type { BlockReader } from './block-reader.js';
import { blocksIn, MessagePacker } from './message-packer.js';
import type { SpoolStorage } from './spool-storage.js';

export class MessageSpool extends MessagePacker {
  readonly #storage: SpoolStorage;

  constructor(storage: SpoolStorage) {
    super(storage);
    this.#storage = storage;
  }

  /** Messages in the order in which they were added, a block at a time: valid until the next is asked for. */
  blocks(): Generator<BlockReader> {
    return blocksIn(this.#storage, this.flush());
  }
}
