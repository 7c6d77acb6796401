// Packs messages into blocks, and gives the index with which they are read again, by whomever.

import type { Message, Participant } from '../kubernetes/messages/message.js';
import type { BlockPlace } from './block-layout.js';
import { BlockReader } from './block-reader.js';
import { BlockWriter } from './block-writer.js';
import { ParticipantNumbers } from './participant-numbers.js';
import type { SpoolSink, SpoolSource } from './spool-storage.js';

/** What is known of blocks beside their bytes. */
export interface SpoolIndex {
  readonly places: readonly BlockPlace[];
  /** By their numbers in columns. */
  readonly participants: readonly Participant[];
}

export class MessagePacker {
  readonly #sink: SpoolSink;
  readonly #writer = new BlockWriter();
  readonly #places: BlockPlace[] = [];
  readonly #participants = new ParticipantNumbers();
  #size = 0;

  constructor(sink: SpoolSink) {
    this.#sink = sink;
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

  /** Writes the block that is not full, if there is one. @returns the index of all messages so far. */
  flush(): SpoolIndex {
    if (this.#writer.count > 0) this.#write();
    return { places: this.#places, participants: this.#participants.all };
  }

  #write(): void {
    const place = this.#writer.write(this.#sink, this.#size);
    this.#places.push(place);
    this.#size += place.bytes;
  }
}

/** Messages in the order in which they were added, a block at a time: valid until the next is asked for. */
export function* blocksIn(source: SpoolSource, { places, participants }: SpoolIndex): Generator<BlockReader> {
  const reader = new BlockReader(source, participants);
  for (const place of places) {
    reader.open(place);
    yield reader;
  }
}
