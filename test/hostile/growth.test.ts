// Work grows with the bytes, not faster. The figures of docs/reliability.md come from `npm run bombs -- --growth`, which
// reads more; here a machine that does much else must not fail what is linear.

import { expect } from 'vitest';
import { GROWTHS, reading } from '../kit/growth.js';
import { measured } from '../kit/measured.js';
import { powerOf } from '../kit/powers.js';

for (const growth of GROWTHS)
  measured(growth.name, () => {
    expect(powerOf(reading(growth), Math.max(growth.n / 16, growth.least ?? 0), WHOLE)).toBeLessThan(WHOLE);
  });

/** Reading a whole capture: what collects garbage in it is not quite even. Quadratic work has the power 2. */
const WHOLE = 1.4;
