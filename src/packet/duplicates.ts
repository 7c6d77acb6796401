// Drops packets that were captured twice: `-i any` captures a packet on the veth, the bridge and the uplink, and two captures
// have it from two hosts.

import { equalsAt } from '../core/bytes/bytes.js';
import { type Notice, notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import { counted } from '../core/quantity.js';
import { NOTHING, type Stage } from '../core/stage.js';
import { FIN, RST, type Segment, SYN } from './segment.js';

/**
 * A segment is a copy if flow, sequence number, acknowledgment, flags, every payload byte, and the identification and timestamp of its
 * packet equal those of one within the window, so no segment with new data is ever dropped, and none that was sent again: Linux gives
 * each packet of a connection an identification of its own (net/ipv4/ip_output.c: ip_select_ident_segs). Bare acknowledgments pass:
 * equal ones are ordinary (RFC 5681 section 2), and a second one has no effect.
 *
 * At the end: packet.duplicate with the count, if there were any.
 */
export function duplicateFilter(): DuplicateFilter {
  return new DuplicateFilter();
}

/** `PacketDecoder`, after it read the segment. */
export interface MarkedPacket {
  /** 0 … 2^32 - 1, equal for all copies of one packet. */
  readonly mark: number;
}

const UNMARKED: MarkedPacket = { mark: 0 };

// The segments are in a hash table in which a newer one replaces the older one in its place. Payloads are compared with copies in
// a ring, because hashing a payload costs more than copying it. Nearly all segments differ in their sequence number from the one
// in their place: those numbers are in an array of their own, which stays in the cache, and the rest is only written.
//
//   place  [ ack | length | missing | flags, capture | start 8 | time 8 | mark | – ]
//   ring   [ …new | oldest … | … | newest… ]     a copy is overwritten when `written` is a ring past its start
export class DuplicateFilter implements Stage<Segment, Segment | Notice> {
  /** Keys instead of flows, because the flow of a closed connection would keep its state alive. */
  readonly #keys: string[] = new Array<string>(PLACES).fill('');
  readonly #seqs = new Uint32Array(PLACES);
  readonly #words: Uint32Array;
  /** Views of the same memory. A start is where the copy of a payload begins, counted in bytes ever written. */
  readonly #starts: Float64Array;
  readonly #times: BigInt64Array;
  readonly #ring = new Uint8Array(RING_BYTES);
  #written = 0;
  /** `#written` modulo the size of the ring. */
  #at = 0;
  #count = 0;
  #first: Origin | null = null;

  constructor() {
    this.#words = new Uint32Array(PLACES * WORDS);
    this.#starts = new Float64Array(this.#words.buffer);
    this.#times = new BigInt64Array(this.#words.buffer);
  }

  feed(segment: Segment): readonly Segment[] {
    return this.drops(segment) ? NOTHING : [segment];
  }

  /** Like `feed`: whether the segment is a copy. @param packet of the segment, read if its mark matters. */
  drops(segment: Segment, packet: MarkedPacket = UNMARKED): boolean {
    const { payload, flags, seq } = segment;
    const { length } = payload;
    if (length === 0 && (flags & (SYN | FIN | RST)) === 0) return false;
    const place = (Math.imul(seq ^ Math.imul(length, 0x85ebca6b) ^ flags, 0x9e3779b1) >>> 16) & (PLACES - 1);
    if (this.#seqs[place] === seq && this.#isCopy(place, segment, packet.mark)) {
      this.#count += 1;
      if (this.#first === null) this.#first = segment.origin;
      return true;
    }
    if (length <= RING_BYTES) this.#remember(place, segment, length, packet.mark);
    return false;
  }

  end(): readonly Notice[] {
    if (this.#first === null) return NOTHING;
    const detail = `${counted(this.#count, 'segment was', 'segments were')} seen before`;
    return [notice('packet.duplicate', detail, { origin: this.#first })];
  }

  #isCopy(place: number, segment: Segment, mark: number): boolean {
    const { flow, ack, flags, payload, missing, origin } = segment;
    const words = this.#words;
    const at = place * WORDS;
    if (words[at + ACK] !== ack || (words[at + FLAGS] & 0xff) !== flags) return false;
    if (words[at + MARK] !== mark) return false;
    if (words[at + LENGTH] !== payload.length || words[at + MISSING] !== missing) return false;
    const distance = origin.time - this.#times[place * DOUBLES + TIME];
    const window = words[at + FLAGS] >>> 16 === (origin.capture & 0xffff) ? WINDOW : WINDOW_ACROSS;
    if (distance > window || distance < -window) return false;
    if (this.#keys[place] !== flow.key) return false;
    const start = this.#starts[place * DOUBLES + START];
    if (this.#written - start > RING_BYTES) return false;
    const from = start % RING_BYTES;
    return equalsAt(this.#ring, from, payload);
  }

  #remember(place: number, segment: Segment, length: number, mark: number): void {
    // A payload does not wrap around the end of the ring; the rest there remains unused.
    const room = RING_BYTES - this.#at;
    if (room < length) {
      this.#written += room;
      this.#at = 0;
    }
    this.#starts[place * DOUBLES + START] = this.#written;
    if (length !== 0) {
      this.#ring.set(segment.payload, this.#at);
      this.#written += length;
      this.#at = (this.#at + length) % RING_BYTES;
    }
    const words = this.#words;
    const at = place * WORDS;
    this.#seqs[place] = segment.seq;
    words[at + ACK] = segment.ack;
    words[at + LENGTH] = length;
    words[at + MISSING] = segment.missing;
    words[at + MARK] = mark;
    words[at + FLAGS] = segment.flags | (segment.origin.capture << 16);
    this.#times[place * DOUBLES + TIME] = segment.origin.time;
    this.#keys[place] = segment.flow.key;
  }
}

/** A place has four words of 4 bytes, two numbers of 8 bytes, and a word. */
const WORDS = 10;
const ACK = 0;
const LENGTH = 1;
const MISSING = 2;
const FLAGS = 3;
const MARK = 8;
const DOUBLES = WORDS / 2;
const START = 2;
const TIME = 3;
/**
 * Limit: segments remembered to find those captured twice, a power of two: far more than arrive within `WINDOW`; across captures 100 ms
 * of 160,000 packets a second.
 */
const PLACES = 16_384;
/** Limit in bytes: payload of these segments: `WINDOW` at 33 Gbit/s; across captures 100 ms at 335 Mbit/s. */
const RING_BYTES = 4 * 1024 * 1024;
/**
 * Limit in ns: time between two copies on one host: 1 to 90 µs were measured on veth, bridge and uplink. On the same wire Linux sends a
 * tail loss probe, which is no copy, after two jiffies (2 to 8 ms) at the earliest.
 */
const WINDOW = 1_000_000n;
/** Limit in ns: time between two copies in two captures: NTP keeps clocks within some tens of ms. Less than the retransmission time-out. */
const WINDOW_ACROSS = 100_000_000n;
