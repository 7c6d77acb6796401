// Hands what `Connections` say to a pipeline in another thread, packed as stream-packer.ts does. Knows the words of
// exchanges; no thread.

import type { Fields } from '../../core/fields.js';
import { MAX_TIME, MIN_TIME, type Origin } from '../../core/origin.js';
import type { Exchange, ExchangeEvent } from '../../http/exchange-event.js';
import type { RequestHead, ResponseHead } from '../../http/http-event.js';
import type { ConnectionItem, ConnectionSink } from '../exchange-stage.js';
import {
  AT,
  BODY_CODING,
  BODY_COMPLETE,
  BODY_LENGTH,
  BODY_TYPE,
  BROKEN_BY_CLIENT,
  BROKEN_BY_SERVER,
  CODES,
  COMPLETE,
  DECODED_COMPLETE,
  DECODED_LIMITED,
  EXCHANGE,
  EXTRA,
  type ExchangeBatch,
  type Extra,
  FIELDS,
  FIRST,
  FLAGS,
  FROM_CLIENT,
  HAS_BODY,
  LAST,
  LENGTH,
  OFFSET,
  OPENED,
  REQUEST,
  RESPONSE,
  SEEN_REQUEST,
  SEEN_RESPONSE,
  SETTLED,
  STAMP,
  TRAILERS,
  UPGRADED,
  VERSIONS,
  WORDS,
} from './exchange-layout.js';
import { KnownConnections } from './known-connections.js';
import { TextPacker } from './texts.js';
import { type SpareBuffers, TransferBuffers } from './transfer-buffers.js';

/** What was said of an exchange so far. */
interface SentExchange {
  readonly number: number;
  request: RequestHead | null;
  response: ResponseHead | null;
  trailers: Fields | null;
  upgraded: string | null;
}

/** Packs what it is told. Whoever hears several of its kind puts their records in order by `stamp`. */
export class ExchangePacker implements ConnectionSink {
  /** Given to whatever is told next. */
  ordinal = 0;
  readonly #said = new Map<Exchange, SentExchange>();
  readonly #connections = new KnownConnections();
  readonly #texts = new TextPacker();
  #room = newRoom(undefined);
  #extras: Extra[] = [];
  #exchanges = 0;
  #settled = { time: MIN_TIME, limit: MIN_TIME, held: MAX_TIME };
  #isSettledSaid = true;

  get full(): boolean {
    return this.#room.byteCount >= BATCH_BYTES || this.#room.numberCount >= BATCH_RECORDS * FIELDS;
  }

  get empty(): boolean {
    return this.#room.numberCount === 0 && this.#isSettledSaid;
  }

  item(item: ConnectionItem): void {
    this.#saySettled();
    switch (item.kind) {
      case 'request':
      case 'response':
      case 'item':
      case 'tunnel':
      case 'channel':
      case 'over':
        this.#event(item);
        return;
      default:
        if (item.kind === 'stream-bytes') this.#connections.closes(item.connection.id);
        this.#extra({ kind: 'item', item });
    }
  }

  settled(time: bigint, limit: bigint, held: bigint): void {
    const last = this.#settled;
    const isSetBack = limit < last.limit;
    if (time <= last.time && limit === last.limit && held === last.held) return;
    if (isSetBack) this.#saySettled();
    if (isSetBack || time > last.time) last.time = time;
    last.limit = limit;
    last.held = held;
    this.#isSettledSaid = false;
  }

  /** What waits for its keys now, for listeners of several: as `settled` tells it. */
  holds(held: bigint): void {
    if (held === this.#settled.held) return;
    this.#settled.held = held;
    this.#isSettledSaid = false;
    this.#saySettled();
  }

  firstFrame(time: bigint): void {
    this.#extra({ kind: 'began', time });
  }

  hasNanoseconds(capture: number): void {
    this.#saySettled();
    this.#extra({ kind: 'nanoseconds', capture });
  }

  /** @param spare buffers that nobody reads any more. */
  take(spare: SpareBuffers | undefined): ExchangeBatch {
    this.#saySettled();
    const batch = {
      room: this.#room.buffers,
      count: this.#room.numberCount / FIELDS,
      texts: this.#texts.take(),
      extras: this.#extras,
    };
    this.#room = newRoom(spare);
    this.#extras = [];
    return batch;
  }

  #event(event: ExchangeEvent): void {
    const { exchange } = event;
    const said = this.#said.get(exchange) ?? this.#open(exchange);
    const at = this.#record(CODES.indexOf(event.kind));
    const words = this.#news(exchange, said);
    const body = 'body' in event && event.body !== null ? event.body : null;
    const decoded = body?.read();
    const bytes = decoded?.bytes ?? ('bytes' in event ? event.bytes : null);
    const offset = bytes === null ? 0 : this.#room.putBytes(bytes);
    if (event.kind === 'channel') {
      const { exchange: _, ...rest } = event;
      this.#extras.push({ kind: 'channel', event: rest });
    }
    const { numbers } = this.#room;
    numbers[at + EXCHANGE] = said.number;
    numbers[at + WORDS] = words;
    if (event.kind === 'over') {
      this.#place(at + AT, event.at);
      numbers[at + FLAGS] =
        (event.requestSeen ? SEEN_REQUEST : 0) |
        (event.responseSeen ? SEEN_RESPONSE : 0) |
        (event.brokenBy === 'client' ? BROKEN_BY_CLIENT : 0) |
        (event.brokenBy === 'server' ? BROKEN_BY_SERVER : 0);
      this.#said.delete(exchange);
      return;
    }
    this.#place(at + FIRST, event.first);
    this.#place(at + LAST, event.last);
    this.#place(at + AT, event.at);
    numbers[at + FLAGS] =
      (event.complete ? COMPLETE : 0) |
      ('from' in event && event.from === 'client' ? FROM_CLIENT : 0) |
      (body === null ? 0 : HAS_BODY | (body.complete ? BODY_COMPLETE : 0)) |
      (decoded?.complete === true ? DECODED_COMPLETE : 0) |
      (decoded?.limited === true ? DECODED_LIMITED : 0);
    numbers[at + OFFSET] = event.kind === 'channel' ? this.#extras.length - 1 : offset;
    numbers[at + LENGTH] = bytes?.length ?? 0;
    if (body === null) return;
    numbers[at + BODY_LENGTH] = body.length;
    numbers[at + BODY_TYPE] = this.#texts.number(body.contentType);
    numbers[at + BODY_CODING] = this.#texts.number(body.contentEncoding);
  }

