// Checks the types of everything; without the packages of test/package.json, of all but what imports them.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { HAS_PACKAGES, NEED_PACKAGES } from './test-files.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CACHE = 'node_modules/.cache';
/** From the folder of the cache. */
const UP = '../..';

mkdirSync(`${ROOT}${CACHE}`, { recursive: true });
const narrowed = `${CACHE}/tsconfig.json`;
writeFileSync(
  `${ROOT}${narrowed}`,
  JSON.stringify({
    extends: `${UP}/tsconfig.json`,
    compilerOptions: {
      rootDir: UP,
      typeRoots: [`${UP}/node_modules/@types`],
      paths: { '@duckdb/node-api': [`${UP}/test/kit/duckdb.d.ts`] },
    },
    include: ['src', 'test', 'scripts', 'lab', 'vitest.config.ts'].map((name) => `${UP}/${name}`),
    exclude: [
      ...['**/node_modules', 'src/explorer/dom', 'src/opener/dom', ...NEED_PACKAGES].map((name) => `${UP}/${name}`),
    ],
  }),
);
const projects = [HAS_PACKAGES ? 'tsconfig.json' : narrowed, 'src/explorer', 'src/opener'];
try {
  for (const [at, project] of projects.entries())
    execFileSync(
      process.execPath,
      [
        ...['node_modules/typescript/bin/tsc', '--noEmit', '-p', project],
        ...['--incremental', '--tsBuildInfoFile', `${CACHE}/types-${at}.json`],
      ],
      { cwd: ROOT, stdio: 'inherit' },
    );
} catch {
  process.exitCode = 1;
}
