// One side of an exchange while it is being read: its head's place, and the body that is collected or cut. Knows bytes and
// places; exchange-bodies.ts knows what becomes an event.

import { earlier, later, type Origin } from '../core/origin.js';
import { BodyCollector, bodyOf } from './body.js';
import { CborSequence } from './cbor-sequence.js';
import { isIdentity } from './content.js';
import type { Body, BodyFraming } from './exchange-event.js';
import { type Fields, fieldValue } from './http-event.js';
import { declaredLength } from './http1-body-length.js';
import { JsonDocuments } from './json-documents.js';
import { LengthPrefixed } from './length-prefixed.js';
import type { Splitter } from './splitter.js';

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
  splitter: Splitter | null = null;
  /** Bytes that the splitter could not make a message of. */
  skipped = 0;
  /** What the splitter waits for: a body that must be decoded first is cut when it is over. */
  whole: BodyCollector | null = null;
  contentEncoding = '';
  #contentType = '';
  #fields: Fields | null = null;

  head(fields: Fields, first: Origin, last: Origin, complete: boolean): void {
    this.headSeen = true;
    this.first = this.first === null ? first : earlier(this.first, first);
    this.last = this.last === null ? last : later(this.last, last);
    this.intact &&= complete;
    this.#fields = fields;
    this.#contentType = fieldValue(fields, 'content-type') ?? '';
    this.contentEncoding = fieldValue(fields, 'content-encoding') ?? '';
  }

  get hasType(): boolean {
    return this.#contentType !== '';
  }

  /** The body is a stream of messages. */
  stream(framing: BodyFraming, midway: boolean): void {
    this.splitter = splitterFor(framing, midway);
  }

  /** Messages can be cut from the bytes as they come. */
  get live(): boolean {
    return this.splitter !== null && isIdentity(this.contentEncoding);
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

function splitterFor(framing: BodyFraming, midway: boolean): Splitter | null {
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
