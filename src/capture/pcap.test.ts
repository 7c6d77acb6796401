import { describe, expect, it } from 'vitest';
import { measured } from '../../test/kit/measured.js';
import { be32, conversation, type Packet, packets, pcap, START } from '../../test/kit/packetiser.js';
import { LINEAR, powerOf } from '../../test/kit/powers.js';
import { concat } from '../core/bytes/bytes.js';
import { captureReader } from './capture-reader.js';
import type { Frame } from './frame.js';
import { type CaptureItem, FRAME_LIMIT } from './log.js';
import { SEARCH_LIMIT } from './scanner.js';

const PACKETS: Packet[] = packets(conversation([{ from: 'client', bytes: 'x'.repeat(5000) }])).map((packet, i) => ({
  ...packet,
  time: START + BigInt(i) * 1_234_567_000n,
}));

describe('classic captures', () => {
  for (const variant of ['micro', 'nano', 'modified'] as const) {
    for (const bigEndian of [false, true]) {
      it(`reads ${variant} records, ${bigEndian ? 'big' : 'little'} endian`, () => {
        const list = [{ ...PACKETS[0], time: START + 123_456_789n }, ...PACKETS.slice(1)];
        const items = read(pcap(list, { variant, bigEndian }));
        expect(framesOf(items).map(({ data }) => data)).toEqual(list.map(({ bytes }) => bytes));
        expect(framesOf(items)[0].origin.time).toBe(START + (variant === 'nano' ? 123_456_789n : 123_456_000n));
        expect(items.at(-1)).toMatchObject({ format: 'pcap', digits: variant === 'nano' ? 9 : 6 });
      });
    }
  }

  it('masks the frame check sequence length off the link type', () => {
    const items = read(pcap(PACKETS, { linkType: 0x24000000 | 1 }));
    expect(framesOf(items)[0].linkType).toBe(1);
  });

  it('ignores a snap length that is smaller than the packets, or 0', () => {
    for (const snapLength of [0, 68])
      expect(framesOf(read(pcap(PACKETS, { snapLength })))).toHaveLength(PACKETS.length);
  });

  it('keeps the original length of packets that were cut', () => {
    const [frame] = framesOf(read(pcap([{ time: START, bytes: new Uint8Array(60), originalLength: 1500 }])));
    expect(frame).toMatchObject({ originalLength: 1500, data: new Uint8Array(60) });
  });

  it('reads files without packets', () => {
    const items = read(pcap([], { linkType: 113 }));
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ format: 'pcap', frames: 0, linkTypes: [113], truncated: false });
  });

  it('accepts empty packets, swapped lengths and odd fractions if a header follows', () => {
    const file = pcap([PACKETS[0], { time: START, bytes: new Uint8Array(0) }, ...PACKETS.slice(1)]);
    expect(framesOf(read(file))).toHaveLength(PACKETS.length + 1);
    const odd = pcap(PACKETS);
    put(odd, 24 + 4, 1_500_000);
    const frames = framesOf(read(odd));
    expect(frames).toHaveLength(PACKETS.length);
    expect(frames[0].origin.time).toBe(START + 1_500_000_000n);
    const swapped = pcap(PACKETS.map((p) => ({ ...p, originalLength: p.bytes.length + 100 })));
    let at = 24;
    for (const { bytes } of PACKETS) {
      put(swapped, at + 8, bytes.length + 100);
      put(swapped, at + 12, bytes.length);
      at += 16 + bytes.length;
    }
    expect(framesOf(read(swapped)).map(({ data }) => data)).toEqual(PACKETS.map(({ bytes }) => bytes));
  });

  it('finds the next record after a damaged header', () => {
    const file = pcap(PACKETS);
    const at = 24 + 16 + PACKETS[0].bytes.length;
    file.fill(0xdd, at, at + 16);
    const items = read(file);
    expect(framesOf(items).map(({ data }) => data)).toEqual(
      [0, ...range(2, PACKETS.length)].map((i) => PACKETS[i].bytes),
    );
    const skipped = 16 + PACKETS[1].bytes.length;
    expect(notices(items)).toEqual([`capture.damaged: ${skipped} bytes from byte ${at} of the file on were skipped`]);
  });

  it('repairs a length that is too large by the original length, and reports it', () => {
    for (const length of [PACKETS[3].bytes.length + 40, 0xdeadbeef]) {
      const file = pcap(PACKETS);
      put(file, 24 + PACKETS.slice(0, 3).reduce((sum, { bytes }) => sum + 16 + bytes.length, 0) + 8, length);
      expect(framesOf(read(file)).map(({ data }) => data)).toEqual(PACKETS.map(({ bytes }) => bytes));
      expect(notices(read(file))).toEqual([
        `capture.damaged: a record claims ${length} bytes of a packet of 1502 bytes`,
      ]);
    }
  });

  it('finds the next record after lengths that are too large, and after one that is too small', () => {
    for (const change of [+40, -40]) {
      const file = pcap(PACKETS);
      const at = 24 + PACKETS.slice(0, 3).reduce((sum, { bytes }) => sum + 16 + bytes.length, 0);
      put(file, at + 8, PACKETS[3].bytes.length + change);
      put(file, at + 12, PACKETS[3].bytes.length + 40);
      const kept = framesOf(read(file)).map(({ data }) => data);
      expect(kept.slice(-4)).toEqual(PACKETS.slice(-4).map(({ bytes }) => bytes));
      expect(kept.length).toBeGreaterThanOrEqual(PACKETS.length - 1);
      expect(notices(read(file)).join()).toContain('capture.damaged');
    }
  });

  it('finds the records behind bytes that do not belong to the file', () => {
    const file = pcap(PACKETS);
    const at = 24 + 16 + PACKETS[0].bytes.length;
    const dirty = concat([file.subarray(0, at), new Uint8Array(1000).fill(0xff), file.subarray(at)]);
    expect(framesOf(read(dirty))).toHaveLength(PACKETS.length);
    expect(notices(read(dirty))).toEqual([`capture.damaged: 1000 bytes from byte ${at} of the file on were skipped`]);
  });

  it('gives up beyond the search limit and counts what is left', () => {
    const rest = pcap(PACKETS).subarray(24);
    const items = read(concat([pcap(PACKETS), new Uint8Array(SEARCH_LIMIT + 10).fill(0xff), rest]));
    expect(framesOf(items)).toHaveLength(PACKETS.length);
    const lost = SEARCH_LIMIT + 10 + rest.length;
    expect(notices(items)).toEqual([
      `capture.damaged: ${lost} bytes from byte ${rest.length + 24} of the file to its end were given up`,
    ]);
    expect(items.at(-1)).toMatchObject({ truncated: false });
  });

  it('reads no records from a packet that the end of the file cuts', () => {
    const file = pcap([...PACKETS, holding(pcap(PACKETS).subarray(24))]);
    const items = read(file.subarray(0, file.length - 100));
    expect(framesOf(items).map(({ data }) => data)).toEqual(PACKETS.map(({ bytes }) => bytes));
    const left = file.length - 100 - pcap(PACKETS).length;
    expect(notices(items)).toEqual([`capture.truncated: the file ends ${left} bytes into a packet or block`]);
    expect(items.at(-1)).toMatchObject({ truncated: true });
  });

  it('reads no records from a packet with a damaged header if a long run of records follows', () => {
    const many = new Array<Packet[]>(14).fill(PACKETS).flat();
    const file = pcap([PACKETS[0], holding(pcap(PACKETS).subarray(24)), ...many]);
    file.fill(0xff, 24 + 16 + PACKETS[0].bytes.length, 24 + 32 + PACKETS[0].bytes.length);
    for (const size of [file.length, 1000, 1]) {
      const items = read(file, size);
      expect(framesOf(items).map(({ data }) => data)).toEqual([PACKETS[0], ...many].map(({ bytes }) => bytes));
      expect(notices(items)).toEqual([expect.stringContaining('capture.damaged: 20016 bytes')]);
    }
  });

  it('reads zeros at the end as damage, not as a thousand empty packets', () => {
    const items = read(concat([pcap(PACKETS), new Uint8Array(16_000)]));
    expect(framesOf(items)).toHaveLength(PACKETS.length);
    expect(notices(items).join()).toContain('16000 bytes');
  });

  it('takes a packet up to the limit, not beyond', () => {
    const largest = { time: START, bytes: new Uint8Array(FRAME_LIMIT).fill(1) };
    expect(framesOf(read(pcap([largest])))[0].data).toHaveLength(FRAME_LIMIT);
    const items = read(pcap([{ time: START, bytes: new Uint8Array(FRAME_LIMIT + 1).fill(1) }, ...PACKETS]));
    expect(framesOf(items).map(({ data }) => data)).toEqual(PACKETS.map(({ bytes }) => bytes));
    expect(notices(items).join()).toContain('capture.damaged');
  });

  it('reports a file full of damage in few notices and a sum', () => {
    const one = concat([pcap(PACKETS).subarray(24), new Uint8Array(20).fill(0xff)]);
    const items = read(concat([pcap([]), ...new Array<Uint8Array>(50).fill(one)]));
    expect(framesOf(items)).toHaveLength(50 * PACKETS.length);
    expect(notices(items)).toHaveLength(9);
    expect(notices(items)[8]).toBe('capture.damaged: 50 damaged places, 1000 bytes not read');
  });

  measured('searches in linear time, also byte by byte', () => {
    // Headers that are believable until their follower is seen: the worst a search can meet.
    const decoy = concat([be32(1_700_000_000), be32(1), be32(16_000), be32(16_000)]).reverse();
    const search = (n: number) => {
      const file = concat([pcap(PACKETS), new Uint8Array(20).fill(0xff), ...new Array<Uint8Array>(n).fill(decoy)]);
      return () => {
        const reader = captureReader({ capture: 0 });
        for (let at = 0; at < file.length; at += 1) reader.feed(file.subarray(at, at + 1));
        reader.end();
      };
    };
    expect(powerOf(search, 2500)).toBeLessThan(LINEAR);
  });
});

function read(file: Uint8Array, size = file.length): CaptureItem[] {
  const reader = captureReader({ capture: 0 });
  const items: CaptureItem[] = [];
  for (let at = 0; at < file.length; at += size) items.push(...reader.feed(file.slice(at, at + size)));
  return [...items, ...reader.end()];
}

/** A packet of 20,000 bytes that holds `records`, as whoever can send one can write. */
function holding(records: Uint8Array): Packet {
  const bytes = new Uint8Array(20_000);
  bytes.set(records, 101);
  return { time: START, bytes };
}

function framesOf(items: readonly CaptureItem[]): Frame[] {
  return items.filter((item) => item.kind === 'frame');
}

function notices(items: readonly CaptureItem[]): string[] {
  return items.filter((item) => item.kind === 'notice').map(({ code, detail }) => `${code}: ${detail}`);
}

function put(file: Uint8Array, at: number, value: number): void {
  file.set(be32(value).reverse(), at);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
