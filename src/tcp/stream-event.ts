// Defines the events of a connection: its bytes in order, each with the frame that carried it. TLS has the same type as input and
// output, so later stages read decrypted and plaintext connections alike.

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
  /** Evidence for which side is the client: a SYN, the bytes that the sides send, or the ports. */
  readonly roles: 'handshake' | 'content' | 'port';
  /** Whether packets of both sides were captured so far; absent: they are taken to be. One object for all copies of the connection. */
  readonly captured?: { readonly isBothWays: boolean };
  /** A proxy that stands for one of its ends in the packets; `client` or `server` is whom it stands for. Absent: none told so. */
  readonly relay?: Relay;
}

export interface Relay {
  readonly for: Side;
  /** Of the proxy, as in the packets. */
  readonly end: Endpoint;
  readonly protocol: string;
}

/** Whether the capture has packets of one side alone: what the other one did, or did not do, is not known. */
export function isOneWay({ captured }: Connection): boolean {
  return captured?.isBothWays === false;
}

export type StreamEvent =
  /** The first segment of a connection, which is its beginning if `roles` is 'handshake'. */
  | { readonly kind: 'established'; readonly connection: Connection; readonly origin: Origin }
  /** Bytes in order, borrowed, all from one frame (for TLS: the frame that completed the record). */
  | {
      readonly kind: 'data';
      readonly connection: Connection;
      readonly from: Side;
      readonly origin: Origin;
      readonly bytes: Uint8Array;
    }
  /** `length` bytes of this direction are not in the capture; null if their number is unknown. */
  | {
      readonly kind: 'gap';
      readonly connection: Connection;
      readonly from: Side;
      readonly origin: Origin;
      readonly length: number | null;
    }
  /** One direction ended (`from`), or the connection did (`from` null, once, last). */
  | {
      readonly kind: 'closed';
      readonly connection: Connection;
      readonly from: Side | null;
      readonly origin: Origin;
      readonly reason: EndReason;
      /** TLS announced the end of the direction (RFC 8446, section 6.1). */
      readonly isCloseNotify?: true;
      /** Where the capture ends before the connection: the server has all that the client sent. */
      readonly isDelivered?: true;
      /** The client's hello of TLS was captured, and no agreement. */
      readonly isTlsBegun?: true;
    }
  /** From here on this connection cannot be read; emitted once. */
  | {
      readonly kind: 'opaque';
      readonly connection: Connection;
      readonly origin: Origin;
      readonly reason: OpaqueReason;
      readonly detail: string;
    }
  | TlsEstablished
  | PeerCertificate
  | Failed
  | Relayed;

/** A proxy was told at the beginning of the connection for whom it is, before the bytes of that. */
export interface Relayed {
  readonly kind: 'relayed';
  readonly connection: Connection;
  readonly origin: Origin;
  /** `PROXY protocol`, `SOCKS5`. */
  readonly protocol: string;
  /** The client for which a load balancer opened the connection, or the server to which a proxy goes on; undefined: it does not say. */
  readonly stands: { readonly for: Side; readonly end: Endpoint } | undefined;
  /** Why the proxy did not connect its client, in words. */
  readonly failure: string | undefined;
}

/** The result of the TLS handshake, before the first `data`. Names are null if they were not captured. */
export interface TlsEstablished {
  readonly kind: 'tls-established';
  readonly connection: Connection;
  readonly origin: Origin;
  readonly version: '1.2' | '1.3';
  /** The client's first hello; absent: the session began before the capture. */
  readonly hello?: Origin | undefined;
  /** IANA name, e.g. `TLS_AES_128_GCM_SHA256`. */
  readonly suite: string;
  /** Server name that the client requested. */
  readonly sni: string | null;
  /** Protocol that the server selected, e.g. `h2`. */
  readonly alpn: string | null;
  /** The client random, hexadecimal (RFC 8446, 4.1.2), or another unique id of the session. */
  readonly clientRandom: string | null;
  /** The processes that were observed using its secrets, as the key log names them (`kube-apiserver[812]`), and their ends. */
  readonly processes?: readonly { readonly end: Endpoint; readonly name: string }[];
}

/** The certificate of a side in the TLS handshake (RFC 8446, 4.4.2; RFC 5246, 7.4.2), before the first `data` from that side. */
export interface PeerCertificate {
  readonly kind: 'certificate';
  readonly connection: Connection;
  readonly origin: Origin;
  readonly of: Side;
  /** Common name of the subject; of a client, its user for an API server. */
  readonly commonName: string;
  /** Common name of the issuer. */
  readonly issuer: string | null;
  /** Begin and end of the validity, ms since the epoch. */
  readonly validity: readonly [number, number];
  /** It was valid at the time: a server that verifies it accepts no other (RFC 5280, 6.1.3). */
  readonly isCurrent: boolean;
}

/** TLS ended before the handshake was complete, or with an alert; emitted at most once, as early as possible. */
export interface Failed {
  readonly kind: 'failed';
  readonly connection: Connection;
  readonly origin: Origin;
  /** The side that sent an alert; `unfinished` if the connection ended without one. */
  readonly by: Side | 'unfinished';
  /** In words, with the fault of a certificate if that was captured. */
  readonly detail: string;
}

/**
 * `reset`: by the server; `aborted`: by the client, or it opened the connection again; `unanswered`: the server sent nothing, and the
 * client repeated its SYN; `unreachable`: ICMP reports why the server sent nothing.
 */
export type EndReason = 'fin' | 'reset' | 'aborted' | 'unanswered' | 'unreachable' | 'idle' | 'end';

/** Which side broke a connection off. */
export const BROKEN_BY: Readonly<Partial<Record<EndReason, Side>>> = { reset: 'server', aborted: 'client' };

export type OpaqueReason =
  | 'no-secret'
  | 'no-handshake'
  | 'handshake-cut'
  | 'unsupported-suite'
  | 'bad-tag'
  | 'bytes-missing'
  | 'not-tls';

/** Emitted once a connection, at its end: bytes of each direction before decryption. */
export interface StreamBytes {
  readonly kind: 'stream-bytes';
  readonly connection: Connection;
  readonly bytes: Readonly<Record<Side, number>>;
  /** Hexadecimal MD5 of each direction; null if none was requested. */
  readonly md5: Readonly<Record<Side, string>> | null;
}

/** Emitted once a connection, before its bytes. Address translation does not change these numbers. */
export interface InitialSequenceNumbers {
  readonly kind: 'numbers';
  readonly connection: Connection;
  readonly origin: Origin;
  /** The side whose segment has them. */
  readonly from: Side;
  /** Sequence number of the first known byte of each direction, 0 … 2^32 - 1. */
  readonly client: number;
  readonly server: number;
}

export function otherSide(side: Side): Side {
  return side === 'client' ? 'server' : 'client';
}
