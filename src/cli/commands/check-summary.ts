// The page that GitHub shows beside a workflow's run: a file that the runner names. Only there when a workflow runs.

import { appendFile, stat } from 'node:fs/promises';
import { CliError } from '../cli-error.js';
import { sayWhy } from '../input/input.js';

export async function writeSummary(text: string): Promise<void> {
  const path = process.env['GITHUB_STEP_SUMMARY'] ?? '';
  if (path === '' || text === '') return;
  try {
    // What is over the limit is not shown in part, but not at all.
    const before = await stat(path).then(
      ({ size }) => size,
      () => 0,
    );
    if (before + Buffer.byteLength(text) <= SUMMARY_LIMIT) await appendFile(path, text);
  } catch (error) {
    throw new CliError(`GITHUB_STEP_SUMMARY ${path}: ${sayWhy(error)}`);
  }
}

/** GitHub's limit for the summary of one step, in bytes. */
const SUMMARY_LIMIT = 1024 * 1024;
