import { defineConfig } from 'vitest/config';
import { compiledSources } from './test/kit/compiled-sources.js';
import Sequencer from './test/kit/sequencer.js';

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
  'test/project/executable.test.ts',
  'test/hostile/foreign-files.test.ts',
  'test/project/installed.test.ts',
  'test/commands/keys-go.test.ts',
  'test/commands/keys-live.test.ts',
  'test/project/krew.test.ts',
  'test/commands/open-connections-live.test.ts',
  'test/commands/record.test.ts',
];
const MEASURED = ['test/hostile/growth.test.ts', 'test/page/page-scroll.test.ts'];

/** By the scripts of package.json: `npm run test:quick`, `npm test`, `npm run test:all`, `npm run bench:growth`. */
const SELECTIONS: Readonly<Record<string, { readonly include: string[]; readonly exclude: string[] }>> = {
  quick: { include: [...UNIT, 'test/commands/smoke.test.ts'], exclude: WHOLE },
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
    setupFiles: ['./test/kit/setup.ts'],
    reporters: ['default', './test/kit/totals-reporter.ts'],
    sequence: { sequencer: Sequencer },
    testTimeout: 120_000,
    // By itself vitest leaves one core idle, and on two cores that is half of the machine.
    maxWorkers: '100%',
    // No module keeps anything between two captures, so that files of one worker may share them.
    isolate: false,
  },
});
