// A connection that goes over from HTTP/1 to something else: HTTP/2 after `101` with `Upgrade: h2c`, or whatever a client
// speaks through a proxy that it had CONNECT it (RFC 9110, 9.3.6). Pure; knows what the HTTP/1 reader says, not what comes
// then.
//
// Who asks for h2c by the book sends HTTP2-Settings, and is answered on stream 1, for which the 101 was an interim answer
// (RFC 7540, 3.2). Without that field the 101 is the answer, and a connection of HTTP/2 begins behind it: so docker's
// client asks for BuildKit's, in which either side may be the client (moby/buildkit, session/grpc.go).

import type { Notice } from '../core/notice.js';
import type { Connection, StreamEvent } from '../tcp/stream-event.js';
import { fieldValue, type HttpEvent, type ProtocolFound } from './http-event.js';
import { ANY_PROTOCOL } from './http1/body-length.js';

type SwitchableItem = HttpEvent | Notice | ProtocolFound;

export interface ProtocolSwitch {
  readonly connection: Connection;
  /** `answer`: HTTP/2 in which stream 1 answers what was asked last; `h2c`: HTTP/2 of its own; `any`: not known. */
  readonly to: 'answer' | 'h2c' | 'any';
  /** What is to be said up to the switch. */
  readonly before: readonly SwitchableItem[];
  /** What the HTTP/1 reader took for a tunnel's bytes, as the stream events that they were. */
  readonly tunnel: readonly StreamEvent[];
}

/**
 * @param out what the HTTP/1 reader said at once.
 * @returns null: there is no such switch in it.
 */
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
  { connection, stream, origin, protocol, asked }: Extract<HttpEvent, { kind: 'upgraded' }>,
): ProtocolSwitch {
  const tunnel: StreamEvent[] = [];
  for (const item of out.slice(at + 1)) {
    const event = tunnelled(item);
    if (event !== null) tunnel.push(event);
  }
  if (protocol !== ANY_PROTOCOL && asked && fieldValue(asked.fields, 'http2-settings') !== undefined) {
    // The 101 is left out; not the answers to requests before it.
    const isInterim = (item: SwitchableItem): boolean =>
      item.kind === 'head' && item.from === 'server' && item.stream === stream;
    const before = out.slice(0, at).filter((item) => !isInterim(item));
    if (stream !== 1) before.push({ kind: 'renumbered', connection, stream, from: 'server', to: 1 });
    return { connection, to: 'answer', before, tunnel };
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
