// Finds packages that only one command needs, and that its user installs: beside kubeseq or globally, never by the working directory.

import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError } from './cli-error.js';
import { changeableByOthers, parentsOf } from './files/file-access.js';

/**
 * Throws CliError where the package is not there, or others could change it.
 *
 * @param modules as they are imported: `NAME`, or `NAME/PART`.
 */
export function loadOptional(command: string, name: string, modules: readonly string[]): readonly unknown[] {
  const folder = optionalPackage(name);
  if (folder === null) throw new CliError(`${command} needs ${name}; npm install -g ${name}, or beside kubeseq`);
  const load = createRequire(join(folder, 'package.json'));
  try {
    return modules.map((module) => load(module) as unknown);
  } catch (error) {
    throw new CliError(
      `${command} needs ${name}, and what is in ${folder} cannot be loaded: ${(error as Error).message}`,
    );
  }
}

/**
 * @param own file or executable of kubeseq. @returns the folder in whose `node_modules` the package is; null: it is nowhere.
 * Throws CliError where users other than root and the own one could change what would be loaded.
 */
export function optionalPackage(name: string, own = fileURLToPath(import.meta.url)): string | null {
  for (const folder of [...parentsOf(own), GLOBAL]) {
    const path = join(folder, 'node_modules', name);
    if (!existsSync(join(path, 'package.json'))) continue;
    const parents = [...parentsOf(realpathSync(join(path, 'package.json'))), ...parentsOf(path)];
    // A part of it that is missing would be looked for there, too.
    const foreign = changeableByOthers([...parents, ...parents.map((one) => join(one, 'node_modules'))]);
    if (foreign === undefined) return folder;
    throw new CliError(
      `${name} is in ${path}, and others could change it: ${foreign} is another user's, or may be written by others; install it elsewhere: npm install -g ${name}`,
    );
  }
  return null;
}

/** The folder of npm's global packages (docs: folders), by the Node.js or executable that runs. */
const GLOBAL = process.platform === 'win32' ? dirname(process.execPath) : join(dirname(process.execPath), '..', 'lib');
