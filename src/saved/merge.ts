// Merges the messages of several sources by time, each once, with new numbers (seq, exchanges, connections).

import type { Message } from '../kubernetes/messages/message.js';
import { Copies, type MergedMessage } from './copies.js';

/** Several sources as one: messages that two of them tell of come once, all are numbered 1, 2, 3 … */
export class Merge {
  readonly #copies = new Copies();
  readonly #sources: { readonly seqs: MessageNumbers; readonly exchanges: MessageNumbers }[] = [];
  #seq = 0;
  #exchanges = 0;
  /** Messages left out because another source has them. */
  copies = 0;

  /** @param source its number; messages of all sources come in the order of their times. */
  feed(message: Message, source: number): readonly Message[] {
    return this.#copies.feed(message, source).map((merged) => this.#numbered(merged));
  }

  end(): readonly Message[] {
    return this.#copies.end().map((merged) => this.#numbered(merged));
  }

  #numbered({ message, source, copies }: MergedMessage): Message {
    this.#seq += 1;
    const own = this.#of(source);
    let exchange = own.exchanges.get(message.exchange);
    for (const copy of copies) exchange ??= this.#of(copy.source).exchanges.get(copy.message.exchange);
    if (exchange === undefined) {
      this.#exchanges += 1;
      exchange = this.#exchanges;
    }
    let cause = causeIn(message, own.seqs);
    own.seqs.set(message.seq, this.#seq);
    own.exchanges.set(message.exchange, exchange);
    for (const copy of copies) {
      const other = this.#of(copy.source);
      cause ??= causeIn(copy.message, other.seqs);
      other.seqs.set(copy.message.seq, this.#seq);
      other.exchanges.set(copy.message.exchange, exchange);
    }
    this.copies += copies.length;
    return { ...message, seq: this.#seq, exchange, causedBy: cause?.causedBy, cause: cause?.cause };
  }

  #of(source: number): { readonly seqs: MessageNumbers; readonly exchanges: MessageNumbers } {
    this.#sources[source] ??= { seqs: new MessageNumbers(), exchanges: new MessageNumbers() };
    return this.#sources[source];
  }
}

/** What a message follows from, by the new numbers; undefined: nothing that is known. */
function causeIn({ causedBy, cause }: Message, seqs: MessageNumbers): Pick<Message, 'causedBy' | 'cause'> | undefined {
  const seq = causedBy === undefined ? undefined : seqs.get(causedBy);
  if (seq === undefined || cause === undefined) return seq === undefined ? undefined : { causedBy: seq };
  const { how, certain } = cause;
  const others = cause.others?.flatMap((one) => seqs.get(one) ?? []) ?? [];
  return { causedBy: seq, cause: { seq, how, certain, ...(others.length === 0 ? null : { others }) } };
}

/** From old numbers to new ones; the oldest are forgotten beyond the limit. */
class MessageNumbers {
  readonly #known = new Map<number, number>();

  get(old: number): number | undefined {
    return this.#known.get(old);
  }

  set(old: number, now: number): void {
    this.#known.set(old, now);
    if (this.#known.size <= MAX_NUMBERS) return;
    const [first] = this.#known.keys();
    this.#known.delete(first);
  }
}

/**
 * Limit: message numbers remembered when exports are merged: causes lie seconds back, watches hours; a million messages are some
 * minutes of a busy API server, in 60 MB.
 */
const MAX_NUMBERS = 1_000_000;
