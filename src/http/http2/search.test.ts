import { describe, expect, it } from 'vitest';
import { data, frame, getRoot, headers, origin, ping, settings } from '../../../test/kit/http2-kit.js';
import { measured } from '../../../test/kit/measured.js';
import { LINEAR, powerOf } from '../../../test/kit/powers.js';
import { FrameSearch } from './search.js';

/** Bytes found after each piece that was pushed; null where none were. */
function search(...pieces: Uint8Array[]): (string | null)[] {
  const finder = new FrameSearch();
  return pieces.map((piece, i) => {
    const found = finder.push(piece, origin(i + 1));
    return found === null ? null : Buffer.concat(found.map(({ bytes }) => bytes)).toString('hex');
  });
}

const hex = (...parts: Uint8Array[]): string => Buffer.concat(parts).toString('hex');
const text = Buffer.alloc(100, 98);

describe('searching for frames', () => {
  it.each([
    ['a piece that is one frame', [ping], [hex(ping)]],
    [
      'a piece that begins with two headers',
      [Buffer.concat([headers(1, getRoot), data(1, 'long').subarray(0, 11)])],
      'all',
    ],
    [
      'a long frame, proven by what follows',
      [data(5, 'x'.repeat(50)).subarray(0, 40), Buffer.from('x'.repeat(19))],
      [null, 'all'],
    ],
    ['the rest of a frame, then a piece that is one', [text, ping], [null, hex(ping)]],
    ['three headers inside a piece', [Buffer.concat([text, ping, ping, ping, text])], [hex(ping, ping, ping, text)]],
    ['two frames to the end of a piece', [Buffer.concat([text, ping, settings])], [hex(ping, settings)]],
    ['one frame inside a piece is no proof', [Buffer.concat([text, ping])], [null]],
    ['zeros are no frames', [Buffer.alloc(5000)], [null]],
    [
      'a frame of no bytes in nine lone bytes',
      [...settings].map((byte) => Uint8Array.of(byte)),
      new Array(9).fill(null),
    ],
  ] as [string, Uint8Array[], (string | null)[] | 'all'][])('%s', (_, pieces, expected) => {
    const all = hex(...pieces);
    const wanted = expected === 'all' ? [all] : expected.map((found) => (found === 'all' ? all : found));
    expect(search(...pieces)).toEqual(wanted);
  });

  it('gives each byte the frame that carried it', () => {
    const finder = new FrameSearch();
    const bytes = Buffer.concat([data(5, 'x'.repeat(50)), ping]);
    finder.push(text, origin(1));
    finder.push(bytes.subarray(0, 30), origin(2));
    const found = finder.push(bytes.subarray(30), origin(3))!;
    expect(found.map(({ bytes: piece, origin: at }) => [piece.length, at.frame])).toEqual([
      [30, 2],
      [bytes.length - 30, 3],
    ]);
    expect(finder.skipped()).toBe(100);
    expect(finder.skipped()).toBe(0);
  });

  it('does not join what lies on both sides of a gap', () => {
    const finder = new FrameSearch();
    finder.push(ping.subarray(0, 9), origin(1));
    finder.reset();
    expect(finder.push(Buffer.concat([ping.subarray(9), text]), origin(2))).toBeNull();
    expect(finder.skipped()).toBe(9);
  });

  it('a window without frames is given up', () => {
    const finder = new FrameSearch();
    for (let i = 0; i < 1000; i++) expect(finder.push(text, origin(i))).toBeNull();
    expect(finder.push(frame(6, 1, 0, Buffer.alloc(8)), origin(1001))).not.toBeNull();
    expect(finder.skipped()).toBe(100_000);
  });

  measured('time is linear, however many candidates there are', () => {
    // Each DATA header claims a megabyte: a candidate that stays open.
    const claim = frame(0, 0, 1);
    claim.writeUIntBE(0x0fffff, 0, 3);
    const hostile = Buffer.concat(new Array(7000).fill(claim));
    const search = (pieces: number) => {
      const finder = new FrameSearch();
      for (let i = 0; i < pieces; i++)
        finder.push(hostile.subarray((i % 60) * 1000, (i % 60) * 1000 + 1000), origin(i));
    };
    expect(powerOf(search, 1000)).toBeLessThan(LINEAR);
  });
});
