import { describe, expect, it } from 'vitest';
import { elapsedText } from './duration.js';
import { counted, sizeText } from './quantity.js';

describe('one form for readers', () => {
  it.each([
    [0, '0 µs'],
    [99_400, '99 µs'],
    [100_000, '0.10 ms'],
    [658_000, '0.66 ms'],
    [996_000, '1.0 ms'],
    [9_940_000, '9.9 ms'],
    [9_950_000, '10 ms'],
    [999_400_000, '999 ms'],
    [999_600_000, '1.0 s'],
    [58_400_000_000, '58 s'],
    [59_600_000_000, '1 min 0 s'],
    [3_599_600_000_000, '1 h 0 min'],
  ])('%d ns are %s', (ns, text) => {
    expect(elapsedText(ns)).toBe(text);
    expect(elapsedText(BigInt(ns))).toBe(text);
  });

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [9_949, '9.9 kB'],
    [9_950, '10 kB'],
    [999_499, '999 kB'],
    [999_600, '1.0 MB'],
    [45_600_000, '46 MB'],
  ])('%d bytes are %s', (bytes, text) => expect(sizeText(bytes)).toBe(text));

  it('counts one in the singular', () => {
    expect([counted(0, 'notice'), counted(1, 'notice'), counted(2, 'query', 'queries')]).toEqual([
      '0 notices',
      '1 notice',
      '2 queries',
    ]);
  });
});
