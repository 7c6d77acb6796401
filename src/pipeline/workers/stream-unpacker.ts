// The other end of stream-packer.ts. Knows the words of streams; no thread.

import type { Origin } from '../../core/origin.js';
import type { Connection, StreamEvent } from '../../tcp/stream-event.js';
import type { StreamItem, StreamSink } from '../tcp-stage.js';
import {
  DATA_CLIENT,
  DATA_SERVER,
  EXTRA,
  FIELDS,
  GAP_CLIENT,
  GAP_SERVER,
  KNOW,
  OFFSET,
  REASONS,
  SETTLED,
  SIDES,
  type StreamBatch,
  type StreamExtra,
  TIME,
} from './stream-layout.js';

/** Says to `sink` what was said for it, in the same order; bytes are views of the batch. */
export class StreamUnpacker {
  readonly #sink: StreamSink;
  readonly #connections = new Map<number, Connection>();

  constructor(sink: StreamSink) {
    this.#sink = sink;
  }

  /** @param about told the stamp of each item before it is said, and after the last. */
  read({ room, count, extras }: StreamBatch, about: (ordinal: number) => void): void {
    const numbers = new Float64Array(room.numbers);
    const times = new BigInt64Array(room.numbers);
    for (let at = 0; at < count * FIELDS; at += FIELDS) {
      const code = numbers[at];
      about(numbers[at + 7]);
      if (code === SETTLED) this.#sink.settled(times[at + TIME], times[at + OFFSET]);
      else if (code >= EXTRA) this.#extra(extras[numbers[at + OFFSET]], code);
      else this.#sink.item(this.#event(numbers, times, room.bytes, at, code));
    }
  }

  #event(numbers: Float64Array, times: BigInt64Array, bytes: ArrayBuffer, at: number, code: number): StreamEvent {
    const connection = this.#connections.get(numbers[at + 1]) as Connection;
    const origin: Origin = { capture: numbers[at + 2], frame: numbers[at + 3], time: times[at + TIME] };
    const offset = numbers[at + OFFSET];
    const length = numbers[at + 6];
    switch (code) {
      case DATA_CLIENT:
      case DATA_SERVER: {
        const from = code === DATA_CLIENT ? 'client' : 'server';
        return { kind: 'data', connection, from, origin, bytes: new Uint8Array(bytes, offset, length) };
      }
      case GAP_CLIENT:
      case GAP_SERVER: {
        const from = code === GAP_CLIENT ? 'client' : 'server';
        return { kind: 'gap', connection, from, origin, length: length < 0 ? null : length };
      }
      default: {
        if (SIDES[offset] === null) this.#connections.delete(connection.id);
        return { kind: 'closed', connection, from: SIDES[offset], origin, reason: REASONS[length] };
      }
    }
  }

  #extra(extra: StreamExtra, code: number): void {
    if (extra.kind === 'began') this.#sink.firstFrame(extra.time);
    else if (extra.kind === 'nanoseconds') this.#sink.hasNanoseconds(extra.capture);
    else {
      const item = this.#known(extra.item, code);
      if (item !== null) this.#sink.item(item);
    }
  }

  // A clone has a connection of its own: the one that is known stays.
  #known(item: StreamItem, code: number): StreamItem | null {
    if (!('connection' in item) || typeof item.connection !== 'object') return item;
    const { id } = item.connection;
    if (code === KNOW || !this.#connections.has(id)) {
      if (item.kind === 'stream-bytes') return item;
      this.#connections.set(id, item.connection);
      return code === KNOW ? null : item;
    }
    const connection = this.#connections.get(id) as Connection;
    return { ...item, connection } as StreamItem;
  }
}
