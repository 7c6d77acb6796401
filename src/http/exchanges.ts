// Puts requests, responses and the messages of their bodies together, for HTTP/1.1 and HTTP/2 alike. Knows streams by their
// number; must not know what a body means: how it is cut is injected.

import { type Notice, notice } from '../core/notice.js';
import { later, type Origin } from '../core/origin.js';
import { NOTHING, type Stage } from '../core/stage.js';
import type { Connection, Side } from '../tcp/stream-event.js';
import { MAX_BODY_BYTES } from './body.js';
import type { ChannelPiece, ChannelSink } from './channel.js';
import { bodyChannels, channelReader } from './channels.js';
import { decodeContent } from './content.js';
import type { BodyFraming, ExchangeEvent } from './exchange-event.js';
import type { ExchangeSide } from './exchange-side.js';
import { fieldValue, type HttpEvent, type ProtocolFound, type RequestHead, type ResponseHead } from './http-event.js';
import { Open, OpenExchanges } from './open-exchanges.js';
import { sniffFraming } from './sniff-framing.js';
import { type ItemSink, MAX_ITEM_BYTES } from './splitter.js';

/** Streams that may be open at once on a connection; servers allow 100 to 250 (RFC 9113 section 6.5.2 wants at least 100), gRPC's default is larger. */
export const MAX_OPEN_STREAMS = 4096;
/** Bytes of all unfinished bodies of a connection. */
export const MAX_COLLECTED_BYTES = 64 * 1024 * 1024;

export type Framing = (request: RequestHead | null, response: ResponseHead | null, from: Side) => BodyFraming;

/**
 * The exchanges of one connection.
 *
 * Notices of its own: limit.body, limit.streams, limit.decompressed, kubernetes.undecodable (a stream in a coding that cannot be undone).
 *
 * @param framing how the body that `from` sends is cut into messages, told from the heads seen so far.
 */
export function exchanges({
  framing,
}: {
  framing: Framing;
}): Stage<HttpEvent | Notice | ProtocolFound, ExchangeEvent | Notice | ProtocolFound> {
  return new Exchanges(framing);
}

