// Reassembles segments to the bytes of connections (RFC 9293), in order, each with the frame that carried it. A segment that is next in
// order on a connection without buffered segments takes a fast path in `feed`, without a copy; all others take `#process`.

import { type Notice, notice } from '../core/notice.js';
import { isInOrder, type Origin } from '../core/origin.js';
import { NOTHING, type Stage } from '../core/stage.js';
import { ACK, FIN, RST, type Segment, SYN } from '../packet/segment.js';
import type { Unreachable } from '../packet/unreachable.js';
import {
  acknowledgesOutOfWindow,
  type IsPlausible,
  isAcceptableReset,
  isChallengeAck,
  isFar,
  leftOver,
  outOfWindowSegment,
  withoutImplausibleAck,
} from './acceptability.js';
import { isNewConnection, isServer, SERVER_PORTS } from './connection-start.js';
import { Conversation, type TcpOutput } from './conversation.js';
import type { HalfConnection } from './half-connection.js';
import { IDLE_NS, TCP_LIMITS, type TcpLimits } from './limits.js';
import { RingPool } from './overlap-history.js';
import { ReassemblyTimers } from './reassembly-timers.js';
import type { Connection, StreamEvent } from './stream-event.js';
import { ConversationTable, type Direction, IdleClock } from './table.js';
import { UnclaimedPayload, type UnclaimedReason } from './unclaimed-payload.js';

export interface TcpOptions {
  /** Further ports of servers, for connections whose SYN was not captured. */
  readonly serverPorts?: Iterable<number>;
  /** Limits that replace `TCP_LIMITS`. */
  readonly limits?: Partial<TcpLimits>;
  /** Whether the checksum of the current segment is correct; absent: unknown. */
  readonly isPlausible?: IsPlausible;
}

export interface TcpReassembler extends Stage<Segment, StreamEvent | Notice> {
  /** Takes an ICMP message. @returns tcp.unreachable, once, if the server of the message's connection has sent nothing. */
  unreachable(message: Unreachable): Notice | null;
  /** ns: time of the oldest segment that waits behind a hole in any connection. */
  heldSince(): bigint | undefined;
}

/**
 * In: segments in the order of capture. Out: for each connection `established`, then `data` and `gap` of both directions, `closed`
 * of a direction at its FIN, and last `closed` with `from` null. `data` of in-order segments is borrowed from the segment. As in
 * tshark, a SYN with another sequence number begins another connection.
 *
 * Notices: tcp.late-start, tcp.unanswered, tcp.unreachable, tcp.gap, tcp.overlap-differs, tcp.out-of-window, limit.out-of-order,
 * limit.connections. Of overlapping bytes the first ones win; differences are detected in buffered bytes and in the last
 * `RECENT_BYTES` emitted ones.
 */
export function tcpReassembler(options: TcpOptions = {}): TcpReassembler {
  return new Reassembler(options);
}

class Reassembler implements TcpReassembler {
  readonly #limits: TcpLimits;
  readonly #isPlausible: IsPlausible;
  readonly #ports: ReadonlySet<number>;
  readonly #table: ConversationTable;
  readonly #pool = new RingPool();
  readonly #timers: ReassemblyTimers;
  readonly #unclaimed = new UnclaimedPayload();
  readonly #idleClock = new IdleClock();
  /** Number of the current segment: a clock for timers, and the order of buffered segments of both directions. */
  #order = 0;
  #lastId = 0;
  /** Frame of the current segment. */
  #last: Origin | null = null;
  #hasEvictionNotice = false;

