// Names that a user wrote into files, of expectations, budgets and participants: one that nobody has ends the command, with the
// nearest name that somebody has.

import { type Message, type Mistake, Roster } from '../index.js';
import { CliError } from './cli-error.js';
import type { CommonOptions } from './options.js';
import { printError } from './output/print-error.js';
import { readParticipants } from './participants.js';

export interface MistakeInFile extends Mistake {
  readonly file: string;
}

/** Who may be named: those of the messages, those that the user's own file declares, and programs of Kubernetes. */
export function rosterOf({ participants }: CommonOptions, messages: readonly Message[]): Roster {
  return new Roster(messages, participants === undefined ? [] : readParticipants(participants).names);
}

/** @returns whether there are any. They are said whatever is quiet: nothing else tells why the command ended. */
export function sayMistakes(mistakes: readonly MistakeInFile[]): boolean {
  for (const { file, line, text } of mistakes) printError(`${file}:${line}: ${text}`);
  return mistakes.length > 0;
}

/** Throws Trouble for a name in the `order` of `--participants` that nobody has. @param messages all of the observation. */
export function refuseUnknownOrder(options: CommonOptions, messages: readonly Message[]): void {
  if (options.participants === undefined || messages.length === 0) return;
  const roster = rosterOf(options, messages);
  for (const name of readParticipants(options.participants).order)
    if (!roster.has(name)) throw new CliError(`--participants ${options.participants}: order: ${roster.mistake(name)}`);
}
