// Holds the state of one connection and emits the bytes of both directions in the order in which they were sent. Bytes that one side
// sends after it acknowledged others are emitted after those (or after the gap in their place), so a request whose packet was lost or
// captured late never follows its own response.

import type { Linked, LinkedQueue } from '../core/collections/linked-queue.js';
import { elapsedText } from '../core/duration.js';
import { type Notice, notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import { counted } from '../core/quantity.js';
import type { Segment } from '../packet/segment.js';
import { HalfConnection, NEVER, PIECE_COST } from './half-connection.js';
import type { RingPool } from './overlap-history.js';
import type { Connection, EndReason, Side, StreamEvent } from './stream-event.js';

export type TcpOutput = StreamEvent | Notice;

/** Acknowledged bytes that were not captured so far, while their grace period runs. */
export interface UnseenAck {
  /** The acknowledging segment; null if there is none. */
  origin: Origin | null;
  order: number;
  /** Offsets up to which the bytes of each side were acknowledged. */
  client: number;
  server: number;
}

/** The latest segment that cannot belong to a connection: the connection has ended, or is far from there. */
export interface OutOfWindowSegment {
  readonly half: HalfConnection;
  /** Its payload is a copy, or empty if it is too long to keep. */
  readonly segment: Segment;
  /** Bytes of its payload, and how many of them were counted as unclaimed. */
  readonly length: number;
  readonly counted: number;
}

export class Conversation implements Linked<Conversation> {
  readonly connection: Connection;
  readonly client = new HalfConnection('client');
  readonly server = new HalfConnection('server');
  /** Keys of its flows, client to server and back. */
  readonly key: string;
  readonly reverseKey: string;
  /** Whether the next segment may take the fast path: both positions are known, and nothing is buffered, unseen, ending or reset. */
  allowsFastPath = false;
  closed = false;
  /** Frame of the first acceptable RST. */
  reset: Origin | null = null;
  resetBy: Side = 'server';
  /** SYNs of the client, and the frame of the first. */
  syns = 0;
  firstSyn: Origin | null = null;
  /** An ICMP message reported that the server is unreachable. */
  unreachable = false;
  /** Number of the latest segment, and of the latest one when the conversation was put at the end of the idle queue. */
  lastOrder = 0;
  queuedOrder = 0;
  /** Frame of the latest segment. */
  last: Origin;
  queue: LinkedQueue<Conversation> | null = null;
  previous: Conversation | null = null;
  next: Conversation | null = null;
  /** Private state of the conversation table. */
  tableEntry: object | null = null;
  /** End of the grace period that runs: capture time (ns) and number of a segment. */
  deadline: bigint | null = null;
  deadlineOrder = 0;
  readonly truncated = new TruncatedRanges();
  readonly unseenAck: UnseenAck = { origin: null, order: 0, client: 0, server: 0 };
  /** Whether the checksums of each side are correct; null if unknown. */
  readonly plausible: Record<Side, boolean | null> = { client: null, server: null };
  /** Cost of its buffered segments when it was last added to the total. */
  counted = 0;
  outOfWindow: OutOfWindowSegment | null = null;
  /** limit.out-of-order was reported. */
  hasLimitNotice = false;
  /** As the connection has it. */
  captured = { isBothWays: false };
  #firstSide: Side | null = null;
  #gaps = 0;
  #unreportedBytes = 0;
  #lastUnreported: Origin | null = null;

  constructor(connection: Connection, key: string, reverseKey: string, first: Origin) {
    this.connection = connection;
    this.last = first;
    this.key = key;
    this.reverseKey = reverseKey;
  }

  other(half: HalfConnection): HalfConnection {
    return half === this.client ? this.server : this.client;
  }

  /** Whether a peer acknowledged bytes that were not captured so far, or the snap length cut bytes. */
  get hasUnseenAcked(): boolean {
    return this.client.hasUnseenAcked || this.server.hasUnseenAcked || !this.truncated.isEmpty;
  }

  /** A segment of a side was captured. */
  hear(side: Side): void {
    this.#firstSide ??= side;
    if (side !== this.#firstSide) this.captured.isBothWays = true;
  }

  countSyn(origin: Origin): void {
    this.syns += 1;
    this.firstSyn ??= origin;
  }

  /** Why the connection was not established; null if it was, or the capture does not show it. */
  get failure(): 'unanswered' | 'unreachable' | null {
    if (!this.isUnanswered) return null;
    return this.unreachable ? 'unreachable' : this.syns > 1 ? 'unanswered' : null;
  }

  /** Whether the client sent a SYN, nothing came back, and the client sent nothing else. */
  get isUnanswered(): boolean {
    return this.syns > 0 && this.server.position === 'unknown' && this.reset === null;
  }

  /** Whether both FINs were reached. */
  get finished(): boolean {
    return this.client.ended && this.server.ended;
  }

  /** Emits what is complete, both directions in the order of arrival. */
  flush(out: TcpOutput[], pool: RingPool): void {
    this.#drain(out, pool);
    const { client, server } = this;
    this.allowsFastPath =
      (client.position === 'fixed' || client.position === 'acknowledged') &&
      (server.position === 'fixed' || server.position === 'acknowledged') &&
      this.captured.isBothWays &&
      client.fin < 0 &&
      server.fin < 0 &&
      this.reset === null &&
      !client.hasBuffered &&
      !server.hasBuffered &&
      this.truncated.isEmpty &&
      client.ackedTo <= client.received.next &&
      server.ackedTo <= server.received.next;
  }

  /** Ends the connection: emits the buffered bytes with holes as gaps, then notices, then `closed`. */
  close(reason: EndReason, origin: Origin, order: number, out: TcpOutput[], pool: RingPool): void {
    this.truncated.lose(order);
    const isOpen = reason === 'end' || reason === 'idle';
    const delivered = isOpen && this.#isDelivered ? ({ isDelivered: true } as const) : null;
    for (const half of [this.client, this.server]) {
      this.loseAcknowledged(half, origin, order);
      half.lose(half.received.next, Math.max(half.received.end, half.fin), origin, order);
    }
    this.#drain(out, pool);
    this.#summarise(out);
    if (reason === 'unanswered') {
      // The client sent nothing but SYNs, so its last frame is its last SYN.
      const detail = `${this.syns} SYNs in ${elapsedText(this.last.time - this.firstSyn!.time)}`;
      out.push(notice('tcp.unanswered', detail, { origin: this.firstSyn!, connection: this.connection.name }));
    }
    for (const half of [this.client, this.server]) {
      half.recent.release(pool);
      half.received.clear();
    }
    this.allowsFastPath = false;
    this.closed = true;
    this.deadline = null;
    out.push({ kind: 'closed', connection: this.connection, from: null, origin, reason, ...delivered });
  }

  /**
   * Gives up all bytes that the peer of `half` acknowledged and that were not captured: those of `unseenAck` at its segment, the
   * others, which were acknowledged and perhaps sent later, at `origin`.
   */
  loseAcknowledged(half: HalfConnection, origin: Origin, order: number): void {
    if (!half.hasUnseenAcked) return;
    const { unseenAck } = this;
    if (unseenAck.origin !== null && unseenAck[half.side] > 0)
      half.loseAcknowledged(unseenAck[half.side], unseenAck.origin, unseenAck.order);
    if (half.hasUnseenAcked) half.loseAcknowledged(half.ackedTo, origin, order);
  }

  /** Whether the server acknowledged all that the client sent, and that was something. */
  get #isDelivered(): boolean {
    const { client, server } = this;
    const { next } = client.received;
    return next > 0 && !client.hasBuffered && server.latestAck >= 0 && client.ahead(server.latestAck) >= 0;
  }

  #drain(out: TcpOutput[], pool: RingPool): void {
    const { client, server, connection } = this;
    for (;;) {
      const clientOrder = client.readyOrder;
      const serverOrder = server.readyOrder;
      if (clientOrder === NEVER && serverOrder === NEVER) return;
      const clientMay = clientOrder !== NEVER && server.hasEmitted(client.readyAckOffset);
      const serverMay = serverOrder !== NEVER && client.hasEmitted(server.readyAckOffset);
      let half = clientOrder < serverOrder ? client : server;
      // If each waits for the other, an acknowledgment is wrong (or was updated in a retransmission): the earlier one is emitted.
      if (clientMay !== serverMay) half = clientMay ? client : server;
      else if (!clientMay && (clientOrder === NEVER || serverOrder === NEVER)) return;
      const piece = half.ready;
      if (piece === undefined) {
        half.ended = true;
        out.push({ kind: 'closed', connection, from: half.side, origin: half.finOrigin!, reason: 'fin' });
        continue;
      }
      const { bytes, origin, isCut = false } = piece;
      half.take(pool);
      if (bytes === null) this.#gap(half, piece.end - piece.start, isCut, origin, out);
      else out.push({ kind: 'data', connection, from: half.side, origin, bytes });
    }
  }

  /** @param isCut the packet decoder has counted the packet that had these bytes (`packet.cut`). */
  #gap(half: HalfConnection, length: number, isCut: boolean, origin: Origin, out: TcpOutput[]): void {
    out.push({ kind: 'gap', connection: this.connection, from: half.side, origin, length });
    if (isCut) return;
    this.#gaps += 1;
    if (this.#gaps <= GAP_NOTICES) {
      const detail = `${length} bytes from the ${half.side} are not in the capture`;
      out.push(notice('tcp.gap', detail, { origin, connection: this.connection.name }));
    } else {
      this.#unreportedBytes += length;
      this.#lastUnreported = origin;
    }
  }

  #summarise(out: TcpOutput[]): void {
    const connection = this.connection.name;
    if (this.#lastUnreported !== null) {
      const detail = `${this.#gaps - GAP_NOTICES} more gaps with ${this.#unreportedBytes} bytes`;
      out.push(notice('tcp.gap', detail, { origin: this.#lastUnreported, connection }));
    }
    const differing = this.client.differing + this.server.differing;
    const origin = this.client.differingOrigin ?? this.server.differingOrigin;
    if (differing !== 0 && origin !== null) {
      const detail = `${counted(differing, 'segment claims', 'segments claim')} bytes that came before with other content`;
      out.push(notice('tcp.overlap-differs', detail, { origin, connection }));
    }
  }
}

/** Limit: gaps of one connection that get a notice each; the others are summed up at its end, so that the notices stay readable. */
const GAP_NOTICES = 8;

// Waits for bytes that the snap length cut off: a capture with copies (`-i any` with a tunnel, two captures) can have the cut packet
// first and the whole one later.

/** [start, end) of a direction was on the wire and not in the frame `origin`, segment number `order`. */
interface TruncatedRange {
  readonly half: HalfConnection;
  readonly start: number;
  readonly end: number;
  readonly origin: Origin;
  readonly order: number;
}

/** The truncated ranges of one connection, in order of arrival. */
export class TruncatedRanges {
  #ranges: TruncatedRange[] = NONE;
  /** A whole copy did not arrive in time once, so the capture has cut packets only. */
  #neverRecovered = false;

  /** ns: time of the oldest range. */
  get oldest(): bigint | undefined {
    return this.#ranges.length === 0 ? undefined : this.#ranges[0].origin.time;
  }

  get isEmpty(): boolean {
    return this.#ranges.length === 0;
  }

  /** Waits for a copy of [start, end), or gives it up at once if there was no copy before or too much is buffered. */
  add(half: HalfConnection, start: number, end: number, origin: Origin, order: number): void {
    if (this.#neverRecovered) {
      half.lose(start, end, origin, order, true);
      return;
    }
    if (this.#ranges === NONE) this.#ranges = [];
    this.#ranges.push({ half, start, end, origin, order });
    half.cost += PIECE_COST;
    if (half.cost > TRUNCATION_BUDGET) this.lose(order);
  }

  /** Removes ranges that have arrived. */
  dropReceived(): void {
    while (this.#ranges.length !== 0 && this.#ranges[0].end <= this.#ranges[0].half.received.next) this.#take();
  }

  /** Gives up the ranges of segments up to number `order`. */
  lose(order: number): void {
    this.dropReceived();
    while (this.#ranges.length !== 0 && this.#ranges[0].order <= order) {
      const { half, start, end, origin, order: own } = this.#take();
      if (half.received.missing(start, end).length !== 0) this.#neverRecovered = true;
      half.lose(start, end, origin, own, true);
    }
  }

  #take(): TruncatedRange {
    const range = this.#ranges.shift()!;
    range.half.cost -= PIECE_COST;
    return range;
  }
}

/** Shared and never changed: most captures have whole packets. */
const NONE: TruncatedRange[] = [];

/**
 * Limit in bytes: what waits in one direction for whole copies of packets that the snap length cut: a quarter of `outOfOrder`, so a
 * capture without copies never reaches that limit.
 */
const TRUNCATION_BUDGET = 256 * 1024;
