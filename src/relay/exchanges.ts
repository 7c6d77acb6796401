// Hands what `Connections` say to a pipeline in another thread, packed as relay/streams.ts does. Knows the words of
// exchanges; no thread.
//
//   a record   [ code | stamp | exchange | words | first | last | at | flags | offset, length | body ]   see the places below
//   words      what is new of an exchange: its connection, heads, trailers; texts by number
//   bytes      bodies, decoded; messages of streams
//   extras     what is rare, as it is

import type { ConnectionItem, ConnectionSink } from '../connections.js';
import type { Fields } from '../core/fields.js';
import type { Origin } from '../core/origin.js';
import type { Body, Exchange, ExchangeEvent } from '../http/exchange-event.js';
import type { RequestHead, ResponseHead } from '../http/http-event.js';
import type { Connection } from '../tcp/stream-event.js';
import { Room, type RoomBuffers, type SpareBuffers } from './room.js';
import { type FreshTexts, TextPacker, TextUnpacker } from './texts.js';

export interface ExchangeBatch {
  readonly room: RoomBuffers;
  readonly count: number;
  readonly texts: FreshTexts;
  readonly extras: readonly Extra[];
}

type ChannelEvent = Extract<ExchangeEvent, { kind: 'channel' }>;
type Extra =
  | { readonly kind: 'item'; readonly item: Exclude<ConnectionItem, ExchangeEvent> }
  | { readonly kind: 'channel'; readonly event: Omit<ChannelEvent, 'exchange'> }
  | { readonly kind: 'head'; readonly head: RequestHead | ResponseHead }
  | { readonly kind: 'connection'; readonly connection: Connection }
  | { readonly kind: 'began'; readonly time: bigint }
  | { readonly kind: 'nanoseconds'; readonly capture: number };

/** What was said of an exchange so far. */
interface Said {
  readonly number: number;
  request: RequestHead | null;
  response: ResponseHead | null;
  trailers: Fields | null;
  upgraded: string | null;
}

/** Packs what it is told. Whoever hears several of its kind puts their records in order by `stamp`. */
export class ExchangePacker implements ConnectionSink {
  /** Given to whatever is told next. */
  stamp = 0;
  readonly #said = new Map<Exchange, Said>();
  readonly #connections = new Map<number, Connection>();
  readonly #texts = new TextPacker();
  #room = newRoom(undefined);
  #extras: Extra[] = [];
  #exchanges = 0;
  #settled = { time: NEVER, limit: NEVER, held: FOREVER };
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
        if (item.kind === 'stream-bytes') this.#connections.delete(item.connection.id);
        this.#extra({ kind: 'item', item });
    }
  }

  settled(time: bigint, limit: bigint, held: bigint): void {
    const last = this.#settled;
    if (time <= last.time && limit <= last.limit && held === last.held) return;
    if (time > last.time) last.time = time;
    if (limit > last.limit) last.limit = limit;
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

  began(time: bigint): void {
    this.#extra({ kind: 'began', time });
  }

  nanoseconds(capture: number): void {
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
      numbers[at + FLAGS] = (event.requestSeen ? SEEN_REQUEST : 0) | (event.responseSeen ? SEEN_RESPONSE : 0);
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

  #open(exchange: Exchange): Said {
    const { connection, stream } = exchange;
    if (this.#connections.get(connection.id) !== connection) {
      this.#connections.set(connection.id, connection);
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
  #news(exchange: Exchange, said: Said): number {
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
    this.#room.numbers[at + STAMP] = this.stamp;
    return at;
  }

  #place(at: number, { capture, frame, time }: Origin): void {
    this.#room.numbers[at] = capture;
    this.#room.numbers[at + 1] = frame;
    this.#room.integers[at + 2] = time;
  }
}

interface OpenExchange extends Exchange {
  request: RequestHead | null;
  response: ResponseHead | null;
  trailers: Fields | null;
  upgraded: string | null;
}

/** Says what one packer was told, a record at a time. */
export class ExchangeUnpacker {
  /** ns: the oldest event that waits for its keys there, as far as is known. */
  held = FOREVER;
  readonly #exchanges = new Map<number, OpenExchange>();
  readonly #connections = new Map<number, Connection>();
  readonly #texts = new TextUnpacker();
  #numbers = new Float64Array(0);
  #integers = new BigInt64Array(0);
  #words = new Int32Array(0);
  #bytes = new ArrayBuffer(0);
  #extras: readonly Extra[] = [];
  #at = 0;
  #end = 0;
  #word = 0;

