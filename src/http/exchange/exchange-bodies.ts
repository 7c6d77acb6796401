// Processes the bodies of the exchanges of one connection: collects them whole, cuts them into messages, reads them into channels, or
// passes on the bytes of a tunnel.

import { type Notice, notice } from '../../core/notice.js';
import { later, type Origin } from '../../core/origin.js';
import { NOTHING } from '../../core/stage.js';
import type { Side } from '../../tcp/stream-event.js';
import type { BodyFraming, Exchange, ExchangeEvent } from '../exchange-event.js';
import { DockerStream } from '../framing/docker-stream.js';
import { beginsMember, type MemberReaders } from '../framing/gzip-members.js';
import { MAX_ITEM_BYTES, type MessageSink } from '../framing/message-framer.js';
import { fieldValue, type ProtocolFound, type RequestHead, type ResponseHead } from '../http-event.js';
import { SpdyChannels } from '../spdy/channels.js';
import { WebSocketChannels } from '../websocket/channels.js';
import { WebSocketMessages } from '../websocket/messages.js';
import { MAX_BODY_BYTES } from './body.js';
import { type ChannelPiece, type ChannelReader, type ChannelSink, OneChannel, type Tunnelled } from './channel.js';
import { decodeContent, isGzip } from './content.js';
import { type ExchangeSide, type OpenExchange, sniffFraming } from './open-exchanges.js';

/** Limit in bytes: all unfinished bodies of one connection. */
export const MAX_COLLECTED_BYTES = 64 * 1024 * 1024;

const EARLY = { isEarly: true } as const;

/** Whether the body of a request goes on, of which nothing is missing so far: TCP's bytes come in the order of acknowledgment. */
function isUnfinished({ ended, intact, headSeen, framer }: ExchangeSide): boolean {
  return !ended && intact && headSeen && framer === null;
}

/** Selects how the body that `from` sends is cut into messages, by the heads so far. */
export type Framing = (request: RequestHead | null, response: ResponseHead | null, from: Side) => BodyFraming;

type ChannelOutput = Extract<ExchangeEvent, { kind: 'channel' }>;
export type BodyOutput = ExchangeEvent | Notice | ProtocolFound | Tunnelled;

/** In: known heads, pieces of bodies and their ends. Out: exchange events and other items of the connection, in order. */
export class ExchangeBodies implements MessageSink, ChannelSink {
  /** Frame of the latest event, the origin of notices. */
  last: Origin | null = null;
  readonly #framing: Framing;
  readonly #readers: MemberReaders;
  #out: BodyOutput[] = [];
  #collected = 0;
  // The body of the current reader.
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

  emit(item: BodyOutput): void {
    this.#out.push(item);
  }

  emitNotice(code: Notice['code'], detail: string, open: OpenExchange): void {
    const connection = open.exchange.connection.name;
    this.#out.push(notice(code, detail, this.last === null ? { connection } : { origin: this.last, connection }));
  }

