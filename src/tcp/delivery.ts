// Follows what each side sends until the other acknowledges it: what had to be sent again, connections that took long, full windows,
// large packets that do not arrive (RFC 9293, sections 3.8.1 and 3.8.6; RFC 2018).

import { RecentMap } from '../core/collections/bounded.js';
import { NOTED_LOSS_NS } from '../core/cut.js';
import { elapsedText } from '../core/duration.js';
import { type Notice, notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import { counted, sizeText } from '../core/quantity.js';
import { ACK, FIN, RST, type Segment, SYN } from '../packet/segment.js';

/** Time that a connection lost below the protocols that use it. */
export interface LostTime {
  readonly kind: 'lost-time';
  /**
   * `connecting`: from the first SYN to its answer. `handshake`: from the first ClientHello of TLS to the server's answer. `sending`: from
   * the first copy of bytes of the client to their acknowledgment. `stalled`: the client's receive window was 0.
   */
  readonly of: 'connecting' | 'handshake' | 'sending' | 'stalled';
  /** `CLIENTIP:PORT-SERVERIP:PORT` */
  readonly connection: string;
  /** ns since the epoch. */
  readonly from: bigint;
  readonly until: bigint;
  /** How often it was sent. */
  readonly sent: number;
}

/** What one direction has sent, in sequence numbers. */
interface SentBytes {
  /** Before the first byte. */
  readonly initial: number;
  /** After the last byte, and before the first one that is not acknowledged. */
  next: number;
  acked: number;
  /** First copy of the oldest byte that is not acknowledged. */
  since: Origin;
  /** Copies of that byte beside the first, the bytes of the longest, and the latest. */
  copies: number;
  longest: number;
  last: Origin;
  /** What its first bytes are, if they were sent again or are missing, in words; null: it is not known. */
  firstAre: string | null;
  /** The peer has bytes behind the missing ones: where they begin. */
  sacked: number | null;
  /** Since when this side's receive window is 0; null: it is open. */
  fullSince: Origin | null;
  /** It sent its FIN: its window says nothing any more. */
  isDone: boolean;
  /** Its latest segment; null: none was captured. */
  heard: Origin | null;
  /** Keep-alives since the latest segment of the peer, and the first of them (RFC 9293, section 3.8.4). */
  probes: number;
  probing: Origin | null;
}

/** Says what bytes of a client are, in words; null: it is not known. @param isBeginning else bytes before them are missing. */
export type DescribeFirst = (bytes: Uint8Array, isBeginning: boolean) => string | null;

/** A connection whose SYN was captured. */
interface FollowedConnection {
  readonly name: string;
  syns: number;
  readonly firstSyn: Origin;
  readonly client: SentBytes;
  readonly server: SentBytes;
}

/**
 * In: segments, each once, in the order of capture. Out: `lost-time`, and notices: tcp.lost-time where a second or more was lost,
 * tcp.window-full, tcp.unanswered-keep-alive.
 */
export class Deliveries {
  readonly #open = new RecentMap<string, FollowedConnection>(MAX_CONNECTIONS, 'connections whose packets are followed');
  readonly #describe: DescribeFirst;
  #out: (LostTime | Notice)[] = [];

  constructor(describe: DescribeFirst = () => null) {
    this.#describe = describe;
  }

  /** @returns the same empty list most times. */
  feed(segment: Segment): readonly (LostTime | Notice)[] {
    const { flow, flags } = segment;
    const isClient = (flags & (SYN | ACK)) === SYN;
    let followed = this.#open.get(flow.key) ?? this.#open.get(flow.reverseKey);
    if (followed === undefined || (isClient && isAnotherSyn(segment, followed))) {
      if (!isClient) return NONE;
      if (followed !== undefined) this.#close(followed, segment.origin);
      followed = begun(segment);
      this.#open.set(flow.key, followed);
      return NONE;
    }
    const isFromClient = followed.name === flow.key;
    const sender = isFromClient ? followed.client : followed.server;
    const peer = isFromClient ? followed.server : followed.client;
    sender.heard = segment.origin;
    peer.probes = 0;
    if ((flags & SYN) !== 0) this.#syn(segment, followed, isFromClient);
    else if ((flags & RST) !== 0) this.#close(followed, segment.origin);
    else {
      if ((flags & ACK) !== 0) this.#acknowledged(segment, followed, peer, !isFromClient);
      sender.isDone ||= (flags & FIN) !== 0;
      this.#window(segment, followed, sender, isFromClient);
      if (isKeepAlive(segment, sender)) {
        if (sender.probes === 0) sender.probing = segment.origin;
        sender.probes += 1;
      } else if (segment.payload.length + segment.missing > 0) sent(segment, sender, this.#describe);
    }
    if (this.#out.length === 0) return NONE;
    const out = this.#out;
    this.#out = [];
    return out;
  }

  /** @param last frame of the capture; null: it has none. */
  end(last: Origin | null): readonly (LostTime | Notice)[] {
    if (last !== null) for (const followed of [...this.#open.values()]) this.#close(followed, last);
    const out = this.#out;
    this.#out = [];
    return out;
  }

  #syn({ seq, origin }: Segment, followed: FollowedConnection, isFromClient: boolean): void {
    if (isFromClient) {
      followed.syns += 1;
      return;
    }
    const { firstSyn, syns, name, server } = followed;
    if (server.next !== UNKNOWN) return;
    server.next = (seq + 1) >>> 0;
    server.acked = server.next;
    this.#lost('connecting', name, firstSyn, origin, syns);
    if (syns < 2 || origin.time - firstSyn.time < TOLD_NS) return;
    const detail = `it took ${elapsedText(origin.time - firstSyn.time)} to connect: the SYN was sent ${syns} times`;
    this.#out.push(notice('tcp.lost-time', detail, { origin: firstSyn, connection: name }));
  }

  /** @param peer whose bytes are acknowledged. */
  #acknowledged(
    { ack, sack, origin }: Segment,
    { name }: FollowedConnection,
    peer: SentBytes,
    isClients: boolean,
  ): void {
    if (peer.next === UNKNOWN || ahead(ack, peer.acked) < 0) return;
    if (sack !== undefined && ahead(sack, ack) > 0) peer.sacked = sack;
    if (ahead(ack, peer.acked) === 0) return;
    const { copies, since } = peer;
    peer.acked = ack;
    peer.sacked = sack ?? null;
    if (copies === 0) return;
    peer.copies = 0;
    if (isClients) this.#lost('sending', name, since, origin, copies + 1);
    peer.since = peer.last;
    if (origin.time - since.time < TOLD_NS) return;
    const side = isClients ? 'client' : 'server';
    const took = elapsedText(origin.time - since.time);
    const detail = `${sizeText(peer.longest)} of the ${side} were sent ${copies + 1} times, and acknowledged after ${took}`;
    this.#out.push(notice('tcp.lost-time', detail, { origin: since, connection: name }));
  }

  /** @param sender who says how much it takes. */
  #window({ window, origin }: Segment, { name }: FollowedConnection, sender: SentBytes, isClient: boolean): void {
    if (window === undefined || sender.isDone) return;
    if (window === 0) sender.fullSince ??= origin;
    else if (sender.fullSince !== null) {
      if (isClient) this.#lost('stalled', name, sender.fullSince, origin, 1);
      this.#full(sender, name, origin, isClient);
      sender.fullSince = null;
    }
  }

  #full({ fullSince }: SentBytes, name: string, { time }: Origin, isClient: boolean): void {
    if (fullSince === null || time - fullSince.time < TOLD_NS) return;
    const [reader, writer] = isClient ? ['client', 'server'] : ['server', 'client'];
    const detail = `the ${reader}'s receive window was 0 for ${elapsedText(time - fullSince.time)}: the ${reader} took nothing from the ${writer}`;
    this.#out.push(notice('tcp.window-full', detail, { origin: fullSince, connection: name }));
  }

  #close(followed: FollowedConnection, origin: Origin): void {
    this.#open.delete(followed.name);
    for (const side of ['client', 'server'] as const) {
      const sender = followed[side];
      const { heard } = side === 'client' ? followed.server : followed.client;
      // In a capture of one direction nothing is acknowledged.
      if (heard === null) continue;
      this.#unanswered(followed, side, heard, origin);
      this.#full(sender, followed.name, origin, side === 'client');
      const detail = undelivered(sender, side, origin);
      if (detail !== null)
        this.#out.push(notice('tcp.lost-time', detail, { origin: sender.since, connection: followed.name }));
    }
  }

  /** @param heard the peer's latest segment. */
  #unanswered(followed: FollowedConnection, side: 'client' | 'server', heard: Origin, { time }: Origin): void {
    const { probes, probing } = followed[side];
    if (probes < MANY_PROBES || probing === null || time - heard.time < TOLD_NS) return;
    const peer = side === 'client' ? 'server' : 'client';
    const detail = `${probes} keep-alives of the ${side} were not answered; nothing came from the ${peer} for ${elapsedText(time - heard.time)}`;
    this.#out.push(notice('tcp.unanswered-keep-alive', detail, { origin: probing, connection: followed.name }));
  }

  #lost(of: LostTime['of'], connection: string, { time: from }: Origin, { time: until }: Origin, sent: number): void {
    if (until - from >= NOTED_LOSS_NS) this.#out.push({ kind: 'lost-time', of, connection, from, until, sent });
  }
}

