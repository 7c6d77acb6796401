import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measured } from '../../test/kit/measured.js';
import { LINEAR, powerOf } from '../../test/kit/powers.js';
import type { Origin } from '../core/origin.js';
import { Fragments } from './fragments.js';
import { PacketTally } from './tally.js';

const SECOND = 1_000_000_000n;

describe('Fragments', () => {
  it('returns the whole packet with its last fragment', () => {
    const { add } = open();
    expect(add('a', 'AAAAAAAA', 0, true)).toBe(null);
    expect(add('a', 'CCC', 16, false)).toBe(null);
    expect(add('a', 'BBBBBBBB', 8, true)).toBe('AAAAAAAABBBBBBBBCCC');
  });

  it('keeps packets apart by their key', () => {
    const { add } = open();
    add('a', 'AAAAAAAA', 0, true);
    add('b', 'BBBBBBBB', 0, true);
    expect(add('a', '1', 8, false)).toBe('AAAAAAAA1');
    expect(add('b', '2', 8, false)).toBe('BBBBBBBB2');
  });

  it.each([
    ['bytes that differ', 'bbbbbbbbBBBBBBBB', 8, true],
    ['another end', 'cc', 16, false],
    ['an end before what came', 'bb', 8, false],
    ['bytes behind the end', 'xxxxxxxx', 24, true],
  ])('with %s, loses the one before and begins anew', (_name, text, offset, more) => {
    const { add, notices } = open();
    add('a', 'BBBBBBBB', 8, true);
    add('a', 'CCCC', 16, false);
    expect(add('a', text, offset, more)).toBe(null);
    expect(add('a', 'AAAAAAAA', 0, true)).toBe(offset === 8 && !more ? 'AAAAAAAAbb' : null);
    expect(notices()[0]).toMatch(/^packet\.fragment-lost: fragments without the rest: \d packets?, first in frame 1$/);
  });

  it('accepts overlaps that do not differ', () => {
    const { add } = open();
    add('a', 'AAAAAAAABBBBBBBB', 0, true);
    expect(add('a', 'BBBBBBBBCC', 8, false)).toBe('AAAAAAAABBBBBBBBCC');
  });

  it('returns nothing that is not of one packet, and continues with the newer one', () => {
    const { add, notices } = open((whole) => !whole.startsWith('BBBBBBBBa'));
    add('a', 'a', 8, false);
    expect(add('a', 'BBBBBBBB', 0, true)).toBe(null);
    expect(add('a', 'b', 8, false)).toBe('BBBBBBBBb');
    expect(notices()).toEqual([
      'packet.fragment-lost: fragments that are not of one packet: 1 packet, first in frame 1',
    ]);
  });

  it('drops copies of a completed packet, but not the next packet with its id', () => {
    const { add, notices } = open();
    add('a', 'AAAAAAAA', 0, true, 0n);
    expect(add('a', 'BB', 8, false, 1n)).toBe('AAAAAAAABB');
    expect(add('a', 'AAAAAAAA', 0, true, 2n)).toBe(null);
    expect(add('a', 'BB', 8, false, 3n)).toBe(null);
    expect(add('a', 'CCCCCCCC', 0, true, SECOND)).toBe(null);
    expect(add('a', 'DD', 8, false, SECOND)).toBe('CCCCCCCCDD');
    expect(notices()).toEqual([]);
  });

  it('waits for 30 s of capture time', () => {
    const { add, notices } = open();
    add('a', 'AAAAAAAA', 0, true, 0n);
    add('b', 'AAAAAAAA', 0, true, 1n * SECOND);
    expect(add('b', 'B', 8, false, 31n * SECOND)).toBe('AAAAAAAAB');
    expect(add('a', 'B', 8, false, 31n * SECOND)).toBe(null);
    expect(notices()).toEqual(['packet.fragment-lost: fragments without the rest: 2 packets, first in frame 1']);
  });

  it.each([
    ['by count', 600, 0],
    ['by bytes', 100, 65_520],
  ])('gives up the oldest beyond the limit %s', (_name, count, offset) => {
    const { add, notices } = open();
    for (let i = 0; i < count; i += 1) add(`${i}`, 'AAAAAAAA', offset, true);
    const emitted = notices();
    expect(emitted[0]).toMatch(/^limit\.fragments: fragmented packets given up: \d+ packets, first in frame 1$/);
    expect(emitted[1]).toBe(`packet.fragment-lost: fragments without the rest: ${count} packets, first in frame 1`);
    expect(emitted).toHaveLength(2);
  });

  it('returns the packet whatever the order, the cuts and the repetitions', () => {
    const data = Uint8Array.from({ length: 700 }, (_, i) => i % 251);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 87 })), fc.infiniteStream(fc.nat()), (cuts, random) => {
        const bounds = [...new Set([0, ...cuts.map((unit) => unit * 8), data.length])].sort((a, b) => a - b);
        const pieces = bounds.slice(0, -1).map((from, i) => ({ from, to: bounds[i + 1] }));
        const sorted = pieces.map((piece) => ({ piece, key: random.next().value })).sort((a, b) => a.key - b.key);
        const { fragments } = open();
        const made: (Uint8Array | null)[] = [];
        for (const {
          piece: { from, to },
        } of sorted) {
          for (let n = 0; n < 2; n += 1)
            made.push(fragments.add('k', data, from, to, from, to < data.length, ORIGIN, () => true));
        }
        expect(made.filter((whole) => whole !== null)).toEqual([data]);
      }),
    );
  });

  measured('is linear in the fragments of one packet', () => {
    const eight = new Uint8Array(8);
    const add = (length: number) => {
      const { fragments } = open();
      for (let packet = 0; packet < 20; packet += 1)
        for (let offset = 0; offset < length; offset += 8)
          fragments.add(`${packet}`, eight, 0, 8, offset, true, ORIGIN, () => true);
    };
    expect(powerOf(add, 8128)).toBeLessThan(LINEAR);
  });
});

const ORIGIN: Origin = { capture: 0, frame: 1, time: 0n };

function open(isSound: (whole: string) => boolean = () => true) {
  const tally = new PacketTally();
  const fragments = new Fragments(tally);
  let frame = 0;
  return {
    fragments,
    add: (key: string, text: string, offset: number, more: boolean, time = 0n): string | null => {
      frame += 1;
      // The piece lies within a larger buffer, as in a frame.
      const bytes = Buffer.from(`head${text}tail`);
      const whole = fragments.add(key, bytes, 4, 4 + text.length, offset, more, { capture: 0, frame, time }, (made) =>
        isSound(Buffer.from(made).toString()),
      );
      bytes.fill(0);
      return whole === null ? null : Buffer.from(whole).toString();
    },
    notices: (): string[] => {
      fragments.end();
      return tally.notices().map(({ code, detail }) => `${code}: ${detail}`);
    },
  };
}
