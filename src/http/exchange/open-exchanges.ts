// Holds the open exchanges of a connection with the state of both sides.

import { signatureAt } from '../../core/first-bytes.js';
import { earlier, later, type Origin } from '../../core/origin.js';
import type { Connection } from '../../tcp/stream-event.js';
import {
  type Body,
  type BodyFraming,
  type Exchange,
  type MutableExchange,
  newExchange,
  type TimeSpan,
} from '../exchange-event.js';
import { CborSequence, TAGGED_MAP } from '../framing/cbor-sequence.js';
import { GzipItems, type MemberReaders } from '../framing/gzip-members.js';
import { JSON_EVENT, JsonDocuments } from '../framing/json-documents.js';
import { LengthPrefixed, prefixProves } from '../framing/length-prefixed.js';
import type { MessageFramer } from '../framing/message-framer.js';
import { type Cut, type Fields, fieldValue } from '../http-event.js';
import { declaredLength } from '../http1/body-length.js';
import { BodyCollector, bodyOf } from './body.js';
import type { ChannelReader } from './channel.js';
import { codingsOf, isGzip, isIdentity } from './content.js';

type KnownHeads = Pick<MutableExchange, 'request' | 'response' | 'trailers' | 'upgraded'>;

export class OpenExchange {
  /** State up to the latest input. */
  readonly known: KnownHeads = { request: null, response: null, trailers: null, upgraded: null };
  /** State at the latest emitted event, which later stages see. */
  readonly exchange: MutableExchange;
  /** HTTP/1: ordinal, HTTP/2: stream id. Only `OpenExchanges` changes it. */
  key: number;
  readonly client = new ExchangeSide();
  readonly server = new ExchangeSide();
  /** How a side broke it off, if one did. */
  cut: Cut | undefined;
  /** Reads the tunnel, or a body of the server that has channels. */
  channels: ChannelReader | null = null;

  constructor(connection: Connection, key: number, isHttp2: boolean) {
    this.key = key;
    this.exchange = newExchange(connection, isHttp2 ? key : null);
  }

  /** Updates and returns the exchange for an event that is emitted now. */
  snapshot(): Exchange {
    const { exchange, known } = this;
    exchange.request = known.request;
    exchange.response = known.response;
    exchange.trailers = known.trailers;
    exchange.upgraded = known.upgraded;
    return exchange;
  }
}

export class OpenExchanges {
  /** The only open exchange: HTTP/1 usually has one, for which a map would be filled and emptied again and again. */
  #alone: OpenExchange | null = null;
  /** In order of their beginning; empty while there is only one. */
  readonly #many = new Map<number, OpenExchange>();

  get size(): number {
    return this.#alone === null ? this.#many.size : 1;
  }

  find(key: number): OpenExchange | undefined {
    const alone = this.#alone;
    if (alone !== null) return alone.key === key ? alone : undefined;
    return this.#many.get(key);
  }

  /** @param open its key must not be in use. */
  add(open: OpenExchange): void {
    const alone = this.#alone;
    if (alone === null && this.#many.size === 0) {
      this.#alone = open;
      return;
    }
    if (alone !== null) {
      this.#many.set(alone.key, alone);
      this.#alone = null;
    }
    this.#many.set(open.key, open);
  }

  remove(open: OpenExchange): void {
    if (this.#alone === open) this.#alone = null;
    else this.#many.delete(open.key);
  }

  renumber(open: OpenExchange, key: number): void {
    this.remove(open);
    open.key = key;
    this.add(open);
  }

  oldest(): OpenExchange {
    return this.#alone ?? this.#many.values().next().value!;
  }

  /** A copy, because exchanges may be removed during iteration. */
  all(): readonly OpenExchange[] {
    return this.#alone === null ? [...this.#many.values()] : [this.#alone];
  }
}

/** One side of an open exchange: its head, and the body that is collected or cut. */
export class ExchangeSide {
  /** Frame of the first byte; null before it. */
  first: Origin | null = null;
  /** Frame of the last byte so far. */
  last: Origin | null = null;
  headSeen = false;
  /** Nothing is missing so far. */
  intact = true;
  /** Nothing of the body is missing; the head may lack fields from before the capture. */
  bodyIntact = true;
  /** `request` or `response` was emitted. */
  emitted = false;
  ended = false;
  /** It came to its end, by its own framing. */
  isWhole = false;
  /** When its body could not go on, of the latest ones; null: never. */
  stalls: TimeSpan[] | null = null;
  /** Bytes of the body on the wire so far. */
  received = 0;
  /** The first bytes of the body show its framing, because the head does not. */
  sniffs = false;
  framer: MessageFramer | null = null;
  /** Bytes that the framer skipped. */
  skipped = 0;
  /** The collected body, or the encoded bytes that the framer reads at the end, if they cannot be decoded in pieces. */
  whole: BodyCollector | null = null;
  contentEncoding = '';
  #headComplete = false;
  #contentType = '';
  #fields: Fields | null = null;

