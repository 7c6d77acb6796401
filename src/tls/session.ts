// The records of one connection as a passive reader follows them: which have to wait, which keys open each, what comes out of
// it, and when it is given up (RFC 8446, 5; RFC 5246, 6). Knows records and secrets; not TCP, not where waiting records are
// kept. What handshake messages mean is negotiate.ts's.

import { type Notice, type NoticeCode, notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import type { Connection, OpaqueReason, Side, StreamEvent } from '../tcp/stream-event.js';
import { CLOSE_NOTIFY } from './alerts.js';
import { CERTIFICATE } from './handshake.js';
import { HandshakeState } from './handshake-state.js';
import { installCipher } from './install-cipher.js';
import type { SecretStore, SessionSecrets } from './key-log.js';
import { negotiate, orient } from './negotiate.js';
import { Outcome } from './outcome.js';
import { ALERT, APPLICATION_DATA, CHANGE_CIPHER_SPEC, HANDSHAKE, PLAIN_ALERT } from './records.js';
import { locate } from './resync.js';
import type { Suite } from './suites.js';
import { TlsDirection } from './tls-direction.js';

export type TlsOutput = StreamEvent | Notice;

/** What opens a late connection: the secrets, and what the direction on whose record they were proved is for TLS. */
export interface LateKeys {
  readonly secrets: SessionSecrets;
  readonly suite: Suite;
  readonly side: Side;
  readonly role: Side;
  /** Sequence number of the first captured record of each side, as far as it is known without looking for it. */
  readonly first?: Readonly<Record<Side, number>>;
}

export class TlsSession {
  readonly client = new TlsDirection('client');
  readonly server = new TlsDirection('server');
  readonly handshake: HandshakeState;
  readonly outcome: Outcome;
  /** Whether missing secrets may still come: then records wait. */
  awaitsSecrets: boolean;
  /** Grows when one direction learnt what the other may wait for. */
  changes = 0;
  /** Given up: `opaque` was said. */
  lost = false;
  /** Records are protected and the handshake is not in the capture: only trial can open it. */
  late = false;

  readonly #connection: Connection;
  #owesSecured = false;

  constructor(connection: Connection, store: SecretStore) {
    this.#connection = connection;
    this.handshake = new HandshakeState(connection, store);
    this.outcome = new Outcome(connection, this.handshake);
    this.awaitsSecrets = !store.final;
  }

  /**
   * One record of a direction, in order.
   * @param lost bytes lost before it.
   * @returns false if it must wait: for secrets, for the other direction, for trials. Then nothing has happened.
   */
  take(half: TlsDirection, record: Uint8Array, lost: number, origin: Origin, out: TlsOutput[]): boolean {
    if (half.dead || half.closed) return true;
    const ready =
      half.epoch === 'clear'
        ? this.#readyInClear(half, record, origin, out)
        : half.cipher !== null || this.#installCipher(half, origin, out);
    if (!ready) return this.lost;
    if (lost > 0) {
      half.lost += lost;
      half.afterLoss = true;
      half.messages.reset();
    }
    if (half.epoch === 'clear') this.#clear(half, record, origin, out);
    else this.#protected(half, record, origin, out);
    return true;
  }

  /** Nothing more will come, neither secrets nor the other direction's hello: who waits must decide without. */
  giveUpWaiting(): void {
    this.awaitsSecrets = false;
    if (this.handshake.suite === null) this.late = true;
    this.handshake.acceptedEarly ??= false;
  }

  /** Keys were found by trial; both directions go on with them. */
  adopt(keys: LateKeys, origin: Origin, out: TlsOutput[]): void {
    const { handshake } = this;
    this.late = false;
    this.changes += 1;
    handshake.adopt(keys.secrets, keys.suite);
    const proved = this.half(keys.side);
    orient(proved, this.#other(proved), keys.role);
    this.#owesSecured = true;
    this.#saySecured(origin, out);
    for (const half of [this.client, this.server]) {
      half.lost = 0;
      half.messages.reset();
      half.secret = keys.suite.version === '1.3' ? handshake.trafficSecret(half.role) : null;
      half.enter('application', handshake.applicationCipher(half.role));
      half.unplaced = true;
      half.expectedSeq = keys.first?.[half.side] ?? null;
      if (half.cipher === null) {
        half.dead = true;
        this.#gap(half, null, origin, out);
      }
    }
  }

  giveUp(reason: OpaqueReason, detail: string, origin: Origin, out: TlsOutput[]): void {
    if (this.lost) return;
    this.lost = true;
    this.#saySecured(origin, out);
    out.push({ kind: 'opaque', connection: this.#connection, origin, reason, detail });
    out.push(notice(NOTICE_OF[reason], detail, { origin, connection: this.#connection.name }));
  }

  /** A direction ended: says so if bytes at its end are missing. */
  finish(half: TlsDirection, origin: Origin, out: TlsOutput[]): void {
    const missing = half.records.waiting > 0 || half.records.pendingLoss > 0 || half.lost > 0 || half.owesGap;
    if (missing && half.epoch === 'application' && !half.closed && !half.dead) this.#gap(half, null, origin, out);
    half.lost = 0;
    half.owesGap = false;
  }

  #readyInClear(half: TlsDirection, record: Uint8Array, origin: Origin, out: TlsOutput[]): boolean {
    if (this.late) return false;
    const type = record[0];
    const agreed = this.handshake.suite !== null;
    // What a client's ChangeCipherSpec means is the server's choice, and that may be captured after it.
    if (type === CHANGE_CIPHER_SPEC && !agreed && half.role === 'client') return false;
    if (type !== APPLICATION_DATA && (type !== ALERT || record.length === PLAIN_ALERT)) return true;
    if (agreed) {
      // TLS 1.2 whose ChangeCipherSpec was lost.
      half.enter('application', half.pending);
      return this.#installCipher(half, origin, out);
    }
    // The server's hello may only be late in the capture; a server that already sends protected records said it before.
    if (half.role === 'server' || this.handshake.clientRandom === null) this.late = true;
    return false;
  }

  #installCipher(half: TlsDirection, origin: Origin, out: TlsOutput[]): boolean {
    const armed = installCipher(half, this.#other(half), this.handshake);
    if (armed === 'no-secret' && !this.awaitsSecrets) this.giveUp('no-secret', this.handshake.whyNoSecret, origin, out);
    return armed === 'ready';
  }

  #clear(half: TlsDirection, record: Uint8Array, origin: Origin, out: TlsOutput[]): void {
    const type = record[0];
    if (type !== CHANGE_CIPHER_SPEC) this.#content(half, type, record.subarray(5), origin, out);
    // In TLS 1.3 it means nothing (RFC 8446, 5).
    else if (this.handshake.suite?.version === '1.2') half.enter('application', half.pending);
  }

  #protected(half: TlsDirection, record: Uint8Array, origin: Origin, out: TlsOutput[]): void {
    const modern = this.handshake.suite!.version === '1.3';
    const type = record[0];
    if (modern && type !== APPLICATION_DATA) {
      if (type === ALERT && record.length === PLAIN_ALERT) this.#content(half, type, record.subarray(5), origin, out);
      return;
    }
    let plain = half.cipher === null || half.unplaced ? null : half.cipher.open(record, half.seq);
    if (plain === null) {
      const found = locate(half, this.handshake, record);
      if (found === null) {
        this.#unreadable(half, record, origin, out);
        return;
      }
      if (found.gap) this.#gap(half, found.length, origin, out);
      this.changes += 1;
      plain = found.plain;
    }
    half.seq += 1;
    half.failures = 0;
    half.lost = 0;
    half.afterLoss = false;
    if (!modern) {
      this.#content(half, type, plain, origin, out);
      return;
    }
    // Content type is the last byte that is not padding (RFC 8446, 5.4).
    let end = plain.length - 1;
    while (end >= 0 && plain[end] === 0) end -= 1;
    if (end >= 0) this.#content(half, plain[end], plain.subarray(0, end), origin, out);
  }

  #unreadable(half: TlsDirection, record: Uint8Array, origin: Origin, out: TlsOutput[]): void {
    half.failures += 1;
    // Handshake records without handshake secrets, or early data without theirs, are passed over.
    if (half.epoch === 'handshake' && (half.cipher === null || this.handshake.everOfferedEarly)) {
      if (half.failures < PASSED_OVER_LIMIT) return;
    } else {
      half.lost += record.length;
      if (half.failures < FAILURE_LIMIT) return;
    }
    const secrets = this.handshake.secretsName;
    if (half.unplaced) {
      half.dead = true;
      this.#gap(half, null, origin, out);
      const detail = `the ${half.side}'s records do not verify with ${secrets}`;
      out.push(notice('tls.bad-tag', detail, { origin, connection: this.#connection.name }));
    } else if (half.afterLoss) {
      const detail = `bytes missing before frame ${origin.frame}, and no record after them verifies`;
      this.giveUp('bytes-missing', detail, origin, out);
    } else {
      const detail = `${half.failures} records up to frame ${origin.frame} do not verify with ${secrets}`;
      this.giveUp('bad-tag', detail, origin, out);
    }
  }

  #content(half: TlsDirection, type: number, bytes: Uint8Array, origin: Origin, out: TlsOutput[]): void {
    if (type === APPLICATION_DATA) {
      if (this.#owesSecured) this.#saySecured(origin, out);
      if (half.owesGap) this.#gap(half, null, origin, out);
      if (half.role === 'server') this.outcome.used();
      if (bytes.length > 0) out.push({ kind: 'data', connection: this.#connection, from: half.side, origin, bytes });
    } else if (type === HANDSHAKE) {
      half.messages.push(bytes);
      while (!this.lost && half.messages.next()) this.#message(half, origin, out);
    } else if (type === CHANGE_CIPHER_SPEC) {
      // TLS 1.2 renegotiation.
      half.enter('application', half.pending);
    } else if (type === ALERT && bytes.length >= 2) this.#alert(half, bytes[1], origin, out);
  }

  #alert(half: TlsDirection, description: number, origin: Origin, out: TlsOutput[]): void {
    this.outcome.alert(half.role, description, origin, out);
    if (description !== CLOSE_NOTIFY) return;
    this.finish(half, origin, out);
    half.closed = true;
    out.push({ kind: 'closed', connection: this.#connection, from: half.side, origin, reason: 'fin' });
  }

  #message(half: TlsDirection, origin: Origin, out: TlsOutput[]): void {
    if (half.messages.type === CERTIFICATE) {
      this.outcome.certificate(half, origin, out);
      return;
    }
    const wasAgreed = this.handshake.suite !== null;
    const negotiated = negotiate(half, this.#other(half), this.handshake);
    if (negotiated === 'nothing') return;
    if (negotiated === 'late') this.late = true;
    else if (negotiated === 'extended') {
      this.changes += 1;
      this.#saySecured(origin, out);
    } else {
      if (!wasAgreed) this.changes += 1;
      if (negotiated !== 'chosen') {
        this.giveUp('unsupported-suite', `${negotiated.unsupported} is not supported`, origin, out);
        return;
      }
      this.#owesSecured = true;
      if (this.handshake.suite!.version === '1.2') this.#saySecured(origin, out);
    }
  }

  half(side: Side): TlsDirection {
    return side === 'client' ? this.client : this.server;
  }

  #other(half: TlsDirection): TlsDirection {
    return half === this.client ? this.server : this.client;
  }

  #saySecured(origin: Origin, out: TlsOutput[]): void {
    const { suite, sni, alpn, sessionId } = this.handshake;
    if (!this.#owesSecured || suite === null) return;
    this.#owesSecured = false;
    const { version, name } = suite;
    const connection = this.#connection;
    out.push({ kind: 'secured', connection, origin, version, suite: name, sni, alpn, clientRandom: sessionId });
  }

  #gap(half: TlsDirection, length: number | null, origin: Origin, out: TlsOutput[]): void {
    half.owesGap = false;
    out.push({ kind: 'gap', connection: this.#connection, from: half.side, origin, length });
  }
}

const NOTICE_OF: Readonly<Record<OpaqueReason, NoticeCode>> = {
  'no-secret': 'tls.no-secret',
  'no-handshake': 'tls.no-handshake',
  'unsupported-suite': 'tls.unsupported-suite',
  'bad-tag': 'tls.bad-tag',
  'bytes-missing': 'tls.bad-tag',
  'not-tls': 'tls.malformed',
};

/**
 * A record may be damaged (a flipped bit, a differing overlap); eight in a row are no accident. Also enough for what the
 * handshake and its tickets send before the first application record of a late connection.
 */
const FAILURE_LIMIT = 8;

/** A server's flight has a handful of records; early data is at most some hundred. */
const PASSED_OVER_LIMIT = 1_024;
