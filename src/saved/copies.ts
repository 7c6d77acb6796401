// Finds copies of one message in several sources, as when both a node and the control plane captured it: same connection, stream and
// content, at about the same time.
//
//   waiting   [ m1 | m2 | m3 … ]   in the order of time; a message goes when nothing can be its copy any more

import { Fifo } from '../core/collections/fifo.js';
import type { Message } from '../kubernetes/messages/message.js';

/** A message that goes on, with those that are the same one. */
export interface MergedMessage {
  readonly message: Message;
  readonly source: number;
  /** The same message in other sources: what refers to them means this one. */
  readonly copies: readonly { readonly message: Message; readonly source: number }[];
}

/** Takes the messages of all sources in the order of time; gives them in the same order, copies taken out. */
export class Copies {
  readonly #waiting = new Fifo<WaitingMessage>();
  readonly #byKey = new Map<string, WaitingMessage[]>();

  feed(message: Message, source: number): readonly MergedMessage[] {
    const out = this.#release(message.time - COPY_WINDOW_NS);
    const key = keyOf(message);
    const same = this.#byKey.get(key);
    const original = same?.find((one) => !one.sources.includes(source));
    if (original === undefined) {
      const waiting: WaitingMessage = { message, source, sources: [source], copies: [], key };
      this.#waiting.push(waiting);
      if (same === undefined) this.#byKey.set(key, [waiting]);
      else same.push(waiting);
      // Too many messages within the window are released early: their copies, if any, are then emitted as well.
      if (this.#waiting.length > MAX_WAITING) this.#releaseOne(out);
    } else {
      original.sources.push(source);
      original.copies.push({ message, source });
    }
    return out;
  }

  end(): readonly MergedMessage[] {
    const out: MergedMessage[] = [];
    while (this.#waiting.length > 0) this.#releaseOne(out);
    return out;
  }

  #release(before: bigint): MergedMessage[] {
    const out: MergedMessage[] = [];
    while (this.#waiting.length > 0 && this.#waiting.at(0).message.time < before) this.#releaseOne(out);
    return out;
  }

  #releaseOne(out: MergedMessage[]): void {
    const one = this.#waiting.shift();
    const same = this.#byKey.get(one.key) as WaitingMessage[];
    if (same.length === 1) this.#byKey.delete(one.key);
    else same.splice(same.indexOf(one), 1);
    out.push({ message: best(one), source: one.source, copies: one.copies });
  }
}

interface WaitingMessage {
  readonly message: Message;
  readonly source: number;
  readonly sources: number[];
  readonly copies: { readonly message: Message; readonly source: number }[];
  readonly key: string;
}

/** The copy of the source that has the whole message, with the time and place of the first one. */
function best({ message, copies }: WaitingMessage): Message {
  if (message.complete) return message;
  const whole = copies.find((copy) => copy.message.complete)?.message;
  return whole === undefined ? message : { ...whole, seq: message.seq, time: message.time, exchange: message.exchange };
}

/** What copies of a message have in common, whichever host captured it. */
function keyOf(message: Message): string {
  const { object } = message;
  return [
    message.connection,
    message.kind,
    message.stream,
    message.label,
    message.auditId,
    object?.uid,
    object?.resourceVersion,
    message.channel,
    message.bytes,
    message.revision,
  ].join('\n');
}

/** Clocks are corrected to some milliseconds; a copy that is later is another request with the same words. */
const COPY_WINDOW_NS = 500_000_000n;
/**
 * Limit: messages that wait half a second of capture time for their copies in other saved files: ten thousand messages a second from
 * each of ten nodes. Beyond it the oldest are emitted, and their copies are messages of their own.
 */
const MAX_WAITING = 50_000;
