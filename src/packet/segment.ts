// Defines a TCP segment, independent of the encapsulation of its packet.

import type { Origin } from '../core/origin.js';

export interface Endpoint {
  /** IPv4 dotted, IPv6 as RFC 5952 without brackets. */
  readonly address: string;
  readonly port: number;
  /** Of a loopback address: an external address of its host, if that is known. */
  readonly host?: string;
}

/** One direction between two endpoints. Interned: the same direction is usually the same object, and `key` is always equal. */
export interface Flow {
  /** `192.0.2.10:55904-192.0.2.10:8080`. */
  readonly key: string;
  /** `key` of the other direction. */
  readonly reverseKey: string;
  readonly source: Endpoint;
  readonly destination: Endpoint;
  /** Cache of the stage that reads the segments: its latest lookup result for `key`. */
  note?: object;
  /** The other direction, if it was captured. */
  reverse?: Flow;
}

export interface Segment {
  readonly kind: 'segment';
  readonly origin: Origin;
  readonly flow: Flow;
  /** 0 … 2^32 - 1. */
  readonly seq: number;
  /** 0 … 2^32 - 1; meaningless without the ACK flag. */
  readonly ack: number;
  /** FIN 1, SYN 2, RST 4, PSH 8, ACK 16. */
  readonly flags: number;
  /** Captured payload, borrowed. */
  readonly payload: Uint8Array;
  /** Payload bytes that the snap length cut off. */
  readonly missing: number;
  /** Receive window, before scaling; undefined: it was not captured. */
  readonly window?: number | undefined;
  /** Where the bytes begin that the sender has behind missing ones (RFC 2018); undefined: there are none. */
  readonly sack?: number | undefined;
}

export const FIN = 1;
export const SYN = 2;
export const RST = 4;
export const ACK = 16;
