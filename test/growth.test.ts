// Work grows with the bytes, not faster. The figures of docs/reliability.md come from `npm run bombs -- --growth`, which
// reads more; here a machine that does much else must not fail what is linear.

import { expect, it } from 'vitest';
import { costOf, exponentOf, GROWTHS } from './growth.js';

it.each(GROWTHS.map((one) => [one.name, one] as const))('%s', (_name, growth) => {
  const n = Math.max(growth.n / 16, growth.least ?? 0);
  costOf(growth, n, 1);
  const [once, eightTimes] = [n, 8 * n].map((size) => costOf(growth, size, 2));
  // Quadratic work has the exponent 2. What takes no time has none.
  if (eightTimes > 50) expect(exponentOf(once, eightTimes)).toBeLessThan(1.4);
});
