import { describe, expect, it } from 'vitest';
import { conversation, packets, pcap, pcapng, segments } from './packetiser.js';
import { HAS_TSHARK, tshark } from './tshark.js';

const TURNS = [
  { from: 'client', bytes: 'x'.repeat(3000) },
  { from: 'server', bytes: 'y'.repeat(10) },
] as const;

describe('conversation', () => {
  it('opens, sends, acknowledges and closes', () => {
    const list = conversation(TURNS, { segmentSize: 1000 });
    expect(list.map(({ flags, seq, ack }) => [flags, seq, ack])).toEqual([
      [2, 1000, 0],
      [18, 5000, 1001],
      [16, 1001, 5001],
      [16, 1001, 5001],
      [16, 2001, 5001],
      [24, 3001, 5001],
      [16, 5001, 4001],
      [24, 5001, 4001],
      [16, 4001, 5011],
      [17, 4001, 5011],
      [17, 5011, 4002],
      [16, 4002, 5012],
    ]);
    expect(segments(list)[3]).toMatchObject({ origin: { frame: 4 }, flow: { key: '192.0.2.1:40000-192.0.2.2:8080' } });
  });

  it('can leave out handshake and end, and wraps around', () => {
    const list = conversation(TURNS, { open: false, close: false, segmentSize: 1000, clientSeq: 2 ** 32 - 2 });
    expect(list.map(({ seq }) => seq)).toEqual([2 ** 32 - 1, 999, 1999, 5001, 5001, 2999]);
  });
});

describe.skipIf(!HAS_TSHARK)('files (skipped where tshark is missing)', () => {
  it.each([
    ['pcap', pcap(packets(conversation(TURNS)))],
    ['pcapng', pcapng(packets(conversation(TURNS)))],
    ['pcapng, big endian', pcapng(packets(conversation(TURNS)), 1, true)],
  ])('are right for tshark, checksums too: %s', (_name, file) => {
    const check = ['-o', 'tcp.check_checksum:TRUE', '-o', 'ip.check_checksum:TRUE'];
    const rows = tshark(
      file,
      ['tcp.checksum.status', 'ip.checksum.status', '_ws.expert.severity', '_ws.malformed'],
      check,
    );
    expect(rows).toHaveLength(conversation(TURNS).length);
    for (const row of rows) expect(row.slice(0, 2)).toEqual(['1', '1']);
    expect(tshark(file, ['frame.number'], ['-Y', 'tcp.analysis.flags || _ws.malformed'])).toEqual([]);
  });
});
