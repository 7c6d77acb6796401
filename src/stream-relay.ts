// Hands what the first half of the pipeline says to a second half in another thread: packed into a few buffers, because
// to clone an object costs more than to make sense of it. Knows the words of streams; no thread.
//
//   a record   [ code | connection | capture | frame | time | offset | length ]   doubles, but time: a 64-bit integer
//   bytes      what data events carry, one after the other
//   extras     the few items that are not worth a code of their own, as they are

import type { Origin } from './core/origin.js';
import type { StreamItem, StreamSink } from './pipeline.js';
import type { Connection, Side, StreamEvent } from './tcp/stream-event.js';

export interface StreamBatch {
  readonly records: ArrayBuffer;
  readonly count: number;
  readonly bytes: ArrayBuffer;
  readonly extras: readonly Extra[];
}

type Extra =
  | { readonly kind: 'item'; readonly item: StreamItem }
  | { readonly kind: 'began'; readonly time: bigint }
  | { readonly kind: 'nanoseconds'; readonly capture: number };

/** Buffers of batches that were read, for those to come. */
export interface SpareBuffers {
  readonly records: ArrayBuffer;
  readonly bytes: ArrayBuffer;
}

/** Packs what it is told. `full` asks to `take` a batch; nothing is lost by being late. */
export class StreamPacker implements StreamSink {
  readonly #connections = new Map<number, Connection>();
  #numbers: Float64Array;
  #times: BigInt64Array;
  #bytes: Uint8Array;
  #extras: Extra[] = [];
  #count = 0;
  #length = 0;
  #settled = NEVER;

