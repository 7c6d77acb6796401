import { describe, expect, it } from 'vitest';
import { message } from '../../test/messages.js';
import { Renumbering } from './merge.js';

describe('messages of two sources', () => {
  it('are numbered as they come, and refer to their own', () => {
    const numbers = new Renumbering();
    const [a, b] = [numbers.source(), numbers.source()];
    const out = [
      a(message({ seq: 1, exchange: 5 })),
      b(message({ seq: 1, exchange: 5 })),
      b(message({ seq: 2, exchange: 5, causedBy: 1 })),
      a(message({ seq: 2, exchange: 5, causedBy: 1 })),
      a(message({ seq: 9, exchange: 6, causedBy: 8 })),
    ].map(({ seq, exchange, causedBy }) => [seq, exchange, causedBy]);
    expect(out).toEqual([
      [1, 1, undefined],
      [2, 2, undefined],
      [3, 2, 2],
      [4, 1, 1],
      [5, 3, undefined],
    ]);
  });
});
