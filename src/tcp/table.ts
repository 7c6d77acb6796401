// Finds the conversation of a segment, and the longest idle one.
//
// Open conversations are in a queue, longest idle first. A segment does not move its conversation, it only stores its number there:
// a conversation at the front that had segments since it was queued is put at the end (second chance). So a segment costs constant
// time, and the evicted conversation is the one idle for longest.
//
// Closed conversations are kept for a while, as in TIME-WAIT, because late acknowledgments and repeated FINs must not look like new
// connections. Idle ones that were given up are removed at once: if they continue, they are read like connections older than the
// capture.

import { LinkedQueue } from '../core/collections/linked-queue.js';
import type { Flow } from '../packet/segment.js';
import type { Conversation } from './conversation.js';
import type { HalfConnection } from './half-connection.js';
import { CLOCK_SEGMENTS, IDLE_LOOK } from './limits.js';

/** One direction of a conversation. */
export interface Direction {
  readonly conversation: Conversation;
  readonly half: HalfConnection;
  readonly peer: HalfConnection;
}

interface TableEntry extends Direction {
  readonly key: string;
  /** Entry of the other direction. */
  back: TableEntry | null;
  /** null after it was removed. */
  table: ConversationTable | null;
  /** The flow that caches this entry in its note. */
  flow: Flow | null;
}

export class ConversationTable {
  readonly #entries = new Map<string, TableEntry>();
  readonly #open = new LinkedQueue<Conversation>();
  readonly #closed = new LinkedQueue<Conversation>();
  readonly #closedLimit: number;

  constructor(closedLimit: number) {
    this.#closedLimit = closedLimit;
  }

  find(flow: Flow): Direction | undefined {
    const noted = flow.note as TableEntry | undefined;
    // A flow can be copied, and another table may have noted it.
    if (noted !== undefined && noted.table === this && noted.key === flow.key) return noted;
    const reverse = flow.reverse?.note as TableEntry | undefined;
    if (
      reverse !== undefined &&
      reverse.table === this &&
      reverse.back?.key === flow.key &&
      reverse.back.table === this
    )
      return note(flow, reverse.back);
    const entry = this.#entries.get(flow.key);
    return entry === undefined ? undefined : note(flow, entry);
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** Open conversations in the order of the idle queue. */
  open(): Iterable<Conversation> {
    return this.#open;
  }

  /**
   * Adds a new conversation in place of the one with the same addresses.
   * @param flow of its first segment, whose direction is returned.
   * @param known result of `find` for this flow.
   */
  add(conversation: Conversation, flow: Flow, known: Direction | undefined): Direction {
    const { client, server, key, reverseKey } = conversation;
    if (known !== undefined) this.remove(known.conversation);
    const forth: TableEntry = { conversation, half: client, peer: server, key, back: null, table: this, flow: null };
    const back: TableEntry = {
      conversation,
      half: server,
      peer: client,
      key: reverseKey,
      back: forth,
      table: this,
      flow: null,
    };
    forth.back = back;
    conversation.tableEntry = forth;
    this.#entries.set(reverseKey, back);
    // If a socket is connected to itself both keys are equal, and all segments come from its client.
    this.#entries.set(key, forth);
    conversation.queuedOrder = conversation.lastOrder;
    this.#open.add(conversation);
    return note(flow, flow.key === key ? forth : back);
  }

  /** Keeps a closed conversation until too many others were closed. */
  close(conversation: Conversation): void {
    this.#closed.add(conversation);
    const { first } = this.#closed;
    if (this.#closed.size > this.#closedLimit && first !== null) this.remove(first);
  }

  /** Removes closed conversations without a segment since `time` (ns), in the order of closing, up to the first with one. */
  removeClosed(time: bigint): void {
    for (let { first } = this.#closed; first !== null && first.last.time < time; { first } = this.#closed)
      this.remove(first);
  }

  remove(conversation: Conversation): void {
    conversation.queue?.delete(conversation);
    const forth = conversation.tableEntry as TableEntry | null;
    if (forth === null) return;
    conversation.tableEntry = null;
    this.#removeEntry(forth);
    if (forth.back !== null) this.#removeEntry(forth.back);
  }

  longestIdle(): Conversation | undefined {
    for (;;) {
      const { first } = this.#open;
      if (first === null) return undefined;
      if (first.queuedOrder === first.lastOrder) return first;
      first.queuedOrder = first.lastOrder;
      this.#open.add(first);
    }
  }

  #removeEntry(entry: TableEntry): void {
    this.#entries.delete(entry.key);
    entry.table = null;
    // A flow is cached for long and must not keep a removed entry alive.
    if (entry.flow?.note === entry) entry.flow.note = undefined;
    entry.flow = null;
  }
}

function note(flow: Flow, entry: TableEntry): Direction {
  flow.note = entry;
  entry.flow = flow;
  return entry;
}

/**
 * Decides when to look for idle connections, and which time it is then: the earliest of the last segments' times, because a time
 * stamp can be wrong (a clock that jumps, a flipped bit), and one that is an hour ahead must not end every connection.
 */
export class IdleClock {
  /** Number of the segment from which on `read` must be called for each. */
  from = IDLE_LOOK - CLOCK_SEGMENTS + 1;
  #earliest: bigint | null = null;

  /**
   * @param order number of the segment, from 1 on.
   * @param time its capture time in ns.
   * @returns capture time in ns when it is time to look, else null.
   */
  read(order: number, time: bigint): bigint | null {
    if (this.#earliest === null || time < this.#earliest) this.#earliest = time;
    if (order % IDLE_LOOK !== 0) return null;
    const now = this.#earliest;
    this.#earliest = null;
    this.from += IDLE_LOOK;
    return now;
  }
}
