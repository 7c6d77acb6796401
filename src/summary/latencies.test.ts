import { describe, expect, it } from 'vitest';
import { fixture } from '../../test/kit/fixtures.js';
import { message } from '../../test/kit/messages.js';
import { openCapture } from '../library/index.js';
import { Inventory } from './inventory.js';

function exchangeOf(
  exchange: number,
  given: Parameters<typeof message>[0],
  latencyMs: number,
): ReturnType<typeof message>[] {
  return [
    message({ ...given, kind: 'request', exchange }),
    message({ kind: 'response', protocol: given.protocol, exchange, latencyMs }),
  ];
}

describe('latencies', () => {
  it('are percentiles, within two hundredths', () => {
    const inventory = new Inventory();
    let slowest = 0;
    for (let i = 1; i <= 1000; i++)
      for (const one of exchangeOf(i, { verb: 'list', resource: 'pods' }, i / 10)) {
        inventory.add(one, false);
        if (i === 1000) slowest = one.seq;
      }
    const [{ p50, p90, p99, ...rest }] = inventory.latencies();
    expect(rest).toEqual({ protocol: 'kubernetes', request: 'list pods', count: 1000, max: 100, message: slowest });
    for (const [found, exact] of [
      [p50, 50],
      [p90, 90],
      [p99, 99],
    ]) {
      expect(found).toBeGreaterThanOrEqual(exact);
      expect(found).toBeLessThanOrEqual(exact * 1.0201);
    }
  });

  it('distinguish kinds of requests by verb and resource, or by their call', () => {
    const inventory = new Inventory();
    const given = [
      { verb: 'create', resource: 'pods', subresource: 'binding' },
      { verb: 'get', resource: undefined },
      { protocol: 'etcd', service: 'etcdserverpb.KV', rpcMethod: 'Txn' },
      { protocol: 'http', method: 'GET' },
    ] as const;
    for (const [i, one] of given.entries()) for (const part of exchangeOf(i, one, 10 - i)) inventory.add(part, false);
    expect(inventory.latencies().map(({ protocol, request }) => `${protocol} ${request}`)).toEqual([
      'kubernetes create pods/binding',
      'kubernetes get',
      'etcd KV/Txn',
      'http GET',
    ]);
  });

  it('of a real capture are those of its lines', async () => {
    const inventory = new Inventory();
    const requests = new Map<number, boolean>();
    const exact: number[] = [];
    const bytes = async function* (): AsyncGenerator<Uint8Array> {
      yield fixture('run-nginx-http1/capture.pcap');
    };
    for await (const one of openCapture(bytes())) {
      inventory.add(one, false);
      if (one.kind === 'request') requests.set(one.exchange, one.verb === 'get' && one.resource === 'serviceaccounts');
      else if (one.kind === 'response' && requests.get(one.exchange) === true) exact.push(one.latencyMs as number);
    }
    exact.sort((a, b) => a - b);
    const found = inventory.latencies().find(({ request }) => request === 'get serviceaccounts');
    expect(exact.length).toBeGreaterThan(50);
    expect(found).toMatchObject({ count: exact.length, max: exact[exact.length - 1] });
    const half = exact[Math.ceil(exact.length / 2) - 1];
    expect((found as { p50: number }).p50 / half).toBeGreaterThan(0.999);
    expect((found as { p50: number }).p50 / half).toBeLessThan(1.021);
  });
});
