// A watch over a WebSocket that was opened before the capture: told from a frame that holds a watch event, and read from there
// as the rest of an answer whose head is not known. Knows WebSocket frames and how an event in JSON or CBOR begins; one in
// protobuf begins like anything else. What the client sends there is nothing but pongs.

import { u16be, u32be } from '../../core/bytes/bytes.js';
import { type Notice, notice } from '../../core/notice.js';
import type { Origin } from '../../core/origin.js';
import type { Stage } from '../../core/stage.js';
import type { Connection, Side, StreamEvent } from '../../tcp/stream-event.js';
import { TAGGED_MAP } from '../framing/cbor-sequence.js';
import { JSON_EVENT } from '../framing/json-documents.js';
import type { HttpEvent } from '../http-event.js';
import { HEADLESS } from '../http1/head.js';
import type { Detection, FirstBytes, HttpProtocol } from '../protocol.js';
import { type WebSocketFrameSink, WebSocketFrames } from './frames.js';

/** The connection began with HTTP/1.1 (RFC 6455, section 4). */
export const lateWebSocketWatch: HttpProtocol = {
  name: 'http/1',
  detect: detectWatch,
  open: (connection) => new LateWatch(connection),
};

/** Only where the beginning is not in the capture: else HTTP says that it becomes a WebSocket. */
function detectWatch({ server }: FirstBytes, handshakeSeen: boolean): Detection {
  if (handshakeSeen) return 'no';
  return eventFrameIn(server) >= 0 ? 'yes' : 'more';
}

/** Where a frame begins whose message begins as a watch event; -1: nowhere. */
export function eventFrameIn(bytes: Uint8Array): number {
  const searched = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (const { first, event } of STARTS) {
    for (let at = searched.indexOf(event); at >= 0; at = searched.indexOf(event, at + 1)) {
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

class LateWatch implements Stage<StreamEvent, HttpEvent | Notice> {
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
  readonly #say: (item: HttpEvent | Notice) => void;
  /** null: a frame that holds an event is looked for. */
  #frames: WebSocketFrames | null;
  #isTransformed = false;
  #begun = false;
  #lostSaid = false;

  constructor(from: Side, connection: Connection, say: (item: HttpEvent | Notice) => void) {
    this.#from = from;
    this.#connection = connection;
    this.#say = say;
    // A client's frames are so short that each comes in one piece.
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
    if (!this.#begun) {
      const place = { connection: this.#connection, stream: STREAM, from: this.#from };
      this.#say({ kind: 'head', ...place, head: HEADLESS, first: origin, last: origin, complete: false });
    }
    this.#begun = true;
    this.#frames = new WebSocketFrames(this);
    this.#frames.feed(bytes.subarray(start), origin);
  }

  gap(length: number | null, origin: Origin): void {
    this.#frames?.gap(length, origin);
  }

  // ── what frames hold ──

  begin(_isText: boolean, isTransformed: boolean): void {
    this.#isTransformed = isTransformed;
  }

  payload(bytes: Uint8Array, origin: Origin): void {
    if (this.#from === 'client' || this.#isTransformed) this.unread(bytes.length, origin);
    else this.#say({ kind: 'body', connection: this.#connection, stream: STREAM, from: 'server', bytes, origin });
  }

  missing(length: number, origin: Origin): void {
    this.#bodyGap(length, origin);
  }

  end(): void {}

  lost(why: string, origin: Origin): void {
    if (!this.#lostSaid) {
      const where = { origin, connection: this.#connection.name };
      this.#say(notice('http.malformed', `${why}; the next event of the ${this.#from} is looked for`, where));
    }
    this.#lostSaid = true;
    this.#bodyGap(null, origin);
    if (this.#from === 'server') this.#frames = null;
  }

  unread(length: number, origin: Origin): void {
    if (length > 0) this.#say({ kind: 'unread', connection: this.#connection, from: this.#from, length, origin });
  }

  #bodyGap(length: number | null, origin: Origin): void {
    if (this.#from === 'server')
      this.#say({ kind: 'body-gap', connection: this.#connection, stream: STREAM, from: 'server', length, origin });
  }
}

/** A connection that became a WebSocket stays one: this is its one exchange. */
const STREAM = 1;
/** The first byte of a message in one frame, and how a watch event begins: in text, and in a binary frame. */
const STARTS = [
  { first: 0x81, event: JSON_EVENT },
  { first: 0x82, event: TAGGED_MAP },
] as const;
/** In place of a length: it follows in two bytes, in eight. */
const LENGTH_16 = 126;
const LENGTH_64 = 127;
