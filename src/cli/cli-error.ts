// Defines the error that a command throws for what its user can mend, the exit statuses, and how errors are printed.

import { escapeTerminal } from '../render/escape/terminal-escape.js';
import { standardStreams } from './standard-streams.js';

/** Ends the command with `EXIT_TROUBLE`. */
export class CliError extends Error {}

// As of diff(1): 1 is a check that failed, captures that differ, or a notice of --fail-on; 2 is an error.
export const EXIT_FINE = 0;
export const EXIT_DIFFERENT = 1;
export const EXIT_TROUBLE = 2;
export const EXIT_INTERRUPTED = 130;

export function describeError(error: unknown): string {
  const { code, path } = error as { code?: unknown; path?: unknown };
  if (code === 'ENOENT' && typeof path === 'string' && path.includes(REPLACEMENT)) return NAME_IS_NOT_UTF8;
  const words = typeof code === 'string' ? ERRORS[code] : undefined;
  return words ?? (error instanceof Error ? error.message.split('\n', 1)[0] : String(error));
}

const ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file; check the path',
  EACCES: 'no permission to read or write it; captures are often owned by root, try sudo or chown',
  EISDIR: 'is a directory; name a file in it',
  EPERM: 'the system does not permit it there; name another place',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of the path is not a directory',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many files are open; name fewer at once, or raise the limit (ulimit -n)',
};

/** node puts U+FFFD in place of an argument's bytes that are not UTF-8; no file has the name that results. */
const REPLACEMENT = '\ufffd';
const NAME_IS_NOT_UTF8 =
  'a file whose name is not UTF-8 cannot be opened by its name; rename it, or give a capture as standard input: - < FILE';

export function printError(text: string): void {
  standardStreams().error(`kubeseq: ${escapeTerminal(text)}\n`);
}
