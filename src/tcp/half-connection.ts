// One direction of a connection: where it stands in sequence space, and the pieces that cannot be handed on yet.
// Knows sequence numbers, bytes and what the peer acknowledged; not who is the client, no flags but what it is told.
//
// Offsets count stream bytes from 0 and never wrap; `base` is the sequence number of offset 0, modulo 2^32.

import { copyOf } from '../core/bytes/bytes.js';
import type { Origin } from '../core/origin.js';
import { type BufferedSegment, costOf } from './buffered-segment.js';
import { LostRanges } from './lost-ranges.js';
import { RecentBytes, type RingPool } from './overlap-history.js';
import { ReceivedRanges } from './received-ranges.js';
import type { Side } from './stream-event.js';

export class HalfConnection {
  readonly side: Side;
  readonly received = new ReceivedRanges();
  readonly recent = new RecentBytes();
  /** Sequence number of offset 0; meaningless while `position` is 'unknown'. */
  base = 0;
  /**
   * 'unknown': nothing tells where this direction stands. 'guessed': an empty segment of its own told, which may have
   * been a keep-alive, one byte low. 'told': the peer's acknowledgment told. 'fixed': a SYN or the first bytes did.
   */
  position: 'unknown' | 'guessed' | 'told' | 'fixed' = 'unknown';
  /** Sequence number of the SYN, -1 if none was seen. */
  initial = -1;
  /** That of a second SYN-ACK with another number, -1 if none was seen: what follows tells which of the two holds. */
  otherInitial = -1;
  /** Offset behind everything that the peer acknowledged, if that is beyond `holes.next`. */
  ackedTo = 0;
  /** Up to where a later segment of the peer acknowledged what one before it did, where that is far beyond all that came. */
  #confirmedTo = 0;
  /** Offset of the FIN, -1 while none was seen; as of a piece: frame, number, needs. */
  fin = -1;
  finOrigin: Origin | null = null;
  finOrder = 0;
  finNeeds = 0;
  /** Offset behind a FIN that must have been there, -1 if none is known: see `loseAcknowledged`. */
  unseenFin = -1;
  /** The FIN was reached and reported. */
  ended = false;
  /** What the waiting pieces count against the limits. */
  cost = 0;
  /** Segments that claimed bytes with other content than came first, and the frame of the first such. */
  differing = 0;
  differingOrigin: Origin | null = null;
  #lost: LostRanges | null = null;
  #pieces = NO_PIECES;
  #oldest: bigint | undefined;
  #oldestGone = false;

  constructor(side: Side) {
    this.side = side;
  }

  /** Bytes from the next one expected to the one of sequence number `seq`; negative for old ones. */
  ahead(seq: number): number {
    // Exact: offsets are integers below 2^53, and `| 0` is arithmetic modulo 2^32 (RFC 9293, section 3.4).
    return (seq - this.base - this.received.next) | 0;
  }

  /** A segment of this direction begins at `seq` (behind its SYN). Only one that carries something fixes the place. */
  place(seq: number, length: number, syn: boolean, fin: boolean): void {
    if (this.position === 'fixed') {
      if (this.otherInitial >= 0) this.#reconsider(seq);
      return;
    }
    const carries = syn || fin || length !== 0;
    const ahead = this.position === 'unknown' ? 0 : this.ahead(seq);
    // A keep-alive, or one that came before: the peer has acknowledged this byte.
    if (length === 1 && ahead === -1 && this.position === 'told') return;
    const low = this.position === 'guessed' && ahead === 1;
    const earlier = carries && ahead < 0 && ahead >= -EARLIER_START;
    if (this.position === 'unknown' || low || earlier || syn) {
      // Nothing was handed on yet: offset 0 may still move. What was acknowledged far from there was of another connection.
      this.ackedTo = Math.abs(ahead) > EARLIER_START ? 0 : Math.max(0, this.ackedTo - ahead);
      this.base = seq;
    }
    if (carries) this.position = 'fixed';
    else if (this.position === 'unknown') this.position = 'guessed';
  }

