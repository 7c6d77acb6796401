// Defines the items of a capture: frames, embedded secrets, facts about hosts, and a report at the end.

import type { Origin } from '../core/origin.js';
import type { PacketNote } from './packet-note.js';

export interface Frame {
  readonly kind: 'frame';
  readonly origin: Origin;
  /** LINKTYPE_ value (tcpdump.org/linktypes.html). */
  readonly linkType: number;
  /** Captured bytes, borrowed. Shorter than `originalLength` if the snap length cut the packet. */
  readonly data: Uint8Array;
  /** The same bytes as `within[start … end)`, for readers that need no view of their own. */
  readonly within?: Uint8Array;
  readonly start?: number;
  readonly end?: number;
  readonly originalLength: number;
  /** Decimals of a second in its time. */
  readonly digits: 6 | 9;
  /** Noted beside the packet; absent or null: nothing is. */
  readonly noted?: PacketNote | null;
}

/** TLS secrets of a pcapng Decryption Secrets Block, as the text of an NSS key log. */
export interface EmbeddedSecrets {
  readonly kind: 'secrets';
  readonly keyLog: string;
}

/** Emitted before all frames: no capture of this run can contain TLS secrets, because none is a pcapng. */
export interface NoSecrets {
  readonly kind: 'no-secrets';
}

/** Emitted before all frames: the hosts to which loopback connections belong. */
export interface LoopbackHosts {
  readonly kind: 'loopback-hosts';
  /** An address of the host of each capture; null or absent if it is not known. */
  readonly hosts: readonly (string | null)[];
}

/** Emitted once for each capture, at its end. */
export interface CaptureReport {
  readonly kind: 'capture-report';
  readonly capture: number;
  readonly format: 'pcap' | 'pcapng' | 'messages' | 'audit' | 'unknown';
  /** The messages are those of a diagram, in its order. */
  readonly isDiagram?: true;
  /** In order of appearance. */
  readonly linkTypes: readonly number[];
  readonly frames: number;
  /** Captured bytes of all frames. */
  readonly bytes: number;
  /** ns since the epoch by the clock of the file; null for a capture without frames. */
  readonly first: bigint | null;
  readonly last: bigint | null;
  /** ns that were added to the times of its frames to correct its clock; absent if there was no correction. */
  readonly shift?: bigint;
  /** Decimals of a second in its times. */
  readonly digits: 6 | 9;
  readonly truncated: boolean;
}
