import { describe, expect, it } from 'vitest';
import { bytesOf, conversation, type Packet, packets, pcapngBlocks, START } from '../../test/kit/packetiser.js';
import { concat } from '../core/bytes/bytes.js';
import { captureReader } from './capture-reader.js';
import type { Frame } from './frame.js';
import { type CaptureItem, FRAME_LIMIT } from './log.js';

const PACKETS = packets(conversation([{ from: 'client', bytes: 'hello' }]));
const [A, B, C] = PACKETS;
const TLS_KEY_LOG = 0x544c534b;

describe.each([
  ['little', false],
  ['big', true],
])('pcapng, %s endian', (_name, bigEndian) => {
  const b = pcapngBlocks(bigEndian);

  it('reads enhanced, simple and obsolete packets and numbers them', () => {
    const items = read([b.section(), b.interface(), b.enhanced(A), b.simple(B), b.obsolete(C)]);
    expect(framesOf(items).map(({ data }) => data)).toEqual([A.bytes, B.bytes, C.bytes]);
    // A simple packet has no time: it is given that of the frame before.
    expect(framesOf(items).map(({ origin }) => [origin.frame, origin.time])).toEqual([
      [1, A.time],
      [2, A.time],
      [3, C.time],
    ]);
  });

  it('gives a simple packet at the start the time 0, and cuts it at the snap length', () => {
    const cut = { time: 0n, bytes: B.bytes.subarray(0, 40), originalLength: B.bytes.length };
    const [frame] = framesOf(read([b.section(), b.interface(1, 40), b.simple(cut)]));
    expect(frame).toMatchObject({ originalLength: B.bytes.length, data: cut.bytes, origin: { time: 0n } });
  });

  it('reads several sections with interfaces of their own, also in the other byte order', () => {
    const o = pcapngBlocks(!bigEndian);
    const items = read([b.section(), b.interface(1), b.enhanced(A), o.section(48n), o.interface(276), o.enhanced(B)]);
    expect(framesOf(items).map(({ linkType, origin }) => [linkType, origin.frame])).toEqual([
      [1, 1],
      [276, 2],
    ]);
    expect(items.at(-1)).toMatchObject({ linkTypes: [1, 276], frames: 2 });
  });

  it('reads several interfaces, their resolution and their offset', () => {
    const resolution = (value: number) => b.option(9, Uint8Array.of(value));
    const items = read([
      b.section(),
      b.interface(1, 0, b.option(2, bytesOf('eth0')), resolution(9)),
      b.interface(113, 0, resolution(3), b.option(14, b.u64(3600n))),
      b.interface(276, 0, resolution(0x80 | 20)),
      b.enhanced({ ...A, time: START + 7n }, 0, 1n),
      b.enhanced({ ...A, time: START }, 1, 1_000_000n),
      b.enhanced({ ...A, time: 3n << 19n }, 2, 1n),
    ]);
    expect(framesOf(items).map(({ linkType, origin }) => [linkType, origin.time])).toEqual([
      [1, START + 7n],
      [113, START + 3_600_000_000_000n],
      [276, 1_500_000_000n],
    ]);
    expect(items.at(-1)).toMatchObject({ digits: 9 });
  });

  it('emits TLS key logs with one notice, and skips other secrets', () => {
    const items = read([
      b.section(),
      b.secrets(TLS_KEY_LOG, 'CLIENT_RANDOM aa bb\n'),
      b.secrets(0x57474b4c, 'wireguard'),
      b.interface(),
      b.enhanced(A),
      b.secrets(TLS_KEY_LOG, 'CLIENT_RANDOM cc dd'),
    ]);
    expect(items.map((item) => (item.kind === 'secrets' ? item.keyLog : item.kind))).toEqual([
      'notice',
      'CLIENT_RANDOM aa bb\n',
      'frame',
      'CLIENT_RANDOM cc dd',
      'capture-report',
    ]);
    expect(notices(items)).toEqual(['keys.embedded: a decryption secrets block holds a TLS key log']);
  });

  it('reports the latest count of dropped packets of each interface', () => {
    const dropped = (count: bigint) => b.option(5, b.u64(count));
    const items = read([
      b.section(),
      b.interface(),
      b.interface(),
      b.statistics(0, dropped(3n)),
      b.statistics(0, b.option(4, b.u64(100n)), dropped(5n), b.option(7, b.u64(2n))),
      b.statistics(1, dropped(0n)),
    ]);
    expect(notices(items)).toEqual(['capture.dropped: 7 packets were dropped on interface 0']);
  });

  it('keeps the latest total of dropped packets, and adds up the counts in packets', () => {
    const count = (code: number, value: bigint) => b.option(code, b.u64(value));
    const obsolete = (drops: number) => {
      const block = b.obsolete(A, 2);
      block.set(b.u16(drops), 10);
      return block;
    };
    const items = read([
      b.section(),
      b.interface(),
      b.interface(),
      b.interface(),
      b.statistics(0, count(5, 3n), count(7, 2n)),
      b.statistics(0, count(7, 4n)),
      b.statistics(0),
      b.enhanced(A, 1, 1000n, b.option(2, b.u32(1)), count(4, 5000n)),
      b.enhanced(B, 1),
      b.enhanced(C, 1, 1000n, count(4, 7n)),
      // The same packets once more, in another account.
      b.statistics(1, count(5, 6000n)),
      obsolete(9),
      // Not known (draft-ietf-opsawg-pcapng, appendix A).
      obsolete(0xffff),
    ]);
    expect(framesOf(items)).toHaveLength(5);
    expect(notices(items)).toEqual([
      'capture.dropped: 7 packets were dropped on interface 0',
      'capture.dropped: 6000 packets were dropped on interface 1',
      'capture.dropped: 9 packets were dropped on interface 2',
    ]);
  });

  it('gives no packet the clock of another interface if an interface block is too short', () => {
    const nanoseconds = b.interface(1, 0, b.option(9, Uint8Array.of(9)));
    const short = b.block(1, b.u16(1), b.u16(0));
    const items = read([
      b.section(),
      nanoseconds,
      short,
      b.interface(113),
      b.enhanced(A, 0, 1n),
      b.enhanced(B, 1),
      b.enhanced(C, 2),
    ]);
    expect(framesOf(items).map(({ linkType, origin }) => [linkType, origin.frame, origin.time])).toEqual([
      [1, 1, A.time],
      [113, 3, C.time],
    ]);
    expect(notices(items)).toEqual([
      `capture.damaged: an interface block of 16 bytes contradicts itself and was skipped`,
      expect.stringMatching(/a packet block of \d+ bytes is of an interface that is not known and was skipped$/),
    ]);
  });

  it('gives no packet the clock of another interface if one is damaged, until the next section', () => {
    const broken = b.interface(1, 0, b.option(9, Uint8Array.of(9)));
    broken[broken.length - 1] ^= 0x55;
    const items = read([
      b.section(),
      broken,
      b.interface(),
      b.enhanced(A, 1),
      b.simple(A),
      b.section(),
      b.interface(),
      b.enhanced(B),
    ]);
    expect(framesOf(items).map(({ origin }) => [origin.frame, origin.time])).toEqual([[3, B.time]]);
    expect(notices(items)).toHaveLength(4);
    expect(notices(items)[1]).toMatch(/interface block of 20 bytes has no number that is known/);
  });

  it('keeps the interfaces behind damage until a new one: a section may have begun there', () => {
    const dirt = new Uint8Array(40).fill(0x55);
    const items = read([
      b.section(),
      b.interface(),
      b.enhanced(A),
      dirt,
      b.enhanced(B),
      b.interface(113),
      b.enhanced(C),
      b.statistics(0, b.option(5, b.u64(3n))),
    ]);
    expect(framesOf(items).map(({ origin }) => origin.time)).toEqual([A.time, B.time]);
    expect(items.at(-1)).toMatchObject({ linkTypes: [1] });
    expect(notices(items)).toHaveLength(4);
    expect(notices(items)[3]).toBe('capture.dropped: 3 packets were dropped on interface 0');
  });

  it('skips names and unknown blocks; custom and journal blocks take a frame number, as in Wireshark', () => {
    const items = read([
      b.section(),
      b.interface(),
      b.block(4, new Uint8Array(40)),
      b.block(0x12345678, new Uint8Array(400)),
      b.block(0xbad, new Uint8Array(8)),
      b.enhanced(A),
      b.block(9, bytesOf('MESSAGE=x\n')),
      b.enhanced(B),
    ]);
    expect(framesOf(items).map(({ origin }) => origin.frame)).toEqual([2, 4]);
    expect(items.at(-1)).toMatchObject({ frames: 2 });
    expect(notices(items)).toEqual([]);
  });

  it('skips packets that contradict their block or have no interface, and counts them', () => {
    const wrong = b.enhanced(B);
    wrong.set(b.u32(5000), 20);
    const items = read([b.section(), b.interface(), wrong, b.enhanced(A, 1), b.enhanced(C), b.block(6), b.block(3)]);
    expect(framesOf(items).map(({ origin }) => origin.frame)).toEqual([3]);
    expect(notices(items)).toHaveLength(4);
    for (const text of notices(items)) expect(text).toMatch(/^capture\.damaged: a packet block of \d+ bytes/);
  });

  it.each([0, 11, 13, 100, 0x7fffffff, 0xffffffff])('finds the next block after one with length %i', (length) => {
    const wrong = b.enhanced(B);
    wrong.set(b.u32(length), 4);
    const items = read([b.section(), b.interface(), b.enhanced(A), wrong, b.enhanced(C)]);
    expect(framesOf(items).map(({ data }) => data)).toEqual([A.bytes, C.bytes]);
    expect(notices(items)).toEqual([
      `capture.damaged: ${wrong.length} bytes from byte 136 of the file on were skipped`,
    ]);
  });

  it('reads no blocks from a packet that the end of the file cuts', () => {
    const cut = b.enhanced(
      holding(concat([b.enhanced(A), b.enhanced(B), b.enhanced(C)])),
      0,
      1000n,
      b.option(1, bytesOf('x'.repeat(80))),
    );
    for (const missing of [100, 10_000]) {
      const items = read([b.section(), b.interface(), b.enhanced(A), cut.subarray(0, -missing)]);
      expect(framesOf(items).map(({ data }) => data)).toEqual([A.bytes]);
      const left = cut.length - missing;
      expect(notices(items)).toEqual([`capture.truncated: the file ends ${left} bytes into a packet or block`]);
    }
  });

  it('finds the next block behind a packet whose block claims to be longer than the file', () => {
    const wrong = b.enhanced(holding(concat([b.enhanced(A), b.enhanced(A), b.enhanced(A)])));
    wrong.set(b.u32(500_000), 4);
    const items = read([b.section(), b.interface(), wrong, b.enhanced(B), b.enhanced(C)]);
    expect(framesOf(items).map(({ data }) => data)).toEqual([B.bytes, C.bytes]);
    expect(notices(items)).toEqual([expect.stringContaining(`capture.damaged: ${wrong.length} bytes`)]);
  });

  it('reads no blocks from a damaged one if a long run of blocks follows', () => {
    const wrong = b.enhanced(holding(concat([b.section(), b.interface(), b.enhanced(A), b.enhanced(A)])));
    wrong.set(b.u32(13), 4);
    const many = new Array<Uint8Array>(800).fill(b.enhanced(B));
    const items = read([b.section(), b.interface(), wrong, ...many]);
    expect(framesOf(items)).toHaveLength(800);
    expect(framesOf(items)[0].data).toEqual(B.bytes);
    expect(notices(items)).toEqual([expect.stringContaining(`capture.damaged: ${wrong.length} bytes`)]);
  });

  it('finds the next section after damage, whatever its byte order', () => {
    const o = pcapngBlocks(!bigEndian);
    const dirt = new Uint8Array(1001).fill(0x55);
    const items = read([b.section(), b.interface(), dirt, o.section(), o.interface(), o.enhanced(A)]);
    expect(framesOf(items).map(({ data }) => data)).toEqual([A.bytes]);
  });

  it('cuts a packet at the limit', () => {
    const long = { time: START, bytes: new Uint8Array(FRAME_LIMIT + 5).fill(1) };
    const items = read([b.section(), b.interface(), b.enhanced(long), b.enhanced(A)]);
    expect(framesOf(items).map(({ data, originalLength }) => [data.length, originalLength])).toEqual([
      [FRAME_LIMIT, FRAME_LIMIT + 5],
      [A.bytes.length, A.bytes.length],
    ]);
    expect(notices(items)).toEqual([`limit.frame: a packet of 262149 bytes was cut to 262144 bytes`]);
  });
});

function read(blocks: readonly Uint8Array[]): CaptureItem[] {
  const reader = captureReader({ capture: 0 });
  return [...reader.feed(concat(blocks)), ...reader.end()];
}

/** A packet of 20,000 bytes that holds `blocks`, as whoever can send one can write. */
function holding(blocks: Uint8Array): Packet {
  const bytes = new Uint8Array(20_000);
  bytes.set(blocks, 102);
  return { time: START, bytes };
}

function framesOf(items: readonly CaptureItem[]): Frame[] {
  return items.filter((item) => item.kind === 'frame');
}

function notices(items: readonly CaptureItem[]): string[] {
  return items.filter((item) => item.kind === 'notice').map(({ code, detail }) => `${code}: ${detail}`);
}
