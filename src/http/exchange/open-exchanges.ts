// The exchanges of a connection that are not over, by their number. Knows their order and what was said of each; not how
// they come about.

import { earlier, later, type Origin } from '../../core/origin.js';
import type { Connection } from '../../tcp/stream-event.js';
import type { Body, BodyFraming, Exchange } from '../exchange-event.js';
import { CborSequence, TAGGED_MAP } from '../framing/cbor-sequence.js';
import { GzipItems, type MemberReaders } from '../framing/gzip-members.js';
import { JSON_EVENT, JsonDocuments } from '../framing/json-documents.js';
import { LengthPrefixed, prefixProves } from '../framing/length-prefixed.js';
import type { MessageFramer } from '../framing/message-framer.js';
import { type Fields, fieldValue, type RequestHead, type ResponseHead } from '../http-event.js';
import { declaredLength } from '../http1/body-length.js';
import { BodyCollector, bodyOf } from './body.js';
import type { ChannelReader } from './channel.js';
import { codingsOf, isGzip, isIdentity } from './content.js';

/** The exchange while it is filled in. */
interface ExchangeSoFar extends Exchange {
  request: RequestHead | null;
  response: ResponseHead | null;
  trailers: Fields | null;
  upgraded: string | null;
}

export class OpenExchange {
  /** What is known by now. */
  readonly known: ExchangeSoFar;
  /** What was said of it: as much as was known with its last event, wherever the listener stands. */
  readonly exchange: ExchangeSoFar;
  /** HTTP/1: ordinal, HTTP/2: stream id. While it is one of several that are open, theirs to change. */
  key: number;
  readonly client = new ExchangeSide();
  readonly server = new ExchangeSide();
  /** Reads the tunnel, or the server's body where that is a stream of channels. */
  channels: ChannelReader | null = null;

  constructor(connection: Connection, key: number, isHttp2: boolean) {
    this.key = key;
    const stream = isHttp2 ? key : null;
    this.known = { connection, stream, request: null, response: null, trailers: null, upgraded: null };
    this.exchange = { connection, stream, request: null, response: null, trailers: null, upgraded: null };
  }

  /** The exchange for an event that is said now. */
  told(): Exchange {
    const { exchange, known } = this;
    exchange.request = known.request;
    exchange.response = known.response;
    exchange.trailers = known.trailers;
    exchange.upgraded = known.upgraded;
    return exchange;
  }
}

export class OpenExchanges {
  /** The only one: HTTP/1 has no more, and a map would be filled and emptied for each. */
  #alone: OpenExchange | null = null;
  /** In the order in which they began; empty while there is but one. */
  readonly #many = new Map<number, OpenExchange>();

  get size(): number {
    return this.#alone === null ? this.#many.size : 1;
  }

  find(key: number): OpenExchange | undefined {
    const alone = this.#alone;
    if (alone !== null) return alone.key === key ? alone : undefined;
    return this.#many.get(key);
  }

  /** One whose number is not there. */
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

  /** It is found under another number from here on. */
  renumber(open: OpenExchange, key: number): void {
    this.remove(open);
    open.key = key;
    this.add(open);
  }

  oldest(): OpenExchange {
    return this.#alone ?? this.#many.values().next().value!;
  }

  /** A list of its own: they may be removed while it is read. */
  all(): readonly OpenExchange[] {
    return this.#alone === null ? [...this.#many.values()] : [this.#alone];
  }
}

export class ExchangeSide {
  /** Frame of the first byte; null: nothing was seen of this side. */
  first: Origin | null = null;
  /** Frame of the last byte so far. */
  last: Origin | null = null;
  headSeen = false;
  /** Nothing is missing so far. */
  intact = true;
  /** Nothing of the body is missing: a head may be incomplete for fields that were said before the capture. */
  bodyIntact = true;
  /** `request` or `response` was said. */
  told = false;
  ended = false;
  /** The framing is told from the first body bytes, because the head does not tell it. */
  sniffs = false;
  splitter: MessageFramer | null = null;
  /** Bytes that the splitter could not make a message of. */
  skipped = 0;
  /** What the splitter waits for: a body in a coding that is not read while it comes is cut when it is over. */
  whole: BodyCollector | null = null;
  contentEncoding = '';
  /** The head was captured, all of it. */
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

  get hasType(): boolean {
    return this.#contentType !== '';
  }

  /** The body is a stream of messages. */
  stream(framing: BodyFraming, midway: boolean, readers: MemberReaders): void {
    const splitter = splitterFor(framing, midway);
    const isCertain = isGzip(this.contentEncoding);
    const mayBe = isCertain || (!this.#headComplete && this.contentEncoding === '');
    // gRPC compresses its messages one by one.
    const isPlain = splitter === null || framing === 'grpc' || !mayBe;
    this.splitter = isPlain ? splitter : new GzipItems(splitter, readers, isCertain);
  }

  /** Messages can be cut from the bytes as they come. */
  get live(): boolean {
    return this.splitter !== null && (isIdentity(this.contentEncoding) || isGzip(this.contentEncoding));
  }

  seen(origin: Origin): void {
    if (this.first === null) this.first = origin;
    // Segments may have overtaken each other: what came last completed it, not what stands last.
    this.last = this.last === null ? origin : later(this.last, origin);
  }

  collect(bytes: Uint8Array, room: number): BodyCollector {
    this.whole ??= new BodyCollector(this.#fields === null ? 0 : declaredLength(this.#fields));
    this.whole.push(bytes, room);
    return this.whole;
  }

  /** null: no body. */
  takeBody(): Body | null {
    const whole = this.whole;
    if (whole === null) return null;
    this.whole = null;
    const complete = this.bodyIntact && whole.kept === whole.length;
    return bodyOf(whole.take(), whole.length, this.#contentType, this.contentEncoding, complete);
  }
}

function splitterFor(framing: BodyFraming, midway: boolean): MessageFramer | null {
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

/** `whole`: nothing is proven. */
export function sniffFraming(bytes: Uint8Array): BodyFraming {
  if (beginsWith(bytes, JSON_EVENT)) return 'json-documents';
  if (beginsWith(bytes, TAGGED_MAP)) return 'cbor-sequence';
  if (prefixProves(bytes, 5)) return 'grpc';
  return prefixProves(bytes, 4) ? 'length-prefixed' : 'whole';
}

function beginsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  if (bytes.length < start.length) return false;
  for (let i = 0; i < start.length; i++) if (bytes[i] !== start[i]) return false;
  return true;
}
