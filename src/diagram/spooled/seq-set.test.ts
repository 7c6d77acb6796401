import { expect, it } from 'vitest';
import { SeqSet } from './seq-set.js';

it('has what was added, however far apart', () => {
  const seqs = [1, 31, 32, 4095, 4096, 2 ** 31, 2 ** 40 + 5];
  const set = new SeqSet();
  for (const seq of seqs) set.add(seq);
  expect(seqs.filter((seq) => set.has(seq))).toEqual(seqs);
  expect([0, 2, 30, 33, 4097, 2 ** 31 + 1, 2 ** 40 + 4].filter((seq) => set.has(seq))).toEqual([]);
});