  /** Begins a body after its head; the head of a streamed one is emitted now. */
  begin(open: OpenExchange, from: Side, at: Origin, complete: boolean): void {
    const { request, response } = open.known;
    // A protocol switch has its own event.
    if (response !== null && response.status === 101) return;
    const side = open[from];
    const framing = this.#framing(request, from === 'server' ? response : null, from);
    // A head without content type may show that the body is a watch; its first bytes show the format.
    side.sniffs = !complete && !side.hasType;
    if (framing === 'whole') return;
    open.channels = bodyChannels(framing);
    if (!side.sniffs) side.stream(framing, false, this.#readers);
    this.#emitHead(open, from, at, complete);
  }

  /** @param bytes borrowed. */
  body(open: OpenExchange, from: Side, bytes: Uint8Array, origin: Origin): void {
    const side = from === 'client' ? open.client : open.server;
    side.received += bytes.length;
    if (open.channels !== null && (open.known.upgraded !== null || from === 'server')) {
      side.seen(origin);
      this.#reads(open, from);
      open.channels.feed(from, bytes, origin, this);
      return;
    }
    if (open.known.upgraded !== null) {
      const exchange = open.snapshot();
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
    if (side.framer !== null && side.isLive) {
      this.#reads(open, from);
      side.framer.feed(bytes, origin, this);
      return;
    }
    // The rest of a request that was answered early.
    if (side.emitted && side.framer === null) return;
    const before = side.whole?.kept ?? 0;
    const whole = side.collect(bytes, MAX_COLLECTED_BYTES - this.#collected);
    this.#collected += whole.kept - before;
    if (whole.kept < whole.length && whole.length - bytes.length <= before)
      this.emitNotice('limit.body', `a body was kept only up to ${whole.kept} bytes (limit ${MAX_BODY_BYTES})`, open);
  }

  /** @param length of the missing bytes; null if unknown. */
  gap(open: OpenExchange, from: Side, length: number | null, origin: Origin): void {
    const side = open[from];
    side.intact = false;
    side.bodyIntact = false;
    if (side.first === null) side.first = origin;
    if (side.last === null) side.last = origin;
    this.#reads(open, from);
    if (open.channels !== null) open.channels.gap(from, length, origin, this);
    if (side.framer === null || !side.isLive) return;
    side.framer.gap(length, origin, this);
  }

  /** From here on both sides are a tunnel. */
  upgraded(open: OpenExchange, protocol: string, origin: Origin): void {
    this.#emitHead(open, 'client', origin, open.client.intact);
    this.#emitHead(open, 'server', origin, open.server.intact);
    open.known.upgraded = protocol;
    const { request, response } = open.known;
    open.channels = channelReader(open.snapshot(), this.#framing(request, response, 'server'));
  }

  /** Ends the body of a side. @param by side that ended the connection first. */
  end(open: OpenExchange, from: Side, origin: Origin, complete: boolean, by?: Side): void {
    const side = open[from];
    if (side.framer !== null && side.last !== null) this.#endStream(open, from, origin, complete);
    if (open.channels !== null) {
      this.#reads(open, from);
      open.channels.end(from, this, by, origin);
    }
    if (complete && side.last !== null) side.last = later(side.last, origin);
    if (!complete) side.bodyIntact = false;
    if (open.known.upgraded === null) this.#emitHead(open, from, origin, complete && side.intact && side.headSeen);
  }

  /** Emits `request` or `response`, once. */
  #emitHead(open: OpenExchange, from: Side, at: Origin, complete: boolean): void {
    const side = open[from];
    if (side.emitted || side.first === null) return;
    // A server may answer before the request's end (RFC 9113, section 8.1; RFC 9112, section 9.6): its answer follows what came of it.
    // Where bytes of the request are missing from the capture, its end may be among them.
    if (from === 'server' && !open.client.emitted && open.client.intact) {
      const isStreamed = side.framer !== null || open.channels !== null;
      this.#emitHead(open, 'client', side.first, isStreamed);
    }
    side.emitted = true;
    this.#collected -= side.whole?.kept ?? 0;
    const last = side.last!;
    // A message is complete when the last of its segments was captured, even if its last byte came before.
    const span = {
      exchange: open.snapshot(),
      first: side.first,
      last,
      at: later(later(side.first, last), at),
      complete,
    };
    const body = side.takeBody();
    if (from === 'client') this.#out.push({ kind: 'request', ...span, body });
    else {
      const early = complete && isUnfinished(open.client) ? EARLY : null;
      const stalled = side.stalls === null ? null : { stalls: side.stalls };
      this.#out.push({ kind: 'response', ...span, body, ...early, ...stalled });
    }
  }

  // Detects the framing by the first bytes of a body whose head was not captured, or does not show it.
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
    // An entirely unknown head is not emitted.
    if (nothingKnown) side.emitted = true;
    else this.#emitHead(open, from, origin, false);
  }

  #endStream(open: OpenExchange, from: Side, origin: Origin, complete: boolean): void {
    const side = open[from];
    this.#reads(open, from);
    if (side.whole !== null) {
      const bytes = side.whole.take();
      const decoded = decodeContent(bytes, side.contentEncoding);
      this.#collected -= side.whole.kept;
      side.whole = null;
      if (decoded.limited === true) this.#emitLimited(bytes.length, decoded.bytes.length, open);
      else if (decoded.bytes.length === 0 && bytes.length > 0)
        this.emitNotice('kubernetes.undecodable', `${bytes.length} bytes of a compressed stream`, open);
      side.framer!.feed(decoded.bytes, complete ? origin : side.last!, this);
    }
    side.framer!.end(origin, this);
    side.framer = null;
    const detail = `${side.skipped} bytes of a stream belong to no message that could be found`;
    if (side.skipped > 0) this.emitNotice('http.resynchronised', detail, open);
  }

  /** Sets the body to which the following calls of a reader belong. */
  #reads(open: OpenExchange, from: Side): void {
    this.#current = open;
    this.#from = from;
  }

