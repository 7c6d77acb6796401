// Reads a watch over a WebSocket that was opened before the capture, from the first frame with a watch event in JSON or CBOR on, as the
// rest of a response with an unknown head. Events in protobuf have no recognisable beginning. The client sends only pongs.

import { indexOfBytes, u16be, u32be } from '../../core/bytes/bytes.js';
import type { Detection, FirstBytes } from '../../core/first-bytes.js';
import { type Notice, notice } from '../../core/notice.js';
import type { Origin } from '../../core/origin.js';
import type { Stage } from '../../core/stage.js';
import type { Connection, Side, StreamEvent } from '../../tcp/stream-event.js';
import { TAGGED_MAP } from '../framing/cbor-sequence.js';
import { JSON_EVENT } from '../framing/json-documents.js';
import type { HttpEvent } from '../http-event.js';
import { HEADLESS } from '../http1/head.js';
import type { HttpProtocol } from '../protocol.js';
import { type WebSocketFrameSink, WebSocketFrames } from './frames.js';

/** Such a connection began with HTTP/1.1 (RFC 6455, section 4). */
export const midSessionWatch: HttpProtocol = {
  name: 'http/1',
  detect: detectWatch,
  open: (connection) => new MidSessionWatch(connection),
};

/** Only if the beginning was not captured; otherwise HTTP/1 detects the upgrade. */
function detectWatch({ server }: FirstBytes, handshakeSeen: boolean): Detection {
  if (handshakeSeen) return 'no';
  return eventFrameIn(server) >= 0 ? 'yes' : 'more';
}

/** Position of a frame whose message begins like a watch event; -1 without one. */
export function eventFrameIn(bytes: Uint8Array): number {
  for (const { first, event } of STARTS) {
    for (let at = indexOfBytes(bytes, event); at >= 0; at = indexOfBytes(bytes, event, at + 1)) {
      const head = headBefore(bytes, at, first);
      if (head >= 0) return head;
    }
  }
  return -1;
}

//   [ 81 ][ length below 126 ] {"type":"…     [ 81 ][ 7e ][ length:2 ] {"type":"…     [ 81 ][ 7f ][ length:8 ] {"type":"…
function headBefore(bytes: Uint8Array, at: number, first: number): number {
  if (bytes[at - 2] === first && bytes[at - 1] < LENGTH_16) return at - 2;
  if (bytes[at - 4] === first && bytes[at - 3] === LENGTH_16 && u16be(bytes, at - 2) >= LENGTH_16) return at - 4;
  const isLong = bytes[at - 10] === first && bytes[at - 9] === LENGTH_64 && u32be(bytes, at - 8) === 0;
  return isLong && u32be(bytes, at - 4) > 0xffff ? at - 10 : -1;
}

class MidSessionWatch implements Stage<StreamEvent, HttpEvent | Notice> {
  readonly #connection: Connection;
  readonly #client: MidSessionDirection;
  readonly #server: MidSessionDirection;
  #out: (HttpEvent | Notice)[] = [];
  #last: Origin | null = null;
  #ended = false;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#client = new MidSessionDirection('client', connection, (item) => this.#out.push(item));
    this.#server = new MidSessionDirection('server', connection, (item) => this.#out.push(item));
  }

  feed(event: StreamEvent): readonly (HttpEvent | Notice)[] {
    this.#last = event.origin;
    if (event.kind === 'data') this.#of(event.from).data(event.bytes, event.origin);
    else if (event.kind === 'gap') this.#of(event.from).gap(event.length, event.origin);
    else if (event.kind === 'opaque') this.#end(event.origin, false);
    else if (event.kind === 'closed' && event.from !== 'client') this.#end(event.origin, event.reason === 'fin');
    return this.#take();
  }

  end(): readonly (HttpEvent | Notice)[] {
    if (this.#last !== null) this.#end(this.#last, false);
    return this.#take();
  }

  #of(from: Side): MidSessionDirection {
    return from === 'client' ? this.#client : this.#server;
  }

  #end(origin: Origin, complete: boolean): void {
    if (this.#ended) return;
    this.#ended = true;
    const place = { connection: this.#connection, stream: STREAM, from: 'server' } as const;
    this.#out.push({ kind: 'end', ...place, origin, complete });
  }

  #take(): readonly (HttpEvent | Notice)[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }
}

class MidSessionDirection implements WebSocketFrameSink {
  readonly #from: Side;
  readonly #connection: Connection;
  readonly #emit: (item: HttpEvent | Notice) => void;
  /** null while a frame with a watch event is searched for. */
  #frames: WebSocketFrames | null;
  #isTransformed = false;
  #hasBegun = false;
  #hasLossNotice = false;

  constructor(from: Side, connection: Connection, emit: (item: HttpEvent | Notice) => void) {
    this.#from = from;
    this.#connection = connection;
    this.#emit = emit;
    // The frames of a client are so short that a capture begins between them.
    this.#frames = from === 'client' ? new WebSocketFrames(this) : null;
  }

  data(bytes: Uint8Array, origin: Origin): void {
    if (this.#frames !== null) {
      this.#frames.feed(bytes, origin);
      return;
    }
    const start = eventFrameIn(bytes);
    this.unread(start < 0 ? bytes.length : start, origin);
    if (start < 0) return;
    if (!this.#hasBegun) {
      const place = { connection: this.#connection, stream: STREAM, from: this.#from };
      this.#emit({ kind: 'head', ...place, head: HEADLESS, first: origin, last: origin, complete: false });
    }
    this.#hasBegun = true;
    this.#frames = new WebSocketFrames(this);
    this.#frames.feed(bytes.subarray(start), origin);
  }

  gap(length: number | null, origin: Origin): void {
    this.#frames?.gap(length, origin);
  }

  // ── WebSocketFrameSink ──

  begin(_isText: boolean, isTransformed: boolean): void {
    this.#isTransformed = isTransformed;
  }

  payload(bytes: Uint8Array, origin: Origin): void {
    if (this.#from === 'client' || this.#isTransformed) this.unread(bytes.length, origin);
    else this.#emit({ kind: 'body', connection: this.#connection, stream: STREAM, from: 'server', bytes, origin });
  }

  missing(length: number, origin: Origin): void {
    this.#bodyGap(length, origin);
  }

  end(): void {}

  lost(why: string, origin: Origin): void {
    if (!this.#hasLossNotice) {
      const where = { origin, connection: this.#connection.name };
      this.#emit(notice('http.malformed', `${why}; the next event of the ${this.#from} is looked for`, where));
    }
    this.#hasLossNotice = true;
    this.#bodyGap(null, origin);
    if (this.#from === 'server') this.#frames = null;
  }

  unread(length: number, origin: Origin): void {
    if (length > 0) this.#emit({ kind: 'unread', connection: this.#connection, from: this.#from, length, origin });
  }

  #bodyGap(length: number | null, origin: Origin): void {
    if (this.#from === 'server')
      this.#emit({ kind: 'body-gap', connection: this.#connection, stream: STREAM, from: 'server', length, origin });
  }
}

/** The only exchange of such a connection, which remains a WebSocket. */
const STREAM = 1;
/** First byte of a frame with a whole message, and the beginning of a watch event: in text and in binary frames. */
const STARTS = [
  { first: 0x81, event: JSON_EVENT },
  { first: 0x82, event: TAGGED_MAP },
] as const;
/** Values of the length field if the length follows in two or eight bytes. */
const LENGTH_16 = 126;
const LENGTH_64 = 127;
