// The other end of exchange-packer.ts. Knows the words of exchanges; no thread.

import type { Fields } from '../../core/fields.js';
import { MAX_TIME, type Origin } from '../../core/origin.js';
import type { Body, Exchange, ExchangeEvent } from '../../http/exchange-event.js';
import type { RequestHead, ResponseHead } from '../../http/http-event.js';
import type { Connection } from '../../tcp/stream-event.js';
import type { ConnectionSink } from '../exchange-stage.js';
import {
  AT,
  BODY_CODING,
  BODY_COMPLETE,
  BODY_LENGTH,
  BODY_TYPE,
  BROKEN_BY_CLIENT,
  BROKEN_BY_SERVER,
  CHANNEL_CODE,
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
  OVER_CODE,
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
import { TextUnpacker } from './texts.js';

interface UnpackedExchange extends Exchange {
  request: RequestHead | null;
  response: ResponseHead | null;
  trailers: Fields | null;
  upgraded: string | null;
}

/** Says what one packer was told, a record at a time. */
export class ExchangeUnpacker {
  /** ns: the oldest event that waits for its keys there, as far as is known. */
  held = MAX_TIME;
  readonly #exchanges = new Map<number, UnpackedExchange>();
  readonly #connections = new KnownConnections();
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
  get ordinal(): number {
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
    const exchange = this.#exchanges.get(number) as UnpackedExchange;
    if (numbers[at + WORDS] >= 0) this.#news(exchange, numbers[at + WORDS]);
    const flags = numbers[at + FLAGS];
    const place = this.#place(at + AT);
    if (code === OVER_CODE) {
      this.#exchanges.delete(number);
      const requestSeen = (flags & SEEN_REQUEST) !== 0;
      const responseSeen = (flags & SEEN_RESPONSE) !== 0;
      const byServer = (flags & BROKEN_BY_SERVER) === 0 ? undefined : 'server';
      const brokenBy = (flags & BROKEN_BY_CLIENT) === 0 ? byServer : 'client';
      return { kind: 'over', exchange, at: place, requestSeen, responseSeen, brokenBy };
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

  #news(exchange: UnpackedExchange, begin: number): void {
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
        sink.firstFrame(extra.time);
        return;
      case 'nanoseconds':
        sink.hasNanoseconds(extra.capture);
        return;
      case 'connection':
        this.#connections.add(extra.connection);
        return;
      case 'item':
        if (extra.item.kind === 'stream-bytes') this.#connections.closes(extra.item.connection.id);
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

/** No record is left. */
export const OVER = Number.POSITIVE_INFINITY;
const NO_PARTIAL: readonly never[] = [];
