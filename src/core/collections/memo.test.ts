import { expect, it } from 'vitest';
import { memo } from './memo.js';

it('computes each value once, and again when the limit was reached', () => {
  const made: string[] = [];
  const upper = memo((text) => {
    made.push(text);
    return text.toUpperCase();
  }, 2);
  expect(['a', 'a', 'b', 'a', 'c', 'a'].map(upper)).toEqual(['A', 'A', 'B', 'A', 'C', 'A']);
  expect(made).toEqual(['a', 'b', 'c', 'a']);
});
