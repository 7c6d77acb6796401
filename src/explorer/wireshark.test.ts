import { describe, expect, it } from 'vitest';
import { observed } from '../../test/kit/diagrams.js';
import { fixture } from '../../test/kit/fixtures.js';
import { HAS_TSHARK, tshark } from '../../test/kit/tshark.js';
import { displayFilters } from './wireshark.js';

describe('display filters', () => {
  it('name frames, stream and connection', () => {
    expect(displayFilters({ connection: '192.0.2.10:54254-192.0.2.11:6443', stream: 5, frames: [10, 12] })).toEqual([
      {
        name: 'Frames of this message',
        filter:
          'frame.number >= 10 && frame.number <= 12 && ip.addr == 192.0.2.10 && ip.addr == 192.0.2.11 && tcp.port == 54254 && tcp.port == 6443',
      },
      {
        name: 'HTTP/2 stream',
        filter:
          'http2.streamid == 5 && ip.addr == 192.0.2.10 && ip.addr == 192.0.2.11 && tcp.port == 54254 && tcp.port == 6443',
      },
      {
        name: 'Connection',
        filter: 'ip.addr == 192.0.2.10 && ip.addr == 192.0.2.11 && tcp.port == 54254 && tcp.port == 6443',
      },
    ]);
  });

  it('support IPv6', () => {
    const [, { filter }] = displayFilters({
      connection: '2001:db8::10:44444-2001:db8::10:6443',
      stream: null,
      frames: [3, 3],
    });
    expect(filter).toBe('ipv6.addr == 2001:db8::10 && tcp.port == 44444 && tcp.port == 6443');
  });

  it.each(['', 'x', '1.2.3.4:5', 'a" || 1:2-b:3', '192.0.2.1:1-192.0.2.2:999999'])(
    'are frames alone where %j is no connection',
    (connection) => {
      expect(displayFilters({ connection, stream: 1, frames: [7, 7] })).toEqual([
        { name: 'Frames', filter: 'frame.number == 7' },
      ]);
    },
  );

  it.skipIf(!HAS_TSHARK)('lead tshark to the frames that hold the message', async () => {
    const NAME = 'run-nginx-http1/capture.pcap';
    const { messages } = await observed(NAME);
    const create = messages.find(({ verb, name }) => verb === 'create' && name === 'nginx');
    const long = messages.find(({ frames }) => frames[1] - frames[0] > 3);
    for (const one of [create, long]) {
      const { connection, frames } = one!;
      const [own, all] = displayFilters({ connection, stream: null, frames }).map(({ filter }) =>
        tshark(fixture(NAME), ['frame.number', 'tcp.stream'], ['-Y', filter]),
      );
      const numbers = own.map(([number]) => Number(number));
      expect(numbers).toContain(frames[0]);
      expect(numbers).toContain(frames[1]);
      expect(new Set(all.map(([, stream]) => stream)).size).toBe(1);
      expect(all.length).toBeGreaterThan(own.length);
    }
  });
});
