import { expect, it } from 'vitest';
import { c, fin, OPEN, rst, s, segmentsOf, syn, synAck } from '../../test/kit/tcp-kit.js';
import type { Segment } from '../packet/segment.js';
import { Deliveries, type DescribeFirst } from './delivery.js';

type Draft = (number: number) => Segment;

/** Notices in words, lost time in ms. */
function told(drafts: readonly Draft[], describe?: DescribeFirst): string[] {
  const deliveries = new Deliveries(describe);
  const segments = segmentsOf(drafts);
  const items = segments.flatMap((segment) => [...deliveries.feed(segment)]);
  items.push(...deliveries.end(segments.at(-1)?.origin ?? null));
  return items.map((item) =>
    item.kind === 'notice'
      ? `${item.code}: ${item.detail}`
      : `${item.of} ${Number(item.until - item.from) / 1e6} ms, sent ${item.sent}`,
  );
}

function withWindow(make: Draft, window: number): Draft {
  return (number) => ({ ...make(number), window });
}

it('tells what had to be sent again until it was acknowledged, and how long that took', () => {
  expect(told([...OPEN, c(0, 'request'), c(0, 'request', { ms: 300 }), s(0, '', { ack: 7, ms: 310 })])).toEqual([
    'sending 306 ms, sent 2',
  ]);
  const late = [c(0, 'request', { ms: 300 }), c(0, 'request', { ms: 1200 }), s(0, '', { ack: 7, ms: 2004 })];
  expect(told([...OPEN, c(0, 'request'), ...late])).toEqual([
    'sending 2000 ms, sent 3',
    'tcp.lost-time: 7 B of the client were sent 3 times, and acknowledged after 2.0 s',
  ]);
});

it('takes no keep-alive, and no copy of what was acknowledged, for a loss', () => {
  const answered = [...OPEN, c(0, 'request'), s(0, '', { ack: 7 })];
  expect(
    told([...answered, c(6, 't', { ms: 9000 }), c(0, 'request', { ms: 9001 }), s(0, '', { ack: 7, ms: 9002 })]),
  ).toEqual([]);
});

it('tells how often a SYN was sent', () => {
  expect(told([syn(), syn({ ms: 1001 }), synAck({ ms: 2001 }), c(0)])).toEqual([
    'connecting 2000 ms, sent 2',
    'tcp.lost-time: it took 2.0 s to connect: the SYN was sent 2 times',
  ]);
});

it('tells that the first bytes never arrive, where only what follows them is acknowledged', () => {
  const sack = s(0, '', { ack: 0 });
  const acknowledged: Draft = (number) => ({ ...sack(number), sack: 1001 + 1448 });
  expect(told([...OPEN, c(1448, 'the second segment'), acknowledged])).toEqual([
    'tcp.lost-time: the first 1448 bytes of the client never arrived, while the server acknowledged what follows them (SACK): large packets are lost on the way (MTU)',
  ]);
});

it('says what the first bytes are, by themselves or by what follows them', () => {
  const describe: DescribeFirst = (bytes, isBeginning) => `${isBeginning ? 'begins' : 'ends'} ${bytes.length}`;
  const [missing] = told([...OPEN, c(1448, 'rest'), c(1448, 'rest', { ms: 1001 })], describe);
  expect(missing).toBeUndefined();
  const sacked: Draft = (number) => ({ ...s(0, '', { ack: 0 })(number), sack: 1001 + 1448 });
  expect(told([...OPEN, c(1448, 'rest'), sacked], describe)[0]).toContain(
    'the first 1448 bytes of the client (ends 4)',
  );
  const again = [c(0, 'first'), c(0, 'first', { ms: 1500 })];
  expect(told([...OPEN, ...again], describe)[0]).toContain('the first 5 bytes of the client (begins 5)');
  // What is lost later is not the beginning.
  const later = [c(0, 'first'), s(0, '', { ack: 5 }), c(5, 'second'), c(5, 'second', { ms: 2000 })];
  expect(told([...OPEN, ...later], describe)[0]).toContain('6 bytes of the client were sent 2 times');
});

it('tells for how long a side took nothing; one that ended its direction takes nothing by right', () => {
  const full = withWindow(c(0, '', { ms: 10 }), 0);
  const stalled = [...OPEN, s(0, 'much'), full];
  const words = "tcp.window-full: the client's receive window was 0 for 6.0 s: the client took nothing from the server";
  expect(told([...stalled, withWindow(c(0, '', { ms: 6010 }), 500)])).toEqual(['stalled 6000 ms, sent 1', words]);
  expect(told([...stalled, withWindow(c(0, '', { ms: 90 }), 500)])).toEqual([]);
  expect(told([...OPEN, c(0, 'much'), withWindow(s(0, '', { ms: 10 }), 0), s(0, '', { ms: 900 })])).toEqual([]);
  expect(told([...stalled, s(4, '', { ms: 6010 })])).toEqual([words]);
  expect(told([...OPEN, fin(c, 0), withWindow(c(1, '', { ms: 10 }), 0), s(0, '', { ack: 1, ms: 9000 })])).toEqual([]);
});

it('tells that keep-alives were not answered, by whom, and since when nothing came', () => {
  const alive = [...OPEN, c(0, 'request'), s(0, '', { ack: 7, ms: 100 })];
  const probes = [c(6, '', { ms: 15_000 }), c(6, 't', { ms: 30_000 }), c(6, '', { ms: 45_100 })];
  const words =
    'tcp.unanswered-keep-alive: 3 keep-alives of the client were not answered; nothing came from the server for 45 s';
  expect(told([...alive, ...probes])).toEqual([words]);
  expect(told([...alive, ...probes, rst(c, 7, { ms: 45_100 })])).toEqual([words]);
  // An answer to the last of them; a reset is one, too; and one that may still come.
  expect(told([...alive, ...probes, s(0, '', { ack: 7, ms: 45_200 })])).toEqual([]);
  expect(told([...alive, ...probes, rst(s, 0, { ms: 45_200 })])).toEqual([]);
  expect(told([...alive, probes[0]])).toEqual([]);
});

it('says nothing about acknowledgments that a capture of one direction cannot have', () => {
  const client = [
    syn(),
    c(0),
    c(0, 'request', { ms: 10 }),
    c(0, 'request', { ms: 300 }),
    c(0, 'request', { ms: 2000 }),
  ];
  expect(told(client)).toEqual([]);
  expect(told([...client, s(0, '', { ack: 0, ms: 2001 })])).not.toEqual([]);
});
