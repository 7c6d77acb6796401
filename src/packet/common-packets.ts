// Finds packets that were captured at two places, for the comparison of the places' clocks. Knows segments and the time
// that each place gave them; not what the differences mean (skew.ts). Places are numbers: whoever feeds knows which
// captures came from one clock.

import type { Origin } from '../core/origin.js';
import { ACK, type Segment, SYN } from './segment.js';

/** A packet that two places saw. */
export interface CommonPacket {
  /** The place that was heard of first, and the other. */
  readonly a: number;
  readonly b: number;
  /** Where each saw it, with the time of its own clock. */
  readonly atA: Origin;
  readonly atB: Origin;
  /** Addresses of the two hosts in an order of their own, and whether the packet went from the first to the second. */
  readonly hosts: string;
  readonly onward: boolean;
}

/**
 * In: segments of every place, in the order of each place's capture. Out: one sighting for a packet and a pair of places.
 *
 * A packet is told by flow, sequence and acknowledgment number, length and first bytes. Only packets that carry
 * something new count: a bare acknowledgment is sent many times over. What a place sees again later was sent again
 * (RFC 9293 section 3.8.1), and which copy went with which cannot be told: it is left out. Copies on the interfaces of
 * one host, microseconds apart, are one.
 *
 *   seen   packets that hash below a bar. Where there are too many the bar is halved, for all places alike: those that
 *          are left still meet, however far apart two captures begin.
 */
export class CommonPackets {
  readonly #seen = new Map<string, SeenPacket>();
  #bar = ALL;

  feed(place: number, segment: Segment): CommonPacket | null {
    const { flow, seq, ack, flags, payload, missing, origin } = segment;
    const length = payload.length + missing;
    if (length === 0 && (flags & SYN) === 0) return null;
    const hash = hashOf(seq, ack, length, payload);
    if (hash > this.#bar) return null;
    const key = `${flow.key} ${seq} ${(flags & ACK) === 0 ? '' : ack} ${length} ${hash}`;
    const first = this.#seen.get(key);
    if (first === undefined) {
      this.#seen.set(key, { hash, place, origin, met: [] });
      if (this.#seen.size > MAX_SEEN) this.#forget();
      return null;
    }
    if (first.place === place) {
      const later = origin.time - first.origin.time;
      // Sent again: whoever meets it later would not know which of the two.
      if (later > SAME_HOST || later < -SAME_HOST) first.met = null;
      return null;
    }
    if (first.met === null || first.met.includes(place)) return null;
    first.met.push(place);
    const { address: from } = flow.source;
    const { address: to } = flow.destination;
    const onward = from <= to;
    const hosts = onward ? `${from} ${to}` : `${to} ${from}`;
    return { a: first.place, b: place, atA: first.origin, atB: origin, hosts, onward };
  }

  #forget(): void {
    this.#bar = Math.floor(this.#bar / 2);
    for (const [key, { hash }] of this.#seen) if (hash > this.#bar) this.#seen.delete(key);
  }
}

interface SeenPacket {
  readonly hash: number;
  readonly place: number;
  readonly origin: Origin;
  /** Places that saw it too; null: it was sent more than once. */
  met: number[] | null;
}

/** FNV-1a, finished as MurmurHash3 does, so that every bit of the packet's numbers reaches the upper bits. */
function hashOf(seq: number, ack: number, length: number, payload: Uint8Array): number {
  let hash = FNV_OFFSET;
  for (const number of [seq, ack, length]) hash = Math.imul(hash ^ number, FNV_PRIME) ^ (number >>> 16);
  const end = Math.min(payload.length, FIRST_BYTES);
  for (let i = 0; i < end; i++) hash = Math.imul(hash ^ payload[i], FNV_PRIME);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const ALL = 0xffff_ffff;
/** Packets remembered, of all places: some 10 MB. Of a million packets on each side one in 32 is left, which is plenty. */
const MAX_SEEN = 65_536;
/** Bytes of a payload that are looked at: a short snap length keeps more of a packet. */
const FIRST_BYTES = 32;
/** ns between two interfaces of one host, as in duplicates.ts. */
const SAME_HOST = 1_000_000n;
