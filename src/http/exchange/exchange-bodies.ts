// The bodies of one connection's exchanges: collected and told whole with their request or response, cut into the messages
// of a stream, read into channels, or passed on as a tunnel's bytes. Knows what the heads say of them and the memory that
// all of them may take; not when exchanges begin and are over, nor what a body means: how it is cut is injected.

import { type Notice, notice } from '../../core/notice.js';
import { later, type Origin } from '../../core/origin.js';
import { NOTHING } from '../../core/stage.js';
import type { Side } from '../../tcp/stream-event.js';
import type { BodyFraming, ExchangeEvent } from '../exchange-event.js';
import { beginsMember, type MemberReaders } from '../framing/gzip-members.js';
import { MAX_ITEM_BYTES, type MessageSink } from '../framing/message-framer.js';
import { fieldValue, type ProtocolFound, type RequestHead, type ResponseHead } from '../http-event.js';
import { MAX_BODY_BYTES } from './body.js';
import type { ChannelPiece, ChannelSink } from './channel.js';
import { bodyChannels, channelReader } from './channels.js';
import { decodeContent, isGzip } from './content.js';
import { type OpenExchange, sniffFraming } from './open-exchanges.js';

/** Bytes of all unfinished bodies of a connection. */
export const MAX_COLLECTED_BYTES = 64 * 1024 * 1024;

/** How the body that `from` sends is cut into messages, told from the heads seen so far. */
export type Framing = (request: RequestHead | null, response: ResponseHead | null, from: Side) => BodyFraming;

type BodyOutput = ExchangeEvent | Notice | ProtocolFound;

/**
 * Heads that are known, pieces of bodies and their ends in, one exchange's at a time; what is to be said of them waits in
 * order, with what others say of the connection, until it is taken.
 */
export class ExchangeBodies implements MessageSink, ChannelSink {
  /** Frame of the last event, where notices stand. */
  last: Origin | null = null;
  readonly #framing: Framing;
  readonly #readers: MemberReaders;
  #out: BodyOutput[] = [];
  #collected = 0;
  // Whose body a reader is reading.
  #current: OpenExchange | null = null;
  #from: Side = 'client';

  constructor(framing: Framing, readers: MemberReaders) {
    this.#framing = framing;
    this.#readers = readers;
  }

