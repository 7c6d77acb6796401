// What a header block is on its stream: a head, an interim response, trailers or one too many (RFC 9113, 8.1). Knows what
// that side of the stream said before; not when streams end, nor how blocks are compressed.

import type { Notice } from '../../core/notice.js';
import type { Origin } from '../../core/origin.js';
import type { Connection, Side } from '../../tcp/stream-event.js';
import type { HeaderBlock } from '../hpack/decoder.js';
import type { HttpEvent } from '../http-event.js';
import { requestHead, responseHead, roleOf, tunnelOf } from './heads.js';
import { ENDED, GAP, HEAD, type Stream } from './stream-table.js';

/** Takes `head`, `trailers` and `upgraded` events, and what breaks the protocol. */
export interface HeadSink {
  say(item: HttpEvent | Notice): void;
  fault(detail: string, origin: Origin): void;
}

/** Header blocks of one connection in, with `first` and `last` the frames of their bytes; marks HEAD at their streams. */
export class StreamHeads {
  readonly #connection: Connection;
  readonly #sink: HeadSink;

  constructor(connection: Connection, sink: HeadSink) {
    this.#connection = connection;
    this.#sink = sink;
  }

  /** A block of the client, or of a request that the server promises. */
  client(stream: Stream, block: HeaderBlock, first: Origin, last: Origin): void {
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
    this.#sink.say({
      kind: 'head',
      connection: this.#connection,
      stream: stream.id,
      from: 'client',
      head,
      first,
      last,
      complete,
    });
  }

  /** A block of the server. */
  server(stream: Stream, block: HeaderBlock, endStream: boolean, first: Origin, last: Origin): void {
    const role = roleOf(block);
    const headSeen = (stream.server & HEAD) !== 0;
    // A lone last block whose kind cannot be told: where the request was seen it is the answer's head, else more
    // likely the trailers of one that began before the capture.
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
    if (status !== null && status < 200 && status !== 101 && !endStream) return;
    stream.server |= HEAD;
    this.#sink.say({
      kind: 'head',
      connection: this.#connection,
      stream: stream.id,
      from: 'server',
      head,
      first,
      last,
      complete: status !== null && block.partial.length === 0 && block.problem === null,
    });
    if (stream.tunnel !== null && status !== null && status >= 200 && status < 300) {
      const protocol = stream.tunnel;
      this.#sink.say({
        kind: 'upgraded',
        connection: this.#connection,
        stream: stream.id,
        from: 'server',
        protocol,
        origin: last,
      });
    }
  }

  /** What follows belongs to a message whose head was before the capture or in a gap. */
  unseen(stream: Stream, side: Side, origin: Origin): void {
    stream[side] |= HEAD | GAP;
    const head =
      side === 'client'
        ? ({ kind: 'request-head', version: '2', method: null, target: null, fields: [], partial: [] } as const)
        : ({ kind: 'response-head', version: '2', status: null, fields: [], partial: [] } as const);
    this.#sink.say({
      kind: 'head',
      connection: this.#connection,
      stream: stream.id,
      from: side,
      head,
      first: origin,
      last: origin,
      complete: false,
    });
  }

  #trailers(stream: Stream, side: Side, block: HeaderBlock, origin: Origin): void {
    if ((stream[side] & ENDED) !== 0) return;
    if ((stream[side] & HEAD) === 0) this.unseen(stream, side, origin);
    this.#sink.say({
      kind: 'trailers',
      connection: this.#connection,
      stream: stream.id,
      from: side,
      fields: block.fields,
      partial: block.partial,
      origin,
    });
  }
}
