// Reassembles one direction of a connection: tracks its position in sequence space and buffers segments that arrived early.
//
// Offsets count stream bytes from 0 and never wrap; `base` is the sequence number of offset 0, modulo 2^32.

import { copyOf } from '../core/bytes/bytes.js';
import type { Origin } from '../core/origin.js';
import { RecentBytes, type RingPool } from './overlap-history.js';
import { ReceivedRanges } from './received-ranges.js';
import type { Side } from './stream-event.js';

/** Bytes that wait behind a hole, or bytes that are known to be missing (`bytes` null) and wait for their turn. */
export interface BufferedSegment {
  readonly start: number;
  readonly end: number;
  /** A copy. */
  readonly bytes: Uint8Array | null;
  readonly origin: Origin;
  /** Number of the segment that brought it, which orders the two directions. */
  readonly order: number;
  /** Offset of the other direction up to which the sender acknowledged: those bytes are emitted first. */
  readonly ackOffset: number;
  /** Lost because their packet was cut. */
  readonly isCut?: boolean;
}

function costOf(piece: BufferedSegment): number {
  return PIECE_COST + (piece.bytes === null ? 0 : piece.bytes.length);
}

export class HalfConnection {
  readonly side: Side;
  readonly received = new ReceivedRanges();
  readonly recent = new RecentBytes();
  /** Sequence number of offset 0; meaningless while `position` is 'unknown'. */
  base = 0;
  /**
   * Source of `base`. 'guessed': an empty segment of this direction, which may have been a keep-alive, one byte low.
   * 'acknowledged': an acknowledgment of the peer. 'fixed': a SYN or the first bytes.
   */
  position: 'unknown' | 'guessed' | 'acknowledged' | 'fixed' = 'unknown';
  /** Sequence number of the SYN; -1 without one. */
  initial = -1;
  /** Sequence number of a second, different SYN-ACK; -1 without one. Later segments decide which of the two is valid. */
  otherInitial = -1;
  /** Offset up to which the peer acknowledged, if that is beyond `received.next`. */
  ackedTo = 0;
  /** Acknowledgment number of its latest segment; -1 without one. */
  latestAck = -1;
  /** Offset up to which a later segment of the peer confirmed an acknowledgment far beyond all captured bytes. */
  #confirmedTo = 0;
  /** Offset of the FIN, -1 without one, and the properties that a buffered segment has. */
  fin = -1;
  finOrigin: Origin | null = null;
  finOrder = 0;
  finAckOffset = 0;
  /** Offset after a FIN that was acknowledged and not captured, -1 without one (`loseAcknowledged`). */
  unseenFin = -1;
  /** The FIN was reached and emitted. */
  ended = false;
  /** Cost of the buffered segments against the limits. */
  cost = 0;
  /** Segments that repeated bytes with other content, and the frame of the first. */
  differing = 0;
  differingOrigin: Origin | null = null;
  #lost: LostRanges | null = null;
  #pieces = NO_PIECES;
  #oldest: bigint | undefined;
  #isOldestStale = false;

  constructor(side: Side) {
    this.side = side;
  }

  /** Bytes from the next expected one to sequence number `seq`; negative for old bytes. */
  ahead(seq: number): number {
    // Exact: offsets are integers below 2^53, and `| 0` is arithmetic modulo 2^32 (RFC 9293, section 3.4).
    return (seq - this.base - this.received.next) | 0;
  }

  /** Updates the position by a segment of this direction that begins at `seq` (after its SYN). Only one with content fixes it. */
  locate(seq: number, length: number, syn: boolean, fin: boolean): void {
    if (this.position === 'fixed') {
      if (this.otherInitial >= 0) this.#reconsider(seq);
      return;
    }
    const hasContent = syn || fin || length !== 0;
    const ahead = this.position === 'unknown' ? 0 : this.ahead(seq);
    // A keep-alive, or an older byte: the peer has acknowledged it.
    if (length === 1 && ahead === -1 && this.position === 'acknowledged') return;
    const isLow = this.position === 'guessed' && ahead === 1;
    const isEarlier = hasContent && ahead < 0 && ahead >= -EARLIER_START;
    if (this.position === 'unknown' || isLow || isEarlier || syn) {
      // Nothing was emitted yet, so offset 0 may move. An acknowledgment far from there was of another connection.
      this.ackedTo = Math.abs(ahead) > EARLIER_START ? 0 : Math.max(0, this.ackedTo - ahead);
      this.base = seq;
    }
    if (hasContent) this.position = 'fixed';
    else if (this.position === 'unknown') this.position = 'guessed';
  }

