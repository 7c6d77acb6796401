// Names every command in one place, so that one import loads them with the pipeline that they share.

import type { Command } from 'commander';
import { runAndWrite } from './command.js';
import { check } from './commands/check.js';
import { complete } from './commands/complete.js';
import { diagram } from './commands/diagram.js';
import { diff } from './commands/diff.js';
import { docs } from './commands/docs.js';
import { doctor } from './commands/doctor.js';
import { explain } from './commands/explain.js';
import { exportMessages } from './commands/export.js';
import { keys } from './commands/keys.js';
import { messages } from './commands/messages.js';
import { object } from './commands/object.js';
import { path } from './commands/path.js';
import { query } from './commands/query.js';
import { record } from './commands/record.js';
import { summary } from './commands/summary.js';
import { top } from './commands/top.js';
import { view } from './commands/view.js';
import { mcp } from './mcp/mcp.js';

export { anonymously } from './input/anonymize.js';
export { isLive } from './option-values.js';
export { withPager } from './output/pager.js';

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
