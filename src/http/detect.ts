// Detects the protocol of a connection by its bytes, and passes all events to the session of that protocol.

import { EMPTY_BYTES } from '../core/bytes/bytes.js';
import type { FirstBytes } from '../core/first-bytes.js';
import type { HeaderTables } from '../core/header-table.js';
import { type Notice, notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import { NOTHING, type Stage } from '../core/stage.js';
import {
  type Connection,
  type EndReason,
  type Failed,
  type OpaqueReason,
  otherSide,
  type Relayed,
  type Side,
  type StreamEvent,
} from '../tcp/stream-event.js';
import { reversed, reversedEvent } from './detect-reversed.js';
import { DetectionBuffer } from './detect-undecided.js';
import { seemsSpdy, seemsTls } from './detect-unreadable.js';
import type { HttpEvent, ProtocolFound } from './http-event.js';
import { otherProtocol, withVersion } from './other-protocols.js';
import type { HttpProtocol } from './protocol.js';
import { type ProtocolSwitch, protocolSwitch } from './protocol-switch.js';

type DetectorOutput = HttpEvent | ProtocolFound | Notice;

/**
 * @param protocols tried in this order.
 * @param headerTables observed HPACK tables, for connections older than the capture.
 * @returns creates the stage of a connection. It emits one `protocol` event as early as possible (`silent` or `unknown` at the end
 *   at the latest) and then the output of the session. Notices of its own: tls.no-secret and tls.no-handshake (TLS that was not
 *   decrypted), connection.unknown-protocol.
 */
export function httpDetect(
  protocols: readonly HttpProtocol[],
  headerTables?: HeaderTables,
): (connection: Connection) => Stage<StreamEvent, DetectorOutput> {
  return (connection) => new HttpDetector(protocols, connection, headerTables);
}

class HttpDetector implements Stage<StreamEvent, DetectorOutput> {
  readonly #protocols: readonly HttpProtocol[];
  readonly #headerTables: HeaderTables | undefined;
  readonly #isInside: boolean;
  /** Both sides begin a new protocol here, and either may be the client. */
  readonly #isFresh: boolean;
  #connection: Connection;
  /** The same with whom a proxy stands for. */
  #relayed: Connection | null = null;
  #reversed = false;
  #session: Stage<StreamEvent, DetectorOutput> | null = null;
  #name: HttpProtocol['name'] | null = null;
  /** null when a session reads, or nothing will be read: the connection is encrypted, unknown, or over. */
  #undecided: DetectionBuffer | null = new DetectionBuffer();
  #unknown = false;
  #gap = false;
  #hasTls = false;
  readonly #bytes: Record<Side, number> = { client: 0, server: 0 };
  #last: Origin | null = null;
  /** Of an unknown protocol: what it is, since when the server owes an answer, and the longest answer so far; ns. */
  #why = WHY_UNKNOWN;
  #asked: bigint | null = null;
  #longest = LONG_NS;
  #answers = 0;

  /** @param inside the protocol of a tunnel inside a connection that was read up to here. */
  constructor(
    protocols: readonly HttpProtocol[],
    connection: Connection,
    headerTables: HeaderTables | undefined,
    inside?: 'any' | 'h2c',
  ) {
    this.#headerTables = headerTables;
    this.#protocols = protocols;
    this.#connection = connection;
    this.#isInside = inside !== undefined;
    this.#isFresh = inside === 'h2c';
  }

  feed(event: StreamEvent): readonly DetectorOutput[] {
    if (event.kind === 'failed') return this.#fail(event);
    if (event.kind === 'relayed') return this.#relay(event);
    if (this.#session !== null) return this.#read(event);
    this.#last = event.origin;
    switch (event.kind) {
      case 'data':
        return this.#data(event);
      case 'gap':
        if (this.#undecided === null) return NOTHING;
        this.#undecided.hold(event);
        this.#gap = true;
        return this.#withinLimits(this.#undecided);
      case 'closed':
        if (event.from === null)
          return this.#finish(event.isTlsBegun === true ? FAILED.unfinished : (SILENT[event.reason] ?? IDLE), event);
        this.#undecided?.hold(event);
        return NOTHING;
      case 'opaque':
        return this.#undecided === null ? NOTHING : this.#encrypted(WHY[event.reason], event.detail);
      default:
        if (event.kind === 'tls-established') this.#hasTls = true;
        this.#undecided?.hold(event);
        return NOTHING;
    }
  }

  end(): readonly DetectorOutput[] {
    if (this.#session !== null) return this.#session.end();
    return this.#finish(IDLE, null);
  }

  // ── before the decision ──

  #data(event: ConnectionData): readonly DetectorOutput[] {
    this.#bytes[event.from] += event.bytes.length;
    const undecided = this.#undecided;
    if (this.#unknown) return this.#timed(event);
    if (undecided === null || event.bytes.length === 0) return NOTHING;
    // The first segment nearly always decides, without a copy.
    if (!undecided.hasBytes) {
      const firstBytes =
        event.from === 'client'
          ? { client: event.bytes, server: EMPTY_BYTES }
          : { client: EMPTY_BYTES, server: event.bytes };
      const out = this.#decide(firstBytes, event);
      if (out !== null) return out;
    }
    if (undecided.holdData(event)) {
      const out = this.#decide(undecided.firstBytes, null);
      if (out !== null) return out;
    }
    return this.#withinLimits(undecided);
  }

  #withinLimits(undecided: DetectionBuffer): readonly DetectorOutput[] {
    if (!undecided.full) return NOTHING;
    if (this.#hasBeginning) return this.#unknownProtocol(whyUnknown(undecided.firstBytes));
    undecided.drop();
    return NOTHING;
  }

  get #hasBeginning(): boolean {
    return (this.#connection.roles === 'handshake' || this.#isFresh) && !this.#gap;
  }

  /** @param event follows all buffered ones. @returns null if it is still undecided. */
  #decide(firstBytes: FirstBytes, event: StreamEvent | null): readonly DetectorOutput[] | null {
    const tls = seemsTls(firstBytes);
    if (tls === 'more') return null;
    if (tls !== 'no') return this.#encryptedUnread(tls);
    const hasBeginning = this.#hasBeginning;
    if (!hasBeginning && seemsSpdy(firstBytes)) return this.#unknownProtocol(WHY_SPDY);
    let possible = false;
    for (const protocol of this.#protocols) {
      const detection = protocol.detect(firstBytes, hasBeginning);
      if (detection === 'yes') return this.#open(protocol, event);
      if (detection === 'more') possible = true;
    }
    if (this.#connection.roles === 'port' || this.#isFresh) {
      const other = { client: firstBytes.server, server: firstBytes.client };
      for (const protocol of this.#protocols) {
        const detection = protocol.detect(other, hasBeginning);
        if (detection === 'more') possible = true;
        if (detection !== 'yes') continue;
        this.#connection = reversed(this.#connection);
        this.#reversed = true;
        return this.#open(protocol, event);
      }
    }
    return possible || !hasBeginning ? null : this.#unknownProtocol(whyUnknown(firstBytes));
  }

  #open(protocol: HttpProtocol, event: StreamEvent | null): readonly DetectorOutput[] {
    const out: DetectorOutput[] = [{ kind: 'protocol', connection: this.#connection, protocol: protocol.name }];
    const undecided = this.#undecided!;
    this.#undecided = null;
    for (const from of ['client', 'server'] as const) {
      const length = undecided.dropped[this.#reversed ? otherSide(from) : from];
      if (length !== 0) out.push({ kind: 'unread', connection: this.#connection, from, length, origin: this.#last! });
    }
    this.#name = protocol.name;
    this.#session = protocol.open(this.#ends, this.#isFresh ? 'fresh' : undefined, this.#headerTables);
    for (const old of undecided.take()) for (const item of this.#read(old)) out.push(item);
    if (event !== null) for (const item of this.#read(event)) out.push(item);
    return out;
  }

  // ── after it ──

  #read(event: StreamEvent): readonly DetectorOutput[] {
    const session = this.#session!;
    const out = session.feed(this.#reversed ? reversedEvent(event, this.#connection) : event);
    // The content of a tunnel has a detector of its own.
    if (this.#name === null) return out;
    if (event.kind === 'opaque') {
      const found: ProtocolFound = {
        kind: 'protocol',
        connection: this.#connection,
        protocol: this.#name!,
        why: WHY[event.reason],
        detail: event.detail,
      };
      return [...out, found];
    }
    const found = this.#name === 'http/1' ? protocolSwitch(out) : null;
    // Tunnels in tunnels would have no limit.
    return found === null || (this.#isInside && found.to === 'any') ? out : (this.#switchTo(found) ?? out);
  }

  #switchTo({ connection, to, before, tunnel }: ProtocolSwitch): readonly DetectorOutput[] | null {
    const out: DetectorOutput[] = [...before];
    const http2 = this.#protocols.find((protocol) => protocol.name === 'http/2');
    if (to !== 'any' && http2 === undefined) return null;
    if (to === 'h2c-response') {
      this.#name = 'http/2';
      this.#session = http2!.open(connection, 'h2c-response');
      out.push({ kind: 'protocol', connection, protocol: 'http/2' });
    } else {
      this.#name = null;
      this.#session = new HttpDetector(to === 'any' ? this.#protocols : [http2!], connection, undefined, to);
    }
    for (const event of tunnel) for (const item of this.#session.feed(event)) out.push(item);
    return out;
  }

  // ── what cannot be read ──

  /** No bytes will follow a failed TLS handshake. */
  #fail({ by, detail }: Failed): readonly DetectorOutput[] {
    if (this.#session !== null || this.#unknown || this.#bytes.client + this.#bytes.server > 0) return NOTHING;
    this.#undecided = null;
    return [{ kind: 'protocol', connection: this.#connection, protocol: 'silent', why: FAILED[by], detail }];
  }

  /** Of several headers the last one is of the proxy that is farthest from here. */
  #relay({ protocol, stands, failure }: Relayed): readonly DetectorOutput[] {
    if (stands !== undefined) {
      const relay = { for: stands.for, end: this.#connection[stands.for], protocol };
      this.#relayed = { ...this.#ends, [stands.for]: stands.end, relay };
    }
    if (failure === undefined || this.#undecided === null) return NOTHING;
    this.#undecided = null;
    const why = `${protocol}: the proxy did not connect its client`;
    return [{ kind: 'protocol', connection: this.#connection, protocol: 'silent', why, detail: failure }];
  }

  get #ends(): Connection {
    return this.#relayed ?? this.#connection;
  }

  #encrypted(why: string, detail?: string): readonly DetectorOutput[] {
    this.#undecided = null;
    return [{ kind: 'protocol', connection: this.#connection, protocol: 'encrypted', why, detail }];
  }

  #encryptedUnread(reason: 'no-secret' | 'no-handshake'): readonly DetectorOutput[] {
    const where = { origin: this.#last!, connection: this.#connection.name };
    return [...this.#encrypted(WHY[reason]), notice(`tls.${reason}`, WHY[reason], where)];
  }

  /** How long the server takes to answer, whatever it speaks. */
  #timed({ from, origin, bytes }: ConnectionData): readonly DetectorOutput[] {
    if (from === 'client') {
      this.#asked = origin.time;
      return NOTHING;
    }
    const asked = this.#asked;
    this.#asked = null;
    const named = this.#answers++ < ANSWERS_WITH_VERSION ? withVersion(nameIn(this.#why), bytes) : null;
    if (named !== null) this.#why = notRead(named);
    const isLong = asked !== null && origin.time - asked > this.#longest;
    if (isLong) this.#longest = origin.time - asked;
    if (!isLong && named === null) return NOTHING;
    const found = { kind: 'protocol', connection: this.#connection, protocol: 'unknown', why: this.#why } as const;
    return [this.#longest > LONG_NS ? { ...found, longestNs: this.#longest } : found];
  }

  #unknownProtocol(why = WHY_UNKNOWN): readonly DetectorOutput[] {
    this.#undecided = null;
    this.#unknown = true;
    this.#why = why;
    return [{ kind: 'protocol', connection: this.#connection, protocol: 'unknown', why }];
  }

  #finish(silent: string, closing: StreamEvent | null): readonly DetectorOutput[] {
    const out: DetectorOutput[] = [];
    const undecided = this.#undecided;
    if (undecided !== null) {
      const { client, server } = this.#bytes;
      if (client + server === 0) {
        this.#undecided = null;
        if (this.#isInside) return NOTHING;
        const why = this.#gap ? LOST : this.#hasTls ? UNUSED : silent;
        return [{ kind: 'protocol', connection: this.#connection, protocol: 'silent', why }];
      }
      // The last quarter of the bytes was not tried yet.
      const opened = undecided.hasBytes ? this.#decide(undecided.firstBytes, closing) : null;
      if (opened !== null) out.push(...opened);
      else
        out.push(
          ...this.#unknownProtocol(
            undecided.hasBytes && this.#hasBeginning ? whyUnknown(undecided.firstBytes) : undefined,
          ),
        );
      if (this.#session !== null)
        return closing === null ? [...out, ...(this.#session as Stage<StreamEvent, DetectorOutput>).end()] : out;
    }
    if (!this.#unknown) return out;
    this.#unknown = false;
    const { client, server } = this.#bytes;
    const named = this.#why === WHY_UNKNOWN ? '' : `${this.#why}: `;
    const detail = `${named}${client} bytes of the client and ${server} bytes of the server`;
    const where = this.#last === null ? {} : { origin: this.#last };
    out.push(notice('connection.unknown-protocol', detail, { ...where, connection: this.#connection.name }));
    return out;
  }
}

function whyUnknown(firstBytes: FirstBytes): string {
  const name = otherProtocol(firstBytes);
  return name === null ? WHY_UNKNOWN : notRead(name);
}

function notRead(name: string): string {
  return `${name}${NOT_READ}`;
}

/** Of a reason by `notRead`. */
function nameIn(why: string): string {
  return why.endsWith(NOT_READ) ? why.slice(0, -NOT_READ.length) : '';
}

type ConnectionData = Extract<StreamEvent, { kind: 'data' }>;

const SILENT: Readonly<Partial<Record<EndReason, string>>> = {
  reset: 'refused or reset before a byte was sent',
  aborted: 'reset by the client before a byte was sent, as a health check does',
  unanswered: 'no answer: it was requested again and again',
  unreachable: 'no answer: ICMP reports that it cannot be reached',
};
const IDLE = 'no byte was sent';
const LOST = 'what was sent is not in the capture: its packets were cut, or are missing';
const UNUSED = 'TLS was agreed on, and nothing was sent through it';
const FAILED: Readonly<Record<Failed['by'], string>> = {
  client: 'TLS was not agreed on: the client refused',
  server: 'TLS was not agreed on: the server refused',
  unfinished: 'TLS was not agreed on: it was begun and not finished',
};
const WHY_SPDY = 'an exec, attach or port-forward over SPDY that began before the capture';
const WHY_UNKNOWN = 'neither HTTP/1 nor HTTP/2 was recognised in its first bytes';
const NOT_READ = ', which is not read';
/** Limit: segments of a server in which its version is looked for: PostgreSQL tells it after four of authentication. */
const ANSWERS_WITH_VERSION = 8;
/** ns: shorter answers are none to look into. */
const LONG_NS = 100_000_000n;
const WHY: Readonly<Record<OpaqueReason, string>> = {
  'no-secret': 'TLS, and no key log holds its secrets: give one with --keylog or SSLKEYLOGFILE',
  'no-handshake':
    'TLS whose handshake was before the capture: give a key log that reaches back to it, or begin the capture earlier',
  'handshake-cut':
    'TLS whose handshake is in the capture only in part: record whole packets, and give the key log of this run',
  'unsupported-suite': 'TLS with a cipher suite that kubeseq does not read',
  'bad-tag': 'TLS records that do not verify with the secrets of the key log: is it the key log of this run?',
  'bytes-missing': 'TLS with bytes missing from the capture, and reading could not go on behind them',
  'not-tls': 'TLS was spoken, and then bytes that are no TLS records',
};
