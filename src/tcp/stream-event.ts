// A connection as its two ends saw it: bytes in order, each with the frame that carried it. TLS turns this type into
// itself, so the readers above cannot tell a decrypted connection from a plain one.

import type { Origin } from '../core/origin.js';
import type { Endpoint } from '../packet/segment.js';

export type Side = 'client' | 'server';

export interface Connection {
  /** 1, 2, 3 … in order of the first segment. */
  readonly id: number;
  readonly client: Endpoint;
  readonly server: Endpoint;
  /** `CLIENTIP:PORT-SERVERIP:PORT`. */
  readonly name: string;
  /** Who is the client: seen in a SYN, told by what the sides say, or guessed from the ports. */
  readonly roles: 'handshake' | 'content' | 'port';
}

export type StreamEvent =
  /** First segment of a connection. `roles` of the connection tells whether its beginning was captured. */
  | { readonly kind: 'established'; readonly connection: Connection; readonly origin: Origin }
  /** Bytes in order, borrowed, all from one frame (for TLS: `origin` is the frame in which the record was complete). */
  | {
      readonly kind: 'data';
      readonly connection: Connection;
      readonly from: Side;
      readonly origin: Origin;
      readonly bytes: Uint8Array;
    }
  /** `length` bytes of this direction are not in the capture; null: nobody knows how many. */
  | {
      readonly kind: 'gap';
      readonly connection: Connection;
      readonly from: Side;
      readonly origin: Origin;
      readonly length: number | null;
    }
  /** One direction ended (`from`), or the whole connection did (`from` null, once, last). */
  | {
      readonly kind: 'closed';
      readonly connection: Connection;
      readonly from: Side | null;
      readonly origin: Origin;
      readonly reason: EndReason;
    }
  /** From here on this connection cannot be read; said once. */
  | {
      readonly kind: 'opaque';
      readonly connection: Connection;
      readonly origin: Origin;
      readonly reason: OpaqueReason;
      readonly detail: string;
    }
  | TlsEstablished
  | ServerCertificate
  | Failed;

/** What the TLS handshake agreed on, before its first `data`. Names are null where the capture does not tell them. */
export interface TlsEstablished {
  readonly kind: 'secured';
  readonly connection: Connection;
  readonly origin: Origin;
  readonly version: '1.2' | '1.3';
  /** IANA name, e.g. `TLS_AES_128_GCM_SHA256`. */
  readonly suite: string;
  /** Server name that the client asked for. */
  readonly sni: string | null;
  /** Protocol that the server chose, e.g. `h2`. */
  readonly alpn: string | null;
  /** The client's random, hexadecimal (RFC 8446, 4.1.2), or what else names the session: no two have the same. */
  readonly clientRandom: string | null;
}

/** Whose certificate a side showed in the TLS handshake (RFC 8446, 4.4.2; RFC 5246, 7.4.2), before the first `data` from it. */
export interface ServerCertificate {
  readonly kind: 'certificate';
  readonly connection: Connection;
  readonly origin: Origin;
  /** Who showed it. */
  readonly of: Side;
  /** Common name of its subject: of a client, its user for an API server. */
  readonly commonName: string;
  /** It was neither expired nor from the future: a server that looks takes no other (RFC 5280, 6.1.3). */
  readonly isCurrent: boolean;
}

/** TLS ended before it was agreed on, or with an alert; said once at most, as soon as it is known. */
export interface Failed {
  readonly kind: 'failed';
  readonly connection: Connection;
  readonly origin: Origin;
  /** `client`, `server`: it sent an alert. `unfinished`: who began it, or who was asked, went away without a word. */
  readonly by: Side | 'unfinished';
  /** In words, with what is wrong with a certificate where that was shown. */
  readonly detail: string;
}

/**
 * `reset`: by the server; `aborted`: by the client, or it began anew; `unanswered`, `unreachable`: the server was never heard,
 * and the client asked again, or ICMP says why.
 */
export type EndReason = 'fin' | 'reset' | 'aborted' | 'unanswered' | 'unreachable' | 'idle' | 'end';

/** Who broke a connection off; of other ends nobody did, or that is not known. */
export const BROKEN_BY: Readonly<Partial<Record<EndReason, Side>>> = { reset: 'server', aborted: 'client' };

export type OpaqueReason = 'no-secret' | 'no-handshake' | 'unsupported-suite' | 'bad-tag' | 'bytes-missing' | 'not-tls';

/** Emitted once a connection, at its end: how much went each way before any decryption. */
export interface StreamBytes {
  readonly kind: 'stream-bytes';
  readonly connection: Connection;
  readonly bytes: Readonly<Record<Side, number>>;
  /** Hexadecimal MD5 of each direction's bytes; null where none was asked for. */
  readonly md5: Readonly<Record<Side, string>> | null;
}

/** Emitted once a connection, before its bytes: where both directions begin. Address translation keeps these numbers. */
export interface InitialSequenceNumbers {
  readonly kind: 'numbers';
  readonly connection: Connection;
  readonly origin: Origin;
  /** Whose segment told them. */
  readonly from: Side;
  /** Sequence numbers of the first byte of each direction that can be known, 0 … 2^32 - 1. */
  readonly client: number;
  readonly server: number;
}

export function otherSide(side: Side): Side {
  return side === 'client' ? 'server' : 'client';
}
