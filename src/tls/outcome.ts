// Whether TLS was agreed on, and if not, who ended it and what it said: of a connection whose beginning was captured, from its
// records as they pass, with keys and without. Knows alerts and what must come in a handshake; opens nothing.
//
//   client   ClientHello |              | Finished, or an alert …        nothing behind its hello: it did not finish
//   server               | ServerHello …|                                no record at all: nobody answered

import type { Origin } from '../core/origin.js';
import type { Connection, Failed, Side } from '../tcp/stream-event.js';
import { alertName, isAboutCertificate } from './alerts.js';
import { certificateWords, type Shown } from './certificate.js';
import { CLIENT_HELLO } from './handshake.js';
import { ALERT, APPLICATION_DATA, CHANGE_CIPHER_SPEC, HANDSHAKE } from './records.js';

export class Outcome {
  /** Records need not be shown any more: what else ends it is an alert that is read. */
  over: boolean;

  /** By which the client asked for the server; null: it did not. */
  name: string | null = null;

  readonly #connection: Connection;
  #hello: Origin | null = null;
  /** Records of the server, and of the client behind its hello, without ChangeCipherSpec. */
  #answered = 0;
  #finishing = 0;
  /** An alert of the client that cannot be read. */
  #sealed: Origin | null = null;
  #closed: { readonly by: Side; readonly origin: Origin } | null = null;
  #isSaid = false;
  #isUsed = false;
  readonly #certificates: Record<Side, Shown | null> = { client: null, server: null };

  constructor(connection: Connection) {
    this.#connection = connection;
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

  shown(by: Side, certificate: Shown): void {
    this.#certificates[by] = certificate;
  }

  /**
   * A record of a direction, in order.
   * @param modern TLS 1.3 was agreed on; false: another, or that is not known yet.
   * @returns what an alert in clear says of it, if nobody else reads it.
   */
  record(side: Side, record: Uint8Array, modern: boolean, origin: Origin): Failed | null {
    const type = record[0];
    if (type === ALERT && record.length === PLAIN_ALERT) return this.alert(side, record[6], origin);
    if (type === CHANGE_CIPHER_SPEC) return null;
    if (side === 'server') {
      this.#answered += 1;
      // A server refuses what the client showed in one flight; it says the rest in others.
      if (this.#finishing > 0 && this.#answered > FLIGHT) this.over = true;
      return null;
    }
    if (type === HANDSHAKE && record[5] === CLIENT_HELLO) this.#hello ??= origin;
    else {
      // Before its Finished a client says handshake messages, which have four bytes at least, or an alert, which has two
      // (RFC 8446, 4 and 6): by its length it is known for one.
      if (modern && type === APPLICATION_DATA && this.#finishing === 0 && record.length === SEALED_ALERT)
        this.#sealed = origin;
      this.#finishing += 1;
    }
    return null;
  }

  /** An alert that was read. @returns null: it ends TLS that was agreed on, or not the first of them. */
  alert(by: Side, description: number, origin: Origin): Failed | null {
    this.#sealed = null;
    const name = alertName(description);
    if (name === null || this.#isUsed || this.#hello === null) {
      this.over = true;
      return null;
    }
    return this.#failed(by, origin, `the ${by} says ${name}${this.#about(by, description, origin)}`);
  }

  /** What a side sent is no TLS. @returns that its server speaks something else: it was never agreed on. */
  malformed(side: Side): Failed | null {
    const isAnswer = side === 'server' && this.#hello !== null && this.#answered === 0 && !this.over;
    this.over = true;
    return isAnswer ? this.#failed('unfinished', this.#hello!, 'the server answered with bytes that are no TLS') : null;
  }

  /** A direction ended. */
  closed(by: Side, origin: Origin): void {
    this.#closed ??= { by, origin };
  }

  /** The connection is over. @param by who broke it off; null: nobody did. */
  end(by: Side | null, origin: Origin): Failed | null {
    if (by !== null) this.closed(by, origin);
    if (this.#sealed !== null && this.#hello !== null)
      return this.#failed('client', this.#sealed, 'the client sent an alert, which cannot be read');
    if (this.over || this.#hello === null || this.#closed === null || this.#finishing > 0) return null;
    const ms = Number(this.#closed.origin.time - this.#hello.time) / 1e6;
    const took = ms < 1000 ? `${ms.toPrecision(2)} ms` : `${(ms / 1000).toFixed(1)} s`;
    const detail =
      this.#answered === 0
        ? `the server said nothing to the client's hello, the ${this.#closed.by} closed after ${took}`
        : `the ${this.#closed.by} closed after ${took}, and the client had not finished its handshake`;
    return this.#failed('unfinished', this.#hello, detail);
  }

  #failed(by: Side | 'unfinished', origin: Origin, detail: string): Failed | null {
    if (this.#isSaid) return null;
    this.#isSaid = true;
    this.over = true;
    const asked = this.name === null ? '' : `; asked for ${this.name}`;
    return { kind: 'failed', connection: this.#connection, origin, by, detail: `${detail}${asked}` };
  }

  /** What the other side showed. */
  #about(by: Side, description: number, { time }: Origin): string {
    if (!isAboutCertificate(description)) return '';
    const other = by === 'client' ? 'server' : 'client';
    const certificate = this.#certificates[other];
    if (certificate === null) return '';
    const peer = other === 'server' ? (this.name ?? this.#connection.server.address) : null;
    return `; the ${other}'s certificate: ${certificateWords(certificate, time, peer)}`;
  }
}

/** Header, level, description: nothing else fits into an alert in clear. */
export const PLAIN_ALERT = 5 + 2;
/** Header, level, description, type, and the tag of any suite of TLS 1.3 but CCM_8. */
const SEALED_ALERT = 5 + 2 + 1 + 16;
/** Records of a server's first flight and its tickets. */
const FLIGHT = 16;
