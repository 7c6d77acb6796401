// Reads the connections inside a tunnel of rancher/remotedialer (K3s, RKE2, Rancher): a WebSocket whose server has its client, the agent
// on a node, dial for it.
//
//   a binary message   id | connection | type | deadline (types 1, 2) | rest        numbers are varints of 64 bits, zigzag
//     1  data          bytes of the connection
//     2  connect       tcp/127.0.0.1:10250
//     3  error         EOF, or why the connection ended: nothing follows on it
//
// Source: github.com/rancher/remotedialer, message.go: newServerMessage; session.go.

import { isLoopback } from '../../core/address.js';
import { copyOf, latin1 } from '../../core/bytes/bytes.js';
import type { Origin } from '../../core/origin.js';
import { type Connection, otherSide, type Side } from '../../tcp/stream-event.js';
import type { ChannelSink } from '../exchange/channel.js';

/** What a message of the tunnel is: its channel, and the text that it consists of. */
export interface DialerPiece {
  readonly channel: 'connect' | 'data' | 'end' | 'failed';
  /** Bytes after the numbers. */
  readonly size: number;
  readonly report: Uint8Array | null;
}

interface DialerHead {
  readonly type: number;
  /** The bytes of its varint, one character each: only compared. */
  readonly connection: string;
  readonly length: number;
}

/** One message so far. */
class DialerMessage {
  readonly bytes = new Uint8Array(HEAD_BYTES + MAX_TEXT_BYTES);
  /** Bytes of it that are in `bytes`. */
  kept = 0;
  size = 0;
  /** null: not read yet; `no`: this is no message of remotedialer. */
  head: DialerHead | 'no' | null = null;

  begin(): void {
    this.kept = 0;
    this.size = 0;
    this.head = null;
  }

  get text(): Uint8Array {
    return this.bytes.subarray(this.head === null || this.head === 'no' ? 0 : this.head.length, this.kept);
  }
}

interface Dialled {
  readonly connection: Connection;
  /** The side of the tunnel that asked for it. */
  readonly by: Side;
  /** `127.0.0.1:10250` */
  readonly address: string;
  readonly bytes: Record<Side, number>;
}

