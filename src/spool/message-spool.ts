// Keeps more messages than fit into memory: packed, block by block, in a file or whatever else its storage is.

import type { Message, Participant } from '../kubernetes/messages/message.js';
import type { BlockReader } from './block-reader.js';
import { blocksIn, MessagePacker } from './message-packer.js';
import type { SpoolStorage } from './spool-storage.js';

export class MessageSpool {
  readonly #storage: SpoolStorage;
  readonly #packer: MessagePacker;

  constructor(storage: SpoolStorage) {
    this.#storage = storage;
    this.#packer = new MessagePacker(storage);
  }

  /** By their numbers in columns. */
  get participants(): readonly Participant[] {
    return this.#packer.participants;
  }

  /** @param message its head and body are not kept. @param mark sixteen bits that stay with it. */
  add(message: Message, mark: number): void {
    this.#packer.add(message, mark);
  }

  /** Messages in the order in which they were added, a block at a time: valid until the next is asked for. */
  blocks(): Generator<BlockReader> {
    return blocksIn(this.#storage, this.#packer.flush());
  }
}
