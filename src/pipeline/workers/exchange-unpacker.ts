// Unpacks the exchange events that another thread packed.

import type { Fields } from '../../core/fields.js';
import { MAX_TIME, type Origin } from '../../core/origin.js';
import { type Body, type ExchangeEvent, type MutableExchange, newExchange } from '../../http/exchange-event.js';
import type { RequestHead, ResponseHead } from '../../http/http-event.js';
import type { Connection } from '../../tcp/stream-event.js';
import type { ConnectionSink } from '../exchange-stage.js';
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
import { KnownConnections, TextUnpacker } from './interning.js';

/** Emits the items of one packer, a record at a time. */
export class ExchangeUnpacker {
  /** ns: the oldest event in the other thread that awaits its keys, as last reported. */
  held = MAX_TIME;
  readonly #exchanges = new Map<number, MutableExchange>();
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

  /** Opens the next batch, once all records of the one before were emitted. */
  open({ buffers, count, texts, extras }: ExchangeBatch): void {
    this.#numbers = new Float64Array(buffers.numbers);
    this.#integers = new BigInt64Array(buffers.numbers);
    this.#words = new Int32Array(buffers.words);
    this.#bytes = buffers.bytes;
    this.#extras = extras;
    this.#texts.add(texts);
    this.#at = 0;
    this.#end = count * FIELDS;
  }

  /** Ordinal of the next record; NO_RECORD if there is none. */
  get ordinal(): number {
    return this.#at < this.#end ? this.#numbers[this.#at + FIELD.ordinal] : NO_RECORD;
  }

  /**
   * Emits the next record.
   * @param held the oldest held event of all threads, this one included.
   */
  emitNext(sink: ConnectionSink, held: () => bigint): void {
    const at = this.#at;
    this.#at += FIELDS;
    const numbers = this.#numbers;
    const code = numbers[at];
    if (code === CODE.watermark) {
      this.held = this.#integers[at + FIELD.at];
      sink.watermark(this.#integers[at + FIELD.first], this.#integers[at + FIELD.last], held());
    } else if (code === CODE.extra) this.#extra(this.#extras[numbers[at + FIELD.offset]], sink);
    else if (code === CODE.opened) {
      const connection = this.#connections.get(numbers[at + FIELD.offset]) as Connection;
      const stream = numbers[at + FIELD.length];
      this.#exchanges.set(numbers[at + FIELD.exchange], newExchange(connection, stream < 0 ? null : stream));
    } else sink.item(this.#event(at, code));
  }

  #event(at: number, code: number): ExchangeEvent {
    const numbers = this.#numbers;
    const number = numbers[at + FIELD.exchange];
    const exchange = this.#exchanges.get(number) as MutableExchange;
    if (numbers[at + FIELD.words] >= 0) this.#readNewParts(exchange, numbers[at + FIELD.words]);
    const flags = numbers[at + FIELD.flags];
    const origin = this.#origin(at + FIELD.at);
    if (code === CODE.exchangeEnd) {
      this.#exchanges.delete(number);
      const requestSeen = (flags & FLAG.requestSeen) !== 0;
      const responseSeen = (flags & FLAG.responseSeen) !== 0;
      const byServer = (flags & FLAG.brokenByServer) === 0 ? undefined : 'server';
      const brokenBy = (flags & FLAG.brokenByClient) === 0 ? byServer : 'client';
      return { kind: 'exchange-end', exchange, at: origin, requestSeen, responseSeen, brokenBy };
    }
    if (code === CODE.channel) {
      const extra = this.#extras[numbers[at + FIELD.offset]] as Extract<Extra, { kind: 'channel' }>;
      return { ...extra.event, exchange };
    }
    const last = this.#originUnless(at + FIELD.last, origin);
    const first = this.#originUnless(at + FIELD.first, last);
    const complete = (flags & FLAG.complete) !== 0;
    // A view: the sending thread does not reuse the bytes.
    const bytes = new Uint8Array(this.#bytes, numbers[at + FIELD.offset], numbers[at + FIELD.length]);
    const kind = EVENT_KINDS[code];
    if (kind === 'request' || kind === 'response')
      return { kind, exchange, first, last, at: origin, complete, body: this.#body(at, flags, bytes) };
    const from = (flags & FLAG.fromClient) !== 0 ? 'client' : 'server';
    return { kind: kind as 'item' | 'tunnel', exchange, from, first, last, at: origin, complete, bytes };
  }

  /** The body was decoded in the thread that collected it. */
  #body(at: number, flags: number, bytes: Uint8Array): Body | null {
    if ((flags & FLAG.hasBody) === 0) return null;
    const numbers = this.#numbers;
    const complete = (flags & FLAG.decodedComplete) !== 0;
    const decoded = (flags & FLAG.decodedLimited) === 0 ? { bytes, complete } : { bytes, complete, limited: true };
    return {
      length: numbers[at + FIELD.bodyLength],
      contentType: this.#texts.text(numbers[at + FIELD.bodyType]),
      contentEncoding: this.#texts.text(numbers[at + FIELD.bodyCoding]),
      complete: (flags & FLAG.bodyComplete) !== 0,
      read: () => decoded,
    };
  }

  #readNewParts(exchange: MutableExchange, begin: number): void {
    this.#word = begin;
    const parts = this.#nextWord();
    if ((parts & PART.request) !== 0) exchange.request = this.#head(true) as RequestHead;
    if ((parts & PART.response) !== 0) exchange.response = this.#head(false) as ResponseHead;
    if ((parts & PART.trailers) !== 0) exchange.trailers = this.#fields();
    if ((parts & PART.upgraded) !== 0) exchange.upgraded = this.#texts.textOrNull(this.#nextWord());
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
      case 'first-frame':
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

  #originUnless(at: number, known: Origin): Origin {
    return this.#numbers[at + 1] === known.frame && this.#numbers[at] === known.capture ? known : this.#origin(at);
  }

  #origin(at: number): Origin {
    return { capture: this.#numbers[at], frame: this.#numbers[at + 1], time: this.#integers[at + 2] };
  }
}

/** Ordinal when no record is left. */
export const NO_RECORD = Number.POSITIVE_INFINITY;
const NO_PARTIAL: readonly never[] = [];