  constructor() {
    [this.#numbers, this.#times, this.#bytes] = roomIn(undefined);
  }

  get full(): boolean {
    return this.#length >= BATCH_BYTES || this.#count >= BATCH_RECORDS;
  }

  get empty(): boolean {
    return this.#count === 0 && this.#settled === NEVER;
  }

  item(item: StreamItem): void {
    this.#saySettled();
    switch (item.kind) {
      case 'data': {
        const { length } = item.bytes;
        if (this.#length + length > this.#bytes.length) this.#growBytes(length);
        this.#bytes.set(item.bytes, this.#length);
        this.#event(item.from === 'client' ? DATA_CLIENT : DATA_SERVER, item, this.#length, length);
        this.#length += length;
        return;
      }
      case 'gap':
        this.#event(item.from === 'client' ? GAP_CLIENT : GAP_SERVER, item, 0, item.length ?? -1);
        return;
      case 'closed':
        this.#event(CLOSED, item, SIDES.indexOf(item.from), REASONS.indexOf(item.reason));
        if (item.from === null) this.#connections.delete(item.connection.id);
        return;
      default:
        this.#extra({ kind: 'item', item });
    }
  }

  settled(time: bigint): void {
    if (time > this.#settled) this.#settled = time;
  }

  began(time: bigint): void {
    this.#extra({ kind: 'began', time });
  }

  nanoseconds(capture: number): void {
    this.#saySettled();
    this.#extra({ kind: 'nanoseconds', capture });
  }

  /** @param spare buffers that nobody reads any more. */
  take(spare: SpareBuffers | undefined): StreamBatch {
    this.#saySettled();
    const batch: StreamBatch = {
      records: this.#numbers.buffer as ArrayBuffer,
      count: this.#count,
      bytes: this.#bytes.buffer as ArrayBuffer,
      extras: this.#extras,
    };
    [this.#numbers, this.#times, this.#bytes] = roomIn(spare);
    this.#extras = [];
    this.#count = 0;
    this.#length = 0;
    return batch;
  }

  #event(code: number, event: DataLike, offset: number, length: number): void {
    const { connection } = event;
    // Its other half learns of a connection by the object itself, once.
    if (this.#connections.get(connection.id) !== connection) {
      this.#connections.set(connection.id, connection);
      this.#extra({ kind: 'item', item: { kind: 'established', connection, origin: event.origin } }, KNOW);
    }
    this.#record(code, connection.id, event.origin, offset, length);
  }

  #extra(extra: Extra, code: number = EXTRA): void {
    if (extra.kind === 'item' && 'connection' in extra.item && typeof extra.item.connection === 'object') {
      const { connection } = extra.item;
      if (extra.item.kind !== 'stream-bytes') this.#connections.set(connection.id, connection);
    }
    this.#extras.push(extra);
    this.#record(code, 0, NOWHERE, this.#extras.length - 1, 0);
  }

  #saySettled(): void {
    if (this.#settled === NEVER) return;
    const origin = { capture: 0, frame: 0, time: this.#settled };
    this.#settled = NEVER;
    this.#record(SETTLED, 0, origin, 0, 0);
  }

  #record(code: number, connection: number, { capture, frame, time }: Origin, offset: number, length: number): void {
    const at = this.#count * FIELDS;
    if (at >= this.#numbers.length) this.#growRecords();
    const numbers = this.#numbers;
    numbers[at] = code;
    numbers[at + 1] = connection;
    numbers[at + 2] = capture;
    numbers[at + 3] = frame;
    this.#times[at + 4] = time;
    numbers[at + 5] = offset;
    numbers[at + 6] = length;
    this.#count += 1;
  }

  #growRecords(): void {
    const grown = new Float64Array(this.#numbers.length * 2);
    const times = new BigInt64Array(grown.buffer);
    times.set(this.#times);
    this.#numbers = grown;
    this.#times = times;
  }

  #growBytes(more: number): void {
    const grown = new Uint8Array(Math.max(this.#length + more, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

/** Says to `sink` what was said to the packer, in the same order; bytes are views of the batch. */
export class StreamUnpacker {
  readonly #sink: StreamSink;
  readonly #connections = new Map<number, Connection>();

  constructor(sink: StreamSink) {
    this.#sink = sink;
  }

  read({ records, count, bytes, extras }: StreamBatch): void {
    const numbers = new Float64Array(records);
    const times = new BigInt64Array(records);
    for (let at = 0; at < count * FIELDS; at += FIELDS) {
      const code = numbers[at];
      if (code === SETTLED) this.#sink.settled(times[at + 4]);
      else if (code >= EXTRA) this.#extra(extras[numbers[at + 5]], code);
      else this.#sink.item(this.#event(numbers, times, bytes, at, code));
    }
  }

  #event(numbers: Float64Array, times: BigInt64Array, bytes: ArrayBuffer, at: number, code: number): StreamEvent {
    const connection = this.#connections.get(numbers[at + 1]) as Connection;
    const origin: Origin = { capture: numbers[at + 2], frame: numbers[at + 3], time: times[at + 4] };
    const offset = numbers[at + 5];
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

  #extra(extra: Extra, code: number): void {
    if (extra.kind === 'began') this.#sink.began(extra.time);
    else if (extra.kind === 'nanoseconds') this.#sink.nanoseconds(extra.capture);
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

type DataLike = Extract<StreamEvent, { kind: 'data' | 'gap' | 'closed' }>;

function roomIn(spare: SpareBuffers | undefined): [Float64Array, BigInt64Array, Uint8Array] {
  const records = spare?.records ?? new ArrayBuffer(BATCH_RECORDS * FIELDS * 8 * 2);
  return [
    new Float64Array(records),
    new BigInt64Array(records),
    new Uint8Array(spare?.bytes ?? new ArrayBuffer(BATCH_BYTES * 2)),
  ];
}

/** Bytes and records of a batch that is worth sending: some 100 µs of work for whoever reads it. Double that is room. */
const BATCH_BYTES = 128 * 1024;
const BATCH_RECORDS = 1024;

const FIELDS = 8;
const DATA_CLIENT = 1;
const DATA_SERVER = 2;
const GAP_CLIENT = 3;
const GAP_SERVER = 4;
const CLOSED = 5;
const SETTLED = 6;
/** The index of an extra stands in `offset`. */
const EXTRA = 7;
/** An extra that only makes a connection known. */
const KNOW = 8;

const SIDES: readonly (Side | null)[] = ['client', 'server', null];
const REASONS = ['fin', 'reset', 'idle', 'end'] as const;
const NOWHERE: Origin = { capture: 0, frame: 0, time: 0n };
const NEVER = -(1n << 63n);
