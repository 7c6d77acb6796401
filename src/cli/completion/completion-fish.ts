// Writes the completion script for fish: a line for each command, option and list of values.

import type { Completed, CompletedOption } from './completed.js';

/** @param usual the command that is meant where none is named. */
export function fishScript(commands: readonly Completed[], usual: Completed): string {
  const names = commands.map(({ name }) => name).join(' ');
  const lines = ['# fish completion for kubeseq: kubeseq completion fish | source'];
  for (const program of ['kubeseq', 'kubectl-seq']) {
    for (const command of commands) {
      lines.push(
        `complete -c ${program} -n "not __fish_seen_subcommand_from ${names}" -a ${command.name} -d '${quoted(command.description)}'`,
      );
      const seen =
        command === usual
          ? `not __fish_seen_subcommand_from ${commands
              .filter((one) => one !== usual)
              .map(({ name }) => name)
              .join(' ')}`
          : `__fish_seen_subcommand_from ${command.name}`;
      for (const option of command.options) lines.push(optionLine(program, seen, option));
      if (command.words.length > 0)
        lines.push(`complete -c ${program} -n "${seen}" -f -a '${command.words.join(' ')}'`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function optionLine(program: string, seen: string, option: CompletedOption): string {
  const { short, long, description, takesValue, values, isList, isFile } = option;
  const parts = [`complete -c ${program} -n "${seen}"`];
  if (short !== undefined) parts.push(`-s ${short.slice(1)}`);
  parts.push(`-l ${long.slice(2)}`);
  if (takesValue && values.length === 0) parts.push(isFile ? '-rF' : '-x');
  else if (takesValue)
    parts.push(
      `-x -a '${isList ? `(__fish_complete_list , "string split , ${values.join(',')}")` : values.join(' ')}'`,
    );
  return [...parts, `-d '${quoted(description)}'`].join(' ');
}

/** Inside single quotes. */
function quoted(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
}
