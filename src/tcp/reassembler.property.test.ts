// Whatever the order, the cuts and the repetitions: the same streams.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/kit/runs.js';
import { c, fin, OPEN, reassemble, rst, s, segmentsOf, syn, synAck } from '../../test/kit/tcp-kit.js';
import { FIN, RST, type Segment, SYN } from '../packet/segment.js';
import { tcpReassembler } from './reassembler.js';

const WINDOW = 64;
const text = (length: number, first: number) =>
  String.fromCharCode(...Array.from({ length }, (_, i) => 33 + ((first + i * 7) % 90)));

/** A conversation: turns cut into segments, each acknowledging what was sent the other way before it. */
const turns = fc.array(
  fc.record({ client: fc.boolean(), length: fc.integer({ min: 1, max: 300 }), size: fc.integer({ min: 1, max: 60 }) }),
  { minLength: 1, maxLength: 8 },
);
type Turns = { client: boolean; length: number; size: number }[];

function conversation(list: Turns) {
  const sent = { client: '', server: '' };
  const drafts = [];
  for (const [i, { client, length, size }] of list.entries()) {
    const from = client ? 'client' : 'server';
    const bytes = text(length, i * 13);
    for (let at = 0; at < length; at += size) {
      const part = bytes.slice(at, at + size);
      const ack = client ? sent.server.length : sent.client.length;
      drafts.push((client ? c : s)(sent[from].length, part, { ack }));
      sent[from] += part;
    }
    drafts.push((client ? s : c)(client ? sent.server.length : sent.client.length, '', { ack: sent[from].length }));
  }
  drafts.push(fin(c, sent.client.length, { ack: sent.server.length }));
  drafts.push(fin(s, sent.server.length, { ack: sent.client.length }));
  return { ...sent, segments: segmentsOf(drafts) };
}

/** Moves and repeats items by at most `WINDOW` places, as `shifts` say. */
function disorder<T>(items: readonly T[], shifts: readonly [number, boolean][]): T[] {
  const placed: { at: number; item: T }[] = [];
  for (const [i, item] of items.entries()) {
    const [shift, twice] = shifts[i % shifts.length];
    placed.push({ at: i + shift, item });
    if (twice) placed.push({ at: i + ((shift * 31) % WINDOW), item });
  }
  return placed.sort((a, b) => a.at - b.at).map(({ item }) => item);
}

const shifts = fc.array(fc.tuple(fc.integer({ min: 0, max: WINDOW - 1 }), fc.boolean()), {
  minLength: 1,
  maxLength: 200,
});

describe('any order within a window of 64, with repetitions', () => {
  it('gives the same streams, no gap and no notice', () => {
    fc.assert(
      fc.property(turns, shifts, (list, moves) => {
        const { client, server, segments } = conversation(list);
        const got = reassemble([...segmentsOf(OPEN), ...disorder(segments, moves)]);
        expect([got.client, got.server]).toEqual([client, server]);
        expect(got.words.filter((w) => w.includes('.') && !/^(client|server) /.test(w))).toEqual([]);
        expect(got.words.at(-1)).toBe('closed fin');
      }),
      // RUNS=10000 for the figures of docs/reliability.md.
      { numRuns: runs(300, 1500) },
    );
  }, 600_000);

  it('answers never come before what they answer', () => {
    fc.assert(
      fc.property(turns, shifts, (list, moves) => {
        const { segments } = conversation(list);
        const input = [...segmentsOf(OPEN), ...disorder(segments, moves)];
        const seen = { client: 0, server: 0 };
        // Bytes of the other side that a byte's segment had acknowledged: 1001 and 5001 are the first of each side.
        const acknowledged = new Map(segments.map((one) => [one.origin, one.ack - (one.seq < 5000 ? 5001 : 1001)]));
        for (const event of reassemble(input).events) {
          if (event.kind !== 'data') continue;
          const other = event.from === 'client' ? 'server' : 'client';
          expect(seen[other]).toBeGreaterThanOrEqual(acknowledged.get(event.origin) ?? 0);
          seen[event.from] += event.bytes.length;
        }
      }),
      { numRuns: 300 },
    );
  });
});

