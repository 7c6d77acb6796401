// Loads packages that only one command needs, and that its user installs.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CliError } from './cli-error.js';

/**
 * Looks beside kubeseq, then in the current project. Throws CliError where the package is not there.
 *
 * @param modules as they are imported: `NAME`, or `NAME/PART`.
 */
export function loadOptional(command: string, name: string, modules: readonly string[]): readonly unknown[] {
  for (const place of [import.meta.url, pathToFileURL(join(process.cwd(), 'package.json')).href]) {
    try {
      const load = createRequire(place);
      return modules.map((module) => load(module) as unknown);
    } catch {
      // Try the next place.
    }
  }
  throw new CliError(`${command} needs ${name}; npm install ${name}`);
}
