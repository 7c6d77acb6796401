// Determines from the records of a connection, with or without keys, whether its TLS handshake succeeded, and otherwise which side
// ended it and why.
//
//   client   ClientHello |              | Finished, or an alert …        no record after its hello: it did not finish
//   server               | ServerHello …|                                no record at all: the server did not answer

import { latin1 } from '../core/bytes/bytes.js';
import { elapsedText } from '../core/duration.js';
import { ALERT, APPLICATION_DATA, CHANGE_CIPHER_SPEC, HANDSHAKE } from '../core/first-bytes.js';
import { ASKED_FOR, type Notice, notice, UNREADABLE } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import { BROKEN_BY, type Connection, type Failed, type Side, type StreamEvent } from '../tcp/stream-event.js';
import { type CertificateNames, certificateOf, certificateWords, isCurrent } from './certificate.js';
import { CLIENT_HELLO, ownCertificate } from './handshake.js';
import type { HandshakeState } from './handshake-state.js';
import { PLAIN_ALERT } from './records.js';
import type { TlsDirection } from './tls-direction.js';

type OutcomeOutput = (StreamEvent | Notice)[];
type Closed = Extract<StreamEvent, { kind: 'closed' }>;

export class Outcome {
  /** Records need not be passed to `observe` any more; only a decrypted alert can still end the connection. */
  over: boolean;

  readonly #connection: Connection;
  readonly #handshake: HandshakeState;
  #hello: Origin | null = null;
  /** Records of the server, and of the client after its hello, without ChangeCipherSpec. */
  #serverRecords = 0;
  #clientRecords = 0;
  /** An encrypted alert of the client. */
  #encryptedAlert: Origin | null = null;
  #closed: { readonly by: Side; readonly origin: Origin } | null = null;
  #isReported = false;
  #isUsed = false;
  readonly #certificates: Record<Side, CertificateNames | null> = { client: null, server: null };

  constructor(connection: Connection, handshake: HandshakeState) {
    this.#connection = connection;
    this.#handshake = handshake;
    this.over = connection.roles !== 'handshake';
  }

  /** Bytes are missing, which may have contained anything. */
  onLoss(): void {
    this.over = true;
  }

