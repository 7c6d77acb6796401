// What a user asked to see beyond what is shown: options become what the redaction takes, or one sentence.

import { readFileSync } from 'node:fs';
import { fieldErrors, fieldLines, type Reveal } from '../index.js';
import { CliError } from './cli-error.js';
import { sayWhy } from './input/input.js';

export interface RevealOptions {
  readonly showSecrets?: true;
  readonly showCommands?: true;
  readonly showText?: true;
  /** Paths of fields; `@FILE` for a file of them. */
  readonly showField?: readonly string[];
}

/** Throws Trouble. */
export function revealOf({ showSecrets, showCommands, showText, showField }: RevealOptions): Reveal {
  const fields = showField?.flatMap((given) => (given.startsWith('@') ? linesOf(given.slice(1)) : [given]));
  const [wrong] = fields === undefined ? [] : fieldErrors(fields);
  if (wrong !== undefined) throw new CliError(`--show-field ${wrong.text}: ${wrong.problem}`);
  return { secrets: showSecrets, commands: showCommands, text: showText, fields };
}

function linesOf(path: string): readonly string[] {
  try {
    return fieldLines(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new CliError(`--show-field @${path}: ${sayWhy(error)}`);
  }
}
