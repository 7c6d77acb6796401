// Hands what `Streams` says to `Connections` in other threads: packed into a few buffers, because to clone an object
// costs more than to make sense of it. Each connection has one listener of several. Knows the words of streams; no thread.

import { MIN_TIME, type Origin } from '../../core/origin.js';
import type { Connection, StreamEvent } from '../../tcp/stream-event.js';
import type { StreamItem, StreamSink } from '../tcp-stage.js';
import {
  CLOSED,
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
import { type SpareBuffers, TransferBuffers } from './transfer-buffers.js';

/**
 * Packs what it is told for `listeners`, each connection for the same one of them; what is about none is for the first,
 * secrets are for all. Items are stamped 1, 2, 3 …, so that what becomes of them can be put in order again.
 */
export class StreamPacker implements StreamSink {
  readonly #shares: readonly Share[];
  #ordinal = 0;
  #time = MIN_TIME;
  #limit = MIN_TIME;

  constructor(listeners: number) {
    this.#shares = Array.from({ length: listeners }, () => new Share());
  }

  /** Somebody has enough to do: all should `take` now; nothing is lost by being late. */
  get full(): boolean {
    return this.#shares.some((share) => share.full);
  }

  item(item: StreamItem): void {
    this.#ordinal += 1;
    if (item.kind === 'secrets' || item.kind === 'no-secrets') {
      for (const share of this.#shares) share.item(item, this.#ordinal);
      return;
    }
    const listener =
      'connection' in item && typeof item.connection === 'object' ? item.connection.id % this.#shares.length : 0;
    const share = this.#shares[listener];
    if (this.#time !== MIN_TIME) share.settled(this.#time, this.#limit, this.#ordinal);
    share.item(item, this.#ordinal);
  }

  settled(time: bigint, limit: bigint): void {
    const isSetBack = limit < this.#limit;
    // What all were told before the clock was set back holds for what came before, and for nothing that follows.
    if (isSetBack) this.#tellSettled();
    if (isSetBack || time > this.#time) this.#time = time;
    if (isSetBack || limit > this.#limit) this.#limit = limit;
    if (isSetBack) this.#tellSettled();
  }

  firstFrame(time: bigint): void {
    this.#ordinal += 1;
    this.#shares[0].extra({ kind: 'began', time }, this.#ordinal);
  }

  hasNanoseconds(capture: number): void {
    this.#ordinal += 1;
    this.#shares[0].extra({ kind: 'nanoseconds', capture }, this.#ordinal);
  }

  /**
   * What came since the last time, for each listener.
   * @param spare of each listener: buffers that nobody reads any more.
   */
  take(spare: (listener: number) => SpareBuffers | undefined): StreamBatch[] {
    if (this.#time !== MIN_TIME) this.#tellSettled();
    return this.#shares.map((share, i) => share.take(spare(i)));
  }

  /** To all, behind whatever one of them was told last. */
  #tellSettled(): void {
    this.#ordinal += 1;
    for (const share of this.#shares) share.settled(this.#time, this.#limit, this.#ordinal);
  }
}

/** What one listener is to hear. */
class Share {
  readonly #connections = new Map<number, Connection>();
  #room = newRoom(undefined);
  #extras: StreamExtra[] = [];
  #saidTime = MIN_TIME;
  #saidLimit = MIN_TIME;

  get full(): boolean {
    return this.#room.byteCount >= BATCH_BYTES || this.#room.numberCount >= BATCH_RECORDS * FIELDS;
  }

  item(item: StreamItem, ordinal: number): void {
    switch (item.kind) {
      case 'data': {
        const at = this.#room.putBytes(item.bytes);
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

  settled(time: bigint, limit: bigint, ordinal: number): void {
    if (time === this.#saidTime && limit === this.#saidLimit) return;
    this.#saidTime = time;
    this.#saidLimit = limit;
    const at = this.#record(SETTLED, 0, NOWHERE, 0, 0, ordinal);
    this.#room.integers[at + TIME] = time;
    this.#room.integers[at + OFFSET] = limit;
  }

  extra(extra: StreamExtra, ordinal: number, code: number = EXTRA): void {
    this.#extras.push(extra);
    this.#record(code, 0, NOWHERE, this.#extras.length - 1, 0, ordinal);
  }

  take(spare: SpareBuffers | undefined): StreamBatch {
    const batch = { room: this.#room.buffers, count: this.#room.numberCount / FIELDS, extras: this.#extras };
    this.#room = newRoom(spare);
    this.#extras = [];
    return batch;
  }

  #event(code: number, event: DataLike, offset: number, length: number, ordinal: number): void {
    const { connection, origin } = event;
    // Its other half learns of a connection by the object itself, once.
    if (this.#connections.get(connection.id) !== connection) {
      this.#connections.set(connection.id, connection);
      this.extra({ kind: 'item', item: { kind: 'established', connection, origin } }, ordinal, KNOW);
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
    const at = this.#room.takeNumbers(FIELDS);
    const { numbers, integers } = this.#room;
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

type DataLike = Extract<StreamEvent, { kind: 'data' | 'gap' | 'closed' }>;

function newRoom(spare: SpareBuffers | undefined): TransferBuffers {
  return new TransferBuffers(spare, BATCH_RECORDS * FIELDS * 2, BATCH_BYTES * 2, 0);
}

/** Bytes and records of a batch that is worth sending: some 100 µs of work for whoever reads it. Double that is room. */
const BATCH_BYTES = 256 * 1024;
const BATCH_RECORDS = 2048;

const NOWHERE: Origin = { capture: 0, frame: 0, time: 0n };