/** What was never acknowledged, in words; null: nothing that is known of, or not for long. */
function undelivered(sender: SentBytes, side: string, { time }: Origin): string | null {
  const { copies, longest, since, last, sacked, acked, initial, firstAre } = sender;
  const hole = sacked === null ? 0 : ahead(sacked, acked);
  // Where the peer has nothing but what follows the first bytes, it waits for no reordered packet.
  const isLong = time - since.time >= TOLD_NS || (hole > 0 && acked === initial);
  if ((copies === 0 && hole <= 0) || !isLong) return null;
  const isFirst = acked === initial;
  const what = isFirst && firstAre !== null ? ` (${firstAre})` : '';
  const bytes = `${isFirst ? 'the first ' : ''}${counted(hole > 0 ? hole : longest, 'byte')} of the ${side}${what}`;
  const times = `${copies + 1} times in ${elapsedText(last.time - since.time)}`;
  const how = copies === 0 ? `${bytes} never arrived` : `${bytes} were sent ${times} and never acknowledged`;
  const peer = side === 'client' ? 'server' : 'client';
  if (hole <= 0) return how;
  return `${how}, while the ${peer} acknowledged what follows them (SACK): large packets are lost on the way (MTU)`;
}

function sent({ seq, payload, missing, origin }: Segment, sender: SentBytes, describe: DescribeFirst): void {
  const length = payload.length + missing;
  const end = (seq + length) >>> 0;
  if (sender.next === UNKNOWN) {
    sender.next = end;
    sender.acked = seq;
    sender.since = origin;
  } else if (ahead(end, sender.next) > 0) {
    if (ahead(sender.next, sender.acked) <= 0) sender.since = origin;
    if (seq !== sender.next && sender.next === sender.initial) sender.firstAre = describe(payload, false);
    sender.next = end;
  } else if (ahead(seq, sender.acked) === 0 && ahead(end, sender.acked) > 0) {
    // A copy of the oldest byte that is not acknowledged.
    if (sender.copies === 0) sender.longest = length;
    if (seq === sender.initial) sender.firstAre = describe(payload, true);
    sender.copies += 1;
  }
  sender.last = origin;
}

