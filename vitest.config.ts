import { defineConfig } from 'vitest/config';
import { compiledSources } from './test/compiled-sources.js';
import Sequencer from './test/sequencer.js';

const UNIT = ['src/**/*.test.ts'];
const EVERY = [...UNIT, 'test/**/*.test.ts'];
/** Tests beside the sources that read whole captures, or compare with other programs. */
const WHOLE = [
  'src/cli/output/progress.test.ts',
  'src/diagram/layout/short-labels.test.ts',
  'src/explorer/wireshark.test.ts',
  'src/http/captured.test.ts',
  'src/http/http2/captured.test.ts',
  'src/kubernetes/inference/cuts.test.ts',
  'src/tcp/foreign.test.ts',
  'src/tls/captures.test.ts',
];
/** Tests that need root, toolchains of Go, the Node.js of executables, or several versions of it with a registry. */
const LONG = [
  'test/executable.test.ts',
  'test/foreign-files.test.ts',
  'test/installed.test.ts',
  'test/keys-go.test.ts',
  'test/keys-live.test.ts',
  'test/krew.test.ts',
  'test/open-connections-live.test.ts',
  'test/record.test.ts',
];
const MEASURED = ['test/growth.test.ts', 'test/page-scroll.test.ts'];

/** By the scripts of package.json: `npm run test:quick`, `npm test`, `npm run test:all`, `npm run bench:growth`. */
const SELECTIONS: Readonly<Record<string, { readonly include: string[]; readonly exclude: string[] }>> = {
  quick: { include: [...UNIT, 'test/smoke.test.ts'], exclude: WHOLE },
  usual: { include: EVERY, exclude: [...LONG, ...MEASURED] },
  all: { include: EVERY, exclude: MEASURED },
  measured: { include: [...UNIT, ...MEASURED], exclude: WHOLE },
};
const { include, exclude } = SELECTIONS[process.env['TESTS'] ?? 'all'];

export default defineConfig({
  plugins: [compiledSources()],
  test: {
    include,
    exclude: [...exclude, '**/node_modules/**'],
    setupFiles: ['./test/setup.ts'],
    reporters: ['default', './test/totals-reporter.ts'],
    sequence: { sequencer: Sequencer },
    testTimeout: 120_000,
    // By itself vitest leaves one core idle, and on two cores that is half of the machine.
    maxWorkers: '100%',
    // No module keeps anything between two captures, so that files of one worker may share them.
    isolate: false,
  },
});
