import { describe, expect, it } from 'vitest';
import { CLIENT, conversation, SERVER, segments } from '../../test/kit/packetiser.js';
import { CommonPackets } from './common-packets.js';
import type { Segment } from './segment.js';

const [BASE] = segments([{ source: CLIENT, destination: SERVER, seq: 100, ack: 200, flags: 24, payload: 'hello' }]);
const MICROSECOND = 1000n;
const MILLISECOND = 1_000_000n;

function later(segment: Segment, ns: bigint, capture = 0): Segment {
  return { ...segment, origin: { ...segment.origin, capture, time: segment.origin.time + ns } };
}

describe('CommonPackets', () => {
  it('returns where two places captured a packet, and its direction', () => {
    const sightings = new CommonPackets();
    const there = later(BASE, 5n, 1);
    expect(sightings.feed(0, BASE)).toBeNull();
    expect(sightings.feed(1, there)).toEqual({
      a: 0,
      b: 1,
      atA: BASE.origin,
      atB: there.origin,
      hosts: '192.0.2.1 192.0.2.2',
      onward: true,
    });
  });

  it.each<[string, Partial<Segment>]>([
    ['seq', { seq: 101 }],
    ['ack', { ack: 201 }],
    ['length', { missing: 1 }],
    ['bytes', { payload: Uint8Array.from(Buffer.from('hellO')) }],
    ['flow', { flow: { ...BASE.flow, key: 'other' } }],
  ])('takes packets of another %s for others', (_name, change) => {
    const sightings = new CommonPackets();
    sightings.feed(0, BASE);
    expect(sightings.feed(1, { ...BASE, ...change })).toBeNull();
  });

  it('leaves out retransmissions', () => {
    const sightings = new CommonPackets();
    sightings.feed(0, BASE);
    sightings.feed(0, later(BASE, 200n * MILLISECOND));
    expect(sightings.feed(1, later(BASE, 200n * MILLISECOND, 1))).toBeNull();
  });

  it('counts copies on the interfaces of one host as one', () => {
    const sightings = new CommonPackets();
    sightings.feed(0, BASE);
    sightings.feed(0, later(BASE, 30n * MICROSECOND));
    expect(sightings.feed(1, later(BASE, 50n * MICROSECOND, 1))?.atA).toBe(BASE.origin);
    expect(sightings.feed(1, later(BASE, 80n * MICROSECOND, 1))).toBeNull();
  });

  it('leaves bare acknowledgments out', () => {
    const bare = { ...BASE, payload: new Uint8Array(0) };
    const sightings = new CommonPackets();
    sightings.feed(0, bare);
    expect(sightings.feed(1, bare)).toBeNull();
  });

  it('keeps packets that match between places, however many there are', () => {
    const many = segments(
      conversation([{ from: 'client', bytes: new Uint8Array(400_000).map((_, i) => i) }], { segmentSize: 2 }),
    );
    const sightings = new CommonPackets();
    for (const segment of many) sightings.feed(0, segment);
    const found = many.filter((segment) => sightings.feed(1, segment) !== null).length;
    // 200,000 packets and 65,536 places: a quarter stays.
    expect(found).toBeGreaterThan(40_000);
    expect(found).toBeLessThan(60_000);
  });
});
