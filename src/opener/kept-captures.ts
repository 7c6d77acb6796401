// What was read, as the page holds it between its workers: messages packed, their heads and bodies as text. As objects they take
// several times as much memory.

import {
  blocksIn,
  type Details,
  type Message,
  MessagePacker,
  type Notice,
  type Participant,
  type SpoolIndex,
  type SpoolSource,
} from '../index.js';
import { BlobSink } from './blob-sink.js';
import { detailsText, KeptDetails } from './kept-details.js';

/** What views need of the reading beside messages. */
export interface ReadFacts {
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

/** Can be posted from one worker to another. */
export interface KeptMessages {
  readonly blocks: Blob;
  readonly index: SpoolIndex;
  /** One text behind the other. */
  readonly details: Blob;
  /** For each message, where its text ends, in bytes: where that of the one before ends if it has none. */
  readonly detailEnds: Float64Array;
}

/** Messages beyond the limits are counted, and bodies beyond theirs. */
export class MessageKeeper {
  withoutBodies = 0;
  leftOut = 0;
  readonly #blocks = new BlobSink();
  readonly #packer = new MessagePacker(this.#blocks);
  readonly #details = new BlobSink();
  readonly #detailEnds: number[] = [];
  readonly #encoder = new TextEncoder();
  /** No text of any size is kept any more. */
  #isFull = false;

  /** Of all that came. */
  get count(): number {
    return this.#detailEnds.length + this.leftOut;
  }

  add(message: Message): void {
    if (this.#detailEnds.length >= MAX_MESSAGES) {
      this.leftOut += 1;
      return;
    }
    if (message.details !== undefined) this.#addDetails(message.details);
    this.#detailEnds.push(this.#details.length);
    this.#packer.add(message, 0);
  }

  /** After the last message. */
  end(): KeptMessages {
    const { places, participants } = this.#packer.index();
    return {
      index: { places, participants: plainCopies(participants) },
      blocks: this.#blocks.end(),
      details: this.#details.end(),
      detailEnds: Float64Array.from(this.#detailEnds),
    };
  }

  #addDetails(details: Details): void {
    const bytes = details.bodyBytes();
    const withBody = (bytes ?? 0) <= MAX_BODY;
    const text = this.#isFull ? null : this.#encoder.encode(detailsText(details, withBody));
    if (text !== null && this.#details.length + text.length <= MAX_DETAILS) this.#details.append(text);
    else this.#isFull = true;
    if ((!withBody || this.#isFull) && bytes !== 0) this.withoutBodies += 1;
  }
}

/** @returns all messages in order, other objects each time. */
export async function unpacked(kept: KeptMessages): Promise<() => Generator<Message>> {
  const blocks = new BytesSource(new Uint8Array(await kept.blocks.arrayBuffer()));
  const details = new Uint8Array(await kept.details.arrayBuffer());
  return function* () {
    let place = 0;
    let begin = 0;
    for (const block of blocksIn(blocks, kept.index))
      for (let row = 0; row < block.count; row++) {
        const message = block.message(row);
        const end = kept.detailEnds[place++];
        yield end === begin
          ? message
          : Object.assign(message, { details: new KeptDetails(details.subarray(begin, end)) });
        begin = end;
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
/** Limit in bytes: heads and bodies that the page keeps, as JSON: those of some ten thousand objects. */
export const MAX_DETAILS = 16 * 1024 ** 2;
/** Limit in bytes: one body that the page keeps, as transferred: a longer one would not be shown. */
const MAX_BODY = 1024 ** 2;
