// Hands what `Streams` says to `Connections` in other threads: packed into a few buffers, because to clone an object
// costs more than to make sense of it. Each connection has one listener of several. Knows the words of streams; no thread.
//
//   a record   [ code | connection | capture | frame | time | offset | length | stamp ]   doubles, but time: an integer
//   bytes      what data events carry, one after the other
//   extras     the few items that are not worth a code of their own, as they are

import type { Origin } from '../core/origin.js';
import type { StreamItem, StreamSink } from '../streams.js';
import type { Connection, Side, StreamEvent } from '../tcp/stream-event.js';
import { Room, type RoomBuffers, type SpareBuffers } from './room.js';

export interface StreamBatch {
  readonly room: RoomBuffers;
  readonly count: number;
  readonly extras: readonly Extra[];
}

type Extra =
  | { readonly kind: 'item'; readonly item: StreamItem }
  | { readonly kind: 'began'; readonly time: bigint }
  | { readonly kind: 'nanoseconds'; readonly capture: number };

/**
 * Packs what it is told for `listeners`, each connection for the same one of them; what is about none is for the first,
 * secrets are for all. Items are stamped 1, 2, 3 …, so that what becomes of them can be put in order again.
 */
export class StreamPacker implements StreamSink {
  readonly #shares: readonly Share[];
  #stamp = 0;
  #time = NEVER;
  #limit = NEVER;

  constructor(listeners: number) {
    this.#shares = Array.from({ length: listeners }, () => new Share());
  }

  /** Somebody has enough to do: all should `take` now; nothing is lost by being late. */
  get full(): boolean {
    return this.#shares.some((share) => share.full);
  }

  item(item: StreamItem): void {
    this.#stamp += 1;
    if (item.kind === 'secrets') {
      for (const share of this.#shares) share.item(item, this.#stamp);
      return;
    }
    const listener =
      'connection' in item && typeof item.connection === 'object' ? item.connection.id % this.#shares.length : 0;
    const share = this.#shares[listener];
    if (this.#time !== NEVER) share.settled(this.#time, this.#limit, this.#stamp);
    share.item(item, this.#stamp);
  }

  settled(time: bigint, limit: bigint): void {
    if (time > this.#time) this.#time = time;
    if (limit > this.#limit) this.#limit = limit;
  }

  began(time: bigint): void {
    this.#stamp += 1;
    this.#shares[0].extra({ kind: 'began', time }, this.#stamp);
  }

  nanoseconds(capture: number): void {
    this.#stamp += 1;
    this.#shares[0].extra({ kind: 'nanoseconds', capture }, this.#stamp);
  }

  /**
   * What came since the last time, for each listener.
   * @param spare of each listener: buffers that nobody reads any more.
   */
  take(spare: (listener: number) => SpareBuffers | undefined): StreamBatch[] {
    return this.#shares.map((share, i) => {
      if (this.#time !== NEVER) share.settled(this.#time, this.#limit, this.#stamp);
      return share.take(spare(i));
    });
  }
}

/** What one listener is to hear. */
class Share {
  readonly #connections = new Map<number, Connection>();
  #room = newRoom(undefined);
  #extras: Extra[] = [];
  #saidTime = NEVER;
  #saidLimit = NEVER;

  get full(): boolean {
    return this.#room.byteCount >= BATCH_BYTES || this.#room.numberCount >= BATCH_RECORDS * FIELDS;
  }

  item(item: StreamItem, stamp: number): void {
    switch (item.kind) {
      case 'data': {
        const at = this.#room.putBytes(item.bytes);
        this.#event(item.from === 'client' ? DATA_CLIENT : DATA_SERVER, item, at, item.bytes.length, stamp);
        return;
      }
      case 'gap':
        this.#event(item.from === 'client' ? GAP_CLIENT : GAP_SERVER, item, 0, item.length ?? -1, stamp);
        return;
      case 'closed':
        this.#event(CLOSED, item, SIDES.indexOf(item.from), REASONS.indexOf(item.reason), stamp);
        if (item.from === null) this.#connections.delete(item.connection.id);
        return;
      default:
        if ('connection' in item && typeof item.connection === 'object' && item.kind !== 'stream-bytes')
          this.#connections.set(item.connection.id, item.connection);
        this.extra({ kind: 'item', item }, stamp);
    }
  }

  settled(time: bigint, limit: bigint, stamp: number): void {
    if (time === this.#saidTime && limit === this.#saidLimit) return;
    this.#saidTime = time;
    this.#saidLimit = limit;
    const at = this.#record(SETTLED, 0, NOWHERE, 0, 0, stamp);
    this.#room.integers[at + TIME] = time;
    this.#room.integers[at + OFFSET] = limit;
  }

  extra(extra: Extra, stamp: number, code: number = EXTRA): void {
    this.#extras.push(extra);
    this.#record(code, 0, NOWHERE, this.#extras.length - 1, 0, stamp);
  }

  take(spare: SpareBuffers | undefined): StreamBatch {
    const batch = { room: this.#room.buffers, count: this.#room.numberCount / FIELDS, extras: this.#extras };
    this.#room = newRoom(spare);
    this.#extras = [];
    return batch;
  }

  #event(code: number, event: DataLike, offset: number, length: number, stamp: number): void {
    const { connection, origin } = event;
    // Its other half learns of a connection by the object itself, once.
    if (this.#connections.get(connection.id) !== connection) {
      this.#connections.set(connection.id, connection);
      this.extra({ kind: 'item', item: { kind: 'established', connection, origin } }, stamp, KNOW);
    }
    this.#record(code, connection.id, origin, offset, length, stamp);
  }

  #record(
    code: number,
    connection: number,
    { capture, frame, time }: Origin,
    offset: number,
    length: number,
    stamp: number,
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
    numbers[at + 7] = stamp;
    return at;
  }
}

/** Says to `sink` what was said for it, in the same order; bytes are views of the batch. */
export class StreamUnpacker {
  readonly #sink: StreamSink;
  readonly #connections = new Map<number, Connection>();

  constructor(sink: StreamSink) {
    this.#sink = sink;
  }

  /** @param about told the stamp of each item before it is said, and after the last. */
  read({ room, count, extras }: StreamBatch, about: (stamp: number) => void): void {
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

function newRoom(spare: SpareBuffers | undefined): Room {
  return new Room(spare, BATCH_RECORDS * FIELDS * 2, BATCH_BYTES * 2, 0);
}

/** Bytes and records of a batch that is worth sending: some 100 µs of work for whoever reads it. Double that is room. */
const BATCH_BYTES = 256 * 1024;
const BATCH_RECORDS = 2048;

const FIELDS = 8;
const TIME = 4;
const OFFSET = 5;
const DATA_CLIENT = 1;
const DATA_SERVER = 2;
const GAP_CLIENT = 3;
const GAP_SERVER = 4;
const CLOSED = 5;
/** `time` and, in the place of the offset, `limit`. */
const SETTLED = 6;
/** The index of an extra stands in `offset`. */
const EXTRA = 7;
/** An extra that only makes a connection known. */
const KNOW = 8;

const SIDES: readonly (Side | null)[] = ['client', 'server', null];
const REASONS = ['fin', 'reset', 'idle', 'end'] as const;
const NOWHERE: Origin = { capture: 0, frame: 0, time: 0n };
const NEVER = -(1n << 63n);
