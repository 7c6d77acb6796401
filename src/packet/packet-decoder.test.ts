import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixture } from '../../test/kit/fixtures.js';
import {
  be16,
  be32,
  bytes,
  CLIENT,
  ethernet,
  frames,
  ip,
  ipOf,
  type Packet,
  pcapngBlocks,
  SERVER,
  START,
  segments,
  tcp,
  udp,
} from '../../test/kit/packetiser.js';
import { HAS_TSHARK, tshark } from '../../test/kit/tshark.js';
import { IP4, IP6, ipv6Chain, OUTER, V4, V6, WRAPPED } from '../../test/kit/wrapped-packets.js';
import { captureReader } from '../capture/capture-reader.js';
import type { Frame } from '../capture/frame.js';
import { concat } from '../core/bytes/bytes.js';
import type { Notice } from '../core/notice.js';
import { packetDecoder } from './packet-decoder.js';
import type { Segment } from './segment.js';

describe('packetDecoder', () => {
  it.each(WRAPPED)('reads %s', (_name, linkType, data, sent) => {
    expect(decode(frames([{ time: START, bytes: data }], linkType))).toEqual(segments([sent]));
  });

  it.skipIf(!HAS_TSHARK)('agrees with tshark on all of these (skipped where tshark is missing)', () => {
    // One file, an interface for each packet: one run of tshark.
    const b = pcapngBlocks();
    const interfaces = WRAPPED.map(([, linkType]) => b.interface(linkType));
    const list = WRAPPED.map(([, , data], i) => b.enhanced({ time: START, bytes: data }, i));
    const more = ['-o', 'tcp.relative_sequence_numbers:FALSE', '-d', 'udp.port==8472,vxlan'];
    const fields = ['tcp.srcport', 'tcp.dstport', 'tcp.seq', 'tcp.ack', 'tcp.len'];
    expect(tshark(concat([b.section(), ...interfaces, ...list]), fields, more)).toEqual(
      WRAPPED.map(([, , , { source, destination }]) => [`${source.port}`, `${destination.port}`, '7', '9', '5']),
    );
  });

  it.each(WRAPPED)('neither throws nor invents when %s is cut anywhere', (_name, linkType, data, sent) => {
    const [whole] = segments([sent]);
    for (let cut = 0; cut < 2 * data.length; cut += 1) {
      const bytes = data.subarray(0, cut >> 1);
      // By the snap length, or by a program that did not record the cut.
      const packet: Packet = { time: START, bytes, originalLength: cut % 2 === 0 ? data.length : bytes.length };
      for (const segment of decode(frames([packet], linkType))) {
        const { window } = segment;
        expect({ ...segment, payload: null, missing: null, window: whole.window }).toEqual({
          ...whole,
          payload: null,
          missing: null,
        });
        expect([whole.window, undefined]).toContain(window);
        expect(segment.payload).toEqual(whole.payload.subarray(0, segment.payload.length));
        expect(segment.payload.length + segment.missing).toBe(whole.payload.length);
      }
    }
  });

  it.skipIf(!HAS_TSHARK).each([
    ['run-nginx-http1', 2128],
    ['errors-http1', 1580],
    ['clients-tls', 623],
  ])('gives the segments that tshark gives: %s (skipped where tshark is missing)', (name, count) => {
    const file = fixture(`${name}/capture.pcap`);
    const address = name === 'clients-tls' ? 'ipv6' : 'ip';
    const fields = [
      'frame.number',
      `${address}.src`,
      'tcp.srcport',
      `${address}.dst`,
      'tcp.dstport',
      'tcp.seq',
      'tcp.ack',
      'tcp.len',
      'tcp.flags',
    ];
    const theirs = tshark(file, fields, ['-Y', 'tcp', '-o', 'tcp.relative_sequence_numbers:FALSE']);
    const ours = decode(framesOf(file)).map(({ origin, flow, seq, ack, flags, payload, missing }) =>
      [
        origin.frame,
        flow.source.address,
        flow.source.port,
        flow.destination.address,
        flow.destination.port,
        seq,
        ack,
        payload.length + missing,
        flags,
      ].map(String),
    );
    expect(ours).toHaveLength(count);
    expect(ours).toEqual(theirs.map((row) => [...row.slice(0, 8), `${Number(row[8]) & 31}`]));
  });

  it('interns flows', () => {
    const [a, b] = decode(frames([at(0, ethernet(IP4)), at(1, ethernet(ipOf({ ...V4, seq: 12 })))]));
    expect(b.flow).toBe(a.flow);
    expect(a.flow.key).toBe('192.0.2.1:40000-192.0.2.2:8080');
    expect(a.flow.reverseKey).toBe('192.0.2.2:8080-192.0.2.1:40000');
  });

  it('takes the length of a super-segment from the frame if that of IP is 0', () => {
    const payload = 'x'.repeat(100_000);
    const v4 = ip(CLIENT.address, SERVER.address, 6, tcp({ ...V4, payload }), { totalLength: 0 });
    const v6 = ip('2001:db8::1', '2001:db8::2', 6, tcp({ ...V6, payload }), { totalLength: 0 });
    const jumbo = ip(
      '2001:db8::1',
      '2001:db8::2',
      0,
      concat([bytes('0600c204'), be32(100_028), tcp({ ...V6, payload })]),
      {
        totalLength: 0,
      },
    );
    for (const data of [v4, v6, jumbo]) {
      const [segment] = decode(frames([at(0, ethernet(data))]));
      expect(segment.payload).toHaveLength(100_000);
      expect(segment.missing).toBe(0);
      const [cut] = decode(frames([{ ...at(0, ethernet(data).subarray(0, 200)), originalLength: 14 + data.length }]));
      expect(cut.payload.length + cut.missing).toBe(100_000);
    }
  });

  it('counts the bytes that the snap length cut, even if the frame has the cut length as its own (editcap -L, mirrors)', () => {
    const data = ethernet(ipOf({ ...V4, payload: 'x'.repeat(1000) }));
    const [cut] = decode(frames([{ time: START, bytes: data.subarray(0, 96), originalLength: data.length }]));
    expect([cut.payload.length, cut.missing]).toEqual([42, 958]);
    const [header] = decode(
      frames([{ time: START, bytes: data.subarray(0, 14 + 20 + 14), originalLength: data.length }]),
    );
    expect([header.payload.length, header.missing]).toEqual([0, 1000]);
    // RFC 791: the total length is that of the datagram. tshark says tcp.len 1000, and warns that the frame is shorter.
    const [short] = decode(frames([at(0, data.subarray(0, 96))]));
    expect([short.payload.length, short.missing]).toEqual([42, 958]);
    const inner = ethernet(ipOf({ ...V6, payload: 'x'.repeat(1000) })).subarray(0, 96);
    const mirrored = ethernet(ip(...OUTER, 47, concat([bytes('1000 88be 00000001 1000000100000000'), inner])));
    const [cutInside] = decode(frames([at(0, mirrored)]));
    expect([cutInside.payload.length, cutInside.missing]).toEqual([22, 978]);
  });

  it('accepts no length above that of IP', () => {
    const lie = ethernet(ipOf(V4, { options: new Uint8Array(40).fill(1), totalLength: 0xffff }));
    const [segment] = decode(frames([at(0, lie)]));
    expect(segment.payload).toHaveLength(5);
    expect(segment.payload.length + segment.missing).toBe(0xffff - 60 - 20);
  });

  it('does not look at checksums', () => {
    const data = ethernet(IP4).slice();
    data.fill(0, 24, 26);
    data.fill(0xff, 14 + 20 + 16, 14 + 20 + 18);
    expect(decode(frames([at(0, data)]))).toEqual(segments([V4]));
  });

  it('counts what is not TCP by what it is, as not read where there is no TCP at all', () => {
    const others = [
      ethernet(bytes('0001080006040001'), 0x0806),
      ethernet(ip(...OUTER, 17, udp(53, 53, bytes('00')))),
      ethernet(ip(...OUTER, 17, udp(4789, 4789, bytes('0000000000000000')))),
      ethernet(ip(...OUTER, 17, udp(1, 6081, bytes('4000080000000000')))),
      ethernet(ip(...OUTER, 47, bytes('3001880b00000000'))),
      ethernet(ip(...OUTER, 1, bytes('0800000000000000'))),
      ethernet(ip('2001:db8::1', '2001:db8::2', 59, bytes(''))),
      ethernet(bytes('424203'), 3),
      // PPPoE discovery, and a PPP that speaks about itself.
      ethernet(bytes('1109 0000 0004 01010000'), 0x8863),
      ethernet(bytes('1100 0001 0006 c021 0901 0004'), 0x8864),
    ];
    const { segments: none, notices } = run(frames(others.map((data, i) => at(i, data))));
    expect(none).toEqual([]);
    expect(notices.map(({ code, detail }) => `${code}: ${detail}`)).toEqual([
      'packet.not-read: EtherType 0x0806 (ARP): 1 packet, first in frame 1',
      'packet.not-read: UDP port 53 (DNS): 1 packet, first in frame 2',
      'packet.not-read: UDP port 4789: 1 packet, first in frame 3',
      'packet.not-read: UDP port 1: 1 packet, first in frame 4',
      'packet.not-read: IP protocol 47 (GRE): 1 packet, first in frame 5',
      'packet.not-read: IP protocol 1 (ICMP): 1 packet, first in frame 6',
      'packet.not-read: IP protocol 59: 1 packet, first in frame 7',
      'packet.not-read: control frames of the link: 2 packets, first in frame 8',
      'packet.not-read: EtherType 0x8863 (PPPoE discovery): 1 packet, first in frame 9',
    ]);
    const beside = run(frames([...others, ethernet(IP4)].map((data, i) => at(i, data)))).notices;
    expect(beside.filter(({ code }) => code === 'packet.not-read').map(({ detail }) => detail.split(':')[0])).toEqual([
      'UDP port 4789',
      'UDP port 1',
      'IP protocol 47 (GRE)',
      'IP protocol 59',
    ]);
    expect(beside.filter(({ code }) => code === 'packet.other-protocol')).toHaveLength(5);
  });

  it('counts no more than 256 kinds, and the rest together', () => {
    const many = Array.from({ length: 300 }, (_, i) =>
      ethernet(ip(...OUTER, 17, udp(50_000, 10_000 + i, bytes('00')))),
    );
    const { notices } = run(frames(many.map((data, i) => at(i, data))));
    expect(notices).toHaveLength(257);
    expect(notices.at(-1)?.detail).toBe('further kinds: 44 packets, first in frame 257');
  });

  it('counts malformed packets by kind, with the first frame of each', () => {
    const wrong = (change: (data: Uint8Array) => void, from = IP4): Uint8Array => {
      const data = from.slice();
      change(data);
      return ethernet(data, from[0] >> 4 === 4 ? 0x0800 : 0x86dd);
    };
    const { notices, segments: none } = run(
      frames(
        [
          bytes('0200'),
          wrong((d) => d.set([0x55], 0)),
          wrong((d) => d.set([0x44], 0)),
          wrong((d) => d.set([0, 19], 2)),
          wrong((d) => d.set([0x4f], 20 + 12)),
          wrong((d) => d.set([0xf0], 20 + 12)),
          wrong((d) => d.set([0x40], 20 + 12)),
          wrong((d) => d.set([0x40], 0), IP6),
          ethernet(ipv6Chain(0, '06ff000000000000')),
          ethernet(ip(...OUTER, 17, udp(1, 4789, bytes('08')))),
          ethernet(ip(...OUTER, 47, bytes('ffff'))),
          ethernet(ip(...OUTER, 6, bytes('00'), { id: 3, more: true })),
        ].map((data, i) => at(i, data)),
      ),
    );
    expect(none).toEqual([]);
    expect(notices.map(({ code, detail }) => `${code}: ${detail}`)).toEqual([
      'packet.malformed: link header: 1 packet, first in frame 1',
      'packet.malformed: IPv4 header: 3 packets, first in frame 2',
      'packet.malformed: TCP header: 3 packets, first in frame 5',
      'packet.malformed: IPv6 header: 1 packet, first in frame 8',
      'packet.malformed: IPv6 extension header: 1 packet, first in frame 9',
      'packet.malformed: VXLAN or Geneve header: 1 packet, first in frame 10',
      'packet.malformed: GRE header: 1 packet, first in frame 11',
      'packet.malformed: IP fragment: 1 packet, first in frame 12',
    ]);
    expect(notices[1].origin).toMatchObject({ frame: 2 });
  });

  it('reports cut headers as such', () => {
    const { notices } = run(frames([{ time: START, bytes: ethernet(IP4).subarray(0, 40), originalLength: 59 }]));
    expect(notices.map(({ detail }) => detail)).toEqual([
      '1 of 1 packet was cut at 40 bytes by the capture (snap length): record with tcpdump -s 0',
      'headers that were cut: 1 packet, first in frame 1',
    ]);
  });

  it('counts packets that were cut, by the capture or before it', () => {
    const whole = ethernet(IP4);
    const list = [
      { time: START, bytes: whole.subarray(0, whole.length - 2), originalLength: whole.length },
      { time: START, bytes: whole.subarray(0, whole.length - 1), originalLength: whole.length },
      { time: START, bytes: whole.subarray(0, whole.length - 3) },
      { time: START, bytes: whole },
    ];
    expect(run(frames(list)).notices.map(({ code, detail }) => `${code}: ${detail}`)).toEqual([
      `packet.cut: 2 of 4 packets were cut at ${whole.length - 1} bytes by the capture (snap length): record with tcpdump -s 0`,
      `packet.cut: 1 of 4 packets was cut at ${whole.length - 3} bytes before they were captured: let the mirror, tap or tool that sends them pass whole packets`,
    ]);
  });

  it('reports each unknown link type once, with its count', () => {
    const list = [147, 127, 147].map((linkType) => frames([at(0, IP4)], linkType)[0]);
    expect(run(list).notices.map(({ code, detail }) => `${code}: ${detail}`)).toEqual([
      'capture.unknown-link: link type 147: 2 packets, first in frame 1',
      'capture.unknown-link: link type 127 (802.11: capture without monitor mode, or on the wired side): 1 packet, first in frame 1',
    ]);
  });

  it('counts encapsulations that are not read', () => {
    const list = [
      ethernet(concat([bytes('0000 0001'), IP4]), 0x88e5),
      ethernet(concat([bytes('0006 4140 00000000'), ethernet(IP4)]), 0x8847),
      ethernet(concat([bytes('0000 0001'), IP4]), 0x88e5),
      ethernet(bytes('1100 0001 0006 003d c0000000'), 0x8864),
      ethernet(ip(...OUTER, 47, concat([bytes('00008848 00064140'), IP4]))),
    ];
    const { notices, segments: none } = run(frames(list.map((data, i) => at(i, data))));
    expect(none).toEqual([]);
    expect(notices.map(({ code, detail }) => `${code}: ${detail}`)).toEqual([
      'packet.unknown-encapsulation: MACsec: 2 packets, first in frame 1',
      'packet.unknown-encapsulation: MPLS: 2 packets, first in frame 2',
      'packet.unknown-encapsulation: PPP: 1 packet, first in frame 4',
    ]);
  });

  it('follows eight tunnel headers, not nine', () => {
    const nested = (depth: number): Uint8Array => (depth === 0 ? IP4 : ip(...OUTER, 4, nested(depth - 1)));
    expect(decode(frames([at(0, ethernet(nested(8)))]))).toHaveLength(1);
    const { segments: none, notices } = run(frames([at(0, ethernet(nested(9)))]));
    expect(none).toEqual([]);
    expect(notices.map(({ code }) => code)).toEqual(['limit.depth']);
  });

  it('puts IPv4 fragments together in any order, over tunnels too', () => {
    const whole = tcp({ ...V4, payload: 'x'.repeat(3000) });
    const pieces = [0, 1000, 2000, 3000].map((offset) =>
      ip(CLIENT.address, SERVER.address, 6, whole.subarray(offset, offset + 1000), {
        id: 77,
        offset,
        more: offset < 3000,
      }),
    );
    const tunnelled = pieces.map((piece) => ip(...OUTER, 4, piece));
    for (const [order, list] of [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [1, 3, 0, 2],
    ].flatMap(
      (o) =>
        [
          [o, pieces],
          [o, tunnelled],
        ] as const,
    )) {
      const result = run(frames(order.map((piece, i) => at(i, ethernet(list[piece])))));
      expect(result.notices).toEqual([]);
      expect(result.segments).toHaveLength(1);
      expect(result.segments[0]).toMatchObject({ seq: 7, origin: { frame: 4 }, missing: 0 });
      expect(Buffer.from(result.segments[0].payload).toString()).toBe('x'.repeat(3000));
      expect(result.segments[0].flow.key).toBe('192.0.2.1:40000-192.0.2.2:8080');
    }
  });

  it('puts IPv6 fragments together', () => {
    const whole = tcp({ ...V6, payload: 'y'.repeat(100) });
    const piece = (from: number, to: number) =>
      ip(
        '2001:db8::1',
        '2001:db8::2',
        44,
        concat([bytes('0600'), be16(from | (to < whole.length ? 1 : 0)), be32(5), whole.subarray(from, to)]),
      );
    const { segments: made, notices } = run(
      frames([at(0, ethernet(piece(64, whole.length))), at(1, ethernet(piece(0, 64)))]),
    );
    expect(notices).toEqual([]);
    expect(made.map(({ payload, origin }) => [payload.length, origin.frame])).toEqual([[100, 2]]);
  });

  it('reads the extension headers that IPv6 fragments begin with, but no fragments in them', () => {
    const piece = (whole: Uint8Array, next: number, id: number, from: number, to: number) =>
      ip(
        '2001:db8::1',
        '2001:db8::2',
        44,
        concat([Uint8Array.of(next, 0), be16(from | (to < whole.length ? 1 : 0)), be32(id), whole.subarray(from, to)]),
      );
    const sent = tcp({ ...V6, payload: 'y'.repeat(100) });
    // Destination options with padding, then TCP; and a fragment of a fragment.
    const options = concat([bytes('0600010400000000'), sent]);
    const nested = concat([bytes('06000001'), be32(9), sent]);
    const list = [
      piece(options, 60, 5, 0, 64),
      piece(options, 60, 5, 64, options.length),
      piece(nested, 44, 6, 64, nested.length),
      piece(nested, 44, 6, 0, 64),
    ];
    const { segments: made, notices } = run(frames(list.map((data, i) => at(i, ethernet(data)))));
    expect(made.map(({ seq, payload, origin }) => [seq, payload.length, origin.frame])).toEqual([[7, 100, 2]]);
    expect(notices.map(({ detail }) => detail)).toEqual(['IP fragment: 1 packet, first in frame 4']);
  });

  it('reports fragments that stay alone or were cut', () => {
    const first = ip(CLIENT.address, SERVER.address, 6, tcp({ ...V4, payload: 'x'.repeat(44) }), { id: 5, more: true });
    const cut = { ...at(1, ethernet(first).subarray(0, 50)), originalLength: 14 + first.length };
    expect(run(frames([at(0, ethernet(first)), cut])).notices.map(({ code, detail }) => `${code}: ${detail}`)).toEqual([
      'packet.fragment-lost: fragments that were cut: 1 packet, first in frame 2',
      'packet.fragment-lost: fragments without the rest: 1 packet, first in frame 1',
    ]);
  });
});

