import { describe, expect, it } from 'vitest';
import type { Connection, Side } from '../../../tcp/stream-event.js';
import { ConnectionLegs } from './connection-legs.js';

function connection(id: number): Connection {
  const client = { address: '198.18.0.3', port: 55290 };
  const server = { address: `198.18.${id >> 8}.${id & 0xff}`, port: 80 };
  return { id, client, server, name: `${client.address}:55290-${server.address}:80`, roles: 'handshake' };
}

it('joins a handful of legs: a client that sends the same numbers to thousands of servers costs no work for each of them', () => {
  const legs = new ConnectionLegs(() => false);
  const all = Array.from({ length: 2000 }, (_, i) => connection(i + 1));
  for (const one of all)
    legs.numbered({
      kind: 'numbers',
      connection: one,
      origin: { capture: 0, frame: one.id, time: BigInt(one.id) },
      from: 'server',
      client: 0x12345678,
      server: 0x23456789,
    });
  const groups = new Set(all.map((one) => legs.of(one)?.group ?? null));
  for (const group of groups) expect(group?.legs.length ?? 0).toBeLessThanOrEqual(16);
  expect(legs.of(all[1])?.group).toBe(legs.of(all[0])?.group);
});

describe('a load balancer that passes TLS through', () => {
  const CLIENT = { address: '192.0.2.21', port: 40_112 };
  const BALANCER = { address: '192.0.2.10', port: 6443 };
  const BACK = { address: '192.0.2.10', port: 51_034 };
  const SERVER = { address: '192.0.2.12', port: 6443 };
  const RANDOM = '4f'.repeat(32);
  let connections = 0;

  const originAt = (ms: number) => ({ capture: 0, frame: connections, time: BigInt(ms) * 1_000_000n });

  /** A connection that begins with a number in both directions; its own, unless another is given. */
  function begin(legs: ConnectionLegs, ends: Pick<Connection, 'client' | 'server'>, given: Given = {}): Connection {
    const { ms = 0, roles = 'handshake', from = 'server' } = given;
    connections += 1;
    const { number = connections } = given;
    const connection = { id: connections, ...ends, name: `${connections}`, roles };
    legs.numbered({ kind: 'numbers', connection, origin: originAt(ms), from, client: number, server: number });
    return connection;
  }

  function secure(legs: ConnectionLegs, connection: Connection, { ms = 0, random = RANDOM }: Given = {}): void {
    const agreed = { version: '1.3', suite: 'TLS_AES_128_GCM_SHA256', sni: null, alpn: 'h2' } as const;
    legs.secured({ kind: 'tls-established', connection, origin: originAt(ms), ...agreed, clientRandom: random });
  }

  function leg(legs: ConnectionLegs, ends: Pick<Connection, 'client' | 'server'>, given: Given = {}): Connection {
    const one = begin(legs, ends, given);
    secure(legs, one, given);
    return one;
  }

  interface Given {
    readonly ms?: number;
    readonly number?: number;
    readonly random?: string | null;
    readonly roles?: Connection['roles'];
    readonly from?: Side;
  }

  const front = { client: CLIENT, server: BALANCER };
  const back = { client: BACK, server: SERVER };

  it.each([
    ['the front one first', front, back],
    ['the back one first', back, front],
  ])('is on the way, whichever connection was seen first: %s', (_, a, b) => {
    const legs = new ConnectionLegs(() => false);
    const [one, other] = [leg(legs, a), leg(legs, b, { ms: 3 })];
    const { group } = legs.of(one)!;
    expect(legs.of(other)?.group).toBe(group);
    expect(group?.path).toEqual({
      ...{ client: CLIENT, server: SERVER, isProxied: true },
      via: [{ ...BALANCER, isProxy: true }],
    });
  });

  it('on one host with the server and the client: the leg that was captured first is nearest the client, or the last one of the answer', () => {
    const host = (port: number) => ({ address: '192.0.2.11', port });
    const [a, b] = [
      { client: host(50_000), server: host(8443) },
      { client: host(50_001), server: host(6443) },
    ];
    const ports = (given: Given): (number | undefined)[] => {
      const legs = new ConnectionLegs(() => false);
      leg(legs, a, given);
      const path = legs.of(leg(legs, b, given))?.group?.path;
      return [path?.client.port, path?.server.port];
    };
    expect(ports({})).toEqual([50_000, 6443]);
    expect(ports({ roles: 'port', from: 'client' })).toEqual([50_000, 6443]);
    expect(ports({ roles: 'port', from: 'server' })).toEqual([50_001, 8443]);
  });

  it('of which translated addresses are on one side, is one group of three', () => {
    const legs = new ConnectionLegs((address) => address === '203.0.113.1');
    const service = { client: CLIENT, server: { address: '203.0.113.1', port: 443 } };
    const [a, b] = [service, front].map((ends) => begin(legs, ends, { number: 70_000 }));
    secure(legs, b);
    secure(legs, a);
    const behind = leg(legs, back);
    expect(legs.of(behind)?.group).toBe(legs.of(a)?.group);
    expect(legs.of(a)?.group?.path).toEqual({
      ...{ client: CLIENT, server: SERVER, isProxied: true },
      via: [
        { address: '203.0.113.1', port: 443, isProxy: false },
        { ...BALANCER, isProxy: true },
      ],
    });
  });

  it('joins each session of its own; a connection without a session stays alone', () => {
    const legs = new ConnectionLegs(() => false);
    const [a, b] = [leg(legs, front), leg(legs, back, { random: '50'.repeat(32) })];
    const [c, d] = [leg(legs, front, { random: null }), leg(legs, back, { random: null })];
    for (const one of [a, b, c, d]) expect(legs.of(one)).toBeUndefined();
  });

  it('is known though its first side began long before the other', () => {
    const legs = new ConnectionLegs(() => false);
    const slow = begin(legs, front);
    secure(legs, slow, { ms: 900 });
    const other = leg(legs, back, { ms: 1100 });
    expect(legs.of(slow)?.group).toBe(legs.of(other)?.group);
    expect(legs.of(slow)?.group?.path?.client).toEqual(CLIENT);
  });

  it('a session that comes again a second later is none', () => {
    const legs = new ConnectionLegs(() => false);
    const [one] = [leg(legs, front), leg(legs, back, { ms: 1001 })];
    expect(legs.of(one)).toBeUndefined();
  });
});
