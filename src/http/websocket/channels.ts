// Reads the channels of a WebSocket with a subprotocol of Kubernetes (k8s.io/apimachinery/pkg/util/httpstream/wsstream and
// util/remotecommand/constants.go), and the connections in a tunnel of remotedialer; for other WebSockets only sizes are known.
//
//   v4, v5.channel.k8s.io     binary message   [ channel:1 ][ payload ]
//   base64.channel.k8s.io     text message     [ '0' … '4' ][ base64 of the payload ]
//   SPDY/3.1+portforward…     binary messages  are together a stream of SPDY frames

import type { Origin } from '../../core/origin.js';
import type { Connection, Side } from '../../tcp/stream-event.js';
import { type ChannelReader, type ChannelSink, ErrorStatus, wholePiece } from '../exchange/channel.js';
import { SpdyChannels } from '../spdy/channels.js';
import { type WebSocketFrameSink, WebSocketFrames } from './frames.js';
import { isDialled, Remotedialer } from './remotedialer.js';

type Coding = 'binary' | 'base64' | 'none';

export class WebSocketChannels implements ChannelReader {
  readonly #client: WebSocketDirection;
  readonly #server: WebSocketDirection;
  readonly #dialer: Remotedialer | null;

  /**
   * @param subprotocol that the server selected; empty without one.
   * @param target of the request: a port-forward has other channel numbers.
   * @param connection that carries it.
   */
  constructor(subprotocol: string, target: string, connection?: Connection) {
    const mayDial = subprotocol === '' && connection !== undefined && !isDialled(connection);
    this.#dialer = mayDial ? new Remotedialer(connection) : null;
    const spdy = subprotocol.toLowerCase().startsWith('spdy/3.1') ? new SpdyChannels() : null;
    const coding = codingOf(subprotocol);
    const isPorts = PORT_FORWARD.test(target);
    this.#client = new WebSocketDirection('client', coding, isPorts, spdy, this.#dialer);
    this.#server = new WebSocketDirection('server', coding, isPorts, spdy, this.#dialer);
  }

  feed(from: Side, bytes: Uint8Array, origin: Origin, sink: ChannelSink): void {
    const direction = this.#of(from, sink);
    direction.frames.feed(bytes, origin);
  }

  gap(from: Side, length: number | null, origin: Origin, sink: ChannelSink): void {
    this.#of(from, sink).frames.gap(length, origin);
  }

  end(from: Side, sink: ChannelSink, by: Side | undefined, origin: Origin): void {
    const direction = this.#of(from, sink);
    direction.frames.end();
    direction.spdy?.end(from, sink);
    this.#dialer?.over(by, origin, sink);
  }

  #of(from: Side, sink: ChannelSink): WebSocketDirection {
    const direction = from === 'client' ? this.#client : this.#server;
    direction.sink = sink;
    return direction;
  }
}

class WebSocketDirection implements WebSocketFrameSink {
  readonly frames = new WebSocketFrames(this);
  readonly spdy: SpdyChannels | null;
  sink!: ChannelSink;
  readonly #from: Side;
  readonly #coding: Coding;
  readonly #isPorts: boolean;
  readonly #error = new ErrorStatus();
  readonly #dialer: Remotedialer | null;
  /** Reads the current message; null: it is none of a tunnel. */
  #reader: Remotedialer | null = null;
  #hasTransformNotice = false;
  // The current message.
  #first!: Origin;
  /** Payload bytes so far, with the channel byte. */
  #size = 0;
  /** Channel number in the first byte; -1 if it is missing or there is none. */
  #channel = -1;
  #readsChannel = false;
  /** `=` characters at the end of base64. */
  #padding = 0;

  constructor(from: Side, coding: Coding, isPorts: boolean, spdy: SpdyChannels | null, dialer: Remotedialer | null) {
    this.#from = from;
    this.#coding = coding;
    this.#isPorts = isPorts;
    this.spdy = spdy;
    this.#dialer = dialer;
  }

