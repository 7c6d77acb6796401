import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', './test/totals-reporter.ts'],
    testTimeout: 120_000,
    // By itself vitest leaves one core idle, and on two cores that is half of the machine.
    maxWorkers: '100%',
    // No module keeps anything between two captures, so that files of one worker may share them.
    isolate: false,
  },
});