  head(fields: Fields, first: Origin, last: Origin, complete: boolean): void {
    this.headSeen = true;
    this.first = this.first === null ? first : earlier(this.first, first);
    this.last = this.last === null ? last : later(this.last, last);
    this.intact &&= complete;
    this.#headComplete = complete;
    this.#fields = fields;
    this.#contentType = fieldValue(fields, 'content-type') ?? '';
    this.contentEncoding = codingsOf(fields);
  }

  stalled({ since, until }: TimeSpan): void {
    this.stalls ??= [];
    if (this.stalls.length < MAX_STALLS) this.stalls.push({ since, until });
  }

  /** Bytes of the body by its head; null: it does not say. */
  get promised(): number | null {
    const length = this.#fields === null ? undefined : fieldValue(this.#fields, 'content-length');
    return length === undefined || !DIGITS.test(length) ? null : Number(length);
  }

  get hasType(): boolean {
    return this.#contentType !== '';
  }

  /** Makes the body a stream of messages. @param midway its beginning is missing. */
  stream(framing: BodyFraming, midway: boolean, readers: MemberReaders): void {
    const framer = framerFor(framing, midway);
    const isCertain = isGzip(this.contentEncoding);
    const mayBe = isCertain || (!this.#headComplete && this.contentEncoding === '');
    // gRPC compresses its messages one by one.
    const isPlain = framer === null || framing === 'grpc' || !mayBe;
    this.framer = isPlain ? framer : new GzipItems(framer, readers, isCertain);
  }

  /** Whether messages can be cut from the bytes as they arrive. */
  get isLive(): boolean {
    return this.framer !== null && (isIdentity(this.contentEncoding) || isGzip(this.contentEncoding));
  }

  seen(origin: Origin): void {
    if (this.first === null) this.first = origin;
    // Segments may be out of order: the one that was captured last completed the message.
    this.last = this.last === null ? origin : later(this.last, origin);
  }

  collect(bytes: Uint8Array, room: number): BodyCollector {
    this.whole ??= new BodyCollector(this.#fields === null ? 0 : declaredLength(this.#fields));
    this.whole.push(bytes, room);
    return this.whole;
  }

  /** @returns null without a body. */
  takeBody(): Body | null {
    const whole = this.whole;
    if (whole === null) return null;
    this.whole = null;
    const complete = this.bodyIntact && whole.kept === whole.length;
    return bodyOf(whole.take(), whole.length, this.#contentType, this.contentEncoding, complete);
  }
}

/** Limit: times that one body could not go on; later ones do not count. */
const MAX_STALLS = 64;
const DIGITS = /^\d{1,15}$/;

function framerFor(framing: BodyFraming, midway: boolean): MessageFramer | null {
  switch (framing) {
    case 'json-documents':
      return new JsonDocuments(midway);
    case 'cbor-sequence':
      return new CborSequence(midway);
    case 'length-prefixed':
      return new LengthPrefixed(4, midway);
    case 'grpc':
      return new LengthPrefixed(5, midway);
    case 'log':
    case 'docker-stream':
    case 'messages':
    case 'whole':
      return null;
  }
}

/** Detects the framing of a body by its first piece; `whole` if the bytes prove nothing. */
export function sniffFraming(bytes: Uint8Array): BodyFraming {
  if (signatureAt(bytes, 0, JSON_EVENT) === 'yes') return 'json-documents';
  if (signatureAt(bytes, 0, TAGGED_MAP) === 'yes') return 'cbor-sequence';
  if (prefixProves(bytes, 5)) return 'grpc';
  return prefixProves(bytes, 4) ? 'length-prefixed' : 'whole';
}
