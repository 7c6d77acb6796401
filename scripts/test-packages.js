// Fetches the packages that only tests need (test/package.json: mermaid, its command, a browser's driver, DuckDB), into
// test/node_modules, and links them into node_modules. Does nothing where they are there already.
//
//   node scripts/test-packages.js

import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FETCHED = join(ROOT, 'test/node_modules');
const LINKS = join(ROOT, 'node_modules');

if (!isNewer(join(FETCHED, '.package-lock.json'), join(ROOT, 'test/package-lock.json'))) {
  // npm empties the folder first: that of another checkout.
  if (lstatSync(FETCHED, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Error('test/node_modules is a link: remove it');
  console.error('fetching the packages that only tests need');
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: join(ROOT, 'test'),
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
}
for (const name of Object.keys(manifest(join(ROOT, 'test')).dependencies)) {
  link(join(FETCHED, name), join(LINKS, name));
  const { bin = {} } = manifest(join(FETCHED, name));
  const programs = typeof bin === 'string' ? { [name]: bin } : bin;
  for (const [program, path] of Object.entries(programs)) link(join(FETCHED, name, path), join(LINKS, '.bin', program));
}

/** @param folder a package's folder. */
function manifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** @returns whether `made` is there and was written after `source`. */
function isNewer(made, source) {
  return existsSync(made) && statSync(made).mtimeMs >= statSync(source).mtimeMs;
}

/** A link from `path` to what was fetched; a package that npm put there before is replaced. */
function link(target, path) {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() && existsSync(path)) return;
  if (found !== undefined) rmSync(path, { recursive: true });
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(relative(dirname(path), target), path);
}
