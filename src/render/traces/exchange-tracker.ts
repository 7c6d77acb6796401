// Joins messages to exchanges for traces as they arrive, and finds what each follows from, in flat memory.

import type { Cause, Message } from '../../kubernetes/messages/message.js';

/** An exchange from its first message on. `Ref` is how other messages refer to it. */
export interface TracedExchange<Ref> {
  readonly first: Message;
  request?: Message;
  response?: Message;
  /** ns since the epoch: its last message, or the last of all for a request without a response. */
  end: bigint;
  /** Number of watch events and pieces of streams. */
  parts: number;
  readonly causes: FoundCause<Ref>[];
  readonly ref: Ref;
}

/** A message that another one follows from. */
export interface FoundCause<Ref> {
  readonly seq: number;
  readonly how: Cause['how'];
  readonly certain: boolean;
  /** It is one of several that are possible, and not the likeliest. */
  readonly alternative: boolean;
  /** undefined: it was not selected, or is too long ago. */
  readonly ref: Ref | undefined;
}

export interface TraceSink<Ref> {
  /** With its first message: a request, or a response whose request is unknown. */
  opened(first: Message, causes: readonly FoundCause<Ref>[]): Ref;
  closed(exchange: TracedExchange<Ref>): void;
  /** A watch event or a piece of a stream. @param parent its exchange; undefined: began before the capture. */
  part(message: Message, parent: Ref | undefined, causes: readonly FoundCause<Ref>[]): Ref;
}

export class ExchangeTracker<Ref> {
  readonly #sink: TraceSink<Ref>;
  readonly #open = new Map<number, TracedExchange<Ref>>();
  /** Rings: the slot of a message is its `seq` modulo their length. */
  readonly #seqs: number[] = [];
  readonly #refs: Ref[] = [];
  #last = 0n;

  constructor(sink: TraceSink<Ref>) {
    this.#sink = sink;
  }

  /** @param message in the order of `seq`. */
  add(message: Message): void {
    if (message.time > this.#last) this.#last = message.time;
    const slot = message.seq % MAX_CAUSES;
    // Arrays are filled from their beginning, so that they stay dense where a selection leaves gaps.
    while (this.#seqs.length <= slot) {
      this.#seqs.push(0);
      this.#refs.push(undefined as Ref);
    }
    const ref = this.#refOf(message);
    this.#seqs[slot] = message.seq;
    this.#refs[slot] = ref;
  }

  /** Closes what is open: an unanswered request lasts until the last message. */
  end(): void {
    for (const exchange of this.#open.values()) this.#close(exchange);
    this.#open.clear();
  }

  #refOf(message: Message): Ref {
    const open = this.#open.get(message.exchange);
    if (message.kind === 'event' || message.kind === 'data' || message.kind === 'end') {
      if (open !== undefined) {
        open.parts++;
        if (message.time > open.end) open.end = message.time;
      }
      const { cause } = message;
      const parent = open?.ref ?? (cause?.how === 'response' ? this.#find(cause.seq) : undefined);
      return this.#sink.part(message, parent, this.#causesOf(message));
    }
    const causes = this.#causesOf(message);
    const exchange = open ?? this.#openWith(message, causes);
    if (message.time > exchange.end) exchange.end = message.time;
    if (message.kind === 'request') exchange.request = message;
    else {
      exchange.response = message;
      if (open !== undefined) exchange.causes.push(...causes);
      if (exchange.request !== undefined && !isLasting(exchange.request, message)) {
        this.#open.delete(message.exchange);
        this.#sink.closed(exchange);
      }
    }
    return exchange.ref;
  }

  #openWith(first: Message, causes: FoundCause<Ref>[]): TracedExchange<Ref> {
    if (this.#open.size >= MAX_OPEN) {
      const [oldest] = this.#open;
      this.#open.delete(oldest[0]);
      this.#close(oldest[1]);
    }
    const exchange = { first, end: first.time, parts: 0, causes, ref: this.#sink.opened(first, causes) };
    this.#open.set(first.exchange, exchange);
    return exchange;
  }

  #close(exchange: TracedExchange<Ref>): void {
    if (exchange.response === undefined && exchange.parts === 0) exchange.end = this.#last;
    this.#sink.closed(exchange);
  }

  /** Causes of other exchanges: that a response follows from its request is what an exchange is. */
  #causesOf({ cause }: Message): FoundCause<Ref>[] {
    if (cause === undefined || cause.how === 'response') return [];
    const { how, certain, others = [] } = cause;
    return [
      { seq: cause.seq, how, certain, alternative: false, ref: this.#find(cause.seq) },
      ...others.map((seq) => ({ seq, how, certain: false, alternative: true, ref: this.#find(seq) })),
    ];
  }

  #find(seq: number): Ref | undefined {
    const slot = seq % MAX_CAUSES;
    return this.#seqs[slot] === seq ? this.#refs[slot] : undefined;
  }
}

/** May messages follow the response? */
function isLasting({ verb, service }: Message, { status, grpcStatus }: Message): boolean {
  return verb === 'watch' || status === 101 || (service !== undefined && grpcStatus === undefined);
}

/** Limit: messages that a trace still links to: those of minutes, as causes are seconds old. 0.1 KiB each. */
const MAX_CAUSES = 262_144;
/** Limit: exchanges that a trace has open at once: watches, and requests without a response. 2 KiB each; the oldest then ends with what it has. */
const MAX_OPEN = 65_536;