it('cut anywhere, what came before the cut is the same', () => {
  fc.assert(
    fc.property(turns, shifts, fc.nat(), (list, moves, nat) => {
      const { segments } = conversation(list);
      const input = [...segmentsOf(OPEN), ...disorder(segments, moves)];
      const cut = nat % input.length;
      const whole = reassemble(input);
      const part = reassemble(input.slice(0, cut));
      expect(part.steps.slice(0, cut)).toEqual(whole.steps.slice(0, cut));
      expect(part.words.filter((w) => w.startsWith('closed')).length).toBe(cut === 0 ? 0 : 1);
    }),
    { numRuns: 300 },
  );
});

it('with segments lost, every captured byte is in its place and every gap has its size', () => {
  fc.assert(
    fc.property(turns, fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }), (list, lost) => {
      const { client, server, segments } = conversation(list);
      const kept = segments.filter((one, i) => (one.flags & FIN) !== 0 || !lost[i % lost.length]);
      const expected = { client: '~'.repeat(client.length).split(''), server: '~'.repeat(server.length).split('') };
      for (const { seq, payload } of kept) {
        const side = seq < 5000 ? 'client' : 'server';
        const at = seq - (side === 'client' ? 1001 : 5001);
        for (const [i, byte] of payload.entries()) expected[side][at + i] = String.fromCharCode(byte);
      }
      const got = reassemble([...segmentsOf(OPEN), ...kept]);
      expect([got.client, got.server]).toEqual([expected.client.join(''), expected.server.join('')]);
    }),
    { numRuns: 500 },
  );
});

it('no segments whatever make it throw, hang or close a connection twice', () => {
  const flags = fc.integer({ min: 0, max: 31 });
  const near = fc.oneof(fc.integer({ min: -5, max: 40 }), fc.integer({ min: -(2 ** 31), max: 2 ** 31 }));
  const any = fc.record({
    client: fc.boolean(),
    flags,
    at: near,
    ack: near,
    length: fc.integer({ min: 0, max: 9 }),
    missing: fc.constantFrom(0, 0, 0, 3),
    ms: fc.integer({ min: 0, max: 2000 }),
  });
  fc.assert(
    fc.property(fc.array(any, { maxLength: 60 }), (list) => {
      const drafts = list.map((one) =>
        (one.client ? c : s)(one.at, text(one.length, 0), {
          flags: one.flags,
          ack: one.ack,
          ms: one.ms,
          missing: one.missing,
        }),
      );
      const limits = { outOfOrder: 1500, outOfOrderTotal: 2000, connections: 2, closed: 2, waiting: 2 };
      const segments: Segment[] = segmentsOf(drafts);
      const tcp = tcpReassembler({ limits });
      const open = new Set<number>();
      for (const event of [...segments.flatMap((one) => [...tcp.feed(one)]), ...tcp.end()]) {
        if (event.kind === 'notice') continue;
        const { id } = event.connection;
        if (event.kind === 'established') open.add(id);
        expect(open.has(id)).toBe(true);
        if (event.kind === 'closed' && event.from === null) open.delete(id);
        if (event.kind === 'data') expect(event.bytes.length).toBeGreaterThan(0);
        if (event.kind === 'gap') expect(event.length).toBeGreaterThan(0);
      }
      expect([open.size, tcp.heldSince()]).toEqual([0, undefined]);
    }),
    { numRuns: 1500 },
  );
});

it('a handshake in any order, with a reset at the end, is one connection', () => {
  const parts = [syn(), synAck(), c(0), c(0, 'hello'), s(0, 'world', { ack: 5 })];
  fc.assert(
    fc.property(fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5, maxLength: 5 }), (order) => {
      const all = segmentsOf([...order.map((i) => parts[i]), rst(c, 5)]);
      const { words, client, server } = reassemble(all);
      expect(words.filter((w) => w.startsWith('open'))).toEqual(['open 1']);
      expect([client, server]).toEqual(['hello', 'world']);
      expect(all.filter((one) => (one.flags & (SYN | RST)) !== 0).length).toBe(3);
    }),
  );
});