  #open(exchange: Exchange): SentExchange {
    const { connection, stream } = exchange;
    if (this.#connections.get(connection.id) !== connection) {
      this.#connections.add(connection);
      this.#extra({ kind: 'connection', connection });
    }
    this.#exchanges += 1;
    const said = { number: this.#exchanges, request: null, response: null, trailers: null, upgraded: null };
    this.#said.set(exchange, said);
    const at = this.#record(OPENED);
    this.#room.numbers[at + EXCHANGE] = said.number;
    this.#room.numbers[at + OFFSET] = connection.id;
    this.#room.numbers[at + LENGTH] = stream ?? -1;
    return said;
  }

  /** Writes what was not said of an exchange. @returns where it begins among the words, -1: there is nothing new. */
  #news(exchange: Exchange, said: SentExchange): number {
    const { request, response, trailers, upgraded } = exchange;
    const news =
      (request === said.request ? 0 : REQUEST) |
      (response === said.response ? 0 : RESPONSE) |
      (trailers === said.trailers ? 0 : TRAILERS) |
      (upgraded === said.upgraded ? 0 : UPGRADED);
    if (news === 0) return -1;
    const room = this.#room;
    const begin = room.wordCount;
    room.putWord(news);
    if ((news & REQUEST) !== 0) this.#head(request!);
    if ((news & RESPONSE) !== 0) this.#head(response!);
    if ((news & TRAILERS) !== 0) this.#fields(trailers!);
    if ((news & UPGRADED) !== 0) room.putWord(this.#texts.number(upgraded));
    said.request = request;
    said.response = response;
    said.trailers = trailers;
    said.upgraded = upgraded;
    return begin;
  }

  #head(head: RequestHead | ResponseHead): void {
    const room = this.#room;
    // Known in part only: seldom.
    if (head.partial.length > 0) {
      this.#extras.push({ kind: 'head', head });
      room.putWord(-this.#extras.length);
      return;
    }
    room.putWord(VERSIONS.indexOf(head.version));
    if (head.kind === 'request-head') {
      room.putWord(this.#texts.number(head.method));
      room.putWord(this.#texts.number(head.target));
    } else room.putWord(head.status ?? -1);
    this.#fields(head.fields);
  }

  #fields(fields: Fields): void {
    this.#room.putWord(fields.length);
    for (let i = 0; i < fields.length; i++) this.#room.putWord(this.#texts.number(fields[i]));
  }

  #extra(extra: Extra): void {
    this.#extras.push(extra);
    const at = this.#record(EXTRA);
    this.#room.numbers[at + OFFSET] = this.#extras.length - 1;
  }

  #saySettled(): void {
    if (this.#isSettledSaid) return;
    this.#isSettledSaid = true;
    const at = this.#record(SETTLED);
    const { integers } = this.#room;
    integers[at + FIRST] = this.#settled.time;
    integers[at + LAST] = this.#settled.limit;
    integers[at + AT] = this.#settled.held;
  }

  #record(code: number): number {
    const at = this.#room.takeNumbers(FIELDS);
    this.#room.numbers[at] = code;
    this.#room.numbers[at + STAMP] = this.ordinal;
    return at;
  }

  #place(at: number, { capture, frame, time }: Origin): void {
    this.#room.numbers[at] = capture;
    this.#room.numbers[at + 1] = frame;
    this.#room.integers[at + 2] = time;
  }
}

function newRoom(spare: SpareBuffers | undefined): TransferBuffers {
  return new TransferBuffers(spare, BATCH_RECORDS * FIELDS * 2, BATCH_BYTES * 2, BATCH_WORDS);
}

/** Bytes and records of a batch that is worth sending: a millisecond of work for whoever reads it. Double that is room. */
const BATCH_BYTES = 192 * 1024;
const BATCH_RECORDS = 512;
const BATCH_WORDS = 32_768;
