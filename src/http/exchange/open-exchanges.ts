// The exchanges of a connection that are not over, by their number. Knows their order and what was said of each; not how
// they come about.

import type { Connection } from '../../tcp/stream-event.js';
import type { Exchange } from '../exchange-event.js';
import type { Fields, RequestHead, ResponseHead } from '../http-event.js';
import type { ChannelReader } from './channel.js';
import { ExchangeSide } from './exchange-side.js';

/** The exchange while it is filled in. */
interface ExchangeSoFar extends Exchange {
  request: RequestHead | null;
  response: ResponseHead | null;
  trailers: Fields | null;
  upgraded: string | null;
}

export class OpenExchange {
  /** What is known by now. */
  readonly known: ExchangeSoFar;
  /** What was said of it: as much as was known with its last event, wherever the listener stands. */
  readonly exchange: ExchangeSoFar;
  /** HTTP/1: ordinal, HTTP/2: stream id. While it is one of several that are open, theirs to change. */
  key: number;
  readonly client = new ExchangeSide();
  readonly server = new ExchangeSide();
  /** Reads the tunnel, or the server's body where that is a stream of channels. */
  channels: ChannelReader | null = null;

  constructor(connection: Connection, key: number, isHttp2: boolean) {
    this.key = key;
    const stream = isHttp2 ? key : null;
    this.known = { connection, stream, request: null, response: null, trailers: null, upgraded: null };
    this.exchange = { connection, stream, request: null, response: null, trailers: null, upgraded: null };
  }

  /** The exchange for an event that is said now. */
  told(): Exchange {
    const { exchange, known } = this;
    exchange.request = known.request;
    exchange.response = known.response;
    exchange.trailers = known.trailers;
    exchange.upgraded = known.upgraded;
    return exchange;
  }
}

export class OpenExchanges {
  /** The only one: HTTP/1 has no more, and a map would be filled and emptied for each. */
  #alone: OpenExchange | null = null;
  /** In the order in which they began; empty while there is but one. */
  readonly #many = new Map<number, OpenExchange>();

  get size(): number {
    return this.#alone === null ? this.#many.size : 1;
  }

  find(key: number): OpenExchange | undefined {
    const alone = this.#alone;
    if (alone !== null) return alone.key === key ? alone : undefined;
    return this.#many.get(key);
  }

  /** One whose number is not there. */
  add(open: OpenExchange): void {
    const alone = this.#alone;
    if (alone === null && this.#many.size === 0) {
      this.#alone = open;
      return;
    }
    if (alone !== null) {
      this.#many.set(alone.key, alone);
      this.#alone = null;
    }
    this.#many.set(open.key, open);
  }

  remove(open: OpenExchange): void {
    if (this.#alone === open) this.#alone = null;
    else this.#many.delete(open.key);
  }

  /** It is found under another number from here on. */
  renumber(open: OpenExchange, key: number): void {
    this.remove(open);
    open.key = key;
    this.add(open);
  }

  oldest(): OpenExchange {
    return this.#alone ?? this.#many.values().next().value!;
  }

  /** A list of its own: they may be removed while it is read. */
  all(): readonly OpenExchange[] {
    return this.#alone === null ? [...this.#many.values()] : [this.#alone];
  }
}
