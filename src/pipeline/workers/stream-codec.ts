// Packs the items of the TCP stage for worker threads that decode connections, and unpacks them there. They travel in a few flat
// buffers, because cloning an object costs more than decoding it; every connection belongs to one worker.
//
//   a record   [ code | connection | capture | frame | time | offset | length | ordinal ]   doubles, except time: an integer
//   bytes      the payload of data events, one after the other
//   extras     rare items, cloned as objects

import { MIN_TIME, type Origin } from '../../core/origin.js';
import type { Connection, Side, StreamEvent } from '../../tcp/stream-event.js';
import type { StreamItem, StreamSink } from '../tcp-stage.js';
import { type BatchBuffers, BatchWriter, type SpareBuffers } from './transfer-buffers.js';

export interface StreamBatch {
  readonly buffers: BatchBuffers;
  readonly count: number;
  readonly extras: readonly StreamExtra[];
}

type StreamExtra =
  | { readonly kind: 'item'; readonly item: StreamItem }
  | { readonly kind: 'first-frame'; readonly time: bigint }
  | { readonly kind: 'nanoseconds'; readonly capture: number };

const FIELDS = 8;
const TIME = 4;
const OFFSET = 5;
const DATA_CLIENT = 1;
const DATA_SERVER = 2;
const GAP_CLIENT = 3;
const GAP_SERVER = 4;
const CLOSED = 5;
/** `time` and, in the field of the offset, `limit`. */
const WATERMARK = 6;
/** The index of an extra, in the field of the offset. */
const EXTRA = 7;
/** An extra that only announces a connection. */
const CONNECTION = 8;
const SIDES: readonly (Side | null)[] = ['client', 'server', null];
const REASONS = ['fin', 'reset', 'aborted', 'unanswered', 'unreachable', 'idle', 'end'] as const;

/**
 * Distributes items to `workers`: each connection always to the same one, items without a connection to the first, secrets to all.
 * Items are numbered 1, 2, 3 …, so that the workers' output can be put back in order.
 */
export class StreamPacker implements StreamSink {
  readonly #workers: readonly WorkerPacker[];
  #ordinal = 0;
  #time = MIN_TIME;
  #limit = MIN_TIME;

  constructor(workers: number) {
    this.#workers = Array.from({ length: workers }, () => new WorkerPacker());
  }

  /** Some worker has a full batch: all batches should be taken now; taking them later loses nothing. */
  get full(): boolean {
    return this.#workers.some((worker) => worker.full);
  }

