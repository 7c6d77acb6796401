// One side of an exchange while it is being read: its head's place, and the body that is collected or cut. Knows bytes and
// places; exchange-bodies.ts knows what becomes an event.

import { earlier, later, type Origin } from '../../core/origin.js';
import type { Body, BodyFraming } from '../exchange-event.js';
import { CborSequence } from '../framing/cbor-sequence.js';
import { GzipItems } from '../framing/gzip-members.js';
import { JsonDocuments } from '../framing/json-documents.js';
import { LengthPrefixed } from '../framing/length-prefixed.js';
import type { MemberReaders } from '../framing/member-reader.js';
import type { MessageFramer } from '../framing/message-framer.js';
import { type Fields, fieldValue } from '../http-event.js';
import { declaredLength } from '../http1/body-length.js';
import { BodyCollector, bodyOf } from './body.js';
import { codingsOf, isGzip, isIdentity } from './content.js';

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
