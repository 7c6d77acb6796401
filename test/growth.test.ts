// Work grows with the bytes, not faster. The figures of docs/reliability.md come from `npm run bombs -- --growth`, which
// reads more; here a machine that does much else must not fail what is linear.

import { expect, it } from 'vitest';
import { GROWTHS, reading } from './growth.js';
import { powerOf } from './powers.js';

it.each(GROWTHS.map((one) => [one.name, one] as const))('%s', (_name, growth) => {
  expect(powerOf(reading(growth), Math.max(growth.n / 16, growth.least ?? 0), WHOLE)).toBeLessThan(WHOLE);
});

/** Reading a whole capture: what collects garbage in it is not quite even. Quadratic work has the power 2. */
const WHOLE = 1.4;
