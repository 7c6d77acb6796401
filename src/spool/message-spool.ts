// Keeps more messages than fit into memory: packed, block by block, in a file or whatever else its storage is.

import type { Message, Participant } from '../kubernetes/messages/message.js';
import type { BlockPlace } from './block-layout.js';
import { BlockReader } from './block-reader.js';
import { BlockWriter } from './block-writer.js';
import { ParticipantNumbers } from './participant-numbers.js';
import type { SpoolStorage } from './spool-storage.js';

export class MessageSpool {
  readonly #storage: SpoolStorage;
  readonly #writer = new BlockWriter();
  readonly #places: BlockPlace[] = [];
  readonly #participants = new ParticipantNumbers();
  #size = 0;

  constructor(storage: SpoolStorage) {
    this.#storage = storage;
  }

  /** By their numbers in columns. */
  get participants(): readonly Participant[] {
    return this.#participants.all;
  }

  /** @param message its head and body are not kept. @param mark sixteen bits that stay with it. */
  add(message: Message, mark: number): void {
    this.#writer.add(message, mark, this.#participants);
    if (this.#writer.isFull) this.#write();
  }

  /** Messages in the order in which they were added, a block at a time: valid until the next is asked for. */
  *blocks(): Generator<BlockReader> {
    if (this.#writer.count > 0) this.#write();
    const reader = new BlockReader(this.#storage, this.#participants.all);
    for (const place of this.#places) {
      reader.open(place);
      yield reader;
    }
  }

  #write(): void {
    const place = this.#writer.write(this.#storage, this.#size);
    this.#places.push(place);
    this.#size += place.bytes;
  }
}
