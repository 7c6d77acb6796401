// A conversation in few words, and what a reader said of it in few words, for tests. Events are frames 1, 2, 3 …, each at
// as many ns.
import type { Notice } from '../../src/core/notice.js';
import type { Origin } from '../../src/core/origin.js';
import { pipe, type Stage } from '../../src/core/stage.js';
import { httpDetect } from '../../src/http/detect.js';
import type { BodyOutput, Framing } from '../../src/http/exchange/exchange-bodies.js';
import { exchanges } from '../../src/http/exchange/exchanges.js';
import type { HttpEvent, ProtocolFound } from '../../src/http/http-event.js';
import { PROTOCOLS } from '../../src/http/protocols.js';
import type { Connection, EndReason, Side, StreamEvent } from '../../src/tcp/stream-event.js';

export const CONNECTION: Connection = {
  id: 1,
  client: { address: '192.0.2.1', port: 40000 },
  server: { address: '192.0.2.2', port: 8080 },
  name: '192.0.2.1:40000-192.0.2.2:8080',
  roles: 'handshake',
};
export const LATE: Connection = { ...CONNECTION, roles: 'port' };

export type Draft = (connection: Connection, origin: Origin) => StreamEvent;
export const originOf = (frame: number): Origin => ({ capture: 0, frame, time: BigInt(frame) });

const bytesOf = (bytes: string | Uint8Array): Uint8Array =>
  typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
const data =
  (from: Side, bytes: string | Uint8Array): Draft =>
  (connection, origin) => ({ kind: 'data', connection, from, origin, bytes: bytesOf(bytes) });
/** The client sends. */
export const C = (bytes: string | Uint8Array): Draft => data('client', bytes);
/** The server sends. */
export const S = (bytes: string | Uint8Array): Draft => data('server', bytes);
export const gap =
  (from: Side, length: number | null): Draft =>
  (connection, origin) => ({ kind: 'gap', connection, from, origin, length });
export const closed =
  (from: Side | null = null, reason: EndReason = 'fin'): Draft =>
  (connection, origin) => ({ kind: 'closed', connection, from, origin, reason });

export function context(drafts: readonly Draft[], connection: Connection = CONNECTION): StreamEvent[] {
  return drafts.map((draft, i) => draft(connection, originOf(i + 1)));
}

/** The same bytes, one a piece, with the same origins. */
export function byteByByte(events: readonly StreamEvent[]): StreamEvent[] {
  return events.flatMap((event): StreamEvent[] =>
    event.kind === 'data' ? [...event.bytes].map((byte) => ({ ...event, bytes: Uint8Array.of(byte) })) : [event],
  );
}

/** Everything that a stage says. What is borrowed is copied, and what was fed is overwritten after each feed. */
export function said<Out>(stage: Stage<StreamEvent, Out>, events: readonly StreamEvent[]): Out[] {
  const all: Out[] = [];
  const keep = (items: readonly Out[]): void => {
    for (const item of items) {
      const piece = item as { kind: string; bytes?: Uint8Array };
      all.push(
        piece.kind === 'body' || piece.kind === 'tunnel'
          ? ({ ...item, bytes: Uint8Array.from(piece.bytes!) } as Out)
          : item,
      );
    }
  };
  for (const event of events) {
    if (event.kind !== 'data') keep(stage.feed(event));
    else {
      const borrowed = Uint8Array.from(event.bytes);
      keep(stage.feed({ ...event, bytes: borrowed }));
      borrowed.fill(0xee);
    }
  }
  keep(stage.end());
  return all;
}

type Said = HttpEvent | ProtocolFound | Notice;

/** Detection, whatever it finds, and exchanges. */
export function exchangeStage(connection: Connection, framing: Framing): Stage<StreamEvent, BodyOutput> {
  const all = (item: Said): item is Said => item !== undefined;
  return pipe<StreamEvent, Said, never, BodyOutput>(httpDetect(PROTOCOLS)(connection), all, exchanges({ framing }));
}

const arrow = (from: Side): string => (from === 'client' ? '>' : '<');
const text = (bytes: Uint8Array): string => JSON.stringify(Buffer.from(bytes).toString('latin1'));

/** One line an event: `1 > GET /a 1-1`, `1 < 200 2-2`, `1 < "body"`, `1 < end`; pieces of one body are joined. */
export function words(items: readonly (HttpEvent | ProtocolFound | Notice)[]): string[] {
  const lines: string[] = [];
  let body: { key: string; parts: Uint8Array[] } | null = null;
  const flush = (): void => {
    if (body !== null) lines.push(`${body.key} ${text(Buffer.concat(body.parts))}`);
    body = null;
  };
  for (const item of items) {
    if (item.kind === 'body') {
      const key = `${item.stream} ${arrow(item.from)}`;
      const open = body as { key: string; parts: Uint8Array[] } | null;
      if (open?.key === key) open.parts.push(item.bytes);
      else {
        flush();
        body = { key, parts: [item.bytes] };
      }
      continue;
    }
    flush();
    lines.push(line(item));
  }
  flush();
  return lines;
}

function line(item: Exclude<HttpEvent, { kind: 'body' }> | ProtocolFound | Notice): string {
  if (item.kind === 'notice') return `! ${item.code}`;
  if (item.kind === 'protocol') return `= ${item.protocol}`;
  if (item.kind === 'unread') return `${arrow(item.from)} unread ${item.length}`;
  const place = `${item.stream} ${arrow(item.from)}`;
  switch (item.kind) {
    case 'head': {
      const { head, first, last, complete } = item;
      const start = head.kind === 'request-head' ? `${head.method} ${head.target}` : `${head.status}`;
      return `${place} ${start} ${first.frame}-${last.frame}${complete ? '' : ' partial'}`;
    }
    case 'stalled':
      return `${place} stalled`;
    case 'body-gap':
      return `${place} gap ${item.length}`;
    case 'trailers':
      return `${place} trailers ${item.fields.join(' ')}`;
    case 'end':
      return `${place} ${item.complete ? 'end' : 'cut'}`;
    case 'upgraded':
      return `${place} upgraded ${item.protocol}`;
    case 'renumbered':
      return `${item.stream} is ${item.to}`;
  }
}

/** One line an event: `response GET /a 200 "body" 3-5 @5`; ` cut` where it is not complete. */
export function exchangeWords(items: readonly BodyOutput[]): string[] {
  return items.map((item) => {
    if (item.kind === 'notice') return `! ${item.code}`;
    if (item.kind === 'protocol') return `= ${item.protocol}`;
    if (item.kind === 'tunnelled') return `tunnelled ${item.item.kind}`;
    const { request, response } = item.exchange;
    const asked = `${request?.method ?? '?'} ${request?.target ?? '?'}`;
    // The exchange is filled in as it goes on: what a request's response is cannot be seen at the request.
    const name = item.kind === 'request' ? asked : `${asked} ${response?.status ?? '-'}`;
    if (item.kind === 'exchange-end')
      return `over ${name} @${item.at.frame}${item.requestSeen ? '' : ' no request'}${item.responseSeen ? '' : ' no response'}`;
    const span = `${item.first.frame}-${item.last.frame} @${item.at.frame}${item.complete ? '' : ' cut'}`;
    if (item.kind === 'channel') return `channel ${arrow(item.from)} ${item.channel} ${item.size} ${span}`;
    if (item.kind === 'item' || item.kind === 'tunnel')
      return `${item.kind} ${arrow(item.from)} ${text(item.bytes)} ${span}`;
    return `${item.kind} ${name}${item.body === null ? '' : ` ${text(item.body.read().bytes)}`} ${span}`;
  });
}