  /** The peer expects `ack` next. */
  acknowledge(ack: number): void {
    if (this.position === 'unknown') {
      this.base = ack;
      this.position = 'told';
      return;
    }
    if (this.otherInitial >= 0) this.#reconsider(ack);
    const ahead = this.ahead(ack);
    if (this.ackedTo > this.received.end + FAR_ACK) {
      // Acknowledgments never go back (RFC 9293, section 3.4): this one confirms what is in doubt, or denies it.
      const to = this.received.next + ahead;
      if (to >= this.ackedTo) this.#confirmedTo = this.ackedTo;
      else this.ackedTo = Math.max(0, to);
    }
    if (ahead <= 0) return;
    if (this.position === 'guessed') {
      this.position = 'told';
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

  /** True while the peer has acknowledged bytes that are not in the capture so far. */
  get hasUnseenAcked(): boolean {
    return this.ackedTo > this.received.contiguous;
  }

  /** Whether `bytes` at offset `start` differ from bytes that came before and are still known. Pure. */
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

  /** Keeps what is new of `bytes` at offset `start`, a copy of it. */
  hold(start: number, bytes: Uint8Array, origin: Origin, order: number, needs: number): void {
    const parts = this.received.missing(start, start + bytes.length);
    for (let i = 0; i < parts.length; i += 2) {
      const copy = copyOf(bytes.subarray(parts[i] - start, parts[i + 1] - start));
      this.#insert({ start: parts[i], end: parts[i + 1], bytes: copy, origin, order, needs });
    }
    this.received.add(start, start + bytes.length);
  }

  /** Whatever of [start, end) has not arrived is missing from the capture for good. */
  lose(start: number, end: number, origin: Origin, order: number): void {
    const parts = this.received.missing(start, end);
    for (let i = 0; i < parts.length; i += 2) {
      // A loss stands in the order of events where it was noticed, but not behind the bytes that follow it.
      const next = this.#pieces[this.#firstEndingAfter(parts[i])];
      const before = next !== undefined && next.order < order;
      this.#insert({
        start: parts[i],
        end: parts[i + 1],
        bytes: null,
        origin: before ? next.origin : origin,
        order: before ? next.order : order,
        needs: 0,
      });
    }
    if (parts.length === 0) return;
    this.received.add(start, end);
    this.position = 'fixed';
  }

  /**
   * Whatever the peer acknowledged below `to` and was not seen is lost.
   *
   * One byte more than has arrived, and nothing behind it, is no loss: it is a FIN that was not captured.
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

  /** How much of what the peer acknowledged below `to` is lost for sure: one damaged segment can acknowledge anything. */
  acceptedAckUpTo(to: number): number {
    const at = Math.min(to, this.ackedTo);
    return at > this.received.end + FAR_ACK && at > this.#confirmedTo ? 0 : at;
  }

  /** How many of the bytes [start, end) that claim to have come before did not: lost ones, those before the first. */
  unread(start: number, end: number): number {
    const to = Math.min(end, this.received.next);
    return Math.max(0, Math.min(to, 0) - start) + (this.#lost?.within(start, to) ?? 0);
  }

  /** The piece whose turn it is; undefined if there is a hole before it, or none. */
  get ready(): BufferedSegment | undefined {
    const piece = this.#pieces[0];
    return piece !== undefined && piece.start === this.received.next ? piece : undefined;
  }

  /** Offset behind what a segment of the other direction with this `ack` answers; 0 if everything was handed on. */
  answered(ack: number): number {
    if (this.position === 'unknown') return 0;
    return this.received.next + Math.max(0, this.ahead(ack));
  }

  /** Whether everything that `needs` asks for was handed on, as far as the acknowledgment was credible. */
  satisfies(needs: number): boolean {
    return this.received.next >= Math.min(needs, this.ackedTo);
  }

  /** Number of the segment that brought what could be handed on next: `ready`, or the FIN; `NEVER` if nothing could. */
  get turn(): number {
    const { ready } = this;
    if (ready !== undefined) return ready.order;
    return !this.ended && this.fin === this.received.next ? this.finOrder : NEVER;
  }

  /** What `turn` needs of the other direction. */
  get turnNeeds(): number {
    return this.ready?.needs ?? this.finNeeds;
  }

  /** Takes the piece that is `ready`. */
  take(pool: RingPool): void {
    if (this.#pieces.length === 0) return;
    const piece = this.#pieces.shift()!;
    this.cost -= costOf(piece);
    if (piece.origin.time === this.#oldest) this.#oldestGone = true;
    if (piece.bytes !== null) this.recent.write(piece.start, piece.bytes, pool);
    else {
      this.#lost ??= new LostRanges();
      this.#lost.add(piece.start, piece.end);
    }
    this.received.take(piece.end);
  }

  /** Bytes, or losses, wait for their turn. */
  get waits(): boolean {
    return this.#pieces.length !== 0;
  }

  /** Time in ns of the oldest piece that waits; undefined if none does. */
  get oldest(): bigint | undefined {
    if (this.#oldestGone) {
      this.#oldestGone = false;
      this.#oldest = undefined;
      for (const piece of this.#pieces) this.#age(piece.origin.time);
    }
    return this.#oldest;
  }

  // Behind a load balancer, or with SYN cookies, a SYN gets two answers. The first segment that stands behind the second
  // one decides for it, unless bytes have come by the first.
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
    if (!this.#oldestGone) this.#age(piece.origin.time);
  }

  #age(time: bigint): void {
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

/** Never changed: in most connections nothing ever waits. */
const NO_PIECES: BufferedSegment[] = [];

/** No turn: later than every segment. */
export const NEVER = Number.POSITIVE_INFINITY;

/** How far before its supposed start a direction may begin after all: segments that were captured out of order. */
export const EARLIER_START = 65_536;

/** An acknowledgment of more than this beyond all that was captured is believed when a later one says the same. */
const FAR_ACK = 1024 * 1024;

/** An acknowledgment farther ahead than the largest window (2^30 bytes: RFC 7323, section 2.3) proves nothing. */
export const LARGEST_WINDOW = 2 ** 30;
