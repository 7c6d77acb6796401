import { expect, it } from 'vitest';
import { memo } from './memo.js';

it('makes the same only once, and anew when too much was remembered', () => {
  const made: string[] = [];
  const upper = memo((text) => {
    made.push(text);
    return text.toUpperCase();
  }, 2);
  expect(['a', 'a', 'b', 'a', 'c', 'a'].map(upper)).toEqual(['A', 'A', 'B', 'A', 'C', 'A']);
  expect(made).toEqual(['a', 'b', 'c', 'a']);
});
