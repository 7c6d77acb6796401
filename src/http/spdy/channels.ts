// Reads the channels of a SPDY connection: each stream is one, named when it is opened (k8s.io/api/core/v1 StreamType,
// `streamType: stdout`; moby/spdystream).

import { u32be } from '../../core/bytes/bytes.js';
import type { Origin } from '../../core/origin.js';
import type { Side } from '../../tcp/stream-event.js';
import { type ChannelReader, type ChannelSink, ErrorStatus, wholePiece } from '../exchange/channel.js';
import { SpdyFrames, type SpdySink } from './frames.js';
import { HeaderInflater, headerValue } from './header-blocks.js';

/** Limit: open SPDY streams of one connection; a forwarded connection has two. */
export const MAX_SPDY_STREAMS = 4096;

interface SpdyStream {
  /** null if its header block could not be read, or has an unknown name. */
  readonly channel: string | null;
  readonly report: ErrorStatus | null;
  /** Sides that have sent FIN. */
  clientEnded: boolean;
  serverEnded: boolean;
}

export class SpdyChannels implements ChannelReader {
  readonly #streams = new Map<number, SpdyStream>();
  readonly #client = new SpdyDirection('client', this.#streams);
  readonly #server = new SpdyDirection('server', this.#streams);

  feed(from: Side, bytes: Uint8Array, origin: Origin, sink: ChannelSink): void {
    this.#of(from, sink).frames.feed(bytes, origin);
  }

  gap(from: Side, length: number | null, origin: Origin, sink: ChannelSink): void {
    this.#of(from, sink).frames.gap(length, origin);
  }

  end(from: Side, sink: ChannelSink): void {
    this.#of(from, sink).frames.end();
  }

  #of(from: Side, sink: ChannelSink): SpdyDirection {
    const direction = from === 'client' ? this.#client : this.#server;
    direction.sink = sink;
    return direction;
  }
}

class SpdyDirection implements SpdySink {
  readonly frames = new SpdyFrames(this);
  sink!: ChannelSink;
  readonly #from: Side;
  readonly #streams: Map<number, SpdyStream>;
  readonly #headers = new HeaderInflater();
  #hasLimitNotice = false;
  // The current DATA frame.
  #id = 0;
  #stream: SpdyStream | undefined;
  #isFinal = false;
  #first!: Origin;
  #last!: Origin;
  #bytes = 0;

  constructor(from: Side, streams: Map<number, SpdyStream>) {
    this.#from = from;
    this.#streams = streams;
  }

  control(type: number, flags: number, body: Uint8Array | null, origin: Origin): void {
    const headersAt = HEADERS_AT[type] ?? 0;
    if (headersAt === 0) {
      if (type === RST_STREAM && body !== null && body.length >= 4) this.#streams.delete(u32be(body, 0) & ID_MASK);
      return;
    }
    const block = this.#inflate(body, headersAt, origin);
    if (body === null || body.length < headersAt) return;
    const id = u32be(body, 0) & ID_MASK;
    if (type === SYN_STREAM) this.#open(id, block, (flags & FLAG_UNIDIRECTIONAL) !== 0, origin);
    if ((flags & FLAG_FIN) !== 0) this.#close(id);
  }

  begin(stream: number, flags: number, origin: Origin): void {
    this.#id = stream;
    this.#stream = this.#streams.get(stream);
    this.#isFinal = (flags & FLAG_FIN) !== 0;
    this.#first = origin;
    this.#last = origin;
    this.#bytes = 0;
  }

  payload(bytes: Uint8Array, origin: Origin): void {
    this.#last = origin;
    this.#bytes += bytes.length;
    this.#stream?.report?.push(bytes);
  }

  end(origin: Origin, complete: boolean): void {
    const stream = this.#stream;
    // An empty frame only ends its stream.
    if (this.#bytes > 0 || !complete) {
      const report = stream?.report?.take() ?? null;
      const last = complete ? origin : this.#last;
      const channel = stream?.channel ?? null;
      this.sink.onPiece({ from: this.#from, channel, size: this.#bytes, first: this.#first, last, complete, report });
    }
    if (this.#isFinal) this.#close(this.#id);
  }

  lost(why: string, origin: Origin): void {
    this.sink.onError('http.malformed', `${why}; what the ${this.#from} sent after it is counted only`, origin);
  }

  unread(length: number, origin: Origin): void {
    this.sink.onPiece(wholePiece(this.#from, null, length, origin, false));
  }

  /** Every block must be inflated, because the next one depends on it. */
  #inflate(body: Uint8Array | null, headersAt: number, origin: Origin): Uint8Array | null {
    if (this.#headers.lost) return null;
    let block: Uint8Array | null = null;
    if (body === null || body.length < headersAt) this.#headers.lose();
    else block = this.#headers.next(body.subarray(headersAt));
    if (block === null)
      this.sink.onError('http.malformed', `SPDY header blocks of the ${this.#from} cannot be inflated`, origin);
    return block;
  }

  #open(id: number, block: Uint8Array | null, isOneWay: boolean, origin: Origin): void {
    if (this.#streams.size >= MAX_SPDY_STREAMS) {
      this.#streams.delete(this.#streams.keys().next().value!);
      if (!this.#hasLimitNotice)
        this.sink.onError('limit.streams', `more than ${MAX_SPDY_STREAMS} SPDY streams`, origin);
      this.#hasLimitNotice = true;
    }
    const type = block === null ? undefined : headerValue(block, 'streamtype');
    const channel = type !== undefined && CHANNELS.has(type) ? type : null;
    const report = channel === 'error' ? new ErrorStatus() : null;
    const isClient = this.#from === 'client';
    this.#streams.set(id, { channel, report, clientEnded: isOneWay && !isClient, serverEnded: isOneWay && isClient });
  }

  #close(id: number): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    if (this.#from === 'client') stream.clientEnded = true;
    else stream.serverEnded = true;
    if (stream.clientEnded && stream.serverEnded) this.#streams.delete(id);
  }
}

const CHANNELS = new Set(['stdin', 'stdout', 'stderr', 'error', 'resize', 'data']);
const SYN_STREAM = 1;
const RST_STREAM = 3;
/** Offset of the header block in a control frame: SYN_STREAM, SYN_REPLY, HEADERS. */
const HEADERS_AT: Readonly<Record<number, number>> = { 1: 10, 2: 4, 8: 4 };
const FLAG_FIN = 0x01;
const FLAG_UNIDIRECTIONAL = 0x02;
const ID_MASK = 0x7fffffff;