  /** Updates the position by an acknowledgment of the peer. */
  acknowledge(ack: number): void {
    if (this.position === 'unknown') {
      this.base = ack;
      this.position = 'acknowledged';
      return;
    }
    if (this.otherInitial >= 0) this.#reconsider(ack);
    const ahead = this.ahead(ack);
    if (this.ackedTo > this.received.end + FAR_ACK) {
      // Acknowledgments never go back (RFC 9293, section 3.4): this one confirms a far one or refutes it.
      const to = this.received.next + ahead;
      if (to >= this.ackedTo) this.#confirmedTo = this.ackedTo;
      else this.ackedTo = Math.max(0, to);
    }
    if (ahead <= 0) return;
    if (this.position === 'guessed') {
      this.position = 'acknowledged';
      if (ahead === 1) {
        this.base = ack;
        return;
      }
    }
    if (ahead > LARGEST_WINDOW) return;
    const to = this.received.next + ahead;
    if (to === this.unseenFin) return;
    this.ackedTo = Math.max(this.ackedTo, this.fin >= 0 ? Math.min(to, this.fin) : to);
  }

  /** Whether the peer acknowledged bytes that were not captured so far. */
  get hasUnseenAcked(): boolean {
    return this.ackedTo > this.received.contiguous;
  }

  /** Whether `bytes` at offset `start` differ from earlier bytes that are still available. */
  differs(start: number, bytes: Uint8Array): boolean {
    if (start < this.received.next && this.recent.differs(start, bytes)) return true;
    const end = start + bytes.length;
    for (let i = this.#firstEndingAfter(start); i < this.#pieces.length; i++) {
      const piece = this.#pieces[i];
      if (piece.start >= end) return false;
      if (piece.bytes === null) continue;
      const to = Math.min(piece.end, end);
      for (let at = Math.max(piece.start, start); at < to; at++) {
        if (piece.bytes[at - piece.start] !== bytes[at - start]) return true;
      }
    }
    return false;
  }

  /** Buffers a copy of the new part of `bytes` at offset `start`. */
  buffer(start: number, bytes: Uint8Array, origin: Origin, order: number, ackOffset: number): void {
    const parts = this.received.missing(start, start + bytes.length);
    for (let i = 0; i < parts.length; i += 2) {
      const copy = copyOf(bytes.subarray(parts[i] - start, parts[i + 1] - start));
      this.#insert({ start: parts[i], end: parts[i + 1], bytes: copy, origin, order, ackOffset });
    }
    this.received.add(start, start + bytes.length);
  }

