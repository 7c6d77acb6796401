import { describe, expect, it } from 'vitest';
import { frames, START } from '../../test/kit/packetiser.js';
import { packetDecoder } from './packet-decoder.js';
import type { Segment } from './segment.js';
import { USER0 } from './sockdump.js';

/** As sockdump.py packs it: `>QQ`, the process that receives, the one that writes. */
function written(from: number, to: number, text: string): Buffer {
  const header = Buffer.alloc(16);
  header.writeBigUInt64BE(BigInt(to), 0);
  header.writeBigUInt64BE(BigInt(from), 8);
  return Buffer.concat([header, Buffer.from(text)]);
}

function read(packets: readonly { bytes: Buffer; originalLength?: number }[]): [(Segment | null)[], string[]] {
  const decoder = packetDecoder();
  const list = packets.map((one, i) => ({ ...one, time: START + BigInt(i) }));
  const segments = frames(list, USER0).map((frame) => decoder.read(frame));
  return [segments, decoder.end().map(({ code, detail }) => `${code}: ${detail}`)];
}

describe('what sockdump recorded', () => {
  it('is a conversation of two processes', () => {
    const [segments, notices] = read([
      { bytes: written(3412, 370, 'GET /_ping') },
      { bytes: written(370, 3412, 'HTTP') },
      { bytes: written(3412, 370, 'more') },
      { bytes: written(3413, 370, 'GET /other') },
    ]);
    expect(segments.map((one) => `${one?.flow.key} ${one?.seq} ${one?.ack} ${one?.missing}`)).toEqual([
      'unix:3412-unix:370 1 1 0',
      'unix:370-unix:3412 1 11 0',
      'unix:3412-unix:370 11 5 0',
      'unix:3413-unix:370 1 1 0',
    ]);
    expect(notices).toEqual([]);
  });

  it('has a hole where a write was longer than its segments', () => {
    const [segments, notices] = read([
      { bytes: written(7, 8, 'half'), originalLength: 26 },
      { bytes: written(7, 8, 'next') },
    ]);
    expect(segments.map((one) => [one?.seq, one?.missing])).toEqual([
      [1, 6],
      [11, 0],
    ]);
    expect(notices).toEqual([expect.stringMatching(/^packet\.cut: 1 of 2 packets was cut at 20 bytes/)]);
  });

  it.each([
    ['nothing behind its header', written(7, 8, '')],
    ['half a header', written(7, 8, '').subarray(0, 9)],
    ['a number that no process has', written(2 ** 30, 8, 'x')],
    ['another format', Buffer.from('4500002800000000 and so on')],
  ])('%s is not', (_, bytes) => {
    const [segments, notices] = read([{ bytes }]);
    expect(segments).toEqual([null]);
    expect(notices).toEqual(['capture.unknown-link: link type 147: 1 packet, first in frame 1']);
  });
});
