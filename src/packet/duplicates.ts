// Drops segments that were captured twice: `-i any` sees a packet on the veth, the bridge and the uplink, and two
// captures see it on two hosts. The one place for it, before any TCP state. Knows segments, no connections.

import type { Notice } from '../core/notice.js';
import { notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import { NOTHING, type Stage } from '../core/stage.js';
import { FIN, RST, type Segment, SYN } from './segment.js';

/**
 * A segment is a copy if flow, sequence number, acknowledgement, flags and every payload byte are equal to one seen
 * within the window; so nothing that carries new data is ever dropped. Bare acknowledgements pass: equal ones are
 * ordinary (RFC 5681 section 2), and a second one says nothing. A quick retransmission is dropped like a copy, which
 * TCP would do as well.
 *
 * At the end: packet.duplicate with the count, if there were any.
 */
export function duplicateFilter(): Stage<Segment, Segment | Notice> {
  return new DuplicateFilter();
}

// A hash table that forgets: a segment's place is told by its numbers, and whoever comes there next takes it. Payloads
// are compared byte by byte with a copy in a ring, because a hash of each would cost more than copying it.
//
//   ring   [ …new | oldest … | … | newest… ]     a copy is lost when `written` has gone a ring past its beginning
class DuplicateFilter implements Stage<Segment, Segment | Notice> {
  readonly #keys: string[] = new Array(PLACES).fill('');
  readonly #seqs = new Uint32Array(PLACES);
  readonly #acks = new Uint32Array(PLACES);
  readonly #flags = new Uint8Array(PLACES);
  readonly #lengths = new Uint32Array(PLACES);
  readonly #missing = new Uint32Array(PLACES);
  readonly #captures = new Uint16Array(PLACES);
  readonly #times = new BigInt64Array(PLACES);
  /** Where the payload's copy begins, counted in bytes ever written. */
  readonly #starts = new Float64Array(PLACES);
  readonly #ring = Buffer.alloc(RING_BYTES);
  #written = 0;
  #count = 0;
  #first: Origin | null = null;

  feed(segment: Segment): readonly Segment[] {
    const { payload, flags, seq } = segment;
    if (payload.length === 0 && (flags & (SYN | FIN | RST)) === 0) return [segment];
    const place = (Math.imul(seq ^ Math.imul(payload.length, 0x85ebca6b) ^ flags, 0x9e3779b1) >>> 16) & (PLACES - 1);
    if (this.#seqs[place] === seq && this.#isCopy(place, segment)) {
      this.#count += 1;
      if (this.#first === null) this.#first = segment.origin;
      return NOTHING;
    }
    this.#remember(place, segment);
    return [segment];
  }

  end(): readonly Notice[] {
    if (this.#first === null) return NOTHING;
    const detail = `${this.#count} ${this.#count === 1 ? 'segment was' : 'segments were'} seen before`;
    return [notice('packet.duplicate', detail, { origin: this.#first })];
  }

  #isCopy(place: number, segment: Segment): boolean {
    const { flow, ack, flags, payload, missing, origin } = segment;
    if (this.#keys[place] !== flow.key || this.#acks[place] !== ack || this.#flags[place] !== flags) return false;
    if (this.#lengths[place] !== payload.length || this.#missing[place] !== missing) return false;
    const distance = origin.time - this.#times[place];
    const window = this.#captures[place] === (origin.capture & 0xffff) ? WINDOW : WINDOW_ACROSS;
    if (distance > window || distance < -window) return false;
    const start = this.#starts[place];
    if (this.#written - start > RING_BYTES) return false;
    const at = start % RING_BYTES;
    return this.#ring.compare(payload, 0, payload.length, at, at + payload.length) === 0;
  }

  #remember(place: number, segment: Segment): void {
    const { payload } = segment;
    if (payload.length > RING_BYTES) return;
    // A payload does not wrap around; what is left of the ring's end stays unused.
    const room = RING_BYTES - (this.#written % RING_BYTES);
    if (room < payload.length) this.#written += room;
    this.#starts[place] = this.#written;
    this.#ring.set(payload, this.#written % RING_BYTES);
    this.#written += payload.length;
    this.#keys[place] = segment.flow.key;
    this.#seqs[place] = segment.seq;
    this.#acks[place] = segment.ack;
    this.#flags[place] = segment.flags;
    this.#lengths[place] = payload.length;
    this.#missing[place] = segment.missing;
    this.#captures[place] = segment.origin.capture;
    this.#times[place] = segment.origin.time;
  }
}

/** Segments remembered, a power of two: far more than pass within WINDOW, and 100 ms of 160,000 packets a second across captures. */
const PLACES = 16_384;
/** Payload remembered: 100 ms at 335 Mbit/s across captures, and WINDOW at 33 Gbit/s. */
const RING_BYTES = 4 * 1024 * 1024;
/**
 * ns between two places of one host. Measured on veth, bridge and uplink: 1 to 90 µs; on the same wire Linux sends a
 * tail loss probe again after two jiffies (2 to 8 ms) at the earliest, and that is no copy.
 */
const WINDOW = 1_000_000n;
/** ns between two captures: NTP keeps clocks within some tens of ms, and it stays below the retransmission time. */
const WINDOW_ACROSS = 100_000_000n;
