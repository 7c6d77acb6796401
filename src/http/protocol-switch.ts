// Finds the switch of a connection from HTTP/1 to HTTP/2 (`101` with `Upgrade: h2c`), or to any protocol through a proxy after CONNECT
// (RFC 9110, 9.3.6).
//
// A request for h2c by the standard has HTTP2-Settings and gets its response on stream 1, so the 101 is an interim response (RFC 7540,
// 3.2). Without that field the 101 is the response, and an HTTP/2 connection begins after it: docker's client requests BuildKit's so,
// in which either side may be the client (moby/buildkit, session/grpc.go).

import type { Notice } from '../core/notice.js';
import type { Connection, StreamEvent } from '../tcp/stream-event.js';
import { fieldValue, type HttpEvent, type ProtocolFound } from './http-event.js';
import { ANY_PROTOCOL } from './http1/body-length.js';

type SwitchableItem = HttpEvent | Notice | ProtocolFound;

export interface ProtocolSwitch {
  readonly connection: Connection;
  /** `h2c-response`: HTTP/2 in which stream 1 responds to the last request; `h2c`: a new HTTP/2 connection; `any`: unknown. */
  readonly to: 'h2c-response' | 'h2c' | 'any';
  /** Items up to the switch. */
  readonly before: readonly SwitchableItem[];
  /** The tunnel's bytes from the HTTP/1 session, as stream events again. */
  readonly tunnel: readonly StreamEvent[];
}

/** @param out items of one call of the HTTP/1 session. @returns null if they have no such switch. */
export function protocolSwitch(out: readonly SwitchableItem[]): ProtocolSwitch | null {
  for (let i = 0; i < out.length; i++) {
    const item = out[i];
    if (item.kind === 'upgraded' && (item.protocol === 'h2c' || item.protocol === ANY_PROTOCOL))
      return splitAt(out, i, item);
  }
  return null;
}

function splitAt(
  out: readonly SwitchableItem[],
  at: number,
  { connection, stream, origin, protocol, request }: Extract<HttpEvent, { kind: 'upgraded' }>,
): ProtocolSwitch {
  const tunnel: StreamEvent[] = [];
  for (const item of out.slice(at + 1)) {
    const event = tunnelled(item);
    if (event !== null) tunnel.push(event);
  }
  if (protocol !== ANY_PROTOCOL && request && fieldValue(request.fields, 'http2-settings') !== undefined) {
    // The 101 is omitted, but not the responses to earlier requests.
    const isInterim = (item: SwitchableItem): boolean =>
      item.kind === 'head' && item.from === 'server' && item.stream === stream;
    const before = out.slice(0, at).filter((item) => !isInterim(item));
    if (stream !== 1) before.push({ kind: 'renumbered', connection, stream, from: 'server', to: 1 });
    return { connection, to: 'h2c-response', before, tunnel };
  }
  const before: SwitchableItem[] = out.slice(0, at + 1);
  for (const from of ['client', 'server'] as const)
    before.push({ kind: 'end', connection, stream, from, origin, complete: true });
  return { connection, to: protocol === ANY_PROTOCOL ? 'any' : 'h2c', before, tunnel };
}

function tunnelled(item: SwitchableItem): StreamEvent | null {
  if (item.kind === 'body') {
    const { connection, from, origin, bytes } = item;
    return { kind: 'data', connection, from, origin, bytes };
  }
  if (item.kind === 'body-gap') {
    const { connection, from, origin, length } = item;
    return { kind: 'gap', connection, from, origin, length };
  }
  if (item.kind === 'end') {
    const { connection, from, origin, complete } = item;
    return { kind: 'closed', connection, from, origin, reason: complete ? 'fin' : 'end' };
  }
  return null;
}