  begin(isText: boolean, isTransformed: boolean, origin: Origin): void {
    this.#first = origin;
    this.#size = 0;
    this.#padding = 0;
    this.#channel = -1;
    this.#readsChannel = !isTransformed && this.#coding === (isText ? 'base64' : 'binary');
    this.#reader = isText || isTransformed ? null : this.#dialer;
    this.#reader?.begin(this.#from);
    if (!isTransformed || this.#hasTransformNotice) return;
    this.#hasTransformNotice = true;
    this.sink.onError('http.malformed', `compressed WebSocket messages of the ${this.#from} are not read`, origin);
  }

  payload(bytes: Uint8Array, origin: Origin): void {
    if (this.spdy !== null) {
      this.spdy.feed(this.#from, bytes, origin, this.sink);
      return;
    }
    this.#reader?.payload(this.#from, bytes, origin, this.sink);
    let start = 0;
    if (this.#size === 0 && this.#readsChannel) {
      this.#channel = this.#coding === 'base64' ? bytes[0] - DIGIT_0 : bytes[0];
      start = 1;
    }
    this.#size += bytes.length;
    if (this.#coding === 'base64') this.#padding += paddingOf(bytes.subarray(start));
    if (this.#channel === ERROR && !this.#isPorts) this.#error.push(bytes.subarray(start));
  }

  missing(length: number, origin: Origin): void {
    if (this.spdy !== null) this.spdy.gap(this.#from, length, origin, this.sink);
    else if (this.#size === 0) this.#readsChannel = false;
    this.#reader?.missing(this.#from, length, origin, this.sink);
    this.#size += length;
  }

  end(origin: Origin, complete: boolean): void {
    if (this.spdy !== null) return;
    const place = { from: this.#from, first: this.#first, last: origin, complete };
    const dialled = this.#reader?.end(this.#from, complete, origin, this.sink);
    if (dialled != null) {
      this.sink.onPiece({ ...dialled, ...place });
      return;
    }
    const channel = this.#name();
    const size = this.#payloadSize();
    // A closed channel, or the empty message that shows a client that the server is alive (wsstream/conn.go).
    if (channel === CLOSED || (size === 0 && complete)) return;
    const report = channel === 'error' && !this.#isPorts && this.#coding === 'binary' ? this.#error.take() : null;
    this.sink.onPiece({ channel, size, report, ...place });
  }

  lost(why: string, origin: Origin): void {
    this.sink.onError('http.malformed', `${why}; what the ${this.#from} sent after it is counted only`, origin);
  }

  unread(length: number, origin: Origin): void {
    this.sink.onPiece(wholePiece(this.#from, null, length, origin, false));
  }

  #name(): string | null {
    if (this.#channel < 0) return null;
    if (this.#channel === CLOSE && !this.#isPorts) return CLOSED;
    // Port i has the channels 2i (data) and 2i + 1 (error): pkg/kubelet (cri-client) portforward/websocket.go.
    if (this.#isPorts) return (this.#channel & 1) === 0 ? 'data' : 'error';
    return CHANNELS[this.#channel] ?? null;
  }

  #payloadSize(): number {
    const size = this.#readsChannel ? Math.max(0, this.#size - 1) : this.#size;
    if (!this.#readsChannel || this.#coding !== 'base64') return size;
    // What is no base64 can have more padding than digits.
    return Math.max(0, Math.floor((size * 3) / 4) - this.#padding);
  }
}

function codingOf(subprotocol: string): Coding {
  if (!subprotocol.endsWith('channel.k8s.io')) return 'none';
  return subprotocol.includes('base64.') ? 'base64' : 'binary';
}

function paddingOf(bytes: Uint8Array): number {
  let count = 0;
  for (let i = bytes.length - 1; i >= 0 && bytes[i] === EQUALS_SIGN && count < 2; i--) count += 1;
  return count;
}

const CHANNELS = ['stdin', 'stdout', 'stderr', 'error', 'resize'];
const ERROR = 3;
/** v5: the side has closed the channel of the next byte. */
const CLOSE = 255;
const CLOSED = 'closed';
const DIGIT_0 = 0x30;
const EQUALS_SIGN = 0x3d;
const PORT_FORWARD = /\/port-?forward(?:[/?]|$)/i;
