// Finds packets that were captured at two places, so that the clocks of the places can be compared. A place is a number for one
// or several captures with the same clock.

import type { Origin } from '../core/origin.js';
import { ACK, type Segment, SYN } from './segment.js';

/** A packet that places `a` and `b` captured. */
export interface CommonPacket {
  readonly a: number;
  readonly b: number;
  /** Frame and time, by the clock of each place. */
  readonly atA: Origin;
  readonly atB: Origin;
  /** Addresses of the two hosts in alphabetical order. */
  readonly hosts: string;
  /** Whether the packet went from the first of `hosts` to the second. */
  readonly onward: boolean;
}

/**
 * In: segments of all places, in the order of each capture. Out: one common packet for each packet and pair of places.
 *
 * Flow, sequence and acknowledgment number, length and first bytes identify a packet. Bare acknowledgments do not count, because
 * equal ones are sent many times. A packet that one place captured twice was retransmitted (RFC 9293 section 3.8.1) and is left
 * out, because it is unknown which copies belong together; copies on the interfaces of one host, microseconds apart, are one.
 *
 *   seen   packets whose hash is below a bar. If there are too many the bar is halved for all places alike, so the packets that
 *          remain still match, however far apart two captures begin.
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
      this.#seen.set(key, { hash, place, origin, matches: [] });
      if (this.#seen.size > MAX_SEEN) this.#halve();
      return null;
    }
    if (first.place === place) {
      const later = origin.time - first.origin.time;
      // A retransmission: another place could not determine which of the two it captured.
      if (later > SAME_HOST || later < -SAME_HOST) first.matches = null;
      return null;
    }
    if (first.matches === null || first.matches.includes(place)) return null;
    first.matches.push(place);
    const { address: from } = flow.source;
    const { address: to } = flow.destination;
    const onward = from <= to;
    const hosts = onward ? `${from} ${to}` : `${to} ${from}`;
    return { a: first.place, b: place, atA: first.origin, atB: origin, hosts, onward };
  }

  #halve(): void {
    this.#bar = Math.floor(this.#bar / 2);
    for (const [key, { hash }] of this.#seen) if (hash > this.#bar) this.#seen.delete(key);
  }
}

interface SeenPacket {
  readonly hash: number;
  readonly place: number;
  readonly origin: Origin;
  /** Other places that captured it; null if it was sent more than once. */
  matches: number[] | null;
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
/**
 * Limit: packets of all captures, remembered to find those that two of them hold, in some 10 MB: of a million packets on each side one
 * in 32 remains, which is plenty.
 */
const MAX_SEEN = 65_536;
/** Bytes of a payload that are compared; even a short snap length keeps more of a packet. */
const FIRST_BYTES = 32;
/** ns between two interfaces of one host, like `WINDOW` of the duplicate filter. */
const SAME_HOST = 1_000_000n;
