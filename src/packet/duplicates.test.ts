import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  be32,
  bytes,
  CLIENT,
  conversation,
  ethernet,
  frames,
  ip,
  ipOf,
  MILLISECOND,
  SERVER,
  START,
  segments,
  udp,
} from '../../test/kit/packetiser.js';
import { concat } from '../core/bytes/bytes.js';
import { duplicateFilter } from './duplicates.js';
import { packetDecoder } from './packet-decoder.js';
import { ACK, RST, type Segment, SYN } from './segment.js';

const MICROSECOND = 1000n;
const [BASE] = segments([{ source: CLIENT, destination: SERVER, seq: 100, ack: 200, flags: 24, payload: 'hello' }]);

describe('duplicateFilter', () => {
  it('drops copies from veth, bridge and uplink, and counts them', () => {
    const { kept, notices } = run([BASE, later(BASE, 1n), later(BASE, 90n)]);
    expect(kept).toEqual([BASE]);
    expect(notices).toEqual([
      {
        kind: 'notice',
        code: 'packet.duplicate',
        detail: '2 segments were seen before',
        origin: later(BASE, 1n).origin,
      },
    ]);
  });

  it.each<[string, Partial<Segment>]>([
    ['seq', { seq: 101 }],
    ['ack', { ack: 201 }],
    ['flags', { flags: 16 }],
    ['payload length', { payload: BASE.payload.subarray(0, 4) }],
    ['payload bytes', { payload: Uint8Array.from(Buffer.from('hellO')) }],
    ['missing bytes', { missing: 1 }],
    ['flow', { flow: { ...BASE.flow, key: 'other' } }],
  ])('keeps a segment that differs in its %s', (_name, change) => {
    const other = { ...later(BASE, 1n), ...change };
    expect(run([BASE, other]).kept).toEqual([BASE, other]);
  });

  it.each([SYN, SYN | ACK, 17, RST])('drops copies of a segment without payload: flags %i', (flags) => {
    const bare = { ...BASE, flags, payload: new Uint8Array(0) };
    expect(run([bare, later(bare, 5n)]).kept).toEqual([bare]);
  });

  it('passes equal acknowledgements: they are ordinary', () => {
    const ack = { ...BASE, flags: ACK, payload: new Uint8Array(0) };
    const { kept, notices } = run([ack, later(ack, 1n), later(ack, 2n)]);
    expect(kept).toHaveLength(3);
    expect(notices).toEqual([]);
  });

  it('passes retransmissions: 2 ms is the earliest', () => {
    expect(run([BASE, later(BASE, 2000n)]).kept).toHaveLength(2);
    expect(run([BASE, later(BASE, 200_000n)]).kept).toHaveLength(2);
  });

  describe('of packets as they were captured, within 100 µs', () => {
    const sent = { source: CLIENT, destination: SERVER, seq: 100, ack: 200, flags: 24, payload: 'hello' };
    /** NOP, NOP, timestamps (RFC 7323). */
    const at = (tsval: number) => concat([bytes('0101080a'), be32(tsval), be32(7)]);
    const [v4, v6] = [
      (id: number, tsval: number) => ipOf({ ...sent, options: at(tsval) }, { id }),
      (tsval: number) =>
        ipOf({
          ...sent,
          source: { address: '2001:db8::1', port: 40000 },
          destination: { address: '2001:db8::2', port: 6443 },
          options: at(tsval),
        }),
    ];
    const vxlan = (packet: Uint8Array) =>
      ip('198.51.100.1', '198.51.100.2', 17, udp(1, 4789, concat([bytes('0800000000000100'), ethernet(packet)])), {
        id: 5,
      });

    it.each<[string, Uint8Array, Uint8Array, number]>([
      ['a copy in a tunnel is dropped', v4(9, 50), vxlan(v4(9, 50)), 1],
      ['a copy over IPv6 is dropped', v6(50), v6(50), 1],
      ['a retransmission has the next identification', v4(9, 50), v4(10, 50), 2],
      ['one over IPv6 has a later timestamp', v6(50), v6(51), 2],
    ])('%s', (_, first, second, kept) => {
      const decoder = packetDecoder();
      const filter = duplicateFilter();
      const list = [first, second].map((packet, i) => ({
        time: START + BigInt(i) * 100_000n,
        bytes: ethernet(packet),
      }));
      const passed = frames(list).filter((frame) => {
        const segment = decoder.read(frame);
        return segment !== null && !filter.drops(segment, decoder);
      });
      expect(passed).toHaveLength(kept);
    });
  });

  it('allows for clocks of two captures that differ, also backwards', () => {
    const there = (microseconds: bigint) => {
      const segment = later(BASE, microseconds);
      return { ...segment, origin: { ...segment.origin, capture: 1 } };
    };
    expect(run([BASE, there(40_000n)]).kept).toHaveLength(1);
    expect(run([BASE, there(-40_000n)]).kept).toHaveLength(1);
    expect(run([BASE, there(150_000n)]).kept).toHaveLength(2);
  });

  it('does not read borrowed bytes later', () => {
    const filter = duplicateFilter();
    const payload = BASE.payload.slice();
    filter.feed({ ...BASE, payload });
    payload.fill(0);
    expect(filter.feed(later(BASE, 1n))).toEqual([]);
  });

  it('never drops new data, whatever the traffic', () => {
    // Few values, close times: copies and near-copies abound.
    const segment = fc.record({
      seq: fc.integer({ min: 0, max: 3 }),
      text: fc.constantFrom('', 'a', 'b', 'ab', 'ba'),
      flags: fc.constantFrom(16, 24, 17, 2),
      gap: fc.bigInt({ min: -200n, max: 600n }),
      capture: fc.nat(1),
    });
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 60 }), (list) => {
        const filter = duplicateFilter();
        const before = new Set<string>();
        let time = START;
        for (const [i, { seq, text, flags, gap, capture }] of list.entries()) {
          time += gap * MICROSECOND;
          const origin = { capture, frame: i + 1, time };
          const out = filter.feed({ ...BASE, seq, flags, payload: Uint8Array.from(Buffer.from(text)), origin });
          const name = `${seq} ${flags} ${text}`;
          if (out.length === 0) expect(before.has(name)).toBe(true);
          before.add(name);
        }
      }),
    );
  });

  it('finds copies within its limits and is correct beyond them', () => {
    const payload = new Uint8Array(60_000).fill(7);
    const many = Array.from({ length: 200 }, (_, i) => ({ ...BASE, seq: i * 60_000, payload }));
    // 12 MB went by: the ring has forgotten the first, and has the last.
    expect(run([...many, many[0], many[199]]).kept).toHaveLength(201);
  });

  it('leaves a whole conversation as it is', () => {
    const list = segments(
      conversation([
        { from: 'client', bytes: 'x'.repeat(5000) },
        { from: 'server', bytes: 'y' },
      ]),
    );
    expect(run(list)).toEqual({ kept: list, notices: [] });
    const twice = list.flatMap((segment) => [segment, later(segment, 3n)]);
    const bare = list.filter(({ flags, payload }) => flags === ACK && payload.length === 0).length;
    expect(run(twice).kept).toHaveLength(list.length + bare);
    expect(MILLISECOND).toBe(1000n * MICROSECOND);
  });
});

function run(list: readonly Segment[]) {
  const filter = duplicateFilter();
  return { kept: list.flatMap((segment) => filter.feed(segment)), notices: filter.end() };
}

function later(segment: Segment, microseconds: bigint): Segment {
  const { capture, frame, time } = segment.origin;
  return { ...segment, origin: { capture, frame: frame + 1, time: time + microseconds * MICROSECOND } };
}
