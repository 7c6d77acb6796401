import { describe, expect, it } from 'vitest';
import { LINEAR, powerOf } from '../../test/powers.js';
import { text as textOf } from '../core/bytes/bytes.js';
import { Lines } from './lines.js';

function cut(text: string, size: number, limit?: number): (string | null)[] {
  const lines = new Lines(limit);
  const out: (string | null)[] = [];
  const take = (line: Uint8Array | null, start: number, end: number) => {
    if (line !== null) expect(line[end]).toBe(0x0a);
    out.push(line === null ? null : textOf(line, start, end));
  };
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) {
    const piece = Uint8Array.from(bytes.subarray(at, at + size));
    lines.feed(piece, take);
    piece.fill(0x78);
  }
  lines.end(take);
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
    lines.feed(Buffer.from('a\nb\nc'), () => numbers.push(lines.number));
    lines.end(() => numbers.push(lines.number));
    expect(numbers).toEqual([1, 2, 3]);
  });

  it('cost no more than their bytes: a long one in small pieces', () => {
    const read = (length: number) => {
      const lines = new Lines();
      const piece = Buffer.alloc(64, 0x61);
      const lengths: number[] = [];
      const take = (_: Uint8Array | null, start: number, end: number) => lengths.push(end - start);
      for (let i = 0; i < length / 64; i++) lines.feed(piece, take);
      expect(lengths).toEqual([]);
      lines.end(take);
      expect(lengths).toEqual([length]);
    };
    expect(powerOf(read, 1 << 20)).toBeLessThan(LINEAR);
  });
});
