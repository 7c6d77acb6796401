// Keeps what was read for the workers that make views of it: messages are packed, as objects they take several times as much memory.

import {
  blocksIn,
  type Message,
  MessageLinker,
  MessagePacker,
  type Notice,
  ObjectStore,
  type Participant,
  type SpoolIndex,
  type SpoolSource,
} from '../index.js';
import { BlobSink } from './blob-sink.js';
import { DetailsKeeper, DetailsReader, type KeptDetails } from './kept-details.js';

/** What views need of a reading. Can be posted from one worker to another. */
export interface KeptCaptures {
  readonly messages: KeptMessages;
  /** Names of the captures together. */
  readonly title: string;
  readonly notices: readonly Notice[];
  /** Names of the captures, if there are several. */
  readonly names: readonly string[] | undefined;
  /** Digits of a second's fraction in the times of each. */
  readonly digits: readonly number[];
  /** ns since the epoch: the first frame. */
  readonly first: bigint;
}

export interface KeptMessages {
  readonly blocks: Blob;
  readonly index: SpoolIndex;
  readonly details: KeptDetails;
}

/** Messages beyond the limit are counted, and bodies beyond theirs. */
export class MessageKeeper {
  leftOut = 0;
  readonly #blocks = new BlobSink();
  readonly #packer = new MessagePacker(this.#blocks);
  readonly #details = new DetailsKeeper();
  #kept = 0;

  /** Of all that came. */
  get count(): number {
    return this.#kept + this.leftOut;
  }

  get withoutBodies(): number {
    return this.#details.withoutBodies;
  }

  add(message: Message): void {
    if (this.#kept >= MAX_MESSAGES) {
      this.leftOut += 1;
      return;
    }
    this.#kept += 1;
    this.#details.add(message.details);
    this.#packer.add(message, 0);
  }

  /** After the last message. */
  end(): KeptMessages {
    const { places, participants } = this.#packer.flush();
    return {
      index: { places, participants: plainCopies(participants) },
      blocks: this.#blocks.end(),
      details: this.#details.end(),
    };
  }
}

/** @returns all messages in order, other objects each time. */
export async function unpacked({ blocks, index, details }: KeptMessages): Promise<() => Generator<Message>> {
  const source = new BytesSource(new Uint8Array(await blocks.arrayBuffer()));
  const reader = await DetailsReader.of(details);
  return function* () {
    let place = 0;
    const links = new MessageLinker(new ObjectStore());
    for (const block of blocksIn(source, index))
      for (let row = 0; row < block.count; row++) {
        const message = block.message(row);
        const own = reader.details(place++);
        yield links.link(own === undefined ? message : Object.assign(message, { details: own }));
      }
  };
}

class BytesSource implements SpoolSource {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  read(into: Uint8Array, position: number): void {
    into.set(this.#bytes.subarray(position, position + into.length));
  }
}

/** Participants as they are known at the end: those of a reading look up their names, which no other worker can. */
function plainCopies(participants: readonly Participant[]): Participant[] {
  const copies = new Map<Participant, Participant>();
  const copyOf = (one: Participant): Participant => {
    const known = copies.get(one);
    if (known !== undefined) return known;
    const { id, component, name, tier, shortId, perNode, evidence } = one;
    const copy = { id, component, name, tier, shortId, perNode, evidence: [...evidence], process: one };
    copies.set(one, copy);
    copy.process = copyOf(one.process);
    return copy;
  };
  return participants.map(copyOf);
}

/** Limit: messages that the page keeps, a KB each while a view is made; of a capture of 100 MB there are some 100,000. */
export const MAX_MESSAGES = 200_000;
