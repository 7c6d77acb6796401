// Real connections with bytes taken out anywhere: whatever is still said is true.
import { describe, expect, it } from 'vitest';
import { connections, gapEvent, type HttpItem, read } from '../../../test/kit/http2-kit.js';
import type { Side, StreamEvent } from '../../tcp/stream-event.js';

interface ReadStreams {
  heads: Map<string, { line: string; fields: Set<string> }>;
  bodies: Map<string, string>;
  ended: Set<string>;
}

function told(said: readonly HttpItem[]): ReadStreams {
  const out: ReadStreams = { heads: new Map(), bodies: new Map(), ended: new Set() };
  for (const item of said) {
    if (item.kind === 'notice' || item.kind === 'unread') continue;
    const key = `${item.stream} ${item.from}`;
    if (item.kind === 'body') {
      out.bodies.set(key, (out.bodies.get(key) ?? '') + Buffer.from(item.bytes).toString('latin1'));
    } else if (item.kind === 'head' || item.kind === 'trailers') {
      const fields = item.kind === 'head' ? item.head.fields : item.fields;
      const known = out.heads.get(key) ?? { line: '', fields: new Set<string>() };
      out.heads.set(key, known);
      for (let i = 0; i < fields.length; i += 2) known.fields.add(`${fields[i]}: ${fields[i + 1]}`);
      if (item.kind === 'head') {
        const { head } = item;
        if (head.kind === 'request-head') {
          if (head.method !== null) known.fields.add(`method ${head.method}`);
          if (head.target !== null) known.fields.add(`target ${head.target}`);
        } else if (head.status !== null) {
          known.fields.add(`status ${head.status}`);
        }
      }
    } else if (item.kind === 'end' && item.complete) {
      out.ended.add(key);
    }
  }
  return out;
}

/** Takes the bytes [from, to) out of one side. */
function without(
  events: readonly StreamEvent[],
  side: Side,
  from: number,
  to: number,
  sizeKnown: boolean,
): StreamEvent[] {
  const out: StreamEvent[] = [];
  let at = 0;
  let said = false;
  for (const event of events) {
    if (event.kind !== 'data' || event.from !== side) {
      out.push(event);
      continue;
    }
    const end = at + event.bytes.length;
    const before = event.bytes.subarray(0, Math.max(0, from - at));
    const after = event.bytes.subarray(Math.max(0, to - at));
    if (end <= from || at >= to) out.push(event);
    else {
      if (before.length > 0) out.push({ ...event, bytes: before });
      if (!said) out.push(gapEvent(event.connection, side, sizeKnown ? to - from : null, event.origin.frame));
      said = true;
      if (after.length > 0) out.push({ ...event, bytes: after });
    }
    at = end;
  }
  return out;
}

describe('a gap anywhere', () => {
  it('400 of them: no field, no path, no whole body differs', () => {
    let seed = 9113;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
      return Math.floor((seed / 0x80000000) * below);
    };
    let heads = 0;
    for (const events of connections('etcd', 'handshake').values()) {
      const truth = told(read(events));
      for (let run = 0; run < 67; run++) {
        const side: Side = run % 2 === 0 ? 'client' : 'server';
        let total = 0;
        for (const event of events) if (event.kind === 'data' && event.from === side) total += event.bytes.length;
        const from = random(total - 1);
        const to = Math.min(total - 1, from + 1 + random(run % 3 === 0 ? 20 : 5000));
        const found = told(read(without(events, side, from, to, run % 5 !== 0)));
        for (const [key, { fields }] of found.heads) {
          heads++;
          for (const field of fields)
            if (!truth.heads.get(key)?.fields.has(field)) expect({ run, from, to, key, field }).toBe('invented');
        }
        for (const key of found.ended)
          if (found.bodies.get(key) !== truth.bodies.get(key)) expect({ run, from, to, key }).toBe('another body');
      }
    }
    expect(heads).toBeGreaterThan(10_000);
  });
});