  /** The server sent application data: the handshake succeeded, and an alert just closes (as OpenSSL's, if its peer only closes). */
  onServerData(): void {
    if (this.#isUsed) return;
    this.#isUsed = true;
    this.#certificates.client = null;
    this.#certificates.server = null;
  }

  /** Emits the current Certificate message of a direction, and keeps it in case that the other side refuses it. */
  onCertificate({ role, messages }: TlsDirection, origin: Origin, out: OutcomeOutput): void {
    const { suite } = this.#handshake;
    const der = suite === null ? null : ownCertificate(messages.body, suite.version);
    const certificate = der === null ? null : certificateOf(der);
    this.#certificates[role] = certificate;
    if (certificate === null || certificate.commonName === null) return;
    const { commonName, issuer, validity } = certificate;
    const about = { commonName, issuer, validity, isCurrent: isCurrent(certificate, origin.time) };
    out.push({ kind: 'certificate', connection: this.#connection, origin, of: role, ...about });
  }

  /** Observes the current record of a direction, in order, readable or not. */
  observe({ side, records }: TlsDirection, origin: Origin, out: OutcomeOutput): void {
    if (this.over) return;
    const { record, lost } = records;
    const type = record[0];
    if (lost > 0) this.onLoss();
    else if (type === ALERT && record.length === PLAIN_ALERT) this.onAlert(side, record[6], origin, out);
    else if (type === CHANGE_CIPHER_SPEC) return;
    else if (side === 'server') {
      this.#serverRecords += 1;
      // A server refuses the client's certificate in one flight; later flights are application data.
      if (this.#clientRecords > 0 && this.#serverRecords > FLIGHT) this.over = true;
    } else if (type === HANDSHAKE && record[5] === CLIENT_HELLO) this.#hello ??= origin;
    else {
      // Before its Finished a client sends handshake messages, which have at least four bytes, or an alert, which has two
      // (RFC 8446, 4 and 6), so the length identifies an alert.
      const isModern = this.#handshake.suite?.version === '1.3';
      if (isModern && type === APPLICATION_DATA && this.#clientRecords === 0 && record.length === ENCRYPTED_ALERT)
        this.#encryptedAlert = origin;
      this.#clientRecords += 1;
    }
  }

  /** The client's first hello; undefined: it was not captured. */
  get hello(): Origin | undefined {
    return this.#hello ?? undefined;
  }

  /** The client sent its hello, and nothing after it. */
  get isBegun(): boolean {
    return this.#hello !== null && this.#clientRecords === 0 && !this.#isUsed;
  }

  /** A readable alert closes an established session, or is the reason of a failed handshake. */
  onAlert(by: Side, description: number, origin: Origin, out: OutcomeOutput): void {
    this.#encryptedAlert = null;
    const name = alertName(description);
    if (name === null || this.#isUsed || this.#hello === null) this.over = true;
    else this.#fail(by, origin, `the ${by} sends ${name}${this.#certificateDetail(by, description, origin)}`, out);
  }

  /**
   * A side sent bytes that are no TLS; as the first bytes of the server they mean that it speaks another protocol.
   * @param bytes the segment that has them.
   */
  onMalformed(side: Side, bytes: Uint8Array, out: OutcomeOutput): void {
    const isAnswer = side === 'server' && this.#serverRecords === 0 && !this.over;
    this.over = true;
    if (isAnswer && this.#hello !== null)
      this.#fail('unfinished', this.#hello, plainHttp(bytes) ?? 'the server answered with bytes that are no TLS', out);
  }

  onClosed({ from, reason, origin, isDelivered }: Closed, out: OutcomeOutput): void {
    const by = from ?? BROKEN_BY[reason];
    if (by !== undefined) this.#closed ??= { by, origin };
    if (from !== null) return;
    if (this.#encryptedAlert !== null && this.#hello !== null) {
      this.#fail('client', this.#encryptedAlert, `the client sent an alert, ${UNREADABLE}`, out);
      return;
    }
    if (this.over || this.#hello === null || this.#clientRecords > 0) return;
    if (this.#closed === null) {
      if (isDelivered === true) this.#unanswered(this.#hello, origin, out);
      return;
    }
    const took = elapsedText(this.#closed.origin.time - this.#hello.time);
    const detail =
      this.#serverRecords === 0
        ? `the server sent nothing after the client's hello, the ${this.#closed.by} closed after ${took}`
        : `the ${this.#closed.by} closed after ${took}, and the client had not finished its handshake`;
    this.#fail('unfinished', this.#hello, detail, out);
  }

  /** The capture ends, and the connection does not. */
  #unanswered(hello: Origin, { time }: Origin, out: OutcomeOutput): void {
    if (this.#serverRecords > 0 || time - hello.time < WAITED_NS) return;
    const waited = elapsedText(time - hello.time);
    this.#fail('unfinished', hello, `the server acknowledged the client's hello, and sent nothing for ${waited}`, out);
  }

  #fail(by: Failed['by'], origin: Origin, what: string, out: OutcomeOutput): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.over = true;
    const { sni } = this.#handshake;
    const detail = sni === null ? what : `${what}; ${ASKED_FOR} ${sni}`;
    const connection = this.#connection;
    const code = by === 'unfinished' ? 'tls.unfinished' : 'tls.refused';
    out.push(notice(code, detail, { origin, connection: connection.name }));
    out.push({ kind: 'failed', connection, origin, by, detail });
  }

  /** The certificate of the other side, if the alert can be about it. */
  #certificateDetail(by: Side, description: number, { time }: Origin): string {
    if (!isAboutCertificate(description)) return '';
    const other = by === 'client' ? 'server' : 'client';
    const certificate = this.#certificates[other];
    if (certificate === null) return '';
    const peer = other === 'server' ? (this.#handshake.sni ?? this.#connection.server.address) : null;
    return `; the ${other}'s certificate: ${certificateWords(certificate, time, peer)}`;
  }
}

/** ns: far more than the round trip that a server's hello takes. */
const WAITED_NS = 1_000_000_000n;
export const CLOSE_NOTIFY = 0;
/** Header, level, description, type, and the tag of every TLS 1.3 suite but CCM_8. */
const ENCRYPTED_ALERT = 5 + 2 + 1 + 16;
/** Limit in bytes: what is searched for the status line of a server without TLS (RFC 9112, 4). */
const STATUS_LINE = 64;
/** Records of a server's first flight and its tickets. */
const FLIGHT = 16;

/** Go's client says of it: server gave HTTP response to HTTPS client (net/http, transport.go). @returns null: it is no HTTP/1. */
function plainHttp(bytes: Uint8Array): string | null {
  const line = latin1(bytes, 0, Math.min(bytes.length, STATUS_LINE));
  const [, status] = /^HTTP\/1\.[01] (\d{3}(?: [A-Z][A-Za-z ]{0,40})?)\r\n/.exec(line) ?? [];
  return status === undefined ? null : `the server speaks plain HTTP: ${status}`;
}

/** @returns null for an alert without failure: close_notify, user_canceled, no_renegotiation. */
function alertName(description: number): string | null {
  if (ORDERLY.has(description)) return null;
  return NAMES[description] ?? `alert ${description}`;
}

/** Whether an alert can be about the certificate of its receiver. */
function isAboutCertificate(description: number): boolean {
  return ABOUT_CERTIFICATES.has(description);
}

const ORDERLY = new Set([CLOSE_NOTIFY, 90, 100]);
const ABOUT_CERTIFICATES = new Set([40, 41, 42, 43, 44, 45, 46, 48, 49, 51, 112, 113, 114, 116]);
/** Alerts by number (RFC 8446, 6; RFC 5246, 7.2; RFC 7301 and 6066 for two of them; IANA, TLS Alerts). */
const NAMES: Readonly<Record<number, string>> = {
  10: 'unexpected_message',
  20: 'bad_record_mac',
  21: 'decryption_failed',
  22: 'record_overflow',
  30: 'decompression_failure',
  40: 'handshake_failure',
  41: 'no_certificate',
  42: 'bad_certificate',
  43: 'unsupported_certificate',
  44: 'certificate_revoked',
  45: 'certificate_expired',
  46: 'certificate_unknown',
  47: 'illegal_parameter',
  48: 'unknown_ca',
  49: 'access_denied',
  50: 'decode_error',
  51: 'decrypt_error',
  60: 'export_restriction',
  70: 'protocol_version',
  71: 'insufficient_security',
  80: 'internal_error',
  86: 'inappropriate_fallback',
  109: 'missing_extension',
  110: 'unsupported_extension',
  111: 'certificate_unobtainable',
  112: 'unrecognized_name',
  113: 'bad_certificate_status_response',
  114: 'bad_certificate_hash_value',
  115: 'unknown_psk_identity',
  116: 'certificate_required',
  120: 'no_application_protocol',
  121: 'ech_required',
};
