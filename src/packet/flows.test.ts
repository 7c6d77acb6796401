import { describe, expect, it } from 'vitest';
import { addressBytes, be16 } from '../../test/kit/packetiser.js';
import { concat } from '../core/bytes/bytes.js';
import { FlowCache } from './flows.js';

describe('FlowCache', () => {
  it('gives the same object for the same addresses and ports', () => {
    const cache = new FlowCache(4);
    const flow = find(cache, '192.0.2.1', 1, '192.0.2.2', 2);
    expect(find(cache, '192.0.2.1', 1, '192.0.2.2', 2)).toBe(flow);
    expect(flow).toEqual({
      key: '192.0.2.1:1-192.0.2.2:2',
      reverseKey: '192.0.2.2:2-192.0.2.1:1',
      source: { address: '192.0.2.1', port: 1 },
      destination: { address: '192.0.2.2', port: 2 },
    });
  });

  it('distinguishes every address byte, both ports and both directions', () => {
    const cache = new FlowCache(16);
    const keys = [
      find(cache, '2001:db8::1', 1, '2001:db8::2', 2),
      find(cache, '2001:db8::2', 2, '2001:db8::1', 1),
      find(cache, '2001:db8::1', 2, '2001:db8::2', 1),
      find(cache, '2001:db8::1', 1, '2001:db8::3', 2),
      find(cache, '2001:db9::1', 1, '2001:db8::2', 2),
      find(cache, '2001:db8::1', 1, '2001:db8::2', 3),
    ].map(({ key }) => key);
    expect(new Set(keys).size).toBe(6);
    expect(keys[0]).toBe('2001:db8::1:1-2001:db8::2:2');
  });

  it('links the current objects of the two directions', () => {
    const cache = new FlowCache(4);
    const there = find(cache, '192.0.2.1', 1, '192.0.2.2', 2);
    expect(there.reverse).toBeUndefined();
    const back = find(cache, '192.0.2.2', 2, '192.0.2.1', 1);
    expect([back.key, back.reverseKey]).toEqual([there.reverseKey, there.key]);
    expect([back.source, back.destination]).toEqual([there.destination, there.source]);
    expect(back.reverse).toBe(there);
    expect(there.reverse).toBe(back);
    let wrong = 0;
    for (let round = 0; round < 2; round += 1) {
      for (let port = 0; port < 30_000; port += 1) {
        const one = find(cache, '192.0.2.1', port, '192.0.2.2', 80);
        const other = find(cache, '192.0.2.2', 80, '192.0.2.1', port);
        if (other.key !== one.reverseKey || one.reverse !== other || other.reverse !== one) wrong += 1;
      }
    }
    expect(wrong).toBe(0);
    const own = find(cache, '192.0.2.1', 7, '192.0.2.1', 7);
    expect([own.key, own.reverse]).toEqual(['192.0.2.1:7-192.0.2.1:7', undefined]);
  });

  it('stays correct beyond its size', () => {
    const cache = new FlowCache(4);
    let wrong = 0;
    for (let round = 0; round < 2; round += 1) {
      for (let port = 0; port < 60_000; port += 1) {
        if (find(cache, '192.0.2.1', port, '192.0.2.2', 80).key !== `192.0.2.1:${port}-192.0.2.2:80`) wrong += 1;
      }
    }
    expect(wrong).toBe(0);
  });
});

function find(cache: FlowCache, source: string, sourcePort: number, destination: string, destinationPort: number) {
  const addresses = concat([addressBytes(source), addressBytes(destination)]);
  return cache.find(addresses, 0, concat([be16(sourcePort), be16(destinationPort)]), 0);
}
