// Packs the items of the exchange stage for the thread that makes messages of them.

import type { Fields } from '../../core/fields.js';
import { MAX_TIME, MIN_TIME, type Origin } from '../../core/origin.js';
import type { Exchange, ExchangeEvent } from '../../http/exchange-event.js';
import type { RequestHead, ResponseHead } from '../../http/http-event.js';
import type { ConnectionItem, ConnectionSink } from '../exchange-stage.js';
import {
  CODE,
  EVENT_KINDS,
  type ExchangeBatch,
  type Extra,
  FIELD,
  FIELDS,
  FLAG,
  PART,
  VERSIONS,
} from './exchange-layout.js';
import { KnownConnections, TextPacker } from './interning.js';
import { BatchWriter, type SpareBuffers } from './transfer-buffers.js';

/** The parts of an exchange that were sent so far. */
interface SentExchange {
  readonly number: number;
  request: RequestHead | null;
  response: ResponseHead | null;
  trailers: Fields | null;
  upgraded: string | null;
}

/** The receiver of several packers orders their records by `ordinal`. */
export class ExchangePacker implements ConnectionSink {
  /** Ordinal of the records that follow. */
  ordinal = 0;
  readonly #sent = new Map<Exchange, SentExchange>();
  readonly #connections = new KnownConnections();
  readonly #texts = new TextPacker();
  #out = newWriter(undefined);
  #extras: Extra[] = [];
  #exchangeCount = 0;
  #watermark = { time: MIN_TIME, limit: MIN_TIME, held: MAX_TIME };
  #isWatermarkSent = true;

  get full(): boolean {
    return this.#out.byteCount >= BATCH_BYTES || this.#out.numberCount >= BATCH_RECORDS * FIELDS;
  }

  get empty(): boolean {
    return this.#out.numberCount === 0 && this.#isWatermarkSent;
  }

  item(item: ConnectionItem): void {
    this.#emitWatermark();
    switch (item.kind) {
      case 'request':
      case 'response':
      case 'item':
      case 'tunnel':
      case 'channel':
      case 'exchange-end':
        this.#event(item);
        return;
      default:
        if (item.kind === 'stream-bytes') this.#connections.closes(item.connection.id);
        this.#extra({ kind: 'item', item });
    }
  }

  watermark(time: bigint, limit: bigint, held: bigint): void {
    const last = this.#watermark;
    const isSetBack = limit < last.limit;
    if (time <= last.time && limit === last.limit && held === last.held) return;
    if (isSetBack) this.#emitWatermark();
    if (isSetBack || time > last.time) last.time = time;
    last.limit = limit;
    last.held = held;
    this.#isWatermarkSent = false;
  }

  /** Updates the oldest event that awaits its keys, which may change between two watermarks. */
  updateHeld(held: bigint): void {
    if (held === this.#watermark.held) return;
    this.#watermark.held = held;
    this.#isWatermarkSent = false;
    this.#emitWatermark();
  }

  firstFrame(time: bigint): void {
    this.#extra({ kind: 'first-frame', time });
  }

  hasNanoseconds(capture: number): void {
    this.#emitWatermark();
    this.#extra({ kind: 'nanoseconds', capture });
  }

  /** @param spare buffers that are no longer in use. */
  take(spare: SpareBuffers | undefined): ExchangeBatch {
    this.#emitWatermark();
    const batch = {
      buffers: this.#out.buffers,
      count: this.#out.numberCount / FIELDS,
      texts: this.#texts.take(),
      extras: this.#extras,
    };
    this.#out = newWriter(spare);
    this.#extras = [];
    return batch;
  }

  #event(event: ExchangeEvent): void {
    const { exchange } = event;
    const sent = this.#sent.get(exchange) ?? this.#open(exchange);
    const at = this.#record(EVENT_KINDS.indexOf(event.kind));
    const words = this.#putNewParts(exchange, sent);
    const body = 'body' in event && event.body !== null ? event.body : null;
    const decoded = body?.read();
    const bytes = decoded?.bytes ?? ('bytes' in event ? event.bytes : null);
    const offset = bytes === null ? 0 : this.#out.putBytes(bytes);
    if (event.kind === 'channel') {
      const { exchange: _, ...rest } = event;
      this.#extras.push({ kind: 'channel', event: rest });
    }
    const { numbers } = this.#out;
    numbers[at + FIELD.exchange] = sent.number;
    numbers[at + FIELD.words] = words;
    if (event.kind === 'exchange-end') {
      this.#putOrigin(at + FIELD.at, event.at);
      numbers[at + FIELD.flags] =
        (event.requestSeen ? FLAG.requestSeen : 0) |
        (event.responseSeen ? FLAG.responseSeen : 0) |
        (event.brokenBy === 'client' ? FLAG.brokenByClient : 0) |
        (event.brokenBy === 'server' ? FLAG.brokenByServer : 0);
      this.#sent.delete(exchange);
      return;
    }
    this.#putOrigin(at + FIELD.first, event.first);
    this.#putOrigin(at + FIELD.last, event.last);
    this.#putOrigin(at + FIELD.at, event.at);
    numbers[at + FIELD.flags] =
      (event.complete ? FLAG.complete : 0) |
      ('from' in event && event.from === 'client' ? FLAG.fromClient : 0) |
      (body === null ? 0 : FLAG.hasBody | (body.complete ? FLAG.bodyComplete : 0)) |
      (decoded?.complete === true ? FLAG.decodedComplete : 0) |
      (decoded?.limited === true ? FLAG.decodedLimited : 0);
    numbers[at + FIELD.offset] = event.kind === 'channel' ? this.#extras.length - 1 : offset;
    numbers[at + FIELD.length] = bytes?.length ?? 0;
    if (body === null) return;
    numbers[at + FIELD.bodyLength] = body.length;
    numbers[at + FIELD.bodyType] = this.#texts.number(body.contentType);
    numbers[at + FIELD.bodyCoding] = this.#texts.number(body.contentEncoding);
  }

