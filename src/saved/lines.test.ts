import { describe, expect, it } from 'vitest';
import { LINEAR, powerOf } from '../../test/powers.js';
import { Lines } from './lines.js';

function cut(text: string, size: number, limit?: number): (string | null | undefined)[] {
  const lines = new Lines(limit);
  const out: (string | null | undefined)[] = [];
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) {
    const piece = Uint8Array.from(bytes.subarray(at, at + size));
    out.push(...lines.feed(piece));
    piece.fill(0x78);
  }
  return [...out, lines.end()];
}

describe('lines', () => {
  const text = 'one\n\ntwö\nthree';
  it.each([1, 2, 5, 100])('in pieces of %d bytes', (size) => {
    expect(cut(text, size)).toEqual(['one', '', 'twö', 'three']);
  });

  it('of which the last is ended have nothing behind it', () =>
    expect(cut('a\nb\n', 3)).toEqual(['a', 'b', undefined]));

  it.each([1, 4, 100])('too long are null, and the next is read (pieces of %d)', (size) => {
    expect(cut('123456\n12345\nok\n1234567', size, 5)).toEqual([null, '12345', 'ok', null]);
  });

  it('are counted', () => {
    const lines = new Lines();
    const numbers = [...lines.feed(Buffer.from('a\nb\nc\n'))].map(() => lines.number);
    expect(numbers).toEqual([3, 3, 3]);
    const one = new Lines().feed(Buffer.from('a\nb\n'));
    expect(one.next().value).toBe('a');
  });

  it('cost no more than their bytes: a long one in small pieces', () => {
    const read = (length: number) => {
      const lines = new Lines();
      const piece = Buffer.alloc(64, 0x61);
      for (let i = 0; i < length / 64; i++) for (const _ of lines.feed(piece)) throw new Error('no line feed');
      expect(lines.end()?.length).toBe(length);
    };
    expect(powerOf(read, 1 << 20)).toBeLessThan(LINEAR);
  });
});
