// Names every command in one place, so that one import loads them with the pipeline that they share.

import type { Command } from 'commander';
import { runAndWrite } from '../command.js';
import { check } from './check.js';
import { complete } from './complete.js';
import { diagram } from './diagram.js';
import { diff } from './diff.js';
import { docs } from './docs.js';
import { doctor } from './doctor.js';
import { explain } from './explain.js';
import { exportMessages } from './export.js';
import { keys } from './keys.js';
import { mcp } from './mcp.js';
import { messages } from './messages.js';
import { object } from './object.js';
import { path } from './path.js';
import { query } from './query.js';
import { record } from './record.js';
import { summary } from './summary.js';
import { top } from './top.js';
import { view } from './view.js';

export { anonymously } from '../input/anonymize.js';
export { withPager } from '../output/pager.js';

/**
 * Runs a command. @param args, options as its definition has them. @param definition of the command, as it was called.
 * @returns the exit status. Throws CliError.
 */
export function runNamed(
  name: string,
  args: readonly unknown[],
  options: object,
  definition: Command,
): Promise<number> {
  const command: unknown = COMMANDS[name as keyof typeof COMMANDS];
  if (typeof command !== 'function') return runAndWrite(command as typeof diagram, args as never, options as never);
  return (command as (...given: unknown[]) => Promise<number>)(...args, options, definition);
}

/** A command answers with data, or is a function of its arguments, its options and its definition. */
const COMMANDS = {
  ...{ check, diagram, diff, doctor, explain, export: exportMessages, messages, object, path, query, summary, top },
  ...{ docs, keys, mcp, record, view, completion: complete },
};