  item(item: StreamItem): void {
    this.#ordinal += 1;
    if (item.kind === 'secrets' || item.kind === 'no-secrets') {
      for (const worker of this.#workers) worker.item(item, this.#ordinal);
      return;
    }
    const index =
      'connection' in item && typeof item.connection === 'object' ? item.connection.id % this.#workers.length : 0;
    const worker = this.#workers[index];
    if (this.#time !== MIN_TIME) worker.watermark(this.#time, this.#limit, this.#ordinal);
    worker.item(item, this.#ordinal);
  }

  watermark(time: bigint, limit: bigint): void {
    const isSetBack = limit < this.#limit;
    // A watermark from before the clock was set back holds for earlier items, and for none that follow.
    if (isSetBack) this.#emitWatermark();
    if (isSetBack || time > this.#time) this.#time = time;
    if (isSetBack || limit > this.#limit) this.#limit = limit;
    if (isSetBack) this.#emitWatermark();
  }

  firstFrame(time: bigint): void {
    this.#ordinal += 1;
    this.#workers[0].extra({ kind: 'first-frame', time }, this.#ordinal);
  }

  hasNanoseconds(capture: number): void {
    this.#ordinal += 1;
    this.#workers[0].extra({ kind: 'nanoseconds', capture }, this.#ordinal);
  }

  /**
   * @param spare buffers for each worker that are no longer in use.
   * @returns for each worker what was added since the last call.
   */
  take(spare: (worker: number) => SpareBuffers | undefined): StreamBatch[] {
    if (this.#time !== MIN_TIME) this.#emitWatermark();
    return this.#workers.map((worker, i) => worker.take(spare(i)));
  }

  #emitWatermark(): void {
    this.#ordinal += 1;
    for (const worker of this.#workers) worker.watermark(this.#time, this.#limit, this.#ordinal);
  }
}

/** Packs the items of one worker. */
class WorkerPacker {
  readonly #connections = new Map<number, Connection>();
  #out = newWriter(undefined);
  #extras: StreamExtra[] = [];
  #lastTime = MIN_TIME;
  #lastLimit = MIN_TIME;

  get full(): boolean {
    return this.#out.byteCount >= BATCH_BYTES || this.#out.numberCount >= BATCH_RECORDS * FIELDS;
  }

  item(item: StreamItem, ordinal: number): void {
    switch (item.kind) {
      case 'data': {
        const at = this.#out.putBytes(item.bytes);
        this.#event(item.from === 'client' ? DATA_CLIENT : DATA_SERVER, item, at, item.bytes.length, ordinal);
        return;
      }
      case 'gap':
        this.#event(item.from === 'client' ? GAP_CLIENT : GAP_SERVER, item, 0, item.length ?? -1, ordinal);
        return;
      case 'closed':
        this.#event(CLOSED, item, SIDES.indexOf(item.from), REASONS.indexOf(item.reason), ordinal);
        if (item.from === null) this.#connections.delete(item.connection.id);
        return;
      default:
        if ('connection' in item && typeof item.connection === 'object' && item.kind !== 'stream-bytes')
          this.#connections.set(item.connection.id, item.connection);
        this.extra({ kind: 'item', item }, ordinal);
    }
  }

  watermark(time: bigint, limit: bigint, ordinal: number): void {
    if (time === this.#lastTime && limit === this.#lastLimit) return;
    this.#lastTime = time;
    this.#lastLimit = limit;
    const at = this.#record(WATERMARK, 0, NO_ORIGIN, 0, 0, ordinal);
    this.#out.integers[at + TIME] = time;
    this.#out.integers[at + OFFSET] = limit;
  }

  extra(extra: StreamExtra, ordinal: number, code: number = EXTRA): void {
    this.#extras.push(extra);
    this.#record(code, 0, NO_ORIGIN, this.#extras.length - 1, 0, ordinal);
  }

  take(spare: SpareBuffers | undefined): StreamBatch {
    const batch = { buffers: this.#out.buffers, count: this.#out.numberCount / FIELDS, extras: this.#extras };
    this.#out = newWriter(spare);
    this.#extras = [];
    return batch;
  }

  #event(
    code: number,
    { connection, origin }: Extract<StreamEvent, { kind: 'data' | 'gap' | 'closed' }>,
    offset: number,
    length: number,
    ordinal: number,
  ): void {
    // The worker receives each connection once as an object; records name it by number.
    if (this.#connections.get(connection.id) !== connection) {
      this.#connections.set(connection.id, connection);
      this.extra({ kind: 'item', item: { kind: 'established', connection, origin } }, ordinal, CONNECTION);
    }
    this.#record(code, connection.id, origin, offset, length, ordinal);
  }

  #record(
    code: number,
    connection: number,
    { capture, frame, time }: Origin,
    offset: number,
    length: number,
    ordinal: number,
  ): number {
    const at = this.#out.takeNumbers(FIELDS);
    const { numbers, integers } = this.#out;
    numbers[at] = code;
    numbers[at + 1] = connection;
    numbers[at + 2] = capture;
    numbers[at + 3] = frame;
    integers[at + TIME] = time;
    numbers[at + OFFSET] = offset;
    numbers[at + 6] = length;
    numbers[at + 7] = ordinal;
    return at;
  }
}

/** Emits to `sink` the items that were packed for it, in the same order; their bytes are views of the batch. */
export class StreamUnpacker {
  readonly #sink: StreamSink;
  readonly #connections = new Map<number, Connection>();

  constructor(sink: StreamSink) {
    this.#sink = sink;
  }

  /** @param beforeItem receives the ordinal of each item before the item is emitted. */
  read({ buffers, count, extras }: StreamBatch, beforeItem: (ordinal: number) => void): void {
    const numbers = new Float64Array(buffers.numbers);
    const times = new BigInt64Array(buffers.numbers);
    for (let at = 0; at < count * FIELDS; at += FIELDS) {
      const code = numbers[at];
      beforeItem(numbers[at + 7]);
      if (code === WATERMARK) this.#sink.watermark(times[at + TIME], times[at + OFFSET]);
      else if (code >= EXTRA) this.#extra(extras[numbers[at + OFFSET]], code);
      else this.#sink.item(this.#event(numbers, times, buffers.bytes, at, code));
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
    if (extra.kind === 'first-frame') this.#sink.firstFrame(extra.time);
    else if (extra.kind === 'nanoseconds') this.#sink.hasNanoseconds(extra.capture);
    else {
      const item = this.#withOwnConnection(extra.item, code);
      if (item !== null) this.#sink.item(item);
    }
  }

  /** A cloned item holds a clone of its connection: the object that this thread has already replaces it. */
  #withOwnConnection(item: StreamItem, code: number): StreamItem | null {
    if (!('connection' in item) || typeof item.connection !== 'object') return item;
    const { id } = item.connection;
    if (code === CONNECTION || !this.#connections.has(id)) {
      if (item.kind === 'stream-bytes') return item;
      this.#connections.set(id, item.connection);
      return code === CONNECTION ? null : item;
    }
    const connection = this.#connections.get(id) as Connection;
    return { ...item, connection } as StreamItem;
  }
}

function newWriter(spare: SpareBuffers | undefined): BatchWriter {
  return new BatchWriter(spare, BATCH_RECORDS * FIELDS * 2, BATCH_BYTES * 2, 0);
}

/** Bytes and records of a batch that is worth sending: some 100 µs of work for its worker. Buffers hold twice as much. */
const BATCH_BYTES = 256 * 1024;
const BATCH_RECORDS = 2048;

const NO_ORIGIN: Origin = { capture: 0, frame: 0, time: 0n };
