// Tests that measure: how the cost of work grows, and how long it takes. Each is run by `npm run bench:growth` alone, as another program on the same
// machine can make it fail.

import { it } from 'vitest';

/** A test of a growth or of a time, run anew where garbage of others was measured with it. */
export function measured(name: string, test: () => void | Promise<void>): void {
  if (process.env['TESTS'] === 'growth') it(`${name} (measured)`, { retry: 2 }, test);
}