  constructor(options: TcpOptions) {
    this.#limits = { ...TCP_LIMITS, ...options.limits };
    this.#isPlausible = options.isPlausible ?? (() => null);
    this.#ports = new Set([...SERVER_PORTS, ...(options.serverPorts ?? [])]);
    this.#table = new ConversationTable(this.#limits.closed);
    this.#timers = new ReassemblyTimers(this.#limits, this.#pool, (conversation, out) =>
      this.#close(conversation, out),
    );
  }

  feed(segment: Segment): readonly TcpOutput[] {
    this.#order += 1;
    this.#last = segment.origin;
    if (this.#timers.hasTimers || this.#order >= this.#idleClock.from) {
      const out: TcpOutput[] = [];
      this.#timers.expire(segment.origin, this.#order, out);
      if (this.#order >= this.#idleClock.from) this.#endIdle(segment.origin, out);
      if (out.length !== 0) {
        this.#process(segment, this.#table.find(segment.flow), out);
        return out;
      }
    }
    const direction = this.#table.find(segment.flow);
    if (
      direction?.conversation.allowsFastPath === true &&
      (segment.flags & (SYN | FIN | RST)) === 0 &&
      segment.missing === 0
    ) {
      const { conversation, half, peer } = direction;
      if ((segment.flags & ACK) === 0 || peer.ahead(segment.ack) <= 0) {
        conversation.lastOrder = this.#order;
        conversation.last = segment.origin;
        if ((segment.flags & ACK) !== 0) half.latestAck = segment.ack;
        const { payload } = segment;
        if (payload.length === 0) return NOTHING;
        if (half.ahead(segment.seq) === 0 && half.position === 'fixed') {
          const { connection } = conversation;
          this.#advance(half, payload);
          return [{ kind: 'data', connection, from: half.side, origin: segment.origin, bytes: payload }];
        }
      }
    }
    const out: TcpOutput[] = [];
    this.#process(segment, direction, out);
    return out.length === 0 ? NOTHING : out;
  }

  end(): readonly TcpOutput[] {
    const out: TcpOutput[] = [];
    const open = [...this.#table.open()].sort((a, b) => a.connection.id - b.connection.id);
    for (const conversation of open) this.#close(conversation, out);
    out.push(...this.#unclaimed.notices());
    return out;
  }

  unreachable({ flow, origin, why }: Unreachable): Notice | null {
    const conversation = this.#table.find(flow)?.conversation;
    if (conversation === undefined || !conversation.isUnanswered || conversation.unreachable) return null;
    conversation.unreachable = true;
    return notice('tcp.unreachable', why, { origin, connection: conversation.connection.name });
  }

  heldSince(): bigint | undefined {
    return this.#timers.heldSince();
  }

  #advance(half: HalfConnection, bytes: Uint8Array): void {
    const at = half.received.next;
    half.recent.write(at, bytes, this.#pool);
    half.received.take(at + bytes.length);
  }

  #process(captured: Segment, known: Direction | undefined, out: TcpOutput[]): void {
    let direction = known;
    let segment = captured;
    if (direction === undefined || isNewConnection(segment, direction)) {
      if (direction !== undefined && !direction.conversation.closed) {
        // The end of the old connection was not captured, but a host that opens a new one has dropped it.
        const { conversation } = direction;
        if (conversation.reset === null && !conversation.isUnanswered) {
          conversation.resetBy = 'client';
          conversation.reset = segment.origin;
        }
        this.#close(conversation, out);
      }
      direction = this.#open(segment, direction, out);
    }
    if (acknowledgesOutOfWindow(segment, direction.half, direction.conversation.outOfWindow))
      direction = this.#openFromOutOfWindow(segment, direction, out);
    const { conversation, half, peer } = direction;
    conversation.hear(half.side);
    if ((segment.flags & ACK) !== 0) half.latestAck = segment.ack;
    // `isPlausible` is about the current segment, not about an out-of-window segment that is processed again.
    if (segment.origin === this.#last) segment = withoutImplausibleAck(segment, direction, this.#isPlausible);
    conversation.lastOrder = this.#order;
    conversation.last = segment.origin;
    if (conversation.closed || isFar(segment, half)) {
      const { length, unread } = leftOver(segment, half);
      if (length !== 0) conversation.outOfWindow = outOfWindowSegment(segment, half, unread);
      this.#countUnclaimed(segment, conversation, unread, conversation.closed ? 'ended' : 'far');
      return;
    }
    if ((segment.flags & RST) === 0) {
      if ((segment.flags & ACK) !== 0 && !isChallengeAck(segment, half, peer)) peer.acknowledge(segment.ack);
      this.#receive(segment, direction, out);
    } else if (conversation.reset === null && isAcceptableReset(segment, half, peer)) {
      conversation.reset = segment.origin;
      conversation.resetBy = half.side;
      this.#timers.reset(conversation, segment.origin.time, this.#order);
    }
    // Data in a RST may explain the reset and is not stream data (RFC 9293, section 3.5.3).
    if ((segment.flags & RST) !== 0) this.#countUnclaimed(segment, conversation, segment.payload.length, 'reset');
    conversation.flush(out, this.#pool);
    this.#timers.update(conversation, segment.origin, this.#order, out);
  }

  /** Takes payload, missing payload and FIN. */
  #receive(segment: Segment, { conversation, half, peer }: Direction, out: TcpOutput[]): void {
    const { flags, origin, payload, missing } = segment;
    const syn = (flags & SYN) !== 0;
    const seq = syn ? (segment.seq + 1) >>> 0 : segment.seq;
    const length = payload.length + missing;
    if (syn && (flags & ACK) === 0) conversation.countSyn(origin);
    half.locate(seq, length, syn, (flags & FIN) !== 0);
    if (syn && half.initial < 0) half.initial = segment.seq;
    else if (syn && half.initial !== segment.seq) half.otherInitial = segment.seq;
    // The sender had received these bytes of its peer: they are emitted first, even if their packets were captured later.
    const ackOffset = (flags & ACK) === 0 ? 0 : peer.offsetOfAck(segment.ack);
    const next = half.received.next;
    const start = next + half.ahead(seq);
    const end = start + length;
    // A keep-alive repeats the last byte, or has a garbage byte in its place (RFC 9293, section 3.8.4).
    const keepAlive = length === 1 && start === next - 1;
    if (length !== 0 && !keepAlive) {
      const limit = half.fin < 0 ? end : Math.min(end, half.fin);
      const bytes = start + payload.length <= limit ? payload : payload.subarray(0, Math.max(0, limit - start));
      if (bytes.length < payload.length)
        this.#countUnclaimed(segment, conversation, payload.length - bytes.length, 'ended');
      if (half.differs(start, bytes)) {
        half.differing += 1;
        half.differingOrigin ??= origin;
      }
      const bytesEnd = start + bytes.length;
      if (start < next)
        this.#countUnclaimed(segment, conversation, half.unread(start, bytesEnd), start < 0 ? 'before' : 'lost');
      if (bytesEnd > next) {
        if (start <= next && !half.hasBuffered && peer.hasEmitted(ackOffset)) {
          const fresh = start === next ? bytes : bytes.subarray(next - start);
          this.#advance(half, fresh);
          out.push({ kind: 'data', connection: conversation.connection, from: half.side, origin, bytes: fresh });
        } else {
          half.buffer(start, bytes, origin, this.#order, ackOffset);
        }
      }
      if (missing !== 0) conversation.truncated.add(half, bytesEnd, limit, origin, this.#order);
    }
    // Of two FINs the one with the lower sequence number is valid, unless bytes after it have arrived.
    if ((flags & FIN) !== 0 && (half.fin < 0 || end < half.fin) && end >= half.received.end) {
      half.fin = end;
      half.finOrigin = origin;
      half.finOrder = this.#order;
      half.finAckOffset = ackOffset;
      half.ackedTo = Math.min(half.ackedTo, end);
    }
  }

  #open(segment: Segment, known: Direction | undefined, out: TcpOutput[]): Direction {
    const { flow, flags, origin } = segment;
    const syn = (flags & SYN) !== 0;
    const fromClient = syn ? (flags & ACK) === 0 : !isServer(flow.source, flow.destination, this.#ports);
    const client = fromClient ? flow.source : flow.destination;
    const server = fromClient ? flow.destination : flow.source;
    const name = fromClient ? flow.key : flow.reverseKey;
    this.#lastId += 1;
    const captured = { isBothWays: false };
    const roles = syn ? 'handshake' : 'port';
    const connection: Connection = { id: this.#lastId, client, server, name, roles, captured };
    const conversation = new Conversation(connection, name, fromClient ? flow.reverseKey : flow.key, origin);
    conversation.captured = captured;
    conversation.lastOrder = this.#order;
    out.push({ kind: 'established', connection, origin });
    if (!syn && (flags & RST) === 0) {
      out.push(notice('tcp.late-start', 'no SYN of this connection was captured', { origin, connection: name }));
    }
    const direction = this.#table.add(conversation, flow, known);
    if (this.#table.openCount > this.#limits.connections) this.#evict(origin, out);
    return direction;
  }

  #close(conversation: Conversation, out: TcpOutput[]): void {
    const { reset, resetBy, finished } = conversation;
    const broken = resetBy === 'server' ? 'reset' : 'aborted';
    const reason = reset !== null ? broken : finished ? 'fin' : (conversation.failure ?? 'end');
    conversation.close(reason, reset ?? this.#last!, this.#order, out, this.#pool);
    this.#timers.remove(conversation);
    this.#table.close(conversation);
  }

  #closeIdle(conversation: Conversation, now: Origin, out: TcpOutput[]): void {
    conversation.close(conversation.failure ?? 'idle', now, this.#order, out, this.#pool);
    this.#timers.remove(conversation);
    this.#table.remove(conversation);
  }

  #endIdle(now: Origin, out: TcpOutput[]): void {
    const time = this.#idleClock.read(this.#order, now.time);
    if (time === null) return;
    this.#table.removeClosed(time - IDLE_NS);
    for (;;) {
      const idle = this.#table.longestIdle();
      if (idle === undefined || time - idle.last.time < IDLE_NS) return;
      this.#closeIdle(idle, now, out);
    }
  }

  #evict(origin: Origin, out: TcpOutput[]): void {
    const idle = this.#table.longestIdle();
    if (idle === undefined) return;
    this.#closeIdle(idle, origin, out);
    if (this.#hasEvictionNotice) return;
    this.#hasEvictionNotice = true;
    const detail = `more than ${this.#limits.connections} connections were open at once`;
    out.push(notice('limit.connections', detail, { origin }));
  }

  /**
   * Opens another connection, mid-stream: its addresses and ports are those of `known`, its handshake was not captured, and `segment`
   * acknowledges its first captured segment, which was out of the window of the old connection.
   */
  #openFromOutOfWindow(segment: Segment, known: Direction, out: TcpOutput[]): Direction {
    const { conversation } = known;
    const first = conversation.outOfWindow!;
    if (!conversation.closed) this.#close(conversation, out);
    const isKept = first.segment.payload.length !== 0 && isInOrder(first.segment.origin, segment.origin);
    const direction = this.#open(isKept ? first.segment : segment, known, out);
    if (!isKept) return direction;
    this.#unclaimed.retract(conversation.connection.name, first.counted);
    this.#process(first.segment, direction, out);
    return this.#table.find(segment.flow)!;
  }

  #countUnclaimed({ origin }: Segment, { connection }: Conversation, bytes: number, reason: UnclaimedReason): void {
    this.#unclaimed.add(connection.name, origin, bytes, reason);
  }
}
