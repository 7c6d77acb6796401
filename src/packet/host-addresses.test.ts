import { describe, expect, it } from 'vitest';
import { fixture } from '../../test/kit/fixtures.js';
import { captureReader } from '../capture/capture-reader.js';
import type { Frame } from '../capture/frame.js';
import { HostAddresses } from './host-addresses.js';
import { packetDecoder } from './packet-decoder.js';
import { ACK, type Segment, SYN } from './segment.js';

type Way = 'loopback' | 'in' | 'out';
const [HOST, PEER, POD, SERVICE] = ['192.0.2.11', '192.0.2.12', '198.51.100.7', '203.0.113.1'];

/** A frame with a cooked header of the first or the second version, and what it carries. */
function packet(way: Way, source: string, flags: number, linkType = 276): [Frame, Segment] {
  const data = Buffer.alloc(linkType === 276 ? 20 : 16);
  data.writeUInt16BE(way === 'loopback' ? 772 : 1, linkType === 276 ? 8 : 2);
  if (linkType === 276) data[10] = way === 'out' ? 4 : 0;
  else data.writeUInt16BE(way === 'out' ? 4 : 0, 0);
  return [
    { linkType, data } as unknown as Frame,
    { flow: { source: { address: source } }, flags } as unknown as Segment,
  ];
}

function hostsOf(...packets: readonly [Way, string, number][]): (string | null)[] {
  return [276, 113].map((linkType) => {
    const own = new HostAddresses();
    for (const one of packets) own.feed(0, ...packet(...one, linkType));
    return own.of(0);
  });
}

describe('the address of a capture’s host', () => {
  it.each<[string, string | null, ...[Way, string, number][]]>([
    ['nothing', null],
    ['its loopback alone', null, ['loopback', '127.0.0.1', SYN], ['loopback', '::1', ACK]],
    ['packets to itself on the loopback', HOST, ['out', PEER, SYN], ['loopback', HOST, ACK]],
    ['what it begins', HOST, ['in', PEER, ACK], ['out', HOST, SYN]],
    ['what it hands on came in before', HOST, ['in', POD, SYN], ['out', POD, SYN], ['out', HOST, SYN]],
    ['a Service answers, and begins nothing', HOST, ['out', SERVICE, SYN | ACK], ['out', HOST, SYN]],
    ['one that only answers', HOST, ['in', PEER, SYN], ['out', HOST, SYN | ACK], ['out', HOST, ACK]],
    ['two that only answer', null, ['out', SERVICE, SYN | ACK], ['out', HOST, ACK]],
    ['nothing, if it came in later', null, ['out', POD, SYN], ['in', POD, ACK]],
    ['most packets', HOST, ['out', PEER, SYN], ['out', HOST, SYN], ['out', HOST, SYN]],
  ])('by %s', (_, address, ...packets) => expect(hostsOf(...packets)).toEqual([address, address]));

  it('is open until there are enough packets, if any can show it', () => {
    const own = new HostAddresses();
    expect(own.isOpen(0)).toBe(false);
    for (let n = 1; n <= 8; n += 1) {
      own.feed(0, ...packet('out', HOST, SYN));
      expect(own.isOpen(0)).toBe(n < 8);
    }
    own.feed(1, ...packet('out', HOST, ACK));
    expect([own.of(1), own.isOpen(1)]).toEqual([HOST, true]);
    own.feed(2, { ...packet('out', HOST, SYN)[0], linkType: 1 }, packet('out', HOST, SYN)[1]);
    expect(own.isOpen(2)).toBe(false);
  });

  it('is unknown if the headers have no direction', () => {
    const own = new HostAddresses();
    const [frame, segment] = packet('out', HOST, SYN);
    own.feed(0, { ...frame, linkType: 1 }, segment);
    own.feed(1, { ...frame, data: frame.data.subarray(0, 10) }, segment);
    expect([own.of(0), own.of(1)]).toEqual([null, null]);
  });

  // By the README of each fixture.
  it.each([
    ['one-process-tls/control-plane', '192.0.2.11'],
    ['one-process-tls/node-2', '192.0.2.22'],
    ['balanced-tls/load-balancer', '192.0.2.10'],
    ['balanced-tls/client', '192.0.2.30'],
  ])('%s', (name, address) => {
    const own = new HostAddresses();
    const reader = captureReader({ capture: 0 });
    const decoder = packetDecoder();
    for (const item of reader.feed(fixture(`${name}.pcap`))) {
      if (item.kind !== 'frame') continue;
      for (const segment of decoder.feed(item)) if (segment.kind === 'segment') own.feed(0, item, segment);
    }
    expect(own.of(0)).toBe(address);
  });
});