/** Emits the events of each connection in the tunnel, each a connection of its own, and `connection.not-forwarded` for each that fails. */
export class Remotedialer {
  readonly #tunnel: Connection;
  readonly #messages: Readonly<Record<Side, DialerMessage>> = {
    client: new DialerMessage(),
    server: new DialerMessage(),
  };
  readonly #open = new Map<string, Dialled>();
  /** Number of the latest connection; 0: none was dialled, so nothing shows that the WebSocket is such a tunnel. */
  #latest = 0;
  #isOver = false;
  #hasLimitNotice = false;

  constructor(tunnel: Connection) {
    this.#tunnel = tunnel;
  }

  begin(from: Side): void {
    this.#messages[from].begin();
  }

  /** @param bytes borrowed. */
  payload(from: Side, bytes: Uint8Array, origin: Origin, sink: ChannelSink): void {
    const message = this.#messages[from];
    message.size += bytes.length;
    if (message.head === 'no') return;
    const before = message.kept;
    if (message.head === null || message.head.type !== DATA) {
      const kept = bytes.subarray(0, message.bytes.length - before);
      message.bytes.set(kept, before);
      message.kept += kept.length;
    }
    const isNew = message.head === null;
    message.head ??= headIn(message.bytes.subarray(0, message.kept));
    if (message.head === null || message.head === 'no' || message.head.type !== DATA) return;
    const rest = isNew ? bytes.subarray(message.head.length - before) : bytes;
    const dialled = this.#open.get(message.head.connection);
    if (dialled === undefined || rest.length === 0) return;
    const side = sideOf(dialled, from);
    dialled.bytes[side] += rest.length;
    const { connection } = dialled;
    sink.onTunnelled({ kind: 'data', connection, from: side, origin, bytes: copyOf(rest) });
  }

  missing(from: Side, length: number, origin: Origin, sink: ChannelSink): void {
    const { head } = this.#messages[from];
    this.#messages[from].size += length;
    const dialled = head === null || head === 'no' ? undefined : this.#open.get(head.connection);
    if (dialled !== undefined && head !== 'no' && head?.type === DATA)
      sink.onTunnelled({
        kind: 'gap',
        connection: dialled.connection,
        from: sideOf(dialled, from),
        origin,
        length,
      });
    else this.#messages[from].head = 'no';
  }

  /** Ends a message. @returns null: it is no message of remotedialer. */
  end(from: Side, complete: boolean, origin: Origin, sink: ChannelSink): DialerPiece | null {
    const message = this.#messages[from];
    const { head, size } = message;
    if (head === null || head === 'no') return null;
    if (complete && head.type === CONNECT) this.#connect(from, head.connection, message.text, origin, sink);
    if (this.#latest === 0) return null;
    const rest = size - head.length;
    if (head.type === DATA) return { channel: 'data', size: rest, report: null };
    if (head.type === CONNECT) return { channel: 'connect', size: rest, report: copyOf(message.text) };
    if (head.type !== ERROR || !complete) return null;
    const text = copyOf(message.text.subarray(0, MAX_ERROR_BYTES));
    const why = latin1(text);
    this.#failed(from, head.connection, why, origin, sink);
    return { channel: why === EOF ? 'end' : 'failed', size: rest, report: text };
  }

  /** Ends the tunnel, and all that is in it. @param by undefined: the capture does. */
  over(by: Side | undefined, origin: Origin, sink: ChannelSink): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const id of [...this.#open.keys()]) this.#close(id, by, origin, sink);
    if (this.#latest === 0 || by === undefined) return;
    const detail = `its ${by === 'client' ? 'agent' : 'server'} disconnected (${PROTOCOL})`;
    sink.onError('connection.tunnel-ended', detail, origin);
  }

  #connect(by: Side, id: string, text: Uint8Array, origin: Origin, sink: ChannelSink): void {
    const [, host, port] = ADDRESS.exec(latin1(text)) ?? [];
    if (host === undefined || this.#isOver) return;
    this.#close(id, by, origin, sink);
    this.#limit(origin, sink);
    this.#latest += 1;
    const address = `${host}:${port}`;
    const connection = connectionIn(this.#tunnel, by, host.replace(/[[\]]/g, ''), Number(port), this.#latest);
    this.#open.set(id, { connection, by, address, bytes: { client: 0, server: 0 } });
    sink.onTunnelled({ kind: 'established', connection, origin });
  }

  #limit(origin: Origin, sink: ChannelSink): void {
    if (this.#open.size < MAX_DIALLED) return;
    this.#close(this.#open.keys().next().value as string, undefined, origin, sink);
    if (!this.#hasLimitNotice)
      sink.onError('limit.streams', `more than ${MAX_DIALLED} connections are open in a tunnel`, origin);
    this.#hasLimitNotice = true;
  }

  #failed(from: Side, id: string, why: string, origin: Origin, sink: ChannelSink): void {
    const dialled = this.#open.get(id);
    if (dialled === undefined) return;
    // An agent that cannot dial says EOF (client_dialer.go); older ones say why.
    if (from !== dialled.by && dialled.bytes.server === 0) {
      const reason =
        REASONS.find((one) => why.includes(one)) ?? 'the agent could not dial it, or it ended without a byte';
      sink.onError('connection.not-forwarded', `${PROTOCOL}: ${dialled.address}: ${reason}`, origin);
    }
    this.#close(id, from, origin, sink);
  }

  /** @param by the side of the tunnel; undefined: no side did. */
  #close(id: string, by: Side | undefined, origin: Origin, sink: ChannelSink): void {
    const dialled = this.#open.get(id);
    if (dialled === undefined) return;
    this.#open.delete(id);
    const { connection, bytes } = dialled;
    const reason = by === undefined ? 'end' : 'fin';
    if (by !== undefined) sink.onTunnelled({ kind: 'closed', connection, from: sideOf(dialled, by), origin, reason });
    sink.onTunnelled({ kind: 'stream-bytes', connection, bytes, md5: null });
    sink.onTunnelled({ kind: 'closed', connection, from: null, origin, reason });
  }
}

/** The side of the connection in the tunnel. */
function sideOf({ by }: Dialled, from: Side): Side {
  return from === by ? 'client' : 'server';
}

/** A loopback address is one of the host that dials; a name is not resolved: then the server is the host that dials. */
function connectionIn(tunnel: Connection, by: Side, host: string, port: number, nth: number): Connection {
  const client = tunnel[by];
  const dials = tunnel[otherSide(by)];
  const at = dials.host ?? dials.address;
  const isNamed = !IP_ADDRESS.test(host);
  const server: Connection['server'] = isNamed
    ? { address: dials.address, port }
    : isLoopback(host)
      ? { address: host, port, host: at }
      : { address: host, port };
  return {
    // A fraction: between the id of the tunnel and that of the next captured connection.
    id: tunnel.id + nth / MOST_IN_A_TUNNEL,
    client,
    server,
    name: `${client.address}:${client.port}-${isNamed || isLoopback(host) ? at : host}:${port}`,
    roles: 'handshake',
    relay: { for: 'server', end: dials, protocol: PROTOCOL },
  };
}

/** Was the connection dialled in a tunnel? No tunnel is read inside it, as tunnels in tunnels would have no end. */
export function isDialled({ id }: Connection): boolean {
  return !Number.isInteger(id);
}

/** Reads the numbers that a message begins with. @returns null: more bytes are needed; `no`: this is no message of remotedialer. */
function headIn(bytes: Uint8Array): DialerHead | 'no' | null {
  const ends: number[] = [];
  let type = 0;
  for (let at = 0, length = 0; at < bytes.length; at++) {
    length += 1;
    if (length > VARINT_BYTES) return 'no';
    if (bytes[at] >= 0x80) continue;
    ends.push(at + 1);
    // Zigzag: positive numbers are even.
    if (ends.length === 3) type = length === 1 && (bytes[at] & 1) === 0 ? bytes[at] >> 1 : 0;
    if (ends.length === 3 && (type === 0 || type > LAST_TYPE)) return 'no';
    if (ends.length === (type === DATA || type === CONNECT ? 4 : 3))
      return { type, connection: latin1(bytes, ends[0], ends[1]), length: at + 1 };
    length = 0;
  }
  return bytes.length < HEAD_BYTES ? null : 'no';
}

const PROTOCOL = 'remotedialer';
const DATA = 1;
const CONNECT = 2;
const ERROR = 3;
/** SyncConnections. */
const LAST_TYPE = 8;
const EOF = 'EOF';
const ADDRESS = /^tcp\/([\w.-]{1,253}|\[[0-9a-fA-F:.]{2,45}\]):(\d{1,5})$/;
const IP_ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*)$/;
const VARINT_BYTES = 10;
const HEAD_BYTES = 4 * VARINT_BYTES;
/** Limit in bytes: an address to dial, as remotedialer reads it. */
const MAX_TEXT_BYTES = 266;
/** Limit in bytes: the reason of an error, as remotedialer reads it. */
const MAX_ERROR_BYTES = 100;
/** Limit: open connections in one tunnel: a node's kubelet has some tens. */
export const MAX_DIALLED = 4096;
const MOST_IN_A_TUNNEL = 2 ** 30;
/** Of Go's net package. */
const REASONS = ['connection refused', 'no route to host', 'network is unreachable', 'i/o timeout', 'no such host'];
