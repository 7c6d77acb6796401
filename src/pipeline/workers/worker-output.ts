// Runs the exchange stage for one worker's worker of the connections, and merges the output of all workers in the order of the input.

import { MAX_TIME } from '../../core/origin.js';
import type { ConnectionSink, ExchangeStage } from '../exchange-stage.js';
import type { ExchangeBatch } from './exchange-layout.js';
import type { ExchangePacker } from './exchange-packer.js';
import { ExchangeUnpacker, NO_RECORD } from './exchange-unpacker.js';
import type { StreamBatch } from './stream-codec.js';
import { StreamUnpacker } from './stream-codec.js';

/** Turns each batch of stream items into a batch of exchange events. */
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
      // The item before may have changed what is held, besides its own output.
      this.#packer.updateHeld(this.#connections.oldestHeld);
      this.#packer.ordinal = ordinal;
    });
    this.#packer.updateHeld(this.#connections.oldestHeld);
  }

  end(): void {
    this.#connections.end((round, connection) => {
      this.#packer.ordinal = round * END_ORDINAL + connection;
    });
  }
}

/** Emits the output of all workers as if one thread had produced it. */
export class OrderedWorkerOutput {
  readonly #sink: ConnectionSink;
  readonly #workers: readonly ExchangeUnpacker[];
  readonly #held = (): bigint => this.#workers.reduce((least, { held }) => (held < least ? held : least), MAX_TIME);

  constructor(workers: number, sink: ConnectionSink) {
    this.#sink = sink;
    this.#workers = Array.from({ length: workers }, () => new ExchangeUnpacker());
  }

  /** @param batches one of each worker, all up to the same input item. */
  read(batches: readonly ExchangeBatch[]): void {
    batches.forEach((batch, i) => {
      this.#workers[i].open(batch);
    });
    const only = this.#workers.length === 1 ? this.#workers[0] : null;
    for (let next = only ?? this.#next(); next.ordinal !== NO_RECORD; next = only ?? this.#next())
      next.emitNext(this.#sink, this.#held);
  }

  #next(): ExchangeUnpacker {
    let next = this.#workers[0];
    for (const worker of this.#workers) if (worker.ordinal < next.ordinal) next = worker;
    return next;
  }
}

/** Above the ordinals of all items: what the end of input emits follows them, in the order of connections. */
const END_ORDINAL = 2 ** 50;
