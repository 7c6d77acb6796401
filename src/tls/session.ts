// Follows the records of one TLS connection as a passive reader: opens them, decides which must wait for secrets, and when to give the
// connection up (RFC 8446, 5; RFC 5246, 6).

import { ALERT, APPLICATION_DATA, CHANGE_CIPHER_SPEC, HANDSHAKE } from '../core/first-bytes.js';
import { type Notice, type NoticeCode, notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import type { Connection, OpaqueReason, Side, StreamEvent, TlsEstablished } from '../tcp/stream-event.js';
import { applyHandshakeMessage, installCipher, orient } from './apply-handshake.js';
import { CERTIFICATE } from './handshake.js';
import { HandshakeState } from './handshake-state.js';
import type { SecretStore, SessionSecrets } from './key-log.js';
import { CLOSE_NOTIFY, Outcome } from './outcome.js';
import { PLAIN_ALERT } from './records.js';
import { locate } from './resync.js';
import type { Suite } from './suites.js';
import { TlsDirection } from './tls-direction.js';

export type TlsOutput = StreamEvent | Notice;

/** The keys of a mid-session connection, which opened a record. */
export interface MidSessionKeys {
  readonly secrets: SessionSecrets;
  readonly suite: Suite;
  /** Which end of the connection sent that record. */
  readonly side: Side;
  /** Which side of the TLS handshake that end was: a TLS client may have accepted the connection. */
  readonly role: Side;
  /** Sequence number of the first captured record of each side, if an observation shows it. */
  readonly first?: Readonly<Record<Side, number>>;
}

export class TlsSession {
  readonly client = new TlsDirection('client');
  readonly server = new TlsDirection('server');
  readonly handshake: HandshakeState;
  readonly outcome: Outcome;
  /** Whether missing secrets may still arrive, so that records wait. */
  awaitsSecrets: boolean;
  /** Counts changes of keys, suite and roles, after each of which the records that wait are tried again. */
  changes = 0;
  /** Given up: `opaque` was emitted. */
  isOpaque = false;
  /** Records are protected and the handshake was not captured, so only key trials can open them. */
  isMidSession = false;

  readonly #connection: Connection;
  #owesEstablished = false;

  constructor(connection: Connection, store: SecretStore) {
    this.#connection = connection;
    this.handshake = new HandshakeState(connection, store);
    this.outcome = new Outcome(connection, this.handshake);
    this.awaitsSecrets = !store.final;
  }

  /**
   * Processes one record of a direction, in order.
   * @param lost bytes lost before it.
   * @returns false: it must wait for secrets, for the other direction or for key trials, and is given again later.
   */
  process(direction: TlsDirection, record: Uint8Array, lost: number, origin: Origin, out: TlsOutput[]): boolean {
    if (direction.isUnreadable || direction.closed) return true;
    const ready =
      direction.epoch === 'clear'
        ? this.#readyInClear(direction, record, origin, out)
        : direction.cipher !== null || this.#installCipher(direction, origin, out);
    if (!ready) return this.isOpaque;
    if (lost > 0) direction.onLoss(lost);
    if (direction.epoch === 'clear') this.#clear(direction, record, origin, out);
    else this.#protected(direction, record, origin, out);
    return true;
  }

  /** Neither secrets nor the hello of the other direction will come. */
  giveUpWaiting(): void {
    this.awaitsSecrets = false;
    if (this.handshake.suite === null) this.isMidSession = true;
    this.handshake.acceptedEarly ??= false;
  }

  /** Continues both directions with keys that trials have found. */
  adopt(keys: MidSessionKeys, origin: Origin, out: TlsOutput[]): void {
    const { handshake } = this;
    this.isMidSession = false;
    this.changes += 1;
    handshake.adopt(keys.secrets, keys.suite);
    const proved = this.direction(keys.side);
    orient(proved, this.#other(proved), keys.role);
    this.#owesEstablished = true;
    this.#emitEstablished(origin, out);
    for (const direction of [this.client, this.server]) {
      const secret = keys.suite.version === '1.3' ? handshake.trafficSecret(direction.role) : null;
      direction.adopt(secret, handshake.applicationCipher(direction.role), keys.first?.[direction.side] ?? null);
      if (direction.isUnreadable) this.#gap(direction, null, origin, out);
    }
  }

  giveUp(reason: OpaqueReason, detail: string, origin: Origin, out: TlsOutput[]): void {
    if (this.isOpaque) return;
    this.isOpaque = true;
    this.#emitEstablished(origin, out);
    out.push({ kind: 'opaque', connection: this.#connection, origin, reason, detail });
    out.push(notice(NOTICE_OF[reason], detail, { origin, connection: this.#connection.name }));
  }

  /** Ends a direction, with a gap if bytes at its end are missing. */
  finish(direction: TlsDirection, origin: Origin, out: TlsOutput[]): void {
    if (direction.onEnd()) this.#gap(direction, null, origin, out);
  }

  #readyInClear(direction: TlsDirection, record: Uint8Array, origin: Origin, out: TlsOutput[]): boolean {
    if (this.isMidSession) return false;
    const type = record[0];
    const hasSuite = this.handshake.suite !== null;
    // The effect of a client's ChangeCipherSpec depends on the server's version, which may be captured after it.
    if (type === CHANGE_CIPHER_SPEC && !hasSuite && direction.role === 'client') return false;
    if (type !== APPLICATION_DATA && (type !== ALERT || record.length === PLAIN_ALERT)) return true;
    if (hasSuite) {
      // This is TLS 1.2, and its ChangeCipherSpec was lost.
      direction.enter('application', direction.pending);
      return this.#installCipher(direction, origin, out);
    }
    // The ServerHello may be captured later, unless the server already sends protected records.
    if (direction.role === 'server' || this.handshake.clientRandom === null) this.isMidSession = true;
    return false;
  }

  #installCipher(direction: TlsDirection, origin: Origin, out: TlsOutput[]): boolean {
    const result = installCipher(direction, this.#other(direction), this.handshake);
    if (result === 'no-secret' && !this.awaitsSecrets)
      this.giveUp('no-secret', this.handshake.noSecretReason, origin, out);
    return result === 'ready';
  }

  #clear(direction: TlsDirection, record: Uint8Array, origin: Origin, out: TlsOutput[]): void {
    const type = record[0];
    if (type !== CHANGE_CIPHER_SPEC) this.#content(direction, type, record.subarray(5), origin, out);
    // TLS 1.3 ignores it (RFC 8446, 5).
    else if (this.handshake.suite?.version === '1.2') direction.enter('application', direction.pending);
  }

  #protected(direction: TlsDirection, record: Uint8Array, origin: Origin, out: TlsOutput[]): void {
    const modern = this.handshake.suite!.version === '1.3';
    const type = record[0];
    if (modern && type !== APPLICATION_DATA) {
      if (type === ALERT && record.length === PLAIN_ALERT)
        this.#content(direction, type, record.subarray(5), origin, out);
      return;
    }
    let plain =
      direction.cipher === null || direction.isSeqUnknown ? null : direction.cipher.open(record, direction.seq);
    if (plain === null) {
      const found = locate(direction, this.handshake, record);
      if (found === null) {
        this.#unreadable(direction, record, origin, out);
        return;
      }
      if (found.gap) this.#gap(direction, found.length, origin, out);
      this.changes += 1;
      plain = found.plain;
    }
    direction.onOpened();
    if (!modern) {
      this.#content(direction, type, plain, origin, out);
      return;
    }
    // The content type is the last byte that is not padding (RFC 8446, 5.4).
    let end = plain.length - 1;
    while (end >= 0 && plain[end] === 0) end -= 1;
    if (end >= 0) this.#content(direction, plain[end], plain.subarray(0, end), origin, out);
  }

  #unreadable(direction: TlsDirection, record: Uint8Array, origin: Origin, out: TlsOutput[]): void {
    const hasNoCipher = direction.cipher === null || this.handshake.everOfferedEarly;
    // Handshake records without handshake secrets, and early data without theirs, are skipped.
    const isSkipped = direction.epoch === 'handshake' && hasNoCipher;
    direction.onFailure(isSkipped ? 0 : record.length);
    if (direction.failures < (isSkipped ? PASSED_OVER_LIMIT : FAILURE_LIMIT)) return;
    const secrets = this.handshake.secretsName;
    if (direction.isSeqUnknown) {
      direction.isUnreadable = true;
      this.#gap(direction, null, origin, out);
      const detail = `the ${direction.side}'s records do not verify with ${secrets}`;
      out.push(notice('tls.bad-tag', detail, { origin, connection: this.#connection.name }));
    } else if (direction.afterLoss) {
      const detail = `bytes missing before frame ${origin.frame}, and no record after them verifies`;
      this.giveUp('bytes-missing', detail, origin, out);
    } else {
      const detail = `${direction.failures} records up to frame ${origin.frame} do not verify with ${secrets}`;
      this.giveUp('bad-tag', detail, origin, out);
    }
  }

  #content(direction: TlsDirection, type: number, bytes: Uint8Array, origin: Origin, out: TlsOutput[]): void {
    if (type === APPLICATION_DATA) {
      if (this.#owesEstablished) this.#emitEstablished(origin, out);
      if (direction.mustEmitGap) this.#gap(direction, null, origin, out);
      if (direction.role === 'server') this.outcome.onServerData();
      if (bytes.length > 0)
        out.push({ kind: 'data', connection: this.#connection, from: direction.side, origin, bytes });
    } else if (type === HANDSHAKE) {
      direction.messages.push(bytes);
      while (!this.isOpaque && direction.messages.next()) this.#message(direction, origin, out);
    } else if (type === CHANGE_CIPHER_SPEC) {
      // TLS 1.2 renegotiation.
      direction.enter('application', direction.pending);
    } else if (type === ALERT && bytes.length >= 2) this.#alert(direction, bytes[1], origin, out);
  }

  #alert(direction: TlsDirection, description: number, origin: Origin, out: TlsOutput[]): void {
    this.outcome.onAlert(direction.role, description, origin, out);
    if (description !== CLOSE_NOTIFY) return;
    this.finish(direction, origin, out);
    direction.closed = true;
    const connection = this.#connection;
    out.push({ kind: 'closed', connection, from: direction.side, origin, reason: 'fin', isCloseNotify: true });
  }

  #message(direction: TlsDirection, origin: Origin, out: TlsOutput[]): void {
    if (direction.messages.type === CERTIFICATE) {
      this.outcome.onCertificate(direction, origin, out);
      return;
    }
    const hadSuite = this.handshake.suite !== null;
    const effect = applyHandshakeMessage(direction, this.#other(direction), this.handshake);
    if (effect === 'nothing') return;
    if (effect === 'mid-session') this.isMidSession = true;
    else if (effect === 'extensions') {
      this.changes += 1;
      this.#emitEstablished(origin, out);
    } else {
      if (!hadSuite) this.changes += 1;
      if (effect !== 'suite-selected') {
        this.giveUp('unsupported-suite', `${effect.unsupported} is not supported`, origin, out);
        return;
      }
      this.#owesEstablished = true;
      if (this.handshake.suite!.version === '1.2') this.#emitEstablished(origin, out);
    }
  }

  direction(side: Side): TlsDirection {
    return side === 'client' ? this.client : this.server;
  }

  #other(direction: TlsDirection): TlsDirection {
    return direction === this.client ? this.server : this.client;
  }

  #emitEstablished(origin: Origin, out: TlsOutput[]): void {
    const { suite, sni, alpn, sessionId, secrets } = this.handshake;
    if (!this.#owesEstablished || suite === null) return;
    this.#owesEstablished = false;
    const { version, name } = suite;
    const connection = this.#connection;
    const processes = this.#processesOf(secrets?.observed ?? secrets?.users ?? null);
    const { hello } = this.outcome;
    const agreed = { version, hello, suite: name, sni, alpn, clientRandom: sessionId, processes };
    out.push({ kind: 'tls-established', connection, origin, ...agreed });
  }

  #processesOf(
    user: { readonly side?: Side; readonly processName: string; readonly peerName?: string } | null,
  ): TlsEstablished['processes'] {
    if (user === null) return [];
    const { client, server } = this.#connection;
    const [own, other] = this.client.role === user.side ? [client, server] : [server, client];
    const peer = user.peerName === undefined ? [] : [{ end: other, name: user.peerName }];
    return [{ end: own, name: user.processName }, ...peer];
  }

  #gap(direction: TlsDirection, length: number | null, origin: Origin, out: TlsOutput[]): void {
    direction.mustEmitGap = false;
    out.push({ kind: 'gap', connection: this.#connection, from: direction.side, origin, length });
  }
}

const NOTICE_OF: Readonly<Record<OpaqueReason, NoticeCode>> = {
  'no-secret': 'tls.no-secret',
  'no-handshake': 'tls.no-handshake',
  'handshake-cut': 'tls.handshake-cut',
  'unsupported-suite': 'tls.unsupported-suite',
  'bad-tag': 'tls.bad-tag',
  'bytes-missing': 'tls.bad-tag',
  'not-tls': 'tls.malformed',
};

/**
 * Limit: records in a row that do not verify before a connection is given up: one may be damaged (a flipped bit, a differing overlap),
 * eight are no accident. Enough for the handshake records and tickets before the first application record of a mid-session connection.
 */
const FAILURE_LIMIT = 8;

/** Limit: handshake records skipped for want of their secrets: a server's flight has a handful, early data some hundred. */
const PASSED_OVER_LIMIT = 1_024;
