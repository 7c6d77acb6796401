// Whatever is captured: no exception, no endless loop, no growth without bounds, every exchange over once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  C,
  CONNECTION,
  closed,
  context,
  type Draft,
  exchangeStage,
  exchangeWords,
  gap,
  LATE,
  S,
  said,
  words,
} from '../../test/kit/http1-kit.js';
import { measured } from '../../test/kit/measured.js';
import { LINEAR, powerOf } from '../../test/kit/powers.js';
import type { Connection } from '../tcp/stream-event.js';
import type { BodyFraming } from './exchange-event.js';
import { http1Session } from './http1/session.js';

const stage = (connection: Connection, framing: BodyFraming) => exchangeStage(connection, () => framing);

/** Pieces of HTTP in any order: what a parser's states meet least often. */
const PIECES = [
  'GET /a HTTP/1.1\r\n',
  'HEAD / HTTP/1.0\r\n',
  'CONNECT x:1 HTTP/1.1\r\n',
  'HTTP/1.1 200 OK\r\n',
  'HTTP/1.1 101 Switching Protocols\r\n',
  'HTTP/1.1 100 Continue\r\n',
  'Upgrade: h2c\r\nConnection: Upgrade\r\n',
  'Content-Length: 5\r\n',
  'Content-Length: -5\r\n',
  'Content-Length: 99999999999999\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Content-Encoding: gzip\r\n',
  'Content-Type: application/vnd.docker.raw-stream\r\n',
  ' folded\r\n',
  'no colon\r\n',
  '\r\n',
  '\n',
  '\r',
  '5\r\nhello\r\n',
  '-4\r\n',
  'ffffffffffffffff\r\n',
  '0\r\n\r\n',
  '{"type":"ADDED"}\n',
  '{"a":"\\',
  '\x00\x00\x00\x05\x0a\x03ABC',
  '\x00\x00\x00\x00\x02ab',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01',
  '\x1f\x8b\x08\x00',
];

const side = fc.constantFrom('client' as const, 'server' as const);
const bytes = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...PIECES) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
);
const draft: fc.Arbitrary<Draft> = fc.oneof(
  { weight: 12, arbitrary: fc.tuple(side, bytes).map(([from, piece]) => (from === 'client' ? C(piece) : S(piece))) },
  { weight: 1, arbitrary: fc.tuple(side, fc.option(fc.nat(200))).map(([from, length]) => gap(from, length)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.option(side), fc.constantFrom('fin' as const, 'reset' as const))
      .map(([f, r]) => closed(f, r)),
  },
);
const drafts = fc.array(draft, { maxLength: 30 });
const connection = fc.constantFrom(CONNECTION, LATE);
const framings = fc.constantFrom<BodyFraming>('whole', 'json-documents', 'length-prefixed', 'grpc');

describe('anything', () => {
  it('never throws, and every exchange is over once and last (property)', () => {
    fc.assert(
      fc.property(drafts, connection, framings, (some, on, framing) => {
        const over = new Set<unknown>();
        const seen = new Set<unknown>();
        for (const item of said(stage(on, framing), context(some, on))) {
          if (!('exchange' in item)) continue;
          expect(over.has(item.exchange)).toBe(false);
          seen.add(item.exchange);
          if (item.kind === 'exchange-end') over.add(item.exchange);
        }
        expect(over.size).toBe(seen.size);
      }),
      { numRuns: 3000 },
    );
  });

  it('reports one protocol at least (property)', () => {
    fc.assert(
      fc.property(drafts, connection, (some, on) => {
        const found = exchangeWords(said(stage(on, 'whole'), context(some, on))).filter((word) => word.startsWith('='));
        expect(found.length).toBeGreaterThan(0);
      }),
    );
  });

  it('accounts for every byte of a direction that is not part of a head (property)', () => {
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 20 }), (pieces) => {
        const all = said(http1Session(CONNECTION), context(pieces.map((piece) => S(piece))));
        // Cut anywhere, the session says the same of it.
        const whole = Buffer.concat(pieces.map((piece) => Buffer.from(piece as string, 'latin1')));
        const halves = [S(whole.subarray(0, whole.length >> 1)), S(whole.subarray(whole.length >> 1))];
        const bodies = (items: typeof all): number =>
          items.reduce((sum, item) => sum + (item.kind === 'body' ? item.bytes.length : 0), 0);
        const lost = words(all).some((word) => word.startsWith('!'));
        if (!lost) expect(bodies(said(http1Session(CONNECTION), context(halves)))).toBe(bodies(all));
      }),
      { numRuns: 500 },
    );
  });

  const growing: [string, (n: number) => Draft[]][] = [
    ['a head', (n) => [C('GET / HTTP/1.1\r\n'), ...many(n, () => C('A: b\r\n'))]],
    ['a head of one line', (n) => [C('GET /'), ...many(n, () => C('x'))]],
    ['empty lines', (n) => many(n, () => C('\r\n'))],
    ['requests without answers', (n) => many(n, () => C('GET / HTTP/1.1\r\n\r\n'))],
    ['malformed lines', (n) => [S('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'), ...many(n, () => S('HTTP/1.1 \n'))]],
    [
      'bytes of a chunk size',
      (n) => [S('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;'), ...many(n, () => S('x'))],
    ],
    ['bytes of JSON', (n) => [S(`HTTP/1.1 200 OK\r\n\r\n{"a":"`), ...many(n, () => S('\\"'))]],
    ['gaps', (n) => many(n, () => gap('server', 1))],
  ];
  for (const [what, make] of growing)
    measured(`takes time linear in ${what}`, () => {
      const read = (n: number) => {
        const events = context(make(n));
        return () => {
          const reader = stage(CONNECTION, 'json-documents');
          for (const event of events) reader.feed(event);
          reader.end();
        };
      };
      expect(powerOf(read, 32_000)).toBeLessThan(LINEAR);
    });
});

function many(n: number, make: () => Draft): Draft[] {
  return Array.from({ length: n }, make);
}
