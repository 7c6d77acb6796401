// One of several that share the connections of a capture: hears its part of what `Streams` say and says what `Connections`
// make of it. And the one who hears them all, in the order of what they were told. Knows order; no thread.

import { MAX_TIME } from '../../core/origin.js';
import type { ConnectionSink, ExchangeStage } from '../exchange-stage.js';
import type { ExchangeBatch } from './exchange-layout.js';
import type { ExchangePacker } from './exchange-packer.js';
import { ExchangeUnpacker, OVER } from './exchange-unpacker.js';
import type { StreamBatch } from './stream-layout.js';
import { StreamUnpacker } from './stream-unpacker.js';

/** Each batch of the one kind becomes a batch of the other. */
export class ConnectionWorker {
  readonly #connections: ExchangeStage;
  readonly #packer: ExchangePacker;
  readonly #unpacker: StreamUnpacker;

  /** @param connections whose sink is `packer`. */
  constructor(connections: ExchangeStage, packer: ExchangePacker) {
    this.#connections = connections;
    this.#packer = packer;
    this.#unpacker = new StreamUnpacker(connections);
  }

  feed(batch: StreamBatch): void {
    this.#unpacker.read(batch, (ordinal) => {
      // What the item before led to, beside what was said of it.
      this.#packer.holds(this.#connections.held);
      this.#packer.ordinal = ordinal;
    });
    this.#packer.holds(this.#connections.held);
  }

  end(): void {
    this.#connections.end((round, connection) => {
      this.#packer.ordinal = round * END + connection;
    });
  }
}

/** Says what all of them said, as if it had been one. */
export class OrderedWorkerOutput {
  readonly #sink: ConnectionSink;
  readonly #shares: readonly ExchangeUnpacker[];
  readonly #held = (): bigint => this.#shares.reduce((least, { held }) => (held < least ? held : least), MAX_TIME);

  constructor(shares: number, sink: ConnectionSink) {
    this.#sink = sink;
    this.#shares = Array.from({ length: shares }, () => new ExchangeUnpacker());
  }

  /** @param batches one of each, made of what all were told up to the same item. */
  read(batches: readonly ExchangeBatch[]): void {
    batches.forEach((batch, i) => {
      this.#shares[i].open(batch);
    });
    const only = this.#shares.length === 1 ? this.#shares[0] : null;
    for (let next = only ?? this.#next(); next.ordinal !== OVER; next = only ?? this.#next())
      next.say(this.#sink, this.#held);
  }

  #next(): ExchangeUnpacker {
    let next = this.#shares[0];
    for (const share of this.#shares) if (share.ordinal < next.ordinal) next = share;
    return next;
  }
}

/** Above the stamps of all items: what is said at the end follows them, in the order of connections. */
const END = 2 ** 50;
