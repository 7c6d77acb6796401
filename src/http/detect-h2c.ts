// A connection that went over from HTTP/1 to HTTP/2: after `101` with `Upgrade: h2c` the bytes of both sides are HTTP/2
// from its preface on (RFC 7540 section 3.2). Pure; knows what the HTTP/1 reader says, not HTTP/2.

import type { Notice } from '../core/notice.js';
import type { Connection, StreamEvent } from '../tcp/stream-event.js';
import type { HttpEvent, ProtocolFound } from './http-event.js';

export interface H2cUpgrade {
  readonly connection: Connection;
  /** What is to be said up to the switch, the new protocol last. */
  readonly before: readonly (HttpEvent | Notice | ProtocolFound)[];
  /** What the HTTP/1 reader took for a tunnel's bytes, as the stream events that they were. */
  readonly tunnel: readonly StreamEvent[];
}

/**
 * @param out what the HTTP/1 reader said at once.
 * @returns null: there is no such switch in it.
 */
export function h2cUpgrade(out: readonly (HttpEvent | Notice)[]): H2cUpgrade | null {
  for (let i = 0; i < out.length; i++) {
    const item = out[i];
    if (item.kind === 'upgraded' && item.protocol === 'h2c') return splitAt(out, i, item);
  }
  return null;
}

function splitAt(
  out: readonly (HttpEvent | Notice)[],
  at: number,
  { connection, stream, origin }: Extract<HttpEvent, { kind: 'upgraded' }>,
): H2cUpgrade {
  const before: (HttpEvent | Notice | ProtocolFound)[] = out.slice(0, at + 1);
  for (const from of ['client', 'server'] as const)
    before.push({ kind: 'end', connection, stream, from, origin, complete: true });
  before.push({ kind: 'protocol', connection, protocol: 'http/2' });
  const tunnel: StreamEvent[] = [];
  for (const item of out.slice(at + 1)) {
    const event = tunnelled(item);
    if (event !== null) tunnel.push(event);
  }
  return { connection, before, tunnel };
}

function tunnelled(item: HttpEvent | Notice): StreamEvent | null {
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
