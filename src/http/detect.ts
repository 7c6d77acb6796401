// Finds out what a connection speaks, opens the reader for it and steps aside. Knows which protocols there are only from
// its table; must not know ports. What it cannot find it says, once.

import { EMPTY_BYTES } from '../core/bytes/bytes.js';
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
  type Side,
  type StreamEvent,
} from '../tcp/stream-event.js';
import { reversed, reversedEvent } from './detect-reversed.js';
import { DetectionBuffer } from './detect-undecided.js';
import { seemsSpdy, seemsTls } from './detect-unreadable.js';
import type { HttpEvent, ProtocolFound } from './http-event.js';
import type { FirstBytes, HttpProtocol } from './protocol.js';
import { type ProtocolSwitch, protocolSwitch } from './protocol-switch.js';

type DetectorOutput = HttpEvent | ProtocolFound | Notice;

/**
 * @param protocols asked in this order; the first `yes` counts.
 * @param headerTables what processes were observed to have in their HPACK tables, for connections older than the capture.
 * @returns makes the stage of one connection. It gives one `protocol` event as soon as that is known (`silent`, `unknown`
 *   at the end at the latest) and then whatever the protocol's reader gives. Notices of its own: tls.no-secret,
 *   tls.no-handshake (TLS that nobody decrypted), connection.unknown-protocol.
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
  /** Both sides begin here, and either may be the client. */
  readonly #isAnew: boolean;
  #connection: Connection;
  #reversed = false;
  #session: Stage<StreamEvent, DetectorOutput> | null = null;
  #name: HttpProtocol['name'] | null = null;
  /** What waits; null: a session reads, or nothing will be read: encrypted, unknown, or all is over. */
  #undecided: DetectionBuffer | null = new DetectionBuffer();
  #unknown = false;
  #gap = false;
  /** TLS was agreed on. */
  #isSecured = false;
  readonly #bytes: Record<Side, number> = { client: 0, server: 0 };
  #last: Origin | null = null;

  /** @param inside it is a tunnel of a connection that was read up to here. */
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
    this.#isAnew = inside === 'h2c';
  }

  feed(event: StreamEvent): readonly DetectorOutput[] {
    if (event.kind === 'failed') return this.#fail(event);
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
        if (event.from === null) return this.#finish(SILENT[event.reason] ?? IDLE, event);
        this.#undecided?.hold(event);
        return NOTHING;
      case 'opaque':
        return this.#undecided === null ? NOTHING : this.#encrypted(WHY[event.reason], event.detail);
      default:
        if (event.kind === 'tls-established') this.#isSecured = true;
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
    if (undecided === null || event.bytes.length === 0) return NOTHING;
    // Nearly always the first segment tells: then nothing is copied.
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
    if (this.#beginSeen) return this.#notUnderstood();
    undecided.drop();
    return NOTHING;
  }

  get #beginSeen(): boolean {
    return (this.#connection.roles === 'handshake' || this.#isAnew) && !this.#gap;
  }

  // null: go on waiting. `event` comes after all that is held.
  #decide(firstBytes: FirstBytes, event: StreamEvent | null): readonly DetectorOutput[] | null {
    const tls = seemsTls(firstBytes);
    if (tls === 'more') return null;
    if (tls !== 'no') return this.#encryptedUnread(tls);
    const beginSeen = this.#beginSeen;
    if (!beginSeen && seemsSpdy(firstBytes)) return this.#notUnderstood(WHY_SPDY);
    let possible = false;
    for (const protocol of this.#protocols) {
      const answer = protocol.detect(firstBytes, beginSeen);
      if (answer === 'yes') return this.#open(protocol, event);
      if (answer === 'more') possible = true;
    }
    if (this.#connection.roles === 'port' || this.#isAnew) {
      const other = { client: firstBytes.server, server: firstBytes.client };
      for (const protocol of this.#protocols) {
        const answer = protocol.detect(other, beginSeen);
        if (answer === 'more') possible = true;
        if (answer !== 'yes') continue;
        this.#connection = reversed(this.#connection);
        this.#reversed = true;
        return this.#open(protocol, event);
      }
    }
    return possible || !beginSeen ? null : this.#notUnderstood();
  }

  #open(protocol: HttpProtocol, event: StreamEvent | null): readonly DetectorOutput[] {
    const out: DetectorOutput[] = [{ kind: 'protocol', connection: this.#connection, protocol: protocol.name }];
    const undecided = this.#undecided!;
    this.#undecided = null;
    this.#sayDropped(undecided, out);
    this.#name = protocol.name;
    this.#session = protocol.open(this.#connection, this.#isAnew ? 'anew' : undefined, this.#headerTables);
    for (const old of undecided.take()) for (const item of this.#read(old)) out.push(item);
    if (event !== null) for (const item of this.#read(event)) out.push(item);
    return out;
  }

  #sayDropped({ dropped }: DetectionBuffer, out: DetectorOutput[]): void {
    for (const from of ['client', 'server'] as const) {
      const length = dropped[this.#reversed ? otherSide(from) : from];
      if (length !== 0) out.push({ kind: 'unread', connection: this.#connection, from, length, origin: this.#last! });
    }
  }

  // ── after it ──

  #read(event: StreamEvent): readonly DetectorOutput[] {
    const session = this.#session!;
    const out = session.feed(this.#reversed ? reversedEvent(event, this.#connection) : event);
    // What is in a tunnel is told by a detector of its own.
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
    const handed = this.#name === 'http/1' ? protocolSwitch(out) : null;
    // One proxy behind another has no end.
    return handed === null || (this.#isInside && handed.to === 'any') ? out : (this.#handOver(handed) ?? out);
  }

  #handOver({ connection, to, before, tunnel }: ProtocolSwitch): readonly DetectorOutput[] | null {
    const out: DetectorOutput[] = [...before];
    const http2 = this.#protocols.find((protocol) => protocol.name === 'http/2');
    if (to !== 'any' && http2 === undefined) return null;
    if (to === 'answer') {
      this.#name = 'http/2';
      this.#session = http2!.open(connection, 'answer');
      out.push({ kind: 'protocol', connection, protocol: 'http/2' });
    } else {
      this.#name = null;
      this.#session = new HttpDetector(to === 'any' ? this.#protocols : [http2!], connection, undefined, to);
    }
    for (const event of tunnel) for (const item of this.#session.feed(event)) out.push(item);
    return out;
  }

  // ── what cannot be read ──

  /** Through TLS that was not agreed on nothing is said, and nothing more will be. */
  #fail({ by, detail }: Failed): readonly DetectorOutput[] {
    if (this.#session !== null || this.#unknown || this.#bytes.client + this.#bytes.server > 0) return NOTHING;
    this.#undecided = null;
    return [{ kind: 'protocol', connection: this.#connection, protocol: 'silent', why: FAILED[by], detail }];
  }

  #encrypted(why: string, detail?: string): readonly DetectorOutput[] {
    this.#undecided = null;
    return [{ kind: 'protocol', connection: this.#connection, protocol: 'encrypted', why, detail }];
  }

  #encryptedUnread(reason: 'no-secret' | 'no-handshake'): readonly DetectorOutput[] {
    const where = { origin: this.#last!, connection: this.#connection.name };
    return [...this.#encrypted(WHY[reason]), notice(`tls.${reason}`, WHY[reason], where)];
  }

  #notUnderstood(why = WHY_UNKNOWN): readonly DetectorOutput[] {
    this.#undecided = null;
    this.#unknown = true;
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
        const why = this.#isSecured ? UNUSED : silent;
        return [{ kind: 'protocol', connection: this.#connection, protocol: 'silent', why }];
      }
      // Asked for the last time: the last quarter of the bytes may have told.
      const opened = undecided.hasBytes ? this.#decide(undecided.firstBytes, closing) : null;
      if (opened !== null) out.push(...opened);
      else out.push(...this.#notUnderstood());
      if (this.#session !== null)
        return closing === null ? [...out, ...(this.#session as Stage<StreamEvent, DetectorOutput>).end()] : out;
    }
    if (!this.#unknown) return out;
    this.#unknown = false;
    const { client, server } = this.#bytes;
    const detail = `${client} bytes of the client and ${server} bytes of the server`;
    const where = this.#last === null ? {} : { origin: this.#last };
    out.push(notice('connection.unknown-protocol', detail, { ...where, connection: this.#connection.name }));
    return out;
  }
}

type ConnectionData = Extract<StreamEvent, { kind: 'data' }>;

const SILENT: Readonly<Partial<Record<EndReason, string>>> = {
  reset: 'refused or reset before a byte was sent',
  aborted: 'reset by the client before a byte was sent, as a health check does',
  unanswered: 'no answer: it was requested again and again',
  unreachable: 'no answer: ICMP reports that it cannot be reached',
};
const IDLE = 'no byte was sent';
const UNUSED = 'TLS was agreed on, and nothing was sent through it';
const FAILED: Readonly<Record<Failed['by'], string>> = {
  client: 'TLS was not agreed on: the client refused',
  server: 'TLS was not agreed on: the server refused',
  unfinished: 'TLS was not agreed on: it was begun and not finished',
};
const WHY_SPDY = 'an exec, attach or port-forward over SPDY that began before the capture';
const WHY_UNKNOWN = 'neither HTTP/1 nor HTTP/2 was recognised in its first bytes';
const WHY: Readonly<Record<OpaqueReason, string>> = {
  'no-secret': 'TLS, and no key log holds its secrets: give one with --keylog or SSLKEYLOGFILE',
  'no-handshake':
    'TLS whose handshake was before the capture: give a key log that reaches back to it, or begin the capture earlier',
  'unsupported-suite': 'TLS with a cipher suite that kubeseq does not read',
  'bad-tag': 'TLS records that do not verify with the secrets of the key log: is it the key log of this run?',
  'bytes-missing': 'TLS with bytes missing from the capture, and reading could not go on behind them',
  'not-tls': 'TLS was spoken, and then bytes that are no TLS records',
};
