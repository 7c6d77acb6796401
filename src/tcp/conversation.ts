// A connection while it is read: its two directions, put together in the order in which they happened. Knows pieces,
// losses and ends; not flags, tables or limits.
//
// The law of order: what one side sends after it acknowledged bytes comes out after those bytes (or after the gap that
// stands for them). So a request whose packet was lost or captured late never follows its own response.

import type { Linked, LinkedQueue } from '../core/collections/linked-queue.js';
import { type Notice, notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import { HalfConnection, NEVER } from './half-connection.js';
import type { OutOfWindowSegment } from './out-of-window.js';
import type { RingPool } from './overlap-history.js';
import { TruncatedRanges } from './snaplen-truncation.js';
import type { Connection, EndReason, Side, StreamEvent } from './stream-event.js';

export type TcpOutput = StreamEvent | Notice;

/** What is in doubt while a grace runs: up to which offset each side's bytes were acknowledged and not seen. */
export interface UnseenAck {
  /** The segment that raised it, and its number; null if there is no doubt. */
  origin: Origin | null;
  order: number;
  client: number;
  server: number;
}

export class Conversation implements Linked<Conversation> {
  readonly connection: Connection;
  readonly client = new HalfConnection('client');
  readonly server = new HalfConnection('server');
  /** Keys of its flows, client to server and back. */
  readonly key: string;
  readonly reverseKey: string;
  /** True while the next segment may take the short way: both ends known, nothing waits, suspect, ending or reset. */
  plain = false;
  closed = false;
  /** Frame of the first RST that was taken; null before. */
  reset: Origin | null = null;
  /** Who sent it. */
  resetBy: Side = 'server';
  /** Times that its client asked for it, with the frame of the first; an ICMP message said that it cannot be. */
  asked = 0;
  firstAsked: Origin | null = null;
  unreachable = false;
  /** Number of the last segment, and of the one when it was put at the end of the idle queue. */
  lastOrder = 0;
  queuedOrder = 0;
  /** Frame of the last segment. */
  last: Origin;
  /** The queue that it stands in, and its neighbours there: written by the queue alone. */
  queue: LinkedQueue<Conversation> | null = null;
  previous: Conversation | null = null;
  next: Conversation | null = null;
  /** Its two lanes, while it is in a table: the table's own business. */
  lanes: object | null = null;
  /** The grace that runs, if one does: when it ends, what it was begun for. */
  deadline: bigint | null = null;
  deadlineOrder = 0;
  readonly cuts = new TruncatedRanges();
  readonly doubt: UnseenAck = { origin: null, order: 0, client: 0, server: 0 };
  /** Whether the checksums of each side fit; null: not known. */
  readonly plausible: Record<Side, boolean | null> = { client: null, server: null };
  /** What its waiting pieces were last counted as, all directions together. */
  counted = 0;
  /** The last segment that is none of its. */
  outOfWindow: OutOfWindowSegment | null = null;
  /** limit.out-of-order was said of it. */
  limitSaid = false;
  #gaps = 0;
  #unsaidBytes = 0;
  #lastUnsaid: Origin | null = null;

  constructor(connection: Connection, key: string, reverseKey: string, first: Origin) {
    this.connection = connection;
    this.last = first;
    this.key = key;
    this.reverseKey = reverseKey;
  }

  other(half: HalfConnection): HalfConnection {
    return half === this.client ? this.server : this.client;
  }

  /** A peer acknowledged bytes that were not captured so far, or the snap length cut them. */
  get hasUnseenAcked(): boolean {
    return this.client.hasUnseenAcked || this.server.hasUnseenAcked || this.cuts.wait;
  }

  isAsked(origin: Origin): void {
    this.asked += 1;
    this.firstAsked ??= origin;
  }

  /** Why it never came to be; null: it did, or that cannot be told. */
  get unheard(): 'unanswered' | 'unreachable' | null {
    if (!this.isUnheard) return null;
    return this.unreachable ? 'unreachable' : this.asked > 1 ? 'unanswered' : null;
  }

  /** Nobody answered, in a capture that would have shown it: its client asked, and never went on. */
  get isUnheard(): boolean {
    return this.asked > 0 && this.server.position === 'unknown' && this.reset === null;
  }

  get waits(): boolean {
    return this.client.waits || this.server.waits;
  }

  /** Both FINs were reached. */
  get finished(): boolean {
    return this.client.ended && this.server.ended;
  }

  /** Hands on what can be handed on, both directions in the order of arrival. */
  settle(out: TcpOutput[], pool: RingPool): void {
    this.#drain(out, pool);
    const { client, server } = this;
    this.plain =
      (client.position === 'fixed' || client.position === 'told') &&
      (server.position === 'fixed' || server.position === 'told') &&
      client.fin < 0 &&
      server.fin < 0 &&
      this.reset === null &&
      !this.waits &&
      !this.cuts.wait &&
      client.ackedTo <= client.received.next &&
      server.ackedTo <= server.received.next;
  }

  /** Ends the connection: what waits comes out, holes as gaps; then the notices that count; then `closed`, last. */
  close(reason: EndReason, origin: Origin, order: number, out: TcpOutput[], pool: RingPool): void {
    this.cuts.lose(order);
    for (const half of [this.client, this.server]) {
      this.loseAcknowledged(half, origin, order);
      half.lose(half.received.next, Math.max(half.received.end, half.fin), origin, order);
    }
    this.#drain(out, pool);
    this.#sumUp(out);
    if (reason === 'unanswered') this.#unanswered(out);
    for (const half of [this.client, this.server]) {
      half.recent.release(pool);
      half.received.clear();
    }
    this.plain = false;
    this.closed = true;
    this.deadline = null;
    out.push({ kind: 'closed', connection: this.connection, from: null, origin, reason });
  }

  /**
   * Whatever the peer of `half` acknowledged and was not seen is lost: what was in doubt, since the doubt began; the rest,
   * acknowledged later and so perhaps sent later, since `origin`.
   */
  loseAcknowledged(half: HalfConnection, origin: Origin, order: number): void {
    if (!half.hasUnseenAcked) return;
    const { doubt } = this;
    if (doubt.origin !== null && doubt[half.side] > 0)
      half.loseAcknowledged(doubt[half.side], doubt.origin, doubt.order);
    if (half.hasUnseenAcked) half.loseAcknowledged(half.ackedTo, origin, order);
  }

  #unanswered(out: TcpOutput[]): void {
    // Nobody else spoke, and the client said nothing else: its last frame is its last SYN.
    const took = Number(this.last.time - this.firstAsked!.time) / 1e9;
    const detail = `${this.asked} SYNs in ${took.toFixed(1)} s`;
    out.push(notice('tcp.unanswered', detail, { origin: this.firstAsked!, connection: this.connection.name }));
  }

  #drain(out: TcpOutput[], pool: RingPool): void {
    const { client, server, connection } = this;
    for (;;) {
      const fromClient = client.turn;
      const fromServer = server.turn;
      if (fromClient === NEVER && fromServer === NEVER) return;
      const clientMay = fromClient !== NEVER && server.satisfies(client.turnNeeds);
      const serverMay = fromServer !== NEVER && client.satisfies(server.turnNeeds);
      let half = fromClient < fromServer ? client : server;
      // Where each waits for the other, acknowledgments lie (or were renewed in a retransmission): first come, first out.
      if (clientMay !== serverMay) half = clientMay ? client : server;
      else if (!clientMay && (fromClient === NEVER || fromServer === NEVER)) return;
      const piece = half.ready;
      if (piece === undefined) {
        half.ended = true;
        out.push({ kind: 'closed', connection, from: half.side, origin: half.finOrigin!, reason: 'fin' });
        continue;
      }
      const { bytes, origin } = piece;
      half.take(pool);
      if (bytes === null) this.#gap(half, piece.end - piece.start, origin, out);
      else out.push({ kind: 'data', connection, from: half.side, origin, bytes });
    }
  }

  #gap(half: HalfConnection, length: number, origin: Origin, out: TcpOutput[]): void {
    out.push({ kind: 'gap', connection: this.connection, from: half.side, origin, length });
    this.#gaps += 1;
    if (this.#gaps <= GAPS_SAID) {
      const detail = `${length} bytes from the ${half.side} are not in the capture`;
      out.push(notice('tcp.gap', detail, { origin, connection: this.connection.name }));
    } else {
      this.#unsaidBytes += length;
      this.#lastUnsaid = origin;
    }
  }

  #sumUp(out: TcpOutput[]): void {
    const connection = this.connection.name;
    if (this.#lastUnsaid !== null) {
      const detail = `${this.#gaps - GAPS_SAID} more gaps with ${this.#unsaidBytes} bytes`;
      out.push(notice('tcp.gap', detail, { origin: this.#lastUnsaid, connection }));
    }
    const differing = this.client.differing + this.server.differing;
    const origin = this.client.differingOrigin ?? this.server.differingOrigin;
    if (differing !== 0 && origin !== null) {
      const detail = `${differing} ${differing === 1 ? 'segment claims' : 'segments claim'} bytes that came before with other content`;
      out.push(notice('tcp.overlap-differs', detail, { origin, connection }));
    }
  }
}

/** Gaps of one connection that get a notice each; the rest is summed up at its end, so that notices stay readable. */
const GAPS_SAID = 8;