  /** Gives up the bytes of [start, end) that have not arrived. @param isCut their packet was cut. */
  lose(start: number, end: number, origin: Origin, order: number, isCut = false): void {
    const parts = this.received.missing(start, end);
    for (let i = 0; i < parts.length; i += 2) {
      // A loss is ordered where it was noticed, but before the bytes that follow it.
      const next = this.#pieces[this.#firstEndingAfter(parts[i])];
      const before = next !== undefined && next.order < order;
      this.#insert({
        start: parts[i],
        end: parts[i + 1],
        bytes: null,
        origin: before ? next.origin : origin,
        order: before ? next.order : order,
        ackOffset: 0,
        isCut,
      });
    }
    if (parts.length === 0) return;
    this.received.add(start, end);
    this.position = 'fixed';
  }

  /**
   * Gives up the acknowledged bytes below `to` that were not captured. One byte more than has arrived, with nothing after it, is no
   * loss but a FIN that was not captured.
   */
  loseAcknowledged(to: number, origin: Origin, order: number): void {
    const arrived = this.received.contiguous;
    if (to === arrived + 1 && this.ackedTo === to && this.received.end === arrived) {
      this.unseenFin = to;
      this.ackedTo = arrived;
    } else {
      this.lose(this.received.next, to, origin, order);
    }
  }

  /** Offset up to which acknowledged bytes below `to` are certainly lost: a damaged segment can acknowledge anything. */
  acceptedAckUpTo(to: number): number {
    const at = Math.min(to, this.ackedTo);
    return at > this.received.end + FAR_ACK && at > this.#confirmedTo ? 0 : at;
  }

  /** How many of the bytes [start, end) below the position were never emitted: lost ones, and those before offset 0. */
  unread(start: number, end: number): number {
    const to = Math.min(end, this.received.next);
    return Math.max(0, Math.min(to, 0) - start) + (this.#lost?.within(start, to) ?? 0);
  }

  /** The next segment to emit; undefined if there is none, or a hole before it. */
  get ready(): BufferedSegment | undefined {
    const piece = this.#pieces[0];
    return piece !== undefined && piece.start === this.received.next ? piece : undefined;
  }

  /** Offset of an acknowledgment number of the other direction, at least that of the next byte to emit; 0 without a position. */
  offsetOfAck(ack: number): number {
    if (this.position === 'unknown') return 0;
    return this.received.next + Math.max(0, this.ahead(ack));
  }

  /** Whether all bytes below `ackOffset` were emitted, as far as that acknowledgment was credible. */
  hasEmitted(ackOffset: number): boolean {
    return this.received.next >= Math.min(ackOffset, this.ackedTo);
  }

  /** Number of the segment that brought `ready`, or the FIN; `NEVER` if nothing can be emitted. */
  get readyOrder(): number {
    const { ready } = this;
    if (ready !== undefined) return ready.order;
    return !this.ended && this.fin === this.received.next ? this.finOrder : NEVER;
  }

  /** `ackOffset` of `ready` or the FIN. */
  get readyAckOffset(): number {
    return this.ready?.ackOffset ?? this.finAckOffset;
  }

  /** Removes `ready` and records it as emitted. */
  take(pool: RingPool): void {
    if (this.#pieces.length === 0) return;
    const piece = this.#pieces.shift()!;
    this.cost -= costOf(piece);
    if (piece.origin.time === this.#oldest) this.#isOldestStale = true;
    if (piece.bytes !== null) this.recent.write(piece.start, piece.bytes, pool);
    else {
      this.#lost ??= new LostRanges();
      this.#lost.add(piece.start, piece.end);
    }
    this.received.take(piece.end);
  }

  get hasBuffered(): boolean {
    return this.#pieces.length !== 0;
  }

  /** ns: time of the oldest buffered segment. */
  get oldest(): bigint | undefined {
    if (this.#isOldestStale) {
      this.#isOldestStale = false;
      this.#oldest = undefined;
      for (const piece of this.#pieces) this.#updateOldest(piece.origin.time);
    }
    return this.#oldest;
  }

  // Behind a load balancer, or with SYN cookies, a SYN can get two responses. The first segment that continues the second one
  // selects it, unless bytes have arrived by the numbers of the first.
  #reconsider(seq: number): void {
    const behind = (seq - this.otherInitial - 1) | 0;
    const ahead = this.ahead(seq);
    if (this.received.end !== 0 || behind < 0 || behind > EARLIER_START || (ahead >= 0 && ahead <= EARLIER_START))
      return;
    this.initial = this.otherInitial;
    this.base = (this.initial + 1) >>> 0;
    this.otherInitial = -1;
    this.ackedTo = 0;
  }

  #insert(piece: BufferedSegment): void {
    if (this.#pieces === NO_PIECES) this.#pieces = [];
    this.#pieces.splice(this.#firstEndingAfter(piece.start), 0, piece);
    this.cost += costOf(piece);
    if (!this.#isOldestStale) this.#updateOldest(piece.origin.time);
  }

  #updateOldest(time: bigint): void {
    if (this.#oldest === undefined || time < this.#oldest) this.#oldest = time;
  }

  #firstEndingAfter(offset: number): number {
    const pieces = this.#pieces;
    let high = pieces.length;
    if (high === 0 || pieces[high - 1].end <= offset) return high;
    let low = 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (pieces[middle].end > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** The latest ranges of a direction that were given up as lost, so that bytes that arrive later do not count as repeated. */
class LostRanges {
  /** Ascending: [start, end, start, end …). */
  readonly #ranges: number[] = [];

  /** Adds [start, end), which is after all earlier ranges. */
  add(start: number, end: number): void {
    const ranges = this.#ranges;
    if (ranges.length !== 0 && ranges[ranges.length - 1] === start) ranges[ranges.length - 1] = end;
    else ranges.push(start, end);
    if (ranges.length > 2 * RANGES) ranges.splice(0, 2);
  }

  /** How many bytes of [start, end) were lost. */
  within(start: number, end: number): number {
    const ranges = this.#ranges;
    let sum = 0;
    for (let i = ranges.length - 2; i >= 0 && ranges[i + 1] > start; i -= 2)
      sum += Math.max(0, Math.min(end, ranges[i + 1]) - Math.max(start, ranges[i]));
    return sum;
  }
}

/** Limit: ranges of a direction that were given up as lost and are remembered: late bytes arrive soon, so a few are enough. */
const RANGES = 8;

/**
 * Cost of a buffered segment beside its bytes, about the memory of its objects. It bounds the number of pieces, and so of ranges,
 * to 4,096 under the limit of 1 MiB, whatever the size of the segments (Linux charges `truesize` for the same reason).
 */
export const PIECE_COST = 256;

/** Shared and never changed: most connections never buffer a segment. */
const NO_PIECES: BufferedSegment[] = [];

/** Later than the number of every segment. */
export const NEVER = Number.POSITIVE_INFINITY;

/** Limit in bytes: how far before its assumed start a direction may begin after all: segments that were captured out of order. */
export const EARLIER_START = 65_536;

/** Limit in bytes: an acknowledgment farther than this beyond all captured bytes is accepted when a later one confirms it. */
const FAR_ACK = 1024 * 1024;

/** Limit in bytes: the largest window (RFC 7323, section 2.3): an acknowledgment farther ahead proves nothing. */
export const LARGEST_WINDOW = 2 ** 30;