  /** The batch to say next, when the one before is over. */
  open({ room, count, texts, extras }: ExchangeBatch): void {
    this.#numbers = new Float64Array(room.numbers);
    this.#integers = new BigInt64Array(room.numbers);
    this.#words = new Int32Array(room.words);
    this.#bytes = room.bytes;
    this.#extras = extras;
    this.#texts.add(texts);
    this.#at = 0;
    this.#end = count * FIELDS;
  }

  /** Stamp of the next record; OVER where there is none. */
  get stamp(): number {
    return this.#at < this.#end ? this.#numbers[this.#at + STAMP] : OVER;
  }

  /**
   * Says the next record.
   * @param held of all that say something, this one's own included.
   */
  say(sink: ConnectionSink, held: () => bigint): void {
    const at = this.#at;
    this.#at += FIELDS;
    const numbers = this.#numbers;
    const code = numbers[at];
    if (code === SETTLED) {
      this.held = this.#integers[at + AT];
      sink.settled(this.#integers[at + FIRST], this.#integers[at + LAST], held());
    } else if (code === EXTRA) this.#extra(this.#extras[numbers[at + OFFSET]], sink);
    else if (code === OPENED) {
      const connection = this.#connections.get(numbers[at + OFFSET]) as Connection;
      const stream = numbers[at + LENGTH];
      this.#exchanges.set(numbers[at + EXCHANGE], {
        connection,
        stream: stream < 0 ? null : stream,
        request: null,
        response: null,
        trailers: null,
        upgraded: null,
      });
    } else sink.item(this.#event(at, code));
  }

  #event(at: number, code: number): ExchangeEvent {
    const numbers = this.#numbers;
    const number = numbers[at + EXCHANGE];
    const exchange = this.#exchanges.get(number) as OpenExchange;
    if (numbers[at + WORDS] >= 0) this.#news(exchange, numbers[at + WORDS]);
    const flags = numbers[at + FLAGS];
    const place = this.#place(at + AT);
    if (code === OVER_CODE) {
      this.#exchanges.delete(number);
      const requestSeen = (flags & SEEN_REQUEST) !== 0;
      const responseSeen = (flags & SEEN_RESPONSE) !== 0;
      return { kind: 'over', exchange, at: place, requestSeen, responseSeen };
    }
    if (code === CHANNEL_CODE) {
      const extra = this.#extras[numbers[at + OFFSET]] as Extract<Extra, { kind: 'channel' }>;
      return { ...extra.event, exchange };
    }
    const last = this.#samePlace(at + LAST, place);
    const first = this.#samePlace(at + FIRST, last);
    const complete = (flags & COMPLETE) !== 0;
    // A view: bytes are never used again by whoever sent them.
    const bytes = new Uint8Array(this.#bytes, numbers[at + OFFSET], numbers[at + LENGTH]);
    const kind = CODES[code];
    if (kind === 'request' || kind === 'response')
      return { kind, exchange, first, last, at: place, complete, body: this.#body(at, flags, bytes) };
    const from = (flags & FROM_CLIENT) !== 0 ? 'client' : 'server';
    return { kind: kind as 'item' | 'tunnel', exchange, from, first, last, at: place, complete, bytes };
  }

  #body(at: number, flags: number, bytes: Uint8Array): Body | null {
    if ((flags & HAS_BODY) === 0) return null;
    const numbers = this.#numbers;
    return new RelayedBody(
      bytes,
      flags,
      numbers[at + BODY_LENGTH],
      this.#texts.text(numbers[at + BODY_TYPE]),
      this.#texts.text(numbers[at + BODY_CODING]),
    );
  }

