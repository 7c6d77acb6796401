// Runs before each file of tests: what is random in a property is the same in every run (SEED=N tries others, as the fuzz job does), and a
// property counts as an assertion of the test that states it.

import fc from 'fast-check';
import { expect } from 'vitest';

fc.configureGlobal({
  seed: Number(process.env['SEED'] ?? 1),
  reporter(details) {
    if (details.failed) throw new Error(fc.defaultReportMessage(details) ?? 'the property does not hold');
    expect(details.failed).toBe(false);
  },
});
