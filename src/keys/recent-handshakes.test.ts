import { expect, it } from 'vitest';
import { RecentHandshakes } from './recent-handshakes.js';

const line = (n: number): string => `SERVER_TRAFFIC_SECRET_0 ${n} 00`;
const handshake = (n: number): string[] => [
  `CLIENT_HANDSHAKE_TRAFFIC_SECRET ${n} 00`,
  line(n),
  `# kubeseq handshake ${n}`,
];
const NONE: ReadonlySet<string> = new Set();

it('keeps what opens a connection without its handshake, for a while', () => {
  const recent = new RecentHandshakes();
  recent.add(handshake(1), 0);
  recent.add(handshake(2), 80_000);
  expect(recent.lines(NONE, 90_000)).toEqual([line(2), line(1)]);
  recent.add([], 100_000);
  expect(recent.lines(NONE, 100_000)).toEqual([line(2)]);
});

it('keeps all of them for as long, where not all open connections are known', () => {
  const recent = new RecentHandshakes();
  recent.add(handshake(1), 0);
  recent.look(null, 10_000);
  recent.add(handshake(2), 20_000);
  recent.look(null, 30_000);
  recent.look(null, 40_000);
  expect(recent.lines(null, 40_000)).toEqual([line(2), line(1)]);
});

it('forgets those of before a look once what was new at it is observed or closed', () => {
  const recent = new RecentHandshakes();
  const [idle, first, second, third] = ['idle', 'first', 'second', 'third'];
  recent.look(new Set([idle]), 0);
  recent.add(handshake(1), 5000);
  recent.look(new Set([idle, first]), 10_000);
  recent.add(handshake(2), 15_000);
  recent.look(new Set([idle, first, second]), 20_000);
  expect(recent.lines(new Set([idle, first, second]), 20_000)).toEqual([line(2), line(1)]);
  expect(recent.lines(new Set([idle, second]), 21_000)).toEqual([line(2)]);
  expect(recent.lines(new Set([idle]), 22_000)).toEqual([]);
  // A connection that was seen before its handshake was reported.
  recent.look(new Set([idle, third]), 30_000);
  recent.add(handshake(3), 30_100);
  expect(recent.lines(new Set([idle, third]), 31_000)).toEqual([line(3)]);
});

it('takes a handshake just before a look for one of a connection that the next one sees, too', () => {
  const recent = new RecentHandshakes();
  recent.add(handshake(1), 9900);
  recent.look(NONE, 10_000);
  expect(recent.lines(NONE, 10_000)).toEqual([line(1)]);
  recent.look(new Set(['seen']), 20_000);
  expect(recent.lines(new Set(['seen']), 20_000)).toEqual([line(1)]);
  expect(recent.lines(NONE, 20_000)).toEqual([]);
});
