// Interprets the header blocks of streams as heads, interim responses or trailers (RFC 9113, 8.1).

import { FieldGatherer } from '../../core/fields.js';
import type { Notice } from '../../core/notice.js';
import type { Origin } from '../../core/origin.js';
import type { Connection, Side } from '../../tcp/stream-event.js';
import type { HeaderBlock } from '../hpack/decoder.js';
import type { Fields, HttpEvent, RequestHead, ResponseHead } from '../http-event.js';
import { ENDED, GAP, HEAD, type Stream } from './stream-table.js';

/** Receives `head`, `trailers` and `upgraded` events, and faults of the protocol. */
export interface HeadSink {
  emit(item: HttpEvent | Notice): void;
  fault(detail: string, origin: Origin): void;
}

/** Takes decoded header blocks, each with the captured packets of its first and last byte, and sets the flag HEAD of their streams. */
export class StreamHeads {
  readonly #connection: Connection;
  readonly #sink: HeadSink;

  constructor(connection: Connection, sink: HeadSink) {
    this.#connection = connection;
    this.#sink = sink;
  }

  /** Interprets a block of the client, or of a PUSH_PROMISE, which holds a request. */
  clientBlock(stream: Stream, block: HeaderBlock, first: Origin, last: Origin): void {
    const role = roleOf(block);
    if (role === 'trailers' || (role === 'unclear' && (stream.client & HEAD) !== 0)) {
      this.#trailers(stream, 'client', block, last);
      return;
    }
    if ((stream.client & HEAD) !== 0) {
      this.#sink.fault(`a second request head on stream ${stream.id}`, last);
      return;
    }
    const head = requestHead(block);
    stream.client |= HEAD;
    stream.tunnel = tunnelOf(head);
    const complete =
      head.method !== null && head.target !== null && block.partial.length === 0 && block.problem === null;
    this.#emitHead(stream, 'client', head, first, last, complete);
  }

  /** Interprets a block of the server. */
  serverBlock(stream: Stream, block: HeaderBlock, endStream: boolean, first: Origin, last: Origin): void {
    const role = roleOf(block);
    const headSeen = (stream.server & HEAD) !== 0;
    // An unclear block with END_STREAM and no head before it is a response without a body if the request was captured; else it is more
    // likely the trailers of a response that began before the capture.
    const trailers =
      role === 'trailers' || (role === 'unclear' && (headSeen || (endStream && (stream.client & HEAD) === 0)));
    if (trailers) {
      this.#trailers(stream, 'server', block, last);
      return;
    }
    if (headSeen) {
      this.#sink.fault(`a second response head on stream ${stream.id}`, last);
      return;
    }
    const head = responseHead(block);
    const status = head.status;
    // An interim response is not emitted. HTTP/2 has no 101 (RFC 9113, 8.6).
    if (status !== null && status < 200 && status !== 101 && !endStream) return;
    stream.server |= HEAD;
    const complete = status !== null && block.partial.length === 0 && block.problem === null;
    this.#emitHead(stream, 'server', head, first, last, complete);
    if (stream.tunnel !== null && status !== null && status >= 200 && status < 300) {
      const [connection, protocol] = [this.#connection, stream.tunnel];
      this.#sink.emit({ kind: 'upgraded', connection, stream: stream.id, from: 'server', protocol, origin: last });
    }
  }

  /** Begins a message whose head was before the capture or in a gap. */
  unseenHead(stream: Stream, side: Side, origin: Origin): void {
    stream[side] |= HEAD | GAP;
    const head =
      side === 'client'
        ? ({ kind: 'request-head', version: '2', method: null, target: null, fields: [], partial: [] } as const)
        : ({ kind: 'response-head', version: '2', status: null, fields: [], partial: [] } as const);
    this.#emitHead(stream, side, head, origin, origin, false);
  }

  #emitHead(
    { id }: Stream,
    from: Side,
    head: RequestHead | ResponseHead,
    first: Origin,
    last: Origin,
    complete: boolean,
  ): void {
    this.#sink.emit({ kind: 'head', connection: this.#connection, stream: id, from, head, first, last, complete });
  }

  #trailers(stream: Stream, side: Side, block: HeaderBlock, origin: Origin): void {
    if ((stream[side] & ENDED) !== 0) return;
    if ((stream[side] & HEAD) === 0) this.unseenHead(stream, side, origin);
    const { fields, partial } = block;
    const connection = this.#connection;
    this.#sink.emit({ kind: 'trailers', connection, stream: stream.id, from: side, fields, partial, origin });
  }
}

/** `unclear`: the name of the first field could not be decoded. */
type BlockRole = 'head' | 'trailers' | 'unclear';

/** Pseudo-header fields come first in a head, and trailers have none (RFC 9113, 8.1 and 8.3). */
export function roleOf(block: HeaderBlock): BlockRole {
  const first = block.firstName;
  if (first === undefined) return block.problem === null ? 'trailers' : 'unclear';
  if (first === null) return 'unclear';
  return first.charCodeAt(0) === COLON ? 'head' : 'trailers';
}

/** `:method` and `:path` become method and target; the target of a CONNECT is its `:authority`. All other fields remain. */
function requestHead(block: HeaderBlock): RequestHead {
  const all = block.fields;
  let method: string | null = null;
  let target: string | null = null;
  let authority: string | null = null;
  for (let i = 0; i < all.length; i += 2) {
    const name = all[i];
    if (name.charCodeAt(0) === COLON) {
      if (name === ':method') {
        method = all[i + 1];
        continue;
      }
      if (name === ':path') {
        target = all[i + 1];
        continue;
      }
      if (name === ':authority') authority = all[i + 1];
    }
    GATHERER.add(name, all[i + 1]);
  }
  if (method === 'CONNECT' && target === null) target = authority;
  return { kind: 'request-head', version: '2', method, target, fields: GATHERER.take(), partial: block.partial };
}

/** `:status` becomes the status; null if it is unknown or no number. */
function responseHead(block: HeaderBlock): ResponseHead {
  const all = block.fields;
  let status: number | null = null;
  let fields: Fields = all;
  for (let i = 0; i < all.length; i += 2) {
    if (all[i] !== ':status') continue;
    status = statusOf(all[i + 1]);
    fields = i === 0 ? all.slice(2) : [...all.slice(0, i), ...all.slice(i + 2)];
    break;
  }
  return { kind: 'response-head', version: '2', status, fields, partial: block.partial };
}

/** The protocol of the tunnel that a request demands (CONNECT: RFC 9113, 8.5; extended: RFC 8441), or null. */
function tunnelOf(head: RequestHead): string | null {
  if (head.method !== 'CONNECT') return null;
  for (let i = 0; i < head.fields.length; i += 2) if (head.fields[i] === ':protocol') return head.fields[i + 1];
  return 'tcp';
}

/** Whether all names are allowed in HTTP/2 (RFC 9113, 8.2.1 and 8.3); bytes that only look like a header block have others. */
export function hasLegalNames(block: HeaderBlock): boolean {
  for (let i = 0; i < block.fields.length; i += 2) if (!LEGAL_NAME.test(block.fields[i])) return false;
  return true;
}

function statusOf(value: string): number | null {
  const status = Number(value);
  return value.length === 3 && Number.isInteger(status) && status >= 100 ? status : null;
}

const GATHERER = new FieldGatherer();

const COLON = 0x3a;

const LEGAL_NAME = /^(?::(?:method|scheme|authority|path|status|protocol)|[a-z0-9!#$%&'*+.^_`|~-]+)$/;
