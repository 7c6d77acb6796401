// Says which tests `npm test` runs and which `npm run test:all` adds, and which files need packages that only the latter fetches.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { dependencies: FETCHED } = JSON.parse(readFileSync(join(ROOT, 'test/package.json'), 'utf8'));

const SOURCES = ['src', 'test'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
    .map((name) => `${folder}/${name}`),
);
/** Imports of each file. @type {Map<string, string[]>} */
const IMPORTS = new Map();
const TESTS = SOURCES.filter((name) => name.endsWith('.test.ts'));

/** Tests that measure what is held, alone on the machine. */
const HELD = ['test/held/measured.test.ts'];
const GROWTH = ['test/hostile/growth.test.ts', 'test/page/page-scroll.test.ts'];
/** Tests that need root, toolchains of Go, the Node.js of executables, or several versions of it with a registry, and those of the bench. */
const LONG = [
  'test/commands/flight-recorder.test.ts',
  'test/commands/keys-go.test.ts',
  'test/commands/keys-live.test.ts',
  'test/commands/open-connections-live.test.ts',
  'test/commands/record.test.ts',
  'test/hostile/foreign-files.test.ts',
  'test/project/bench.test.ts',
  'test/project/executable.test.ts',
  'test/project/installed.test.ts',
  'test/project/krew.test.ts',
];
/** Tests beside the sources that read whole captures, or compare with other programs. */
const WHOLE = [
  'src/cli/output/progress.test.ts',
  'src/diagram/layout/short-labels.test.ts',
  'src/explorer/wireshark.test.ts',
  'src/http/captured.test.ts',
  'src/http/http2/captured.test.ts',
  'src/kubernetes/placed/mid-session/cuts.test.ts',
  'src/tcp/foreign.test.ts',
  'src/tls/captures.test.ts',
];
const BESIDE = TESTS.filter((file) => file.startsWith('src/') && !WHOLE.includes(file));
/** Of the tests that span folders: each fixture once, each command once, what is held, how the sources are built. */
const SPANNING = [
  'test/commands/smoke.test.ts',
  'test/golden/golden.test.ts',
  'test/held/counted.test.ts',
  'test/project/architecture.test.ts',
];

/** Files of src/ and test/ that import, also by others, a package of test/package.json. DuckDB's types alone are needed by src/. */
export const NEED_PACKAGES = importersOf((name) => Object.hasOwn(FETCHED, name) && name !== '@duckdb/node-api').concat(
  TESTS.filter((file) => importsOf(file).includes('@duckdb/node-api')),
);
/** Whether the packages of test/package.json are there. */
export const HAS_PACKAGES = Object.keys(FETCHED).every((name) => existsSync(join(ROOT, 'node_modules', name)));

const quick = [...BESIDE, ...SPANNING].filter((file) => !NEED_PACKAGES.includes(file));
/** Properties, and products of captures and ways, of which `npm run test:long` tries all that RUNS=full has. */
const FULL = TESTS.filter((file) => !LONG.includes(file) && importsOf(file).includes('test/kit/runs.ts'));

/** By the value of TESTS: `npm test`, what `npm run test:all` adds, what is held, `npm run bench:growth`. */
export const SELECTIONS = {
  quick,
  more: TESTS.filter((file) => ![...quick, ...LONG, ...HELD, ...GROWTH].includes(file)),
  full: FULL,
  long: LONG,
  held: HELD,
  growth: [...BESIDE, ...GROWTH],
  all: TESTS,
};

/** @param {(name: string) => boolean} isMeant what is imported. @returns {string[]} */
function importersOf(isMeant) {
  const found = new Set(SOURCES.filter((file) => importsOf(file).some(isMeant)));
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const file of SOURCES) if (importsOf(file).some((name) => found.has(name))) found.add(file);
  }
  return [...found];
}

/** @returns {string[]} paths of files, names of packages. */
function importsOf(file) {
  let names = IMPORTS.get(file);
  if (names === undefined) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    names = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) =>
      name.startsWith('.') ? join(dirname(file), name).replace(/\.js$/, '.ts') : name,
    );
    IMPORTS.set(file, names);
  }
  return names;
}
