// Finds the files that a page names: regular ones below the page's repository, as whoever writes a page is not who runs `docs`.

import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { CliError, describeError } from '../cli-error.js';

/**
 * @param folder of the page. @param file as the page names it.
 * @returns the path behind all links. Throws CliError for what a page may not name.
 */
export function pageFile(folder: string, file: string): string {
  let path: string;
  try {
    path = realpathSync(resolve(folder, file));
  } catch (error) {
    throw new CliError(`${file}: ${describeError(error)}`);
  }
  const root = repositoryOf(realpathSync(folder));
  if (!path.startsWith(root.endsWith(sep) ? root : root + sep))
    throw new CliError(
      `${file}: is outside of the page's repository (else its folder); pages name files below it alone`,
    );
  if (!statSync(path).isFile()) throw new CliError(`${file}: is no regular file; a page names no others`);
  return relative('', path) || path;
}

/** The nearest folder with `.git`; without one, the page's own. */
function repositoryOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return folder;
  }
}