  take(): readonly BodyOutput[] {
    if (this.#out.length === 0) return NOTHING;
    const out = this.#out;
    this.#out = [];
    return out;
  }

  say(item: BodyOutput): void {
    this.#out.push(item);
  }

  /** A notice about this exchange, at the last event. */
  sayNotice(code: Notice['code'], detail: string, open: OpenExchange): void {
    const connection = open.exchange.connection.name;
    this.#out.push(notice(code, detail, this.last === null ? { connection } : { origin: this.last, connection }));
  }

  /** A head is known and its body follows; streamed ones are told now. */
  begin(open: OpenExchange, from: Side, at: Origin, complete: boolean): void {
    const { request, response } = open.known;
    // A switch is told by its own event, with the protocol.
    if (response !== null && response.status === 101) return;
    const side = open[from];
    const framing = this.#framing(request, from === 'server' ? response : null, from);
    // A head without its type may still tell that it is a watch, but not of what: that the first bytes do.
    side.sniffs = !complete && !side.hasType;
    if (framing === 'whole') return;
    open.channels = bodyChannels(framing);
    if (!side.sniffs) side.stream(framing, false, this.#readers);
    this.#tell(open, from, at, complete);
  }

  /** @param bytes borrowed. */
  body(open: OpenExchange, from: Side, bytes: Uint8Array, origin: Origin): void {
    const side = from === 'client' ? open.client : open.server;
    if (open.channels !== null && (open.known.upgraded !== null || from === 'server')) {
      side.seen(origin);
      this.#reads(open, from);
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
      this.#reads(open, from);
      side.splitter.feed(bytes, origin, this);
      return;
    }
    const before = side.whole?.kept ?? 0;
    const whole = side.collect(bytes, MAX_COLLECTED_BYTES - this.#collected);
    this.#collected += whole.kept - before;
    if (whole.kept < whole.length && whole.length - bytes.length <= before)
      this.sayNotice('limit.body', `a body was kept only up to ${whole.kept} bytes (limit ${MAX_BODY_BYTES})`, open);
  }

  /** `length` bytes of a body are missing; null: nobody knows how many. */
  gap(open: OpenExchange, from: Side, length: number | null, origin: Origin): void {
    const side = open[from];
    side.intact = false;
    side.bodyIntact = false;
    if (side.first === null) side.first = origin;
    if (side.last === null) side.last = origin;
    this.#reads(open, from);
    if (open.channels !== null) open.channels.gap(from, length, origin, this);
    if (side.splitter === null || !side.live) return;
    side.splitter.gap(length, origin, this);
  }

  /** From here on both sides are a tunnel. */
  upgraded(open: OpenExchange, protocol: string, origin: Origin): void {
    this.#tell(open, 'client', origin, open.client.intact);
    this.#tell(open, 'server', origin, open.server.intact);
    open.known.upgraded = protocol;
    const { request, response } = open.known;
    open.channels = channelReader(open.known, this.#framing(request, response, 'server'));
  }

  /** Nothing more of this side's body will come. */
  end(open: OpenExchange, from: Side, origin: Origin, complete: boolean): void {
    const side = open[from];
    if (side.splitter !== null && side.last !== null) this.#endStream(open, from, origin, complete);
    if (open.channels !== null) {
      this.#reads(open, from);
      open.channels.end(from, this);
    }
    if (complete && side.last !== null) side.last = later(side.last, origin);
    if (!complete) side.bodyIntact = false;
    if (open.known.upgraded === null) this.#tell(open, from, origin, complete && side.intact && side.headSeen);
  }

  /** Says `request` or `response`. */
  #tell(open: OpenExchange, from: Side, at: Origin, complete: boolean): void {
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

  // The head is not in the capture, or does not say what the body is: its first bytes may.
  #sniff(open: OpenExchange, from: Side, bytes: Uint8Array, origin: Origin): void {
    const side = open[from];
    side.sniffs = false;
    const { request, response } = open.known;
    let start = bytes;
    if (isGzip(side.contentEncoding) || (side.contentEncoding === '' && beginsMember(bytes))) {
      start = decodeContent(bytes, 'gzip').bytes;
      if (start.length > 0) side.contentEncoding = 'gzip';
    }
    let framing = sniffFraming(start);
    if (framing === 'whole') framing = this.#framing(request, from === 'server' ? response : null, from);
    if (framing === 'whole') return;
    const head = from === 'client' ? request : response;
    const nothingKnown = head === null || head.fields.length + head.partial.length === 0;
    side.stream(framing, nothingKnown, this.#readers);
    // Of a head of which nothing is known there is nothing to tell.
    if (nothingKnown) side.told = true;
    else this.#tell(open, from, origin, false);
  }

  #endStream(open: OpenExchange, from: Side, origin: Origin, complete: boolean): void {
    const side = open[from];
    this.#reads(open, from);
    if (side.whole !== null) {
      const bytes = side.whole.take();
      const decoded = decodeContent(bytes, side.contentEncoding);
      this.#collected -= side.whole.kept;
      side.whole = null;
      if (decoded.limited === true) this.#sayLimited(bytes.length, decoded.bytes.length, open);
      else if (decoded.bytes.length === 0 && bytes.length > 0)
        this.sayNotice('kubernetes.undecodable', `${bytes.length} bytes of a compressed stream`, open);
      side.splitter!.feed(decoded.bytes, complete ? origin : side.last!, this);
    }
    side.splitter!.end(origin, this);
    side.splitter = null;
    if (side.skipped > 0)
      this.sayNotice(
        'http.resynchronised',
        `${side.skipped} bytes of a stream belong to no message that could be found`,
        open,
      );
  }

  /** What a reader finds from now on is of this side's body. */
  #reads(open: OpenExchange, from: Side): void {
    this.#current = open;
    this.#from = from;
  }

  // ── what channel readers find ──

  piece({ from, channel, size, first, last, complete, report }: ChannelPiece): void {
    const exchange = this.#current!.told();
    const at = complete ? last : later(last, this.last!);
    this.#out.push({ kind: 'channel', exchange, from, channel, size, report, first, last, at, complete });
  }

  trouble(code: 'http.malformed' | 'limit.streams', detail: string, origin: Origin): void {
    this.last = origin;
    this.sayNotice(code, detail, this.#current!);
  }

  // ── what splitters find ──

  onMessage(bytes: Uint8Array, first: Origin, last: Origin, complete: boolean, compressed: boolean): boolean {
    const exchange = this.#current!.told();
    const from = this.#from;
    const at = complete ? last : later(last, this.last!);
    if (compressed) {
      const head = from === 'client' ? exchange.request : exchange.response;
      const decoded = decodeContent(bytes, (head && fieldValue(head.fields, 'grpc-encoding')) ?? 'gzip');
      const whole = complete && decoded.complete;
      if (decoded.limited === true) this.#sayLimited(bytes.length, decoded.bytes.length, this.#current!);
      this.#out.push({ kind: 'item', exchange, from, first, last, at, complete: whole, bytes: decoded.bytes });
      return true;
    }
    this.#out.push({ kind: 'item', exchange, from, first, last, at, complete, bytes });
    return true;
  }

  onSkipped(length: number, _origin: Origin): void {
    this.#current![this.#from].skipped += length;
  }

  onTooLong(origin: Origin): void {
    this.last = origin;
    this.sayNotice('limit.body', `one message of a stream is longer than ${MAX_ITEM_BYTES} bytes`, this.#current!);
  }

  onDecompressionLimit(came: number, became: number, origin: Origin): void {
    this.last = origin;
    this.#sayLimited(came, became, this.#current!);
  }

  #sayLimited(length: number, became: number, open: OpenExchange): void {
    this.sayNotice('limit.decompressed', `${length} compressed bytes were inflated up to ${became}`, open);
  }
}