describe('packetDecoder and hostile frames', () => {
  it('never throws, gives at most one segment, and nothing outside the frame', () => {
    const flips = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 12 });
    const known = fc.constantFrom(...WRAPPED).chain(([, linkType, data]) =>
      flips.map((list) => {
        const damaged = data.slice();
        for (const [place, value] of list) damaged[place % data.length] = value;
        return { linkType, data: damaged };
      }),
    );
    const noise = fc.record({
      linkType: fc.constantFrom(0, 1, 9, 101, 113, 276),
      data: fc.uint8Array({ maxLength: 120 }),
    });
    const decoder = packetDecoder();
    let frame = 0;
    fc.assert(
      fc.property(fc.oneof(known, noise), fc.nat(3000), ({ linkType, data }, extra) => {
        frame += 1;
        const origin = { capture: 0, frame, time: START + BigInt(frame) };
        const out = decoder.feed({
          kind: 'frame',
          origin,
          linkType,
          data,
          originalLength: data.length + extra,
          digits: 6,
        });
        expect(out.length).toBeLessThanOrEqual(1);
        for (const segment of out) {
          if (segment.kind !== 'segment') throw new Error('a notice before the end');
          expect(segment.missing).toBeGreaterThanOrEqual(0);
          // Captured bytes only from the frame, and no more bytes than the frame or an IP length declares.
          expect(segment.payload.length).toBeLessThanOrEqual(data.length);
          expect(segment.payload.length + segment.missing).toBeLessThanOrEqual(Math.max(data.length + extra, 0xffff));
        }
      }),
      { numRuns: 3000 },
    );
    decoder.end();
  });
});

function run(list: readonly Frame[]): { segments: Segment[]; notices: Notice[] } {
  const decoder = packetDecoder();
  const made = list.flatMap((frame) => decoder.feed(frame)).filter((item) => item.kind === 'segment');
  return { segments: made, notices: decoder.end().filter((item) => item.kind === 'notice') };
}

function decode(list: readonly Frame[]): Segment[] {
  return run(list).segments;
}

function framesOf(file: Uint8Array): Frame[] {
  return captureReader({ capture: 0 })
    .feed(file)
    .filter((item) => item.kind === 'frame');
}

function at(index: number, data: Uint8Array): Packet {
  return { time: START + BigInt(index), bytes: data };
}
