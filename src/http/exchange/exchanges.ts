// Pairs the requests, responses and bodies of one connection to exchanges, for HTTP/1.1 and HTTP/2 alike.

import { laterSortKey } from '../../core/frame-order.js';
import type { Notice } from '../../core/notice.js';
import type { Origin } from '../../core/origin.js';
import type { Stage } from '../../core/stage.js';
import { type Connection, isOneWay, type Side } from '../../tcp/stream-event.js';
import { MemberReaders } from '../framing/gzip-members.js';
import type { Cut, HttpEvent, ProtocolFound, RequestHead } from '../http-event.js';
import { type BodyOutput, ExchangeBodies, type Framing } from './exchange-bodies.js';
import { type ExchangeSide, OpenExchange, OpenExchanges } from './open-exchanges.js';

type ReadHead = (head: RequestHead) => RequestHead;

/** Limit: open exchanges of one connection; servers allow 100 to 250 (RFC 9113, 6.5.2: at least 100), gRPC more by default. */
export const MAX_OPEN_STREAMS = 4096;

/**
 * Notices of its own: limit.body, limit.streams, limit.decompressed, kubernetes.undecodable (a stream whose coding cannot be decoded).
 * @param options `readers`: shared by connections that are read together; `readHead`: tells what stands before the target of a
 *   request, called in the order of heads.
 */
export function exchanges({
  framing,
  readers = new MemberReaders(),
  readHead = asItIs,
}: {
  framing: Framing;
  readers?: MemberReaders;
  readHead?: ReadHead;
}): Stage<HttpEvent | Notice | ProtocolFound, BodyOutput> {
  return new Exchanges(framing, readers, readHead);
}

class Exchanges implements Stage<HttpEvent | Notice | ProtocolFound, BodyOutput> {
  /** Also holds the output, because its items are among those of this class. */
  readonly #bodies: ExchangeBodies;
  readonly #open = new OpenExchanges();
  readonly #readHead: ReadHead;
  /** The exchange of the latest event: most events come in runs. */
  #recent: OpenExchange | null = null;
  #isHttp2 = false;
  #hasLimitNotice = false;

  constructor(framing: Framing, readers: MemberReaders, readHead: ReadHead) {
    this.#readHead = readHead;
    this.#bodies = new ExchangeBodies(framing, readers);
  }

  feed(event: HttpEvent | Notice | ProtocolFound): readonly BodyOutput[] {
    this.#on(event);
    return this.#bodies.take();
  }

  feedAll(events: readonly (HttpEvent | Notice | ProtocolFound)[]): readonly BodyOutput[] {
    for (let i = 0; i < events.length; i++) this.#on(events[i]);
    return this.#bodies.take();
  }

  #on(event: HttpEvent | Notice | ProtocolFound): void {
    switch (event.kind) {
      case 'protocol':
        if (event.protocol === 'http/2') this.#isHttp2 = true;
        this.#bodies.emit(event);
        return;
      case 'notice':
        this.#bodies.emit(event);
        return;
      case 'renumbered':
        this.#renumber(this.#find(event), event.to);
        return;
      case 'unread':
        this.#bodies.last = event.origin;
        return;
      case 'head':
        this.#onHead(event);
        return;
      case 'body':
        this.#onBody(event);
        return;
      case 'stalled':
        for (const open of this.#open.all())
          if (event.stream === 0 || open.key === event.stream) open[event.from].stalled(event);
        return;
      case 'body-gap':
        this.#onGap(event);
        return;
      case 'trailers':
        this.#bodies.last = event.origin;
        this.#sideOf(event).last = event.origin;
        if (event.from === 'server') this.#find(event).known.trailers = event.fields;
        return;
      case 'upgraded':
        this.#onUpgraded(event);
        return;
      case 'end':
        this.#bodies.last = event.origin;
        this.#onEnd(this.#find(event), event.from, event.origin, event.complete, event.cut);
        return;
    }
  }

