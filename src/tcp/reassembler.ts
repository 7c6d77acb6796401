// Segments become the bytes of connections, in order, each with the frame that carried it. Knows TCP as far as a
// listener must: RFC 9293 for sequence numbers and flags, tshark for what counts as one connection. Nothing of what the
// bytes mean.
//
// Two ways through: a segment that is next in order on a connection where nothing waits takes the short one (in `feed`),
// without a copy; everything else the long one (`#anything`), then `settle`.

import { type Notice, notice } from '../core/notice.js';
import { isInOrder, type Origin } from '../core/origin.js';
import { NOTHING, type Stage } from '../core/stage.js';
import { ACK, FIN, RST, type Segment, SYN } from '../packet/segment.js';
import type { Unreachable } from '../packet/unreachable.js';
import { type IsPlausible, isAcceptableReset, isChallengeAck, withoutImplausibleAck } from './acceptability.js';
import { isNewConnection, isServer, SERVER_PORTS } from './connection-start.js';
import { Conversation, type TcpOutput } from './conversation.js';
import type { HalfConnection } from './half-connection.js';
import { IdleClock } from './idle-clock.js';
import { IDLE_NS, TCP_LIMITS, type TcpLimits } from './limits.js';
import type { TcpOptions } from './options.js';
import { isAnswer, isFar, leftOver, outOfWindowSegment } from './out-of-window.js';
import { RingPool } from './overlap-history.js';
import { ReassemblyTimers } from './reassembly-timers.js';
import type { Connection, StreamEvent } from './stream-event.js';
import { ConversationTable, type Direction } from './table.js';
import { UnclaimedPayload, type Why } from './unclaimed-payload.js';

export type { TcpOptions };

export interface TcpReassembler extends Stage<Segment, StreamEvent | Notice> {
  /** ICMP's word about a packet. @returns tcp.unreachable, where nothing else is known of its connection, once. */
  unreachable(about: Unreachable): Notice | null;
  /** Time in ns of the oldest segment that waits behind a hole in any connection; undefined if none waits. */
  heldSince(): bigint | undefined;
}

