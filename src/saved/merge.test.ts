import { describe, expect, it } from 'vitest';
import { message } from '../../test/kit/messages.js';
import type { Message } from '../kubernetes/messages/message.js';
import { Merge } from './merge.js';

type Fields = Parameters<typeof message>[0];

function merged(...told: [source: number, fields: Fields][]): Message[] {
  const merge = new Merge();
  const out = told.flatMap(([source, fields]) => merge.feed(message(fields), source));
  return [...out, ...merge.end()];
}

const at = (milliseconds: number): bigint => BigInt(milliseconds) * 1_000_000n;

describe('messages of two sources', () => {
  it('are numbered as they come, and refer to their own', () => {
    const out = merged(
      [0, { seq: 1, exchange: 5, label: 'a' }],
      [1, { seq: 1, exchange: 5, label: 'b' }],
      [1, { seq: 2, exchange: 5, label: 'c', causedBy: 1 }],
      [0, { seq: 2, exchange: 5, label: 'd', causedBy: 1 }],
      [0, { seq: 9, exchange: 6, label: 'e', causedBy: 8 }],
    ).map(({ seq, exchange, causedBy }) => [seq, exchange, causedBy]);
    expect(out).toEqual([
      [1, 1, undefined],
      [2, 2, undefined],
      [3, 2, 2],
      [4, 1, 1],
      [5, 3, undefined],
    ]);
  });

  it('come once where both have them, and the causes of either hold', () => {
    const event = { kind: 'event', label: '[RESP-CHUNK] Pod ADDED - nginx', connection: 'a:1-b:2' } as const;
    const out = merged(
      [0, { seq: 1, exchange: 1, label: 'the write' }],
      [0, { ...event, seq: 2, exchange: 2, time: at(10), causedBy: 1 }],
      [1, { ...event, seq: 1, exchange: 1, time: at(11) }],
      [1, { seq: 2, exchange: 2, label: 'the effect', time: at(20), causedBy: 1 }],
    ).map(({ seq, label, exchange, causedBy }) => [seq, label, exchange, causedBy]);
    expect(out).toEqual([
      [1, 'the write', 1, undefined],
      [2, event.label, 2, 1],
      [3, 'the effect', 3, 2],
    ]);
  });

  it('are two where one source has both, or where a second lies between', () => {
    const same = { label: 'GET', connection: 'a:1-b:2' } as const;
    expect(merged([0, { ...same, seq: 1 }], [0, { ...same, seq: 2 }])).toHaveLength(2);
    expect(merged([0, { ...same, seq: 1, time: at(0) }], [1, { ...same, seq: 1, time: at(1000) }])).toHaveLength(2);
    const repeated = merged(
      [0, { ...same, seq: 1, time: at(0) }],
      [1, { ...same, seq: 1, time: at(1) }],
      [0, { ...same, seq: 2, time: at(100) }],
      [1, { ...same, seq: 2, time: at(101) }],
    );
    expect(repeated.map(({ time }) => time)).toEqual([at(0), at(100)]);
  });

  it('come from the capture that has all of it, at the time of the one that had it first', () => {
    const same = { label: '200 OK', connection: 'a:1-b:2' } as const;
    const out = merged(
      [0, { ...same, seq: 1, time: at(0), complete: false }],
      [1, { ...same, seq: 7, time: at(1), complete: true, latencyMs: 3 }],
    );
    expect(out).toMatchObject([{ seq: 1, time: at(0), complete: true, latencyMs: 3 }]);
  });
});