class Exchanges
  implements Stage<HttpEvent | Notice | ProtocolFound, ExchangeEvent | Notice | ProtocolFound>, ItemSink, ChannelSink
{
  readonly #framing: Framing;
  readonly #open = new OpenExchanges();
  /** The stream of the last event: most events come in runs. */
  #recent: Open | null = null;
  #out: (ExchangeEvent | Notice | ProtocolFound)[] = [];
  #isHttp2 = false;
  #last: Origin | null = null;
  #collected = 0;
  #limitSaid = false;
  // Whose body the splitter is reading.
  #current: Open | null = null;
  #from: Side = 'client';

  constructor(framing: Framing) {
    this.#framing = framing;
  }

  feed(event: HttpEvent | Notice | ProtocolFound): readonly (ExchangeEvent | Notice | ProtocolFound)[] {
    this.#hear(event);
    return this.#take();
  }

  feedAll(
    events: readonly (HttpEvent | Notice | ProtocolFound)[],
  ): readonly (ExchangeEvent | Notice | ProtocolFound)[] {
    for (let i = 0; i < events.length; i++) this.#hear(events[i]);
    return this.#take();
  }

  #hear(event: HttpEvent | Notice | ProtocolFound): void {
    switch (event.kind) {
      case 'protocol':
        if (event.protocol === 'http/2') this.#isHttp2 = true;
        this.#out.push(event);
        return;
      case 'notice':
        this.#out.push(event);
        return;
      case 'unread':
        this.#last = event.origin;
        return;
      case 'head':
        this.#onHead(event);
        return;
      case 'body':
        this.#onBody(event);
        return;
      case 'body-gap':
        this.#onGap(event);
        return;
      case 'trailers':
        this.#last = event.origin;
        this.#seen(event).last = event.origin;
        if (event.from === 'server') this.#find(event).known.trailers = event.fields;
        return;
      case 'upgraded':
        this.#onUpgraded(event);
        return;
      case 'end':
        this.#last = event.origin;
        this.#onEnd(this.#find(event), event.from, event.origin, event.complete);
        return;
    }
  }

  end(): readonly (ExchangeEvent | Notice | ProtocolFound)[] {
    for (const open of this.#open.all()) this.#finish(open, this.#last!);
    return this.#take();
  }

  #take(): readonly (ExchangeEvent | Notice | ProtocolFound)[] {
    if (this.#out.length === 0) return NOTHING;
    const out = this.#out;
    this.#out = [];
    return out;
  }

  // ── streams ──

  #find(event: { readonly connection: Connection; readonly stream: number }): Open {
    const recent = this.#recent;
    if (recent !== null && recent.key === event.stream) return recent;
    let open = this.#open.find(event.stream);
    if (open === undefined) {
      if (this.#open.size >= MAX_OPEN_STREAMS) this.#endOldest();
      open = new Open(event.connection, event.stream, this.#isHttp2);
      this.#open.add(open);
    }
    this.#recent = open;
    return open;
  }

  #endOldest(): void {
    const oldest = this.#open.oldest();
    if (!this.#limitSaid) this.#say('limit.streams', `more than ${MAX_OPEN_STREAMS} streams are open`, oldest);
    this.#limitSaid = true;
    this.#finish(oldest, this.#last!);
  }

  #finish(open: Open, origin: Origin): void {
    for (const from of ['client', 'server'] as const) if (!open[from].ended) this.#onEnd(open, from, origin, false);
  }

  #seen(event: { readonly connection: Connection; readonly stream: number; readonly from: Side }): ExchangeSide {
    const open = this.#find(event);
    return event.from === 'client' ? open.client : open.server;
  }

  // ── heads ──

  #onHead(event: Extract<HttpEvent, { kind: 'head' }>): void {
    this.#last = event.last;
    const { from, head, complete } = event;
    if (head.version === '2') this.#isHttp2 = true;
    let open = this.#find(event);
    if (open[from].headSeen) {
      // A number used again: what it was before is over.
      this.#finish(open, event.first);
      open = this.#find(event);
    }
    const side = open[from];
    const midway = side.first !== null;
    side.head(head.fields, event.first, event.last, complete);
    if (head.kind === 'request-head') open.known.request = head;
    else open.known.response = head;
    if (midway) return;
    const { request, response } = open.known;
    // A switch is told by its own event, with the protocol.
    if (response !== null && response.status === 101) return;
    const framing = this.#framing(request, from === 'server' ? response : null, from);
    // A head without its type may still tell that it is a watch, but not of what: that the first bytes do.
    side.sniffs = !complete && !side.hasType;
    if (framing === 'whole') return;
    open.channels = bodyChannels(framing);
    if (!side.sniffs) side.stream(framing, false);
    this.#tell(open, from, event.last, complete);
  }

  /** Says `request` or `response`. */
  #tell(open: Open, from: Side, at: Origin, complete: boolean): void {
    const side = open[from];
    if (side.told || side.first === null) return;
    side.told = true;
    this.#collected -= side.whole?.kept ?? 0;
    const last = side.last!;
    this.#out.push({
      kind: from === 'client' ? 'request' : 'response',
      exchange: open.told(),
      first: side.first,
      last,
      // Nothing is complete before the last of its segments came, whatever stands behind it.
      at: later(later(side.first, last), at),
      complete,
      body: side.takeBody(),
    });
  }

  // ── bodies ──

  #onBody(event: Extract<HttpEvent, { kind: 'body' }>): void {
    const { from, bytes, origin } = event;
    this.#last = origin;
    const open = this.#find(event);
    const side = from === 'client' ? open.client : open.server;
    if (open.channels !== null && (open.known.upgraded !== null || from === 'server')) {
      side.seen(origin);
      this.#current = open;
      open.channels.feed(from, bytes, origin, this);
      return;
    }
    if (open.known.upgraded !== null) {
      const exchange = open.told();
      this.#out.push({
        kind: 'tunnel',
        exchange,
        from,
        first: origin,
        last: origin,
        at: origin,
        complete: true,
        bytes,
      });
      return;
    }
    if (side.first === null || side.sniffs) this.#sniff(open, from, bytes, origin);
    side.seen(origin);
    if (side.splitter !== null && side.live) {
      this.#current = open;
      this.#from = from;
      side.splitter.feed(bytes, origin, this);
      return;
    }
    const before = side.whole?.kept ?? 0;
    const whole = side.collect(bytes, MAX_COLLECTED_BYTES - this.#collected);
    this.#collected += whole.kept - before;
    if (whole.kept < whole.length && whole.length - bytes.length <= before)
      this.#say('limit.body', `a body was kept only up to ${whole.kept} bytes (limit ${MAX_BODY_BYTES})`, open);
  }

  // The head is not in the capture, or does not say what the body is: its first bytes may.
  #sniff(open: Open, from: Side, bytes: Uint8Array, origin: Origin): void {
    const side = open[from];
    side.sniffs = false;
    const { request, response } = open.known;
    let framing = sniffFraming(bytes);
    if (framing === 'whole') framing = this.#framing(request, from === 'server' ? response : null, from);
    if (framing === 'whole') return;
    const head = from === 'client' ? request : response;
    const nothingKnown = head === null || head.fields.length + head.partial.length === 0;
    side.stream(framing, nothingKnown);
    // Of a head of which nothing is known there is nothing to tell.
    if (nothingKnown) side.told = true;
    else this.#tell(open, from, origin, false);
  }

  #onGap(event: Extract<HttpEvent, { kind: 'body-gap' }>): void {
    this.#last = event.origin;
    const open = this.#find(event);
    const side = open[event.from];
    side.intact = false;
    side.bodyIntact = false;
    if (side.first === null) side.first = event.origin;
    if (side.last === null) side.last = event.origin;
    this.#current = open;
    if (open.channels !== null) open.channels.gap(event.from, event.length, event.origin, this);
    if (side.splitter === null || !side.live) return;
    this.#from = event.from;
    side.splitter.gap(event.length, event.origin, this);
  }

  #onUpgraded(event: Extract<HttpEvent, { kind: 'upgraded' }>): void {
    this.#last = event.origin;
    const open = this.#find(event);
    this.#tell(open, 'client', event.origin, open.client.intact);
    this.#tell(open, 'server', event.origin, open.server.intact);
    open.known.upgraded = event.protocol;
    open.channels = channelReader(open.known);
    // Both directions go on as a tunnel and end once more.
    open.client.ended = false;
    open.server.ended = false;
  }

  #onEnd(open: Open, from: Side, origin: Origin, complete: boolean): void {
    const side = open[from];
    if (side.ended) return;
    side.ended = true;
    if (side.splitter !== null && side.last !== null) this.#endStream(open, from, origin, complete);
    if (open.channels !== null) {
      this.#current = open;
      open.channels.end(from, this);
    }
    if (complete && side.last !== null) side.last = later(side.last, origin);
    if (!complete) side.bodyIntact = false;
    if (open.known.upgraded === null) this.#tell(open, from, origin, complete && side.intact && side.headSeen);
    const other = from === 'client' ? open.server : open.client;
    // Without a request nothing more is to come from the client, as far as anyone knows.
    const over = other.ended || (from === 'server' && other.first === null);
    if (!over) return;
    const { client, server } = open;
    const exchange = open.told();
    this.#open.remove(open);
    if (this.#recent === open) this.#recent = null;
    const requestSeen = client.first !== null;
    const responseSeen = server.first !== null;
    // Never before what it ends: of two directions, that with holes is read late and ends in an early frame.
    let at = origin;
    if (client.last !== null) at = later(at, client.last);
    if (server.last !== null) at = later(at, server.last);
    this.#out.push({ kind: 'over', exchange, at, requestSeen, responseSeen });
  }

  #endStream(open: Open, from: Side, origin: Origin, complete: boolean): void {
    const side = open[from];
    this.#current = open;
    this.#from = from;
    if (side.whole !== null) {
      // node:zlib inflates step by step only asynchronously, so a compressed stream is cut when it is over.
      const bytes = side.whole.take();
      const decoded = decodeContent(bytes, side.contentEncoding);
      this.#collected -= side.whole.kept;
      side.whole = null;
      if (decoded.limited === true) this.#sayLimited(bytes.length, decoded.bytes.length, open);
      else if (decoded.bytes.length === 0 && bytes.length > 0)
        this.#say('kubernetes.undecodable', `${bytes.length} bytes of a compressed stream`, open);
      side.splitter!.feed(decoded.bytes, complete ? origin : side.last!, this);
    }
    side.splitter!.end(origin, this);
    side.splitter = null;
    if (side.skipped > 0)
      this.#say(
        'http.resynchronised',
        `${side.skipped} bytes of a stream belong to no message that could be found`,
        open,
      );
  }

  // ── what channel readers find ──

  piece({ from, channel, size, first, last, complete, report }: ChannelPiece): void {
    const exchange = this.#current!.told();
    const at = complete ? last : later(last, this.#last!);
    this.#out.push({ kind: 'channel', exchange, from, channel, size, report, first, last, at, complete });
  }

  trouble(code: 'http.malformed' | 'limit.streams', detail: string, origin: Origin): void {
    this.#last = origin;
    this.#say(code, detail, this.#current!);
  }

  // ── what splitters find ──

  item(bytes: Uint8Array, first: Origin, last: Origin, complete: boolean, compressed: boolean): void {
    const exchange = this.#current!.told();
    const from = this.#from;
    const at = complete ? last : later(last, this.#last!);
    if (compressed) {
      const head = from === 'client' ? exchange.request : exchange.response;
      const decoded = decodeContent(bytes, (head && fieldValue(head.fields, 'grpc-encoding')) ?? 'gzip');
      const whole = complete && decoded.complete;
      if (decoded.limited === true) this.#sayLimited(bytes.length, decoded.bytes.length, this.#current!);
      this.#out.push({ kind: 'item', exchange, from, first, last, at, complete: whole, bytes: decoded.bytes });
      return;
    }
    this.#out.push({ kind: 'item', exchange, from, first, last, at, complete, bytes });
  }

  skipped(length: number, _origin: Origin): void {
    this.#current![this.#from].skipped += length;
  }

  tooLong(origin: Origin): void {
    this.#last = origin;
    this.#say('limit.body', `one message of a stream is longer than ${MAX_ITEM_BYTES} bytes`, this.#current!);
  }

  #sayLimited(length: number, became: number, open: Open): void {
    this.#say('limit.decompressed', `${length} compressed bytes were inflated up to ${became}`, open);
  }

  #say(code: Notice['code'], detail: string, open: Open): void {
    const connection = open.exchange.connection.name;
    this.#out.push(notice(code, detail, this.#last === null ? { connection } : { origin: this.#last, connection }));
  }
}
