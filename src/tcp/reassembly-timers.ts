// Bounds the buffering of segments: the grace periods after an acknowledgment or a reset, and the limits on memory.

import { notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import type { Conversation, TcpOutput } from './conversation.js';
import type { HalfConnection } from './half-connection.js';
import type { TcpLimits } from './limits.js';
import type { RingPool } from './overlap-history.js';

type CloseConversation = (conversation: Conversation, out: TcpOutput[]) => void;

export class ReassemblyTimers {
  readonly #limits: TcpLimits;
  readonly #pool: RingPool;
  readonly #close: CloseConversation;
  /** Conversations with buffered segments, the longest waiting first, and the cost of all of them. */
  readonly #waiting = new Set<Conversation>();
  #cost = 0;
  /** Conversations in a grace period, the first to end first: those with unseen acknowledged bytes, those that were only reset. */
  readonly #unseen = new Set<Conversation>();
  readonly #resets = new Set<Conversation>();

  constructor(limits: TcpLimits, pool: RingPool, close: CloseConversation) {
    this.#limits = limits;
    this.#pool = pool;
    this.#close = close;
  }

  get hasTimers(): boolean {
    return this.#unseen.size !== 0 || this.#resets.size !== 0;
  }

  /** ns: time of the oldest buffered segment. */
  heldSince(): bigint | undefined {
    let oldest: bigint | undefined;
    for (const { client, server, truncated } of this.#waiting) {
      for (const time of [client.oldest, server.oldest, truncated.oldest]) {
        if (time !== undefined && (oldest === undefined || time < oldest)) oldest = time;
      }
    }
    return oldest;
  }

  /**
   * Called after each flush: enforces the limits, closes a conversation whose directions have ended, starts or stops its grace period.
   * @param order number of the latest segment, `origin` its frame.
   */
  update(conversation: Conversation, origin: Origin, order: number, out: TcpOutput[]): void {
    const { client, server } = conversation;
    conversation.truncated.dropReceived();
    if (client.cost !== 0 || server.cost !== 0 || conversation.counted !== 0) {
      const { outOfOrder, outOfOrderTotal, waiting } = this.#limits;
      this.#enforceLimit(conversation, client, outOfOrder, origin, order, out);
      this.#enforceLimit(conversation, server, outOfOrder, origin, order, out);
      this.#count(conversation);
      if (this.#cost > outOfOrderTotal || this.#waiting.size > waiting) this.#enforceTotals(origin, order, out);
      if (conversation.closed) return;
    }
    if (conversation.finished) {
      this.#close(conversation, out);
    } else if (conversation.hasUnseenAcked) {
      if (conversation.deadline === null) {
        const { unseenAck } = conversation;
        unseenAck.origin = origin;
        unseenAck.order = order;
        unseenAck.client = client.hasUnseenAcked ? client.ackedTo : 0;
        unseenAck.server = server.hasUnseenAcked ? server.ackedTo : 0;
        this.#start(this.#unseen, GRACE_NS, conversation, origin.time, order);
      }
    } else if (conversation.deadline !== null && conversation.reset === null) {
      conversation.deadline = null;
      conversation.unseenAck.origin = null;
      this.#unseen.delete(conversation);
    }
  }

  /** Called when a conversation was reset; unseen acknowledged bytes prolong its grace period. @param time capture time, ns. */
  reset(conversation: Conversation, time: bigint, order: number): void {
    if (conversation.hasUnseenAcked) this.#start(this.#unseen, GRACE_NS, conversation, time, order);
    else this.#start(this.#resets, RESET_NS, conversation, time, order);
  }

  #start(timers: Set<Conversation>, ns: bigint, conversation: Conversation, time: bigint, order: number): void {
    conversation.deadline = time + ns;
    conversation.deadlineOrder = order + GRACE_SEGMENTS;
    this.#stop(conversation);
    timers.add(conversation);
  }

  #stop(conversation: Conversation): void {
    this.#unseen.delete(conversation);
    this.#resets.delete(conversation);
  }

  /** Ends the grace periods that are over: unseen bytes are lost, reset connections are closed. */
  expire(origin: Origin, order: number, out: TcpOutput[]): void {
    if (this.#resets.size !== 0) this.#expireAll(this.#resets, origin, order, out);
    if (this.#unseen.size !== 0) this.#expireAll(this.#unseen, origin, order, out);
  }

  #expireAll(timers: Set<Conversation>, origin: Origin, order: number, out: TcpOutput[]): void {
    // A timer that is started again in this loop is added at the end of the set with a later deadline, where the loop stops.
    for (const conversation of timers) {
      if (conversation.deadline! > origin.time && conversation.deadlineOrder > order) return;
      timers.delete(conversation);
      conversation.deadline = null;
      const { client, server, unseenAck, reset } = conversation;
      if (reset !== null) {
        this.#close(conversation, out);
        continue;
      }
      conversation.truncated.lose(unseenAck.order);
      client.loseAcknowledged(client.acceptedAckUpTo(unseenAck.client), unseenAck.origin ?? origin, unseenAck.order);
      server.loseAcknowledged(server.acceptedAckUpTo(unseenAck.server), unseenAck.origin ?? origin, unseenAck.order);
      unseenAck.origin = null;
      conversation.flush(out, this.#pool);
      this.update(conversation, origin, order, out);
    }
  }

  /** Removes a closed conversation. */
  remove(conversation: Conversation): void {
    this.#stop(conversation);
    this.#count(conversation);
  }

  // Gives up holes, the first one first, until the buffered segments of `half` cost at most `target`.
  #enforceLimit(
    conversation: Conversation,
    half: HalfConnection,
    target: number,
    origin: Origin,
    order: number,
    out: TcpOutput[],
  ): void {
    if (half.cost <= target) return;
    conversation.truncated.lose(order);
    // Acknowledged bytes are given up first, before the end of their grace period; the hole may also be the peer's.
    const { cost } = half;
    conversation.loseAcknowledged(half, origin, order);
    conversation.loseAcknowledged(conversation.other(half), origin, order);
    conversation.flush(out, this.#pool);
    if (half.cost > target && !conversation.hasLimitNotice) {
      conversation.hasLimitNotice = true;
      const detail = `a hole was given up while ${cost} bytes from the ${half.side} waited behind it`;
      out.push(notice('limit.out-of-order', detail, { origin, connection: conversation.connection.name }));
    }
    while (half.cost > target) {
      const before = half.cost;
      half.lose(half.received.next, half.received.afterHole, origin, order);
      conversation.flush(out, this.#pool);
      if (half.cost >= before) return;
    }
  }

  #enforceTotals(origin: Origin, order: number, out: TcpOutput[]): void {
    for (const conversation of this.#waiting) {
      if (this.#cost <= this.#limits.outOfOrderTotal && this.#waiting.size <= this.#limits.waiting) return;
      this.#enforceLimit(conversation, conversation.client, 0, origin, order, out);
      this.#enforceLimit(conversation, conversation.server, 0, origin, order, out);
      this.#count(conversation);
      if (conversation.finished) this.#close(conversation, out);
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
 * Limit in ns: capture time in which bytes may arrive after their acknowledgment. Acknowledged bytes are not sent again, so waiting
 * costs only memory, which has limits of its own. The queues of a network card and `-i any` reorder packets by milliseconds; a capture
 * of two interfaces, one for each direction, by the time for which each gathers packets (dumpcap: 250 ms). Less than the second that
 * messages wait for older ones, and for their copies behind a proxy.
 */
const GRACE_NS = 900_000_000n;

/**
 * Limit in ns: the same after a RST without unseen bytes, as nothing is in doubt: below the least retransmission time-out (Linux: 200
 * ms).
 */
const RESET_NS = 100_000_000n;

/** Limit: the same in segments of all connections, for captures whose clock stops or jumps back. */
const GRACE_SEGMENTS = 10_000;
