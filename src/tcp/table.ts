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

import { LinkedQueue } from '../core/collections/linked-queue.js';
import type { Flow } from '../packet/segment.js';
import type { Conversation } from './conversation.js';
import type { HalfConnection } from './half-connection.js';

/** A direction and what it belongs to. */
export interface Direction {
  readonly conversation: Conversation;
  readonly half: HalfConnection;
  readonly peer: HalfConnection;
}

/** As the table knows it, and as it is noted at a flow. */
interface KnownConnection extends Direction {
  readonly key: string;
  /** Of the other direction. */
  back: KnownConnection | null;
  /** null: nothing is known of it any more. */
  table: ConversationTable | null;
  /** The flow that has a note of it. */
  flow: Flow | null;
}

export class ConversationTable {
  readonly #lanes = new Map<string, KnownConnection>();
  readonly #open = new LinkedQueue<Conversation>();
  readonly #closed = new LinkedQueue<Conversation>();
  readonly #closedLimit: number;

  constructor(closedLimit: number) {
    this.#closedLimit = closedLimit;
  }

  find(flow: Flow): Direction | undefined {
    const noted = flow.note as KnownConnection | undefined;
    // Flows can be copied, and others read their segments too.
    if (noted !== undefined && noted.table === this && noted.key === flow.key) return noted;
    return this.#look(flow);
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
   * @param flow of its first segment: the direction that comes back.
   * @param known what `find` said of the flow.
   */
  add(conversation: Conversation, flow: Flow, known: Direction | undefined): Direction {
    const { client, server, key, reverseKey } = conversation;
    if (known !== undefined) this.forget(known.conversation);
    const forth: KnownConnection = {
      conversation,
      half: client,
      peer: server,
      key,
      back: null,
      table: this,
      flow: null,
    };
    const back: KnownConnection = {
      conversation,
      half: server,
      peer: client,
      key: reverseKey,
      back: forth,
      table: this,
      flow: null,
    };
    forth.back = back;
    conversation.lanes = forth;
    this.#lanes.set(reverseKey, back);
    // Of a socket that is connected to itself both keys are the same: then everything comes from its client.
    this.#lanes.set(key, forth);
    conversation.queuedOrder = conversation.lastOrder;
    this.#open.add(conversation);
    return note(flow, flow.key === key ? forth : back);
  }

  /** It was closed: remembered until too many others were. */
  close(conversation: Conversation): void {
    this.#closed.add(conversation);
    const { first } = this.#closed;
    if (this.#closed.size <= this.#closedLimit || first === null) return;
    this.forget(first);
  }

  /** Those that were closed and not heard of since `time` (ns); not those that were closed after one that was. */
  forgetClosed(time: bigint): void {
    for (let { first } = this.#closed; first !== null && first.last.time < time; { first } = this.#closed)
      this.forget(first);
  }

  /** Nothing is remembered of it, whether it was open or closed. */
  forget(conversation: Conversation): void {
    conversation.queue?.delete(conversation);
    this.#forgetLanes(conversation);
  }

  /** The open one that was not heard of for longest; undefined if none is open. */
  longestIdle(): Conversation | undefined {
    for (;;) {
      const { first } = this.#open;
      if (first === null) return undefined;
      if (first.queuedOrder === first.lastOrder) return first;
      first.queuedOrder = first.lastOrder;
      this.#open.add(first);
    }
  }

  /** What is known of a flow without a note. */
  #look(flow: Flow): Direction | undefined {
    const other = flow.reverse?.note as KnownConnection | undefined;
    if (other !== undefined && other.table === this && other.back?.key === flow.key && other.back.table === this)
      return note(flow, other.back);
    const lane = this.#lanes.get(flow.key);
    return lane === undefined ? undefined : note(flow, lane);
  }

  #forgetLanes(conversation: Conversation): void {
    const forth = conversation.lanes as KnownConnection | null;
    if (forth === null) return;
    conversation.lanes = null;
    this.#forgetLane(forth);
    if (forth.back !== null) this.#forgetLane(forth.back);
  }

  #forgetLane(lane: KnownConnection): void {
    this.#lanes.delete(lane.key);
    lane.table = null;
    // A flow is remembered for long: it must not hold what is forgotten.
    if (lane.flow?.note === lane) lane.flow.note = undefined;
    lane.flow = null;
  }
}

function note(flow: Flow, lane: KnownConnection): Direction {
  flow.note = lane;
  lane.flow = flow;
  return lane;
}
