import { describe, expect, it } from 'vitest';
import { measured } from '../../../test/kit/measured.js';
import { LINEAR, powerOf } from '../../../test/kit/powers.js';
import { text as textOf } from './bytes.js';
import { type LineReader, Lines } from './lines.js';

/** @param line gets each line as text; null: it is too long. */
function readerOf(line: (text: string | null) => void): LineReader {
  return {
    take: (bytes, start, end) => {
      expect(bytes[end]).toBe(0x0a);
      line(textOf(bytes, start, end));
    },
    tooLong: () => line(null),
  };
}

function cut(text: string, size: number, limit?: number): (string | null)[] {
  const lines = new Lines(limit);
  const out: (string | null)[] = [];
  const reader = readerOf((line) => out.push(line));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) {
    const piece = Uint8Array.from(bytes.subarray(at, at + size));
    lines.feed(piece, reader);
    piece.fill(0x78);
  }
  lines.end(reader);
  return out;
}

describe('lines', () => {
  const text = 'one\n\ntwö\nthree';
  it.each([1, 2, 5, 100])('in pieces of %d bytes', (size) => {
    expect(cut(text, size)).toEqual(['one', '', 'twö', 'three']);
  });

  it('of which the last is ended have nothing behind it', () => expect(cut('a\nb\n', 3)).toEqual(['a', 'b']));

  it.each([1, 4, 100])('too long are null, and the next is read (pieces of %d)', (size) => {
    expect(cut('123456\n12345\nok\n1234567', size, 5)).toEqual([null, '12345', 'ok', null]);
  });

  it('are counted', () => {
    const lines = new Lines();
    const numbers: number[] = [];
    const reader = readerOf(() => numbers.push(lines.number));
    lines.feed(Buffer.from('a\nb\nc'), reader);
    lines.end(reader);
    expect(numbers).toEqual([1, 2, 3]);
  });

  measured('cost no more than their bytes: a long one in small pieces', () => {
    const read = (length: number) => {
      const lines = new Lines();
      const piece = Buffer.alloc(64, 0x61);
      const lengths: number[] = [];
      const reader = readerOf((line) => lengths.push(line?.length ?? -1));
      for (let i = 0; i < length / 64; i++) lines.feed(piece, reader);
      expect(lengths).toEqual([]);
      lines.end(reader);
      expect(lengths).toEqual([length]);
    };
    expect(powerOf(read, 1 << 17)).toBeLessThan(LINEAR);
  });
});
