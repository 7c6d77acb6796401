// How long bytes wait for others: the grace after an acknowledgment or a reset, and the limits on what waits. Knows
// time, counts and which conversations are affected; not why.

import { notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import type { Conversation, TcpOutput } from './conversation.js';
import type { HalfConnection } from './half-connection.js';
import type { TcpLimits } from './limits.js';
import type { RingPool } from './overlap-history.js';

/** Ends a conversation whose time is over. */
export type End = (conversation: Conversation, out: TcpOutput[]) => void;

export class ReassemblyTimers {
  readonly #limits: TcpLimits;
  readonly #pool: RingPool;
  readonly #end: End;
  /** Conversations in which something waits, the longest waiting first, and what all of it costs. */
  readonly #waiting = new Set<Conversation>();
  #cost = 0;
  /** Conversations with a grace that runs, the first to end first: those with bytes in doubt, those that were only reset. */
  readonly #doubts = new Set<Conversation>();
  readonly #resets = new Set<Conversation>();

  constructor(limits: TcpLimits, pool: RingPool, end: End) {
    this.#limits = limits;
    this.#pool = pool;
    this.#end = end;
  }

  /** A grace runs somewhere: `endGraces` has something to do. */
  get hasTimers(): boolean {
    return this.#doubts.size !== 0 || this.#resets.size !== 0;
  }

  /** Time in ns of the oldest segment that waits; undefined if none does. */
  heldSince(): bigint | undefined {
    let oldest: bigint | undefined;
    for (const { client, server, cuts } of this.#waiting) {
      for (const time of [client.oldest, server.oldest, cuts.oldest]) {
        if (time !== undefined && (oldest === undefined || time < oldest)) oldest = time;
      }
    }
    return oldest;
  }

  /**
   * A conversation was settled: keeps the limits, ends it if both directions have ended, starts or stops its grace.
   * @param order number of the segment that was read last, `origin` its frame.
   */
  follow(conversation: Conversation, origin: Origin, order: number, out: TcpOutput[]): void {
    const { client, server } = conversation;
    conversation.cuts.forget();
    if (client.cost !== 0 || server.cost !== 0 || conversation.counted !== 0) {
      const { outOfOrder, outOfOrderTotal, waiting } = this.#limits;
      this.#enforceLimit(conversation, client, outOfOrder, origin, order, out);
      this.#enforceLimit(conversation, server, outOfOrder, origin, order, out);
      this.#count(conversation);
      if (this.#cost > outOfOrderTotal || this.#waiting.size > waiting) this.#relieveOldest(origin, order, out);
      if (conversation.closed) return;
    }
    if (conversation.finished) {
      this.#end(conversation, out);
    } else if (conversation.hasUnseenAcked) {
      if (conversation.deadline === null) {
        conversation.doubt.origin = origin;
        conversation.doubt.order = order;
        conversation.doubt.client = client.hasUnseenAcked ? client.ackedTo : 0;
        conversation.doubt.server = server.hasUnseenAcked ? server.ackedTo : 0;
        this.#start(this.#doubts, GRACE_NS, conversation, origin.time, order);
      }
    } else if (conversation.deadline !== null && conversation.reset === null) {
      conversation.deadline = null;
      conversation.doubt.origin = null;
      this.#doubts.delete(conversation);
    }
  }

  /**
   * A conversation was reset. Where bytes of it are in doubt, they are waited for.
   * @param time capture time in ns, now.
   */
  reset(conversation: Conversation, time: bigint, order: number): void {
    if (conversation.hasUnseenAcked) this.#start(this.#doubts, GRACE_NS, conversation, time, order);
    else this.#start(this.#resets, RESET_NS, conversation, time, order);
  }

  #start(hasTimers: Set<Conversation>, ns: bigint, conversation: Conversation, time: bigint, order: number): void {
    conversation.deadline = time + ns;
    conversation.deadlineOrder = order + GRACE_SEGMENTS;
    this.#stop(conversation);
    hasTimers.add(conversation);
  }

  #stop(conversation: Conversation): void {
    this.#doubts.delete(conversation);
    this.#resets.delete(conversation);
  }

  /** Acts on every grace that is over: the losses in doubt are losses, the reset connections are closed. */
  endGraces(origin: Origin, order: number, out: TcpOutput[]): void {
    if (this.#resets.size !== 0) this.#endThose(this.#resets, origin, order, out);
    if (this.#doubts.size !== 0) this.#endThose(this.#doubts, origin, order, out);
  }

  #endThose(hasTimers: Set<Conversation>, origin: Origin, order: number, out: TcpOutput[]): void {
    // What begins again in here goes to the end of the set with a later deadline, where the walk stops.
    for (const conversation of hasTimers) {
      if (conversation.deadline! > origin.time && conversation.deadlineOrder > order) return;
      hasTimers.delete(conversation);
      conversation.deadline = null;
      const { client, server, doubt, reset } = conversation;
      if (reset !== null) {
        this.#end(conversation, out);
        continue;
      }
      conversation.cuts.lose(doubt.order);
      client.loseAcknowledged(client.acceptedAckUpTo(doubt.client), doubt.origin ?? origin, doubt.order);
      server.loseAcknowledged(server.acceptedAckUpTo(doubt.server), doubt.origin ?? origin, doubt.order);
      doubt.origin = null;
      conversation.settle(out, this.#pool);
      this.follow(conversation, origin, order, out);
    }
  }

  /** A conversation was closed: nothing of it waits any more. */
  forget(conversation: Conversation): void {
    this.#stop(conversation);
    this.#count(conversation);
  }

  // Gives up holes, the first one first, until what waits in `half` costs no more than `target`.
  #enforceLimit(
    conversation: Conversation,
    half: HalfConnection,
    target: number,
    origin: Origin,
    order: number,
    out: TcpOutput[],
  ): void {
    if (half.cost <= target) return;
    conversation.cuts.lose(order);
    // What was acknowledged is lost, whether or not it was waited for to the end. It may be its peer's hole that it waits for.
    const { cost } = half;
    conversation.loseAcknowledged(half, origin, order);
    conversation.loseAcknowledged(conversation.other(half), origin, order);
    conversation.settle(out, this.#pool);
    if (half.cost > target && !conversation.limitSaid) {
      conversation.limitSaid = true;
      const detail = `a hole was given up while ${cost} bytes from the ${half.side} waited behind it`;
      out.push(notice('limit.out-of-order', detail, { origin, connection: conversation.connection.name }));
    }
    while (half.cost > target) {
      const before = half.cost;
      half.lose(half.received.next, half.received.afterHole, origin, order);
      conversation.settle(out, this.#pool);
      if (half.cost >= before) return;
    }
  }

  #relieveOldest(origin: Origin, order: number, out: TcpOutput[]): void {
    for (const conversation of this.#waiting) {
      if (this.#cost <= this.#limits.outOfOrderTotal && this.#waiting.size <= this.#limits.waiting) return;
      this.#enforceLimit(conversation, conversation.client, 0, origin, order, out);
      this.#enforceLimit(conversation, conversation.server, 0, origin, order, out);
      this.#count(conversation);
      if (conversation.finished) this.#end(conversation, out);
    }
  }

  #count(conversation: Conversation): void {
    const cost = conversation.client.cost + conversation.server.cost;
    this.#cost += cost - conversation.counted;
    conversation.counted = cost;
    if (cost !== 0) this.#waiting.add(conversation);
    else this.#waiting.delete(conversation);
  }
}

/**
 * Capture time that bytes get to turn up after their acknowledgment was seen. What was acknowledged is not sent again, so
 * nothing is lost by waiting but memory, which has limits of its own. Queues of a network card and `-i any` reorder by
 * milliseconds; a capture of two interfaces, one for each direction, by the time that packets of each are gathered
 * (dumpcap: 250 ms). Less than the second that messages wait for older ones, and for their copies behind a proxy.
 */
const GRACE_NS = 900_000_000n;

/**
 * The same for segments after a RST, where nothing is in doubt: below the smallest retransmission time-out (Linux: 200 ms),
 * so that nothing else can have happened meanwhile.
 */
const RESET_NS = 100_000_000n;

/** The same in segments of all connections, for captures whose clock stands still or jumps back. */
const GRACE_SEGMENTS = 10_000;