  #open(exchange: Exchange): SentExchange {
    const { connection, stream } = exchange;
    if (this.#connections.get(connection.id) !== connection) {
      this.#connections.add(connection);
      this.#extra({ kind: 'connection', connection });
    }
    this.#exchangeCount += 1;
    const sent = { number: this.#exchangeCount, request: null, response: null, trailers: null, upgraded: null };
    this.#sent.set(exchange, sent);
    const at = this.#record(CODE.opened);
    this.#out.numbers[at + FIELD.exchange] = sent.number;
    this.#out.numbers[at + FIELD.offset] = connection.id;
    this.#out.numbers[at + FIELD.length] = stream ?? -1;
    return sent;
  }

  /** Writes the parts of an exchange that were not sent yet. @returns index of their first word; -1 if there are none. */
  #putNewParts(exchange: Exchange, sent: SentExchange): number {
    const { request, response, trailers, upgraded } = exchange;
    const parts =
      (request === sent.request ? 0 : PART.request) |
      (response === sent.response ? 0 : PART.response) |
      (trailers === sent.trailers ? 0 : PART.trailers) |
      (upgraded === sent.upgraded ? 0 : PART.upgraded);
    if (parts === 0) return -1;
    const out = this.#out;
    const begin = out.wordCount;
    out.putWord(parts);
    if ((parts & PART.request) !== 0) this.#putHead(request!);
    if ((parts & PART.response) !== 0) this.#putHead(response!);
    if ((parts & PART.trailers) !== 0) this.#putFields(trailers!);
    if ((parts & PART.upgraded) !== 0) out.putWord(this.#texts.number(upgraded));
    sent.request = request;
    sent.response = response;
    sent.trailers = trailers;
    sent.upgraded = upgraded;
    return begin;
  }

  #putHead(head: RequestHead | ResponseHead): void {
    const out = this.#out;
    // Heads that are known only in part are rare.
    if (head.partial.length > 0) {
      this.#extras.push({ kind: 'head', head });
      out.putWord(-this.#extras.length);
      return;
    }
    out.putWord(VERSIONS.indexOf(head.version));
    if (head.kind === 'request-head') {
      out.putWord(this.#texts.number(head.method));
      out.putWord(this.#texts.number(head.target));
    } else out.putWord(head.status ?? -1);
    this.#putFields(head.fields);
  }

  #putFields(fields: Fields): void {
    this.#out.putWord(fields.length);
    for (let i = 0; i < fields.length; i++) this.#out.putWord(this.#texts.number(fields[i]));
  }

  #extra(extra: Extra): void {
    this.#extras.push(extra);
    const at = this.#record(CODE.extra);
    this.#out.numbers[at + FIELD.offset] = this.#extras.length - 1;
  }

  #emitWatermark(): void {
    if (this.#isWatermarkSent) return;
    this.#isWatermarkSent = true;
    const at = this.#record(CODE.watermark);
    const { integers } = this.#out;
    integers[at + FIELD.first] = this.#watermark.time;
    integers[at + FIELD.last] = this.#watermark.limit;
    integers[at + FIELD.at] = this.#watermark.held;
  }

  #record(code: number): number {
    const at = this.#out.takeNumbers(FIELDS);
    this.#out.numbers[at] = code;
    this.#out.numbers[at + FIELD.ordinal] = this.ordinal;
    return at;
  }

  #putOrigin(at: number, { capture, frame, time }: Origin): void {
    this.#out.numbers[at] = capture;
    this.#out.numbers[at + 1] = frame;
    this.#out.integers[at + 2] = time;
  }
}

function newWriter(spare: SpareBuffers | undefined): BatchWriter {
  return new BatchWriter(spare, BATCH_RECORDS * FIELDS * 2, BATCH_BYTES * 2, BATCH_WORDS);
}

/** Bytes and records of a batch that is worth sending: a millisecond of work for its reader. Buffers hold twice as much. */
const BATCH_BYTES = 192 * 1024;
const BATCH_RECORDS = 512;
const BATCH_WORDS = 32_768;
