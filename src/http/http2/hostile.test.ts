// Whatever the bytes are: no exception, no endless loop, no more memory than the limits, time linear in the input.
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foreign } from '../../../test/kit/foreign.js';
import {
  Conversation,
  connection,
  data,
  dataEvent,
  frame,
  gapEvent,
  getRoot,
  type HttpItem,
  headers,
  inserts,
  literals,
  ok,
  PREFACE,
  ping,
  reset,
  settings,
} from '../../../test/kit/http2-kit.js';
import { measured } from '../../../test/kit/measured.js';
import { LINEAR, powerOf } from '../../../test/kit/powers.js';
import type { Side } from '../../tcp/stream-event.js';
import { http2Session } from './session.js';

const start = (): Conversation => {
  const c = connection();
  return new Conversation(c, http2Session(c)).client(PREFACE, settings).server(settings);
};

function count(said: readonly HttpItem[], code: string): number {
  return said.filter((item) => item.kind === 'notice' && item.code === code).length;
}

const root = foreign('http2-bytes');

describe('foreign byte streams', () => {
  it.skipIf(root === null)('the h2spec cases: no throw, no hang, whole or byte by byte', () => {
    let files = 0;
    for (const name of readdirSync(`${root}/h2spec`)) {
      const bytes = readFileSync(`${root}/h2spec/${name}`);
      const c = connection();
      new Conversation(c, http2Session(c)).client(bytes).end();
      const bytewise = new Conversation(c, http2Session(c));
      for (const byte of bytes) bytewise.client(Uint8Array.of(byte));
      bytewise.end();
      files++;
    }
    expect(files).toBeGreaterThan(100);
  });
});

describe('random conversations', () => {
  const someFrame = fc
    .tuple(
      fc.integer({ min: 0, max: 11 }),
      fc.integer({ min: 0, max: 255 }),
      fc.integer({ min: 0, max: 12 }),
      fc.uint8Array({ maxLength: 40 }),
    )
    .map(([type, flags, stream, payload]) => frame(type, flags, stream, payload));
  const good = fc.constantFrom(
    headers(1, getRoot),
    headers(3, getRoot, true),
    headers(1, ok),
    headers(5, inserts(':method', 'GET', ':path', '/x')),
    headers(7, Buffer.from([0xbe, 0xbf])),
    data(1, 'body'),
    data(3, 'body', true),
    reset(1),
    ping,
    settings,
    PREFACE,
  );
  const step = fc.record({
    from: fc.constantFrom<Side>('client', 'server'),
    bytes: fc.oneof(good, good, someFrame, fc.uint8Array({ maxLength: 60 })),
    gap: fc.oneof(fc.constant(0), fc.constant(0), fc.constant(0), fc.integer({ min: 1, max: 50 }), fc.constant(null)),
  });

  it('never throw; a side ends once; nothing follows its end', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 30 }),
        fc.constantFrom('handshake', 'port', 'content'),
        fc.boolean(),
        (steps, roles, same) => {
          const c = connection(roles as 'port', 40_000, same ? 40_001 : 6443);
          const talk = new Conversation(c, http2Session(c));
          let at = 0;
          for (const { from, bytes, gap } of steps) {
            if (gap !== 0) talk.feed(gapEvent(c, from, gap, ++at));
            talk.feed(dataEvent(c, from, bytes, ++at));
          }
          talk.end();
          const ended = new Set<string>();
          for (const item of talk.said) {
            if (item.kind === 'notice' || item.kind === 'unread') continue;
            const key = `${item.stream} ${item.from}`;
            // A stream whose closing lies before a gap may seem to live again, with a new head.
            if (item.kind === 'head') ended.delete(key);
            expect(ended.has(key)).toBe(false);
            if (item.kind === 'end') ended.add(key);
          }
        },
      ),
      { numRuns: 3000 },
    );
  });
});

