// `kubeseq completion SHELL` writes a completion script for bash, zsh or fish from the definitions of commands and
// options.

import type { Command } from 'commander';
import { CliError } from '../cli-error.js';
import { type Completed, SHELLS } from './completed.js';
import { bashScript } from './completion-bash.js';
import { fishScript } from './completion-fish.js';
import { zshScript } from './completion-zsh.js';

export type Values = Readonly<Record<string, readonly string[]>>;

/**
 * @param program with all of its commands.
 * @param values of options and arguments, by `command --option`, `--option` or `command`. A name that ends with `,` (`--layers,`) is of a
 *   list whose values are separated by commas.
 */
export function completion(shell: string, program: Command, values: Values): string {
  const commands = program.commands.map((command) => completed(command, values));
  // `kubeseq CAPTURE` runs the first one.
  const [defaultCommand] = commands;
  switch (shell) {
    case 'bash':
      return bashScript(commands, defaultCommand);
    case 'zsh':
      return zshScript(commands, defaultCommand);
    case 'fish':
      return fishScript(commands, defaultCommand);
    default:
      throw new CliError(`completion ${shell}: expected ${SHELLS.join(', ')}`);
  }
}

function completed(command: Command, values: Values): Completed {
  const name = command.name();
  return {
    name,
    description: command.description(),
    words: values[name] ?? [],
    options: command.options.flatMap(({ flags, short, long, description, required, optional, argChoices, hidden }) => {
      if (long === undefined || long === null || hidden) return [];
      const list = values[`${long},`];
      const known = list ?? values[`${name} ${long}`] ?? values[long] ?? argChoices ?? [];
      const option = {
        long,
        description,
        takesValue: required || optional,
        isFile: /<file>/.test(flags),
        values: known,
        isList: list !== undefined,
      };
      return [short === undefined || short === null ? option : { ...option, short }];
    }),
  };
}