/**
 * Puts the segments of all connections together.
 *
 * In: segments in the order of capture. Out: for each connection `established`, then `data` and `gap` of both
 * directions, `closed` of a direction at its FIN, and last, once, `closed` with `from` null. `data` of in-order segments
 * is borrowed from the segment.
 *
 * Notices: tcp.late-start, tcp.unanswered, tcp.unreachable, tcp.gap, tcp.overlap-differs, tcp.out-of-window, limit.out-of-order, limit.connections.
 * Overlaps: the first bytes win. Whether later ones differ is checked against what waits and the last `RECENT_BYTES`
 * that were handed on; older ones are not known any more.
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
  readonly #strays = new UnclaimedPayload();
  readonly #idleClock = new IdleClock();
  #order = 0;
  #ids = 0;
  #last: Origin | null = null;
  #evictionSaid = false;

  constructor(options: TcpOptions) {
    this.#limits = { ...TCP_LIMITS, ...options.limits };
    this.#isPlausible = options.isPlausible ?? (() => null);
    this.#ports = new Set([...SERVER_PORTS, ...(options.serverPorts ?? [])]);
    this.#table = new ConversationTable(this.#limits.closed);
    this.#timers = new ReassemblyTimers(this.#limits, this.#pool, (conversation, out) =>
      this.#close(conversation, 'end', out),
    );
  }

  feed(segment: Segment): readonly TcpOutput[] {
    this.#order += 1;
    this.#last = segment.origin;
    if (this.#timers.hasTimers || this.#order >= this.#idleClock.from) {
      const out: TcpOutput[] = [];
      this.#timers.endGraces(segment.origin, this.#order, out);
      if (this.#order >= this.#idleClock.from) this.#endIdle(segment.origin, out);
      if (out.length !== 0) {
        this.#anything(segment, this.#table.find(segment.flow), out);
        return out;
      }
    }
    const lane = this.#table.find(segment.flow);
    if (lane?.conversation.plain === true && (segment.flags & (SYN | FIN | RST)) === 0 && segment.missing === 0) {
      const { conversation, half, peer } = lane;
      if ((segment.flags & ACK) === 0 || peer.ahead(segment.ack) <= 0) {
        conversation.lastOrder = this.#order;
        conversation.last = segment.origin;
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
    this.#anything(segment, lane, out);
    return out.length === 0 ? NOTHING : out;
  }

  end(): readonly TcpOutput[] {
    const out: TcpOutput[] = [];
    const open = [...this.#table.open()].sort((a, b) => a.connection.id - b.connection.id);
    for (const conversation of open) this.#close(conversation, 'end', out);
    out.push(...this.#strays.notices());
    return out;
  }

  unreachable({ flow, origin, why }: Unreachable): Notice | null {
    const conversation = this.#table.find(flow)?.conversation;
    if (conversation === undefined || !conversation.isUnheard || conversation.unreachable) return null;
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

  #anything(asRead: Segment, known: Direction | undefined, out: TcpOutput[]): void {
    let lane = known;
    let segment = asRead;
    if (lane === undefined || isNewConnection(segment, lane)) {
      if (lane !== undefined && !lane.conversation.closed) {
        // Its end is not in the capture, but a host that begins anew has forgotten it.
        const { conversation } = lane;
        if (conversation.reset === null && !conversation.isUnheard) {
          conversation.resetBy = 'client';
          conversation.reset = segment.origin;
        }
        this.#close(lane.conversation, 'end', out);
      }
      lane = this.#open(segment, lane, out);
    }
    if (isAnswer(segment, lane.half, lane.conversation.outOfWindow)) lane = this.#openLate(segment, lane, out);
    const { conversation, half, peer } = lane;
    if (segment.origin === this.#last) segment = withoutImplausibleAck(segment, lane, this.#isPlausible);
    conversation.lastOrder = this.#order;
    conversation.last = segment.origin;
    if (conversation.closed || isFar(segment, half)) {
      this.#passOver(segment, lane);
      return;
    }
    if ((segment.flags & RST) === 0) {
      if ((segment.flags & ACK) !== 0 && !isChallengeAck(segment, half, peer)) peer.acknowledge(segment.ack);
      this.#take(segment, lane, out);
    } else if (conversation.reset === null && isAcceptableReset(segment, half, peer)) {
      conversation.reset = segment.origin;
      conversation.resetBy = half.side;
      this.#timers.reset(conversation, segment.origin.time, this.#order);
    }
    // Data of a RST is text about it, not stream data (RFC 9293, section 3.5.3).
    if ((segment.flags & RST) !== 0) this.#stray(segment, conversation, segment.payload.length, 'reset');
    conversation.settle(out, this.#pool);
    this.#timers.follow(conversation, segment.origin, this.#order, out);
  }

  // Payload, missing payload, FIN.
  #take(segment: Segment, { conversation, half, peer }: Direction, out: TcpOutput[]): void {
    const { flags, origin, payload, missing } = segment;
    const syn = (flags & SYN) !== 0;
    const seq = syn ? (segment.seq + 1) >>> 0 : segment.seq;
    const length = payload.length + missing;
    if (syn && (flags & ACK) === 0) conversation.isAsked(origin);
    half.place(seq, length, syn, (flags & FIN) !== 0);
    if (syn && half.initial < 0) half.initial = segment.seq;
    else if (syn && half.initial !== segment.seq) half.otherInitial = segment.seq;
    const needs = (flags & ACK) === 0 ? 0 : peer.answered(segment.ack);
    const next = half.received.next;
    const start = next + half.ahead(seq);
    const end = start + length;
    // A keep-alive repeats the last byte, or has a garbage byte in its place (RFC 9293, section 3.8.4).
    const keepAlive = length === 1 && start === next - 1;
    if (length !== 0 && !keepAlive) {
      const limit = half.fin < 0 ? end : Math.min(end, half.fin);
      const bytes = start + payload.length <= limit ? payload : payload.subarray(0, Math.max(0, limit - start));
      if (bytes.length < payload.length) this.#stray(segment, conversation, payload.length - bytes.length, 'ended');
      if (half.differs(start, bytes)) {
        half.differing += 1;
        half.differingOrigin ??= origin;
      }
      const bytesEnd = start + bytes.length;
      if (start < next) {
        this.#stray(segment, conversation, half.unread(start, bytesEnd), start < 0 ? 'before' : 'lost');
      }
      if (bytesEnd > next) {
        if (start <= next && !half.waits && peer.satisfies(needs)) {
          const fresh = start === next ? bytes : bytes.subarray(next - start);
          this.#advance(half, fresh);
          out.push({ kind: 'data', connection: conversation.connection, from: half.side, origin, bytes: fresh });
        } else {
          half.hold(start, bytes, origin, this.#order, needs);
        }
      }
      if (missing !== 0) conversation.cuts.add(half, bytesEnd, limit, origin, this.#order);
    }
    // Of two FINs the nearer one holds, if nothing has come from behind it: the other is a stray.
    if ((flags & FIN) !== 0 && (half.fin < 0 || end < half.fin) && end >= half.received.end) {
      half.fin = end;
      half.finOrigin = origin;
      half.finOrder = this.#order;
      half.finNeeds = needs;
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
    this.#ids += 1;
    const connection: Connection = { id: this.#ids, client, server, name, roles: syn ? 'handshake' : 'port' };
    const conversation = new Conversation(connection, name, fromClient ? flow.reverseKey : flow.key, origin);
    conversation.lastOrder = this.#order;
    out.push({ kind: 'established', connection, origin });
    if (!syn && (flags & RST) === 0) {
      out.push(notice('tcp.late-start', 'no SYN of this connection was captured', { origin, connection: name }));
    }
    const lane = this.#table.add(conversation, flow, known);
    if (this.#table.openCount > this.#limits.connections) this.#evict(origin, out);
    return lane;
  }

  // `otherwise` is the reason where neither a RST nor both FINs are.
  #close(conversation: Conversation, otherwise: 'end', out: TcpOutput[]): void {
    const { reset, resetBy, finished } = conversation;
    const broken = resetBy === 'server' ? 'reset' : 'aborted';
    const reason = reset !== null ? broken : finished ? 'fin' : (conversation.unheard ?? otherwise);
    conversation.close(reason, reset ?? this.#last!, this.#order, out, this.#pool);
    this.#timers.forget(conversation);
    this.#table.close(conversation);
  }

  #giveUp(conversation: Conversation, now: Origin, out: TcpOutput[]): void {
    conversation.close(conversation.unheard ?? 'idle', now, this.#order, out, this.#pool);
    this.#timers.forget(conversation);
    this.#table.forget(conversation);
  }

  #endIdle(now: Origin, out: TcpOutput[]): void {
    const time = this.#idleClock.read(this.#order, now.time);
    if (time === null) return;
    this.#table.forgetClosed(time - IDLE_NS);
    for (;;) {
      const idle = this.#table.longestIdle();
      if (idle === undefined || time - idle.last.time < IDLE_NS) return;
      this.#giveUp(idle, now, out);
    }
  }

  #evict(origin: Origin, out: TcpOutput[]): void {
    const idle = this.#table.longestIdle();
    if (idle === undefined) return;
    this.#giveUp(idle, origin, out);
    if (this.#evictionSaid) return;
    this.#evictionSaid = true;
    const detail = `more than ${this.#limits.connections} connections were open at once`;
    out.push(notice('limit.connections', detail, { origin }));
  }

  /** Payload of a connection that has ended, or stands far from there. */
  #passOver(segment: Segment, { conversation, half }: Direction): void {
    const { length, unread } = leftOver(segment, half);
    if (length !== 0) conversation.outOfWindow = outOfWindowSegment(segment, half, unread);
    this.#stray(segment, conversation, unread, conversation.closed ? 'ended' : 'far');
  }

  /** `segment` answers the stranger of a connection: they are of another one, which begins there for who reads. */
  #openLate(segment: Segment, known: Direction, out: TcpOutput[]): Direction {
    const { conversation } = known;
    const first = conversation.outOfWindow!;
    if (!conversation.closed) this.#close(conversation, 'end', out);
    const isKept = first.segment.payload.length !== 0 && isInOrder(first.segment.origin, segment.origin);
    const lane = this.#open(isKept ? first.segment : segment, known, out);
    if (!isKept) return lane;
    this.#strays.takeBack(conversation.connection.name, first.counted);
    this.#anything(first.segment, lane, out);
    return this.#table.find(segment.flow)!;
  }

  #stray({ origin }: Segment, { connection }: Conversation, bytes: number, why: Why): void {
    this.#strays.add(connection.name, origin, bytes, why);
  }
}
