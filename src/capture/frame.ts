// What a capture file gives: frames, and what stands beside them.

import type { Origin } from '../core/origin.js';

export interface Frame {
  readonly kind: 'frame';
  readonly origin: Origin;
  /** LINKTYPE_ value (tcpdump.org/linktypes.html). */
  readonly linkType: number;
  /** Captured bytes, borrowed. Shorter than `originalLength` where the snap length cut the packet. */
  readonly data: Uint8Array;
  /** Where the same bytes stand, for who needs no view of their own: `within[start … end)`. */
  readonly within?: Uint8Array;
  readonly start?: number;
  readonly end?: number;
  readonly originalLength: number;
  /** Digits of the fraction of a second that its time has. */
  readonly digits: 6 | 9;
}

/** TLS secrets found inside a pcapng (Decryption Secrets Block), as the text of an NSS key log. */
export interface EmbeddedSecrets {
  readonly kind: 'secrets';
  readonly keyLog: string;
}

/** Emitted before all frames: no capture of this run can hold TLS secrets, as only a pcapng can. */
export interface NoSecrets {
  readonly kind: 'no-secrets';
}

/** Emitted before all frames: on whose loopback the captures' loopback connections are. */
export interface LoopbackHosts {
  readonly kind: 'loopback-hosts';
  /** By capture: an address of its host; null or absent: not known. */
  readonly hosts: readonly (string | null)[];
}

/** Emitted once for each capture, at its end: what the file was. */
export interface CaptureReport {
  readonly kind: 'capture-report';
  readonly capture: number;
  readonly format: 'pcap' | 'pcapng' | 'messages' | 'unknown';
  /** The messages are those that a picture draws, in its order. */
  readonly isPicture?: true;
  /** Link types seen, in order of appearance. */
  readonly linkTypes: readonly number[];
  readonly frames: number;
  /** Captured bytes of all frames. */
  readonly bytes: number;
  /** ns since the epoch by the file's own clock; null for a capture without frames. */
  readonly first: bigint | null;
  /** ns that were added to the times of its frames, because its clock was behind; absent where it was not corrected. */
  readonly shift?: bigint;
  readonly last: bigint | null;
  /** Digits of the fraction of a second that the capture has: 6 or 9. */
  readonly digits: 6 | 9;
  readonly truncated: boolean;
}
