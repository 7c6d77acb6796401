// What a user asked to see beyond what is shown: options become what the redaction takes, or one sentence.

import { readFileSync } from 'node:fs';
import type { Reveal } from '../index.js';
import { Trouble } from './trouble.js';

export interface RevealOptions {
  readonly showSecrets?: true;
  readonly showCommands?: true;
  readonly showText?: true;
  /** Paths of fields; `@FILE` for a file of them. */
  readonly showField?: readonly string[];
}

/** Throws Trouble. */
export function revealOf({ showSecrets, showCommands, showText, showField }: RevealOptions): Reveal {
  return {
    secrets: showSecrets,
    commands: showCommands,
    text: showText,
    fields: showField?.flatMap((given) => (given.startsWith('@') ? linesOf(given.slice(1)) : [given])),
  };
}

function linesOf(path: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Trouble(`--show-field @${path}: ${(error as NodeJS.ErrnoException).code ?? 'cannot be read'}`);
  }
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '');
}