/** It has no byte, or one of no meaning, before those that are to come (RFC 9293, section 3.8.4). */
function isKeepAlive({ seq, payload, missing, flags }: Segment, { next, acked }: SentBytes): boolean {
  return payload.length + missing <= 1 && (flags & FIN) === 0 && ahead(next, acked) === 0 && ahead(next, seq) === 1;
}

/** @param segment with the SYN, after whose sequence number the bytes begin. */
function begun({ flow, seq, origin }: Segment): FollowedConnection {
  return {
    name: flow.key,
    syns: 1,
    firstSyn: origin,
    client: { ...senderAt((seq + 1) >>> 0, origin), heard: origin },
    server: senderAt(UNKNOWN, origin),
  };
}

function senderAt(next: number, origin: Origin): SentBytes {
  return {
    initial: next,
    next,
    acked: next,
    since: origin,
    copies: 0,
    longest: 0,
    firstAre: null,
    last: origin,
    sacked: null,
    fullSince: null,
    isDone: false,
    heard: null,
    probes: 0,
    probing: null,
  };
}

/** A SYN that is no copy of the first one opens another connection. */
function isAnotherSyn({ flow, seq }: Segment, { name, client }: FollowedConnection): boolean {
  return name !== flow.key || ahead((seq + 1) >>> 0, client.acked) !== 0 || client.next !== client.acked;
}

/** Bytes from `from` to `to`, modulo 2^32 (RFC 9293, section 3.4). */
function ahead(to: number, from: number): number {
  return (to - from) | 0;
}

/** A single one may be answered after the capture. */
const MANY_PROBES = 2;
const NONE: readonly never[] = [];
const UNKNOWN = -1;
/** ns: a shorter loss is usual, and not told. */
const TOLD_NS = 1_000_000_000n;
/** Limit: connections whose packets are followed: twice as many as a reassembler has open. */
const MAX_CONNECTIONS = 16_384;