  // ── ChannelSink ──

  onPiece({ from, channel, size, first, last, complete, report }: ChannelPiece): void {
    const exchange = this.#current!.snapshot();
    const at = complete ? last : later(last, this.last!);
    if (complete && report === null && this.#isContinued(from, channel, last)) {
      const before = this.#out.pop() as ChannelOutput;
      this.#out.push({ ...before, size: before.size + size });
      return;
    }
    this.#out.push({ kind: 'channel', exchange, from, channel, size, report, first, last, at, complete });
  }

  /**
   * Is a piece at `origin` the next one of the piece emitted last, in the same frame? Nobody sees when each of them was written, so they
   * are one message; else a frame of a few bytes a piece would be hundreds.
   */
  #isContinued(from: Side, channel: string | null, origin: Origin): boolean {
    const before = this.#out.at(-1);
    return (
      before?.kind === 'channel' &&
      before.exchange === this.#current!.exchange &&
      before.from === from &&
      before.channel === channel &&
      before.complete &&
      before.size > 0 &&
      before.report === null &&
      before.last.frame === origin.frame &&
      before.last.capture === origin.capture
    );
  }

  onTunnelled(item: Tunnelled['item']): void {
    this.#out.push({ kind: 'tunnelled', item });
  }

  onError(code: Notice['code'], detail: string, origin: Origin): void {
    this.last = origin;
    this.emitNotice(code, detail, this.#current!);
  }

  // ── MessageSink ──

  onMessage(bytes: Uint8Array, first: Origin, last: Origin, complete: boolean, compressed: boolean): boolean {
    const exchange = this.#current!.snapshot();
    const from = this.#from;
    const at = complete ? last : later(last, this.last!);
    if (compressed) {
      const head = from === 'client' ? exchange.request : exchange.response;
      const decoded = decodeContent(bytes, (head && fieldValue(head.fields, 'grpc-encoding')) ?? 'gzip');
      const whole = complete && decoded.complete;
      if (decoded.limited === true) this.#emitLimited(bytes.length, decoded.bytes.length, this.#current!);
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
    this.emitNotice('limit.body', `one message of a stream is longer than ${MAX_ITEM_BYTES} bytes`, this.#current!);
  }

  onDecompressionLimit(compressed: number, inflated: number, origin: Origin): void {
    this.last = origin;
    this.#emitLimited(compressed, inflated, this.#current!);
  }

  #emitLimited(compressed: number, inflated: number, open: OpenExchange): void {
    this.emitNotice('limit.decompressed', `${compressed} compressed bytes were inflated up to ${inflated}`, open);
  }
}

/** @param framing of the server's bytes. @returns null for a protocol without channels, or an unknown one. */
function channelReader(
  { connection, request, response, upgraded }: Exchange,
  framing: BodyFraming,
): ChannelReader | null {
  const fields = response?.fields ?? [];
  switch (upgraded?.toLowerCase()) {
    case 'websocket':
      if (framing === 'messages') return new WebSocketMessages();
      return new WebSocketChannels(
        fieldValue(fields, 'sec-websocket-protocol') ?? '',
        request?.target ?? '',
        connection,
      );
    case 'spdy/3.1':
      return new SpdyChannels();
    case 'tcp': {
      const type = fieldValue(fields, 'content-type');
      if (type === 'application/vnd.docker.multiplexed-stream') return new DockerStream(true);
      return type === 'application/vnd.docker.raw-stream' ? new DockerStream(false) : null;
    }
    default:
      return null;
  }
}

/** @returns null for a body without channels. */
function bodyChannels(framing: BodyFraming): ChannelReader | null {
  if (framing === 'docker-stream') return new DockerStream(false);
  return framing === 'log' ? new OneChannel('log') : null;
}