  #news(exchange: OpenExchange, begin: number): void {
    this.#word = begin;
    const news = this.#nextWord();
    if ((news & REQUEST) !== 0) exchange.request = this.#head(true) as RequestHead;
    if ((news & RESPONSE) !== 0) exchange.response = this.#head(false) as ResponseHead;
    if ((news & TRAILERS) !== 0) exchange.trailers = this.#fields();
    if ((news & UPGRADED) !== 0) exchange.upgraded = this.#texts.textOrNull(this.#nextWord());
  }

  #head(isRequest: boolean): RequestHead | ResponseHead {
    const version = this.#nextWord();
    if (version < 0) return (this.#extras[-version - 1] as Extract<Extra, { kind: 'head' }>).head;
    if (!isRequest) {
      const status = this.#nextWord();
      return {
        kind: 'response-head',
        version: VERSIONS[version],
        status: status < 0 ? null : status,
        fields: this.#fields(),
        partial: NO_PARTIAL,
      };
    }
    const method = this.#texts.textOrNull(this.#nextWord());
    const target = this.#texts.textOrNull(this.#nextWord());
    const fields = this.#fields();
    return { kind: 'request-head', version: VERSIONS[version], method, target, fields, partial: NO_PARTIAL };
  }

  #fields(): Fields {
    const fields: string[] = new Array(this.#nextWord());
    for (let i = 0; i < fields.length; i++) fields[i] = this.#texts.text(this.#nextWord());
    return fields;
  }

  #nextWord(): number {
    const word = this.#words[this.#word];
    this.#word += 1;
    return word;
  }

  #extra(extra: Extra, sink: ConnectionSink): void {
    switch (extra.kind) {
      case 'began':
        sink.began(extra.time);
        return;
      case 'nanoseconds':
        sink.nanoseconds(extra.capture);
        return;
      case 'connection':
        this.#connections.set(extra.connection.id, extra.connection);
        return;
      case 'item':
        if (extra.item.kind === 'stream-bytes') this.#connections.delete(extra.item.connection.id);
        sink.item(extra.item);
        return;
    }
  }

  #samePlace(at: number, known: Origin): Origin {
    return this.#numbers[at + 1] === known.frame && this.#numbers[at] === known.capture ? known : this.#place(at);
  }

  #place(at: number): Origin {
    return { capture: this.#numbers[at], frame: this.#numbers[at + 1], time: this.#integers[at + 2] };
  }
}

/** Was decoded where it was collected. */
class RelayedBody implements Body {
  readonly length: number;
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly #bytes: Uint8Array;
  readonly #flags: number;

  constructor(bytes: Uint8Array, flags: number, length: number, contentType: string, contentEncoding: string) {
    this.#bytes = bytes;
    this.#flags = flags;
    this.length = length;
    this.contentType = contentType;
    this.contentEncoding = contentEncoding;
  }

  get complete(): boolean {
    return (this.#flags & BODY_COMPLETE) !== 0;
  }

  read(): { readonly bytes: Uint8Array; readonly complete: boolean; readonly limited?: boolean } {
    const complete = (this.#flags & DECODED_COMPLETE) !== 0;
    return (this.#flags & DECODED_LIMITED) === 0
      ? { bytes: this.#bytes, complete }
      : { bytes: this.#bytes, complete, limited: true };
  }
}

function newRoom(spare: SpareBuffers | undefined): Room {
  return new Room(spare, BATCH_RECORDS * FIELDS * 2, BATCH_BYTES * 2, BATCH_WORDS);
}

/** No record is left. */
export const OVER = Number.POSITIVE_INFINITY;

/** Bytes and records of a batch that is worth sending: a millisecond of work for whoever reads it. Double that is room. */
const BATCH_BYTES = 192 * 1024;
const BATCH_RECORDS = 512;
const BATCH_WORDS = 32_768;

// Places of a record.
const STAMP = 1;
const EXCHANGE = 2;
const WORDS = 3;
/** Each of three: capture, frame, time. */
const FIRST = 4;
const LAST = 7;
const AT = 10;
const FLAGS = 13;
const OFFSET = 14;
const LENGTH = 15;
const BODY_LENGTH = 16;
const BODY_TYPE = 17;
const BODY_CODING = 18;
const FIELDS = 19;

const CODES = ['request', 'response', 'item', 'tunnel', 'channel', 'over'] as const;
const CHANNEL_CODE = 4;
const OVER_CODE = 5;
const OPENED = 6;
const SETTLED = 7;
const EXTRA = 8;

const COMPLETE = 1;
const FROM_CLIENT = 2;
const HAS_BODY = 4;
const BODY_COMPLETE = 8;
const DECODED_COMPLETE = 16;
const DECODED_LIMITED = 32;
const SEEN_REQUEST = 64;
const SEEN_RESPONSE = 128;

const REQUEST = 1;
const RESPONSE = 2;
const TRAILERS = 4;
const UPGRADED = 8;

const VERSIONS = ['1.0', '1.1', '2'] as const;
const NO_PARTIAL: readonly never[] = [];
const NEVER = -(1n << 63n);
const FOREVER = (1n << 63n) - 1n;
