// Which conversation a segment belongs to. Knows flows, how long ago one was heard of and how many there may be; not
// what is said in them.
//
// Open ones wait in a queue, longest idle first. A segment does not move its conversation to the end, it only leaves
// its number there: whoever reaches the front and was heard of since is put back (second chance), so the cost is
// constant per segment and the one that is evicted is the one idle for longest.
//
// Closed ones are remembered for a while, as in TIME-WAIT: late acknowledgments and repeated FINs must not look like
// new connections. Those that were given up only because nothing was heard of them are forgotten at once: should they
// speak again after all, they are read like connections older than the capture.

import type { Flow } from '../packet/segment.js';
import type { Conversation } from './conversation.js';
import type { Half } from './half.js';

/** A direction and what it belongs to. */
export interface Lane {
  readonly conversation: Conversation;
  readonly half: Half;
  readonly peer: Half;
}

/** As the table knows it, and as it is noted at a flow. */
interface Known extends Lane {
  readonly key: string;
  /** null: nothing is known of it any more. */
  table: ConversationTable | null;
  /** The flow that has a note of it. */
  flow: Flow | null;
}

export class ConversationTable {
  readonly #lanes = new Map<string, Known>();
  readonly #open = new Set<Conversation>();
  readonly #closed = new Set<Conversation>();
  readonly #closedLimit: number;

  constructor(closedLimit: number) {
    this.#closedLimit = closedLimit;
  }

  find(flow: Flow): Lane | undefined {
    const noted = flow.note as Known | undefined;
    // Flows can be copied, and others read their segments too.
    if (noted !== undefined && noted.table === this && noted.key === flow.key) return noted;
    const lane = this.#lanes.get(flow.key);
    if (lane !== undefined) {
      flow.note = lane;
      lane.flow = flow;
    }
    return lane;
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** Those not closed, in the order of the idle queue. */
  open(): Iterable<Conversation> {
    return this.#open;
  }

  /**
   * Puts a new one in place of what the table knew under its addresses.
   * @param fromClient which of its two lanes comes back.
   */
  add(conversation: Conversation, fromClient: boolean): Lane {
    const { client, server, key, reverseKey } = conversation;
    const before = this.#lanes.get(key);
    if (before !== undefined) {
      this.#closed.delete(before.conversation);
      this.#forgetLanes(before.conversation);
    }
    const forth: Known = { conversation, half: client, peer: server, key, table: this, flow: null };
    const back: Known = { conversation, half: server, peer: client, key: reverseKey, table: this, flow: null };
    this.#lanes.set(reverseKey, back);
    // Of a socket that is connected to itself both keys are the same: then everything comes from its client.
    this.#lanes.set(key, forth);
    conversation.queuedOrder = conversation.lastOrder;
    this.#open.add(conversation);
    return fromClient || key === reverseKey ? forth : back;
  }

  /** It was closed: remembered until too many others were. */
  close(conversation: Conversation): void {
    this.#open.delete(conversation);
    this.#closed.add(conversation);
    if (this.#closed.size <= this.#closedLimit) return;
    for (const oldest of this.#closed) {
      this.#closed.delete(oldest);
      this.#forgetLanes(oldest);
      return;
    }
  }

  /** It was given up: nothing is remembered. */
  forget(conversation: Conversation): void {
    this.#open.delete(conversation);
    this.#forgetLanes(conversation);
  }

  /** The open one that was not heard of for longest; undefined if none is open. */
  longestIdle(): Conversation | undefined {
    for (const conversation of this.#open) {
      if (conversation.queuedOrder === conversation.lastOrder) return conversation;
      // Put back at the end: a Set visits what is added while it is walked, so the walk ends at the latest there.
      this.#open.delete(conversation);
      conversation.queuedOrder = conversation.lastOrder;
      this.#open.add(conversation);
    }
    return undefined;
  }

  #forgetLanes({ key, reverseKey }: Conversation): void {
    this.#forgetLane(key);
    this.#forgetLane(reverseKey);
  }

  #forgetLane(key: string): void {
    const lane = this.#lanes.get(key);
    if (lane === undefined) return;
    this.#lanes.delete(key);
    lane.table = null;
    // A flow is remembered for long: it must not hold what is forgotten.
    if (lane.flow?.note === lane) lane.flow.note = undefined;
    lane.flow = null;
  }
}
