import { expect, it } from 'vitest';
import type { Connection } from '../../tcp/stream-event.js';
import { Legs } from './legs.js';

function connection(id: number): Connection {
  const client = { address: '198.18.0.3', port: 55290 };
  const server = { address: `198.18.${id >> 8}.${id & 0xff}`, port: 80 };
  return { id, client, server, name: `${client.address}:55290-${server.address}:80`, roles: 'handshake' };
}

it('joins a handful of legs: who sends the same numbers to thousands of servers makes no work for each of them', () => {
  const legs = new Legs(() => false);
  const all = Array.from({ length: 2000 }, (_, i) => connection(i + 1));
  for (const one of all)
    legs.numbered({
      kind: 'numbers',
      connection: one,
      origin: { capture: 0, frame: one.id, time: BigInt(one.id) },
      client: 0x12345678,
      server: 0x23456789,
    });
  const groups = new Set(all.map((one) => legs.of(one)?.group ?? null));
  for (const group of groups) expect(group?.legs.length ?? 0).toBeLessThanOrEqual(16);
  expect(legs.of(all[1])?.group).toBe(legs.of(all[0])?.group);
});