  end(): readonly BodyOutput[] {
    for (const open of this.#open.all()) this.#finish(open, this.#bodies.last!);
    return this.#bodies.take();
  }

  // ── streams ──

  #find(event: { readonly connection: Connection; readonly stream: number }): OpenExchange {
    const recent = this.#recent;
    if (recent !== null && recent.key === event.stream) return recent;
    let open = this.#open.find(event.stream);
    if (open === undefined) {
      if (this.#open.size >= MAX_OPEN_STREAMS) this.#endOldest();
      open = new OpenExchange(event.connection, event.stream, this.#isHttp2);
      this.#open.add(open);
    }
    this.#recent = open;
    return open;
  }

  #endOldest(): void {
    const oldest = this.#open.oldest();
    if (!this.#hasLimitNotice)
      this.#bodies.emitNotice('limit.streams', `more than ${MAX_OPEN_STREAMS} streams are open`, oldest);
    this.#hasLimitNotice = true;
    this.#finish(oldest, this.#bodies.last!);
  }

  #renumber(open: OpenExchange, key: number): void {
    const existing = this.#open.find(key);
    if (existing !== undefined) this.#finish(existing, this.#bodies.last!);
    this.#open.renumber(open, key);
  }

  #finish(open: OpenExchange, origin: Origin): void {
    for (const from of ['client', 'server'] as const) if (!open[from].ended) this.#onEnd(open, from, origin, false);
  }

  #sideOf(event: { readonly connection: Connection; readonly stream: number; readonly from: Side }): ExchangeSide {
    const open = this.#find(event);
    return event.from === 'client' ? open.client : open.server;
  }

  // ── heads ──

  #onHead(event: Extract<HttpEvent, { kind: 'head' }>): void {
    this.#bodies.last = event.last;
    const { from, head, complete } = event;
    if (head.version === '2') this.#isHttp2 = true;
    let open = this.#find(event);
    if (open[from].headSeen) {
      // The number is reused, so the earlier exchange is over.
      this.#finish(open, event.first);
      open = this.#find(event);
    }
    const side = open[from];
    const midway = side.first !== null;
    side.head(head.fields, event.first, event.last, complete);
    if (head.kind === 'request-head') open.known.request = this.#readHead(head);
    else open.known.response = head;
    if (!midway) this.#bodies.begin(open, from, event.last, complete);
  }

  // ── bodies ──

  #onBody(event: Extract<HttpEvent, { kind: 'body' }>): void {
    this.#bodies.last = event.origin;
    this.#bodies.body(this.#find(event), event.from, event.bytes, event.origin);
  }

  #onGap(event: Extract<HttpEvent, { kind: 'body-gap' }>): void {
    this.#bodies.last = event.origin;
    this.#bodies.gap(this.#find(event), event.from, event.length, event.origin);
  }

  #onUpgraded(event: Extract<HttpEvent, { kind: 'upgraded' }>): void {
    this.#bodies.last = event.origin;
    const open = this.#find(event);
    this.#bodies.upgraded(open, event.protocol, event.origin);
    // Both directions continue as a tunnel and end again.
    open.client.ended = false;
    open.server.ended = false;
  }

  #onEnd(open: OpenExchange, from: Side, origin: Origin, complete: boolean, cut?: Cut): void {
    const side = open[from];
    if (side.ended) return;
    side.ended = true;
    side.isWhole = complete;
    open.cut ??= cut;
    this.#bodies.end(open, from, origin, complete, cut?.by);
    const other = from === 'client' ? open.server : open.client;
    // Without a captured request, nothing more is expected from the client.
    if (!other.ended && (from === 'client' || other.first !== null)) return;
    const { client, server } = open;
    const exchange = open.snapshot();
    this.#open.remove(open);
    if (this.#recent === open) this.#recent = null;
    const requestSeen = client.first !== null;
    const responseSeen = server.first !== null;
    // The end is never before what it ends: a direction with holes is read late and ends in an early frame.
    let at = origin;
    if (client.last !== null) at = laterSortKey(at, client.last);
    if (server.last !== null) at = laterSortKey(at, server.last);
    const { received, promised } = server;
    const isWhole = server.isWhole && open.cut === undefined;
    // Of a connection with packets of one side alone it is not known how it ended, and what was answered.
    const how = isOneWay(exchange.connection) ? undefined : open.cut;
    const broken = how === undefined || server.isWhole ? undefined : { ...how, received, promised };
    this.#bodies.emit({ kind: 'exchange-end', exchange, at, requestSeen, responseSeen, isWhole, cut: broken });
  }
}

function asItIs(head: RequestHead): RequestHead {
  return head;
}
