// Commands: of what somebody runs, the program and how many arguments it was given. Arguments hold passwords wherever a cluster is
// run by hand, and no list of their forms can end.

import { ELLIPSIS, type Shown, shown } from './shown.js';
import { isPlainWord } from './words/plain-word.js';

/**
 * @param words of a command line, as they are handed to the program.
 * @param hasProgram whether the first of them is the program; of a container's `args` it is not.
 * @returns `sh`, `(2 arguments)`.
 */
export function redactCommand(words: readonly string[], hasProgram: boolean): readonly Shown[] {
  if (words.length === 0) return [];
  const last = words[words.length - 1];
  // What was left of a command stays as it is.
  const left = COUNTED.exec(last);
  if (left !== null && words.length === (hasProgram ? 2 : 1))
    return hasProgram ? [programOf(words[0]), shown(last)] : [shown(last)];
  if (!hasProgram) return [counted(words.length)];
  return words.length === 1 ? [programOf(words[0])] : [programOf(words[0]), counted(words.length - 1)];
}

/** What stands in a query, where a command is one value for each of its words. */
export function redactCommandText(words: readonly string[]): Shown {
  const [only] = words;
  if (words.length === 1 && LEFT.test(only)) return shown(only);
  return shown(redactCommand(words, true).join(' '));
}

/** A program's name, or where it stands. Shells are given whole scripts as a program, too: those are none. */
function programOf(word: string): Shown {
  return shown(PROGRAM.test(word) && !MADE_UP.test(word) && word.split('/').every(isPlainWord) ? word : ELLIPSIS);
}

function counted(count: number): Shown {
  return shown(count === 1 ? '(1 argument)' : `(${count} arguments)`);
}

const COUNTED = /^\(\d+ arguments?\)$/;
/** `/usr/bin/python3.11`, `kube-proxy`; `$(cat …)` and `A=b` are none. */
const PROGRAM = /^[A-Za-z_./][A-Za-z0-9_./+-]{0,79}$/;
/** What is no name of a program: a number, or something that a program made up. */
const MADE_UP = /\d{5}|[0-9][A-Za-z]+[0-9][A-Za-z]*[0-9]/;
/** A command in a query that was redacted before. */
const LEFT = /^[A-Za-z0-9_./+…-]{1,80} \(\d+ arguments?\)$/;
