// Finds the programs that kubeseq runs as root: in the system's folders, or where nobody else could change them.

import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { CliError } from './cli-error.js';
import { changeableByOthers, isRoot, parentsOf } from './files/file-access.js';

/**
 * @param name as of a shell. @returns for root its path, in the system's folders before those of PATH; else, or where it is in none,
 * the name. Throws CliError where the only ones are of other users.
 */
export function systemProgram(name: string): string {
  if (!isRoot()) return name;
  let refused = '';
  for (const folder of [...SYSTEM_FOLDERS, ...(process.env['PATH'] ?? '').split(delimiter)]) {
    const path = join(folder, name);
    if (!folder.startsWith('/') || !existsSync(path)) continue;
    const real = realpathSync(path);
    const foreign = changeableByOthers([path, ...parentsOf(path), ...parentsOf(real)]);
    if (foreign === undefined) return path;
    refused ||= `${path} is not run as root, since others could change it: ${foreign} is another user's, or may be written by others; install ${name} in /usr/bin`;
  }
  if (refused !== '') throw new CliError(refused);
  return join('/usr/bin', name);
}

/** Those of the system's packages (hier(7)). */
export const SYSTEM_FOLDERS: readonly string[] = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];
