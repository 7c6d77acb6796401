import { defineConfig } from 'vitest/config';
import { SELECTIONS } from './scripts/test-files.js';
import { compiledSources } from './test/kit/compiled-sources.js';
import Sequencer from './test/kit/sequencer.js';

export default defineConfig({
  plugins: [compiledSources()],
  test: {
    include: [...SELECTIONS[process.env['TESTS'] ?? 'all']],
    setupFiles: ['./test/kit/setup.ts'],
    reporters: ['default', './test/kit/totals-reporter.ts'],
    sequence: { sequencer: Sequencer },
    testTimeout: 120_000,
    // A test without an assertion fails.
    expect: { requireAssertions: true },
    // By itself vitest leaves one core idle, and on two cores that is half of the machine. More workers than cores take no less time: each
    // reads the fixtures for itself.
    maxWorkers: '100%',
    // No module keeps anything between two captures, so that files of one worker may share them.
    isolate: false,
  },
});
