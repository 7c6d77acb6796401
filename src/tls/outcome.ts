// Whether TLS was agreed on, and if not, who ended it and what it said: of a connection whose beginning was captured, from its
// records as they pass, with keys and without. Knows alerts, certificates and what must come in a handshake; opens nothing.
//
//   client   ClientHello |              | Finished, or an alert …        nothing behind its hello: it did not finish
//   server               | ServerHello …|                                no record at all: nobody answered

import { ASKED_FOR, type Notice, notice, UNREADABLE } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import { BROKEN_BY, type Connection, type Failed, type Side, type StreamEvent } from '../tcp/stream-event.js';
import { alertName, isAboutCertificate } from './alerts.js';
import { type CertificateNames, certificateOf, certificateWords, isCurrent } from './certificate.js';
import { CLIENT_HELLO, ownCertificate } from './handshake.js';
import type { HandshakeState } from './handshake-state.js';
import { ALERT, APPLICATION_DATA, CHANGE_CIPHER_SPEC, HANDSHAKE, PLAIN_ALERT } from './records.js';
import type { TlsDirection } from './tls-direction.js';

type OutcomeOutput = (StreamEvent | Notice)[];
type Closed = Extract<StreamEvent, { kind: 'closed' }>;

export class Outcome {
  /** Records need not be shown any more: what else ends it is an alert that is read. */
  over: boolean;

  readonly #connection: Connection;
  readonly #handshake: HandshakeState;
  #hello: Origin | null = null;
  /** Records of the server, and of the client behind its hello, without ChangeCipherSpec. */
  #answered = 0;
  #finishing = 0;
  /** An alert of the client that cannot be read. */
  #sealed: Origin | null = null;
  #closed: { readonly by: Side; readonly origin: Origin } | null = null;
  #isSaid = false;
  #isUsed = false;
  readonly #certificates: Record<Side, CertificateNames | null> = { client: null, server: null };

  constructor(connection: Connection, handshake: HandshakeState) {
    this.#connection = connection;
    this.#handshake = handshake;
    this.over = connection.roles !== 'handshake';
  }

  /** Bytes are missing: what was not seen may have been said. */
  lost(): void {
    this.over = true;
  }

  /** The server said something through it: it was agreed on, and an alert only ends it (OpenSSL's, where its peer just closes). */
  used(): void {
    if (this.#isUsed) return;
    this.#isUsed = true;
    // As long as a connection lives nobody asks for them again.
    this.#certificates.client = null;
    this.#certificates.server = null;
  }

  /** The Certificate message that a direction is at: whose it is, and what it says if the other side does not accept it. */
  certificate({ role, messages }: TlsDirection, origin: Origin, out: OutcomeOutput): void {
    const { suite } = this.#handshake;
    const der = suite === null ? null : ownCertificate(messages.body, suite.version);
    const shown = der === null ? null : certificateOf(der);
    this.#certificates[role] = shown;
    if (shown === null || shown.commonName === null) return;
    const { commonName } = shown;
    const connection = this.#connection;
    out.push({
      kind: 'certificate',
      connection,
      origin,
      of: role,
      commonName,
      isCurrent: isCurrent(shown, origin.time),
    });
  }

  /** The record that a direction is at, in order; whether it can be opened does not matter. */
  see({ side, records }: TlsDirection, origin: Origin, out: OutcomeOutput): void {
    if (this.over) return;
    const { record, lost } = records;
    const type = record[0];
    if (lost > 0) this.lost();
    else if (type === ALERT && record.length === PLAIN_ALERT) this.alert(side, record[6], origin, out);
    else if (type === CHANGE_CIPHER_SPEC) return;
    else if (side === 'server') {
      this.#answered += 1;
      // A server refuses what the client showed in one flight; it says the rest in others.
      if (this.#finishing > 0 && this.#answered > FLIGHT) this.over = true;
    } else if (type === HANDSHAKE && record[5] === CLIENT_HELLO) this.#hello ??= origin;
    else {
      // Before its Finished a client says handshake messages, which have four bytes at least, or an alert, which has two
      // (RFC 8446, 4 and 6): by its length it is known for one.
      const isModern = this.#handshake.suite?.version === '1.3';
      if (isModern && type === APPLICATION_DATA && this.#finishing === 0 && record.length === SEALED_ALERT)
        this.#sealed = origin;
      this.#finishing += 1;
    }
  }

  /** An alert that was read: it ends TLS that was agreed on, or says why it was not. */
  alert(by: Side, description: number, origin: Origin, out: OutcomeOutput): void {
    this.#sealed = null;
    const name = alertName(description);
    if (name === null || this.#isUsed || this.#hello === null) this.over = true;
    else this.#fail(by, origin, `the ${by} sends ${name}${this.#about(by, description, origin)}`, out);
  }

  /** What a side sent is no TLS: if it is the server's answer, that speaks something else, and it was never agreed on. */
  malformed(side: Side, out: OutcomeOutput): void {
    const isAnswer = side === 'server' && this.#answered === 0 && !this.over;
    this.over = true;
    if (isAnswer && this.#hello !== null)
      this.#fail('unfinished', this.#hello, 'the server answered with bytes that are no TLS', out);
  }

  /** A direction ended, or the whole connection. */
  closed({ from, reason, origin }: Closed, out: OutcomeOutput): void {
    const by = from ?? BROKEN_BY[reason];
    if (by !== undefined) this.#closed ??= { by, origin };
    if (from !== null) return;
    if (this.#sealed !== null && this.#hello !== null) {
      this.#fail('client', this.#sealed, `the client sent an alert, ${UNREADABLE}`, out);
      return;
    }
    if (this.over || this.#hello === null || this.#closed === null || this.#finishing > 0) return;
    const ms = Number(this.#closed.origin.time - this.#hello.time) / 1e6;
    const took = ms < 1000 ? `${ms.toPrecision(2)} ms` : `${(ms / 1000).toFixed(1)} s`;
    const detail =
      this.#answered === 0
        ? `the server sent nothing after the client's hello, the ${this.#closed.by} closed after ${took}`
        : `the ${this.#closed.by} closed after ${took}, and the client had not finished its handshake`;
    this.#fail('unfinished', this.#hello, detail, out);
  }

  #fail(by: Failed['by'], origin: Origin, what: string, out: OutcomeOutput): void {
    if (this.#isSaid) return;
    this.#isSaid = true;
    this.over = true;
    const { sni } = this.#handshake;
    const detail = sni === null ? what : `${what}; ${ASKED_FOR} ${sni}`;
    const connection = this.#connection;
    const code = by === 'unfinished' ? 'tls.unfinished' : 'tls.refused';
    out.push(notice(code, detail, { origin, connection: connection.name }));
    out.push({ kind: 'failed', connection, origin, by, detail });
  }

  /** What the other side showed. */
  #about(by: Side, description: number, { time }: Origin): string {
    if (!isAboutCertificate(description)) return '';
    const other = by === 'client' ? 'server' : 'client';
    const certificate = this.#certificates[other];
    if (certificate === null) return '';
    const peer = other === 'server' ? (this.#handshake.sni ?? this.#connection.server.address) : null;
    return `; the ${other}'s certificate: ${certificateWords(certificate, time, peer)}`;
  }
}

/** Header, level, description, type, and the tag of any suite of TLS 1.3 but CCM_8. */
const SEALED_ALERT = 5 + 2 + 1 + 16;
/** Records of a server's first flight and its tickets. */
const FLIGHT = 16;