describe('floods', () => {
  it('a million resets hold nothing', () => {
    const talk = http2Session(connection());
    const c = connection();
    talk.feed(dataEvent(c, 'client', PREFACE, 1));
    const open = headers(1, getRoot, true);
    const pair = Buffer.concat([open, reset(1)]);
    const buffer = Buffer.concat(new Array(200).fill(pair));
    let said = 0;
    for (let round = 0; round < 5000; round++) {
      for (let i = 0; i < 200; i++) {
        const stream = 2 * (round * 200 + i) + 1;
        buffer.writeUInt32BE(stream, i * pair.length + 5);
        buffer.writeUInt32BE(stream, i * pair.length + open.length + 5);
      }
      said += talk.feed(dataEvent(c, 'client', buffer, round)).length;
    }
    expect(said).toBe(3_000_000);
    // The server said nothing.
    expect(talk.end()).toMatchObject([{ code: 'http2.unanswered' }]);
  });

  it('streams that never end are bounded, the oldest ended, with one notice', () => {
    const talk = start();
    const block = literals(':method', 'GET', ':path', '/');
    for (let stream = 1; stream < 20_000; stream += 2) talk.client(headers(stream, block, true));
    expect(count(talk.said, 'limit.streams')).toBe(1);
    const before = talk.said.length;
    talk.end();
    expect(talk.said.length - before).toBe(4096);
  });

  it('100,000 CONTINUATION frames are one block over the limit, and then reading goes on', () => {
    const talk = start().client(frame(1, 1, 1, getRoot));
    const some = Buffer.concat(new Array(1000).fill(frame(9, 0, 1, Buffer.from([0x82]))));
    for (let i = 0; i < 100; i++) talk.client(some);
    talk.client(frame(9, 4, 1), headers(3, getRoot, true));
    expect(talk.lines()).toEqual([
      'notice limit.header',
      '1 client GET / incomplete',
      '1 client end',
      '3 client GET /',
      '3 client end',
    ]);
  });

  it('a block over 256 KiB is given up, and its table with it', () => {
    const talk = start().client(frame(1, 0, 1, inserts(':method', 'GET', ':path', '/x')));
    for (let i = 0; i < 14; i++) talk.client(frame(9, 0, 1, Buffer.alloc(20_000)));
    talk.client(frame(9, 4, 1), headers(3, Buffer.from([0xbe]), true));
    expect(talk.lines()).toContain('notice limit.header');
    expect(talk.lines().slice(-2)).toEqual(['3 client null null incomplete', '3 client end']);
  });

  it('a single frame over 256 KiB, too', () => {
    const talk = start().client(frame(1, 5, 1, Buffer.concat([getRoot, Buffer.alloc(300_000)])), headers(3, getRoot));
    expect(talk.lines()).toEqual([
      'notice limit.header',
      '1 client GET / incomplete',
      '1 client end',
      '3 client GET /',
    ]);
  });

  it('an HPACK bomb is cut with a notice', () => {
    const bomb = Buffer.concat([
      inserts('a', '1'),
      Buffer.from('4001627f8f1e', 'hex'),
      Buffer.alloc(3982, 97),
      Buffer.alloc(12_000, 0xbe),
    ]);
    const talk = start().client(headers(1, Buffer.concat([getRoot, bomb]), true));
    expect(talk.lines()).toEqual(['notice limit.header', '1 client GET / incomplete', '1 client end']);
  });

  it('frames that are found and break again and again are given up in the end', () => {
    const talk = start();
    const trap = Buffer.concat([ping, ping, ping, data(0, 'x')]);
    for (let i = 0; i < 50; i++) talk.client(Buffer.concat(new Array(1000).fill(trap)));
    talk.end();
    expect(count(talk.said, 'http2.malformed')).toBe(1);
    const unread = talk.said.filter((item) => item.kind === 'unread').length;
    expect(unread).toBeLessThan(100);
  });

  measured('time grows with the bytes only', () => {
    const piece = Buffer.concat([headers(1, Buffer.alloc(2000, 0x82)), data(1, 'x'.repeat(100)), reset(1), ping]);
    const read = (rounds: number) => {
      const c = connection();
      const session = http2Session(c);
      session.feed(dataEvent(c, 'client', PREFACE, 1));
      for (let i = 0; i < rounds; i++)
        for (let at = 0; at < piece.length; at += 16)
          session.feed(dataEvent(c, 'client', piece.subarray(at, at + 16), i));
    };
    expect(powerOf(read, 200)).toBeLessThan(LINEAR);
  });
});
