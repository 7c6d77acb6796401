// Redacts commands to the program and the number of its arguments. Arguments often hold passwords, in more forms than a list could name.

import { ELLIPSIS, type Shown, shown } from './shown.js';
import { isPlainWord } from './words/plain-word.js';

/**
 * @param words arguments of a command line, as `argv` holds them.
 * @param hasProgram whether the first of them is the program; in a container's `args` it is not.
 * @returns `sh`, `(2 arguments)`.
 */
export function redactCommand(words: readonly string[], hasProgram: boolean): readonly Shown[] {
  if (words.length === 0) return [];
  const last = words[words.length - 1];
  // A command that was redacted before stays unchanged.
  const left = COUNTED.exec(last);
  if (left !== null && words.length === (hasProgram ? 2 : 1))
    return hasProgram ? [programOf(words[0]), shown(last)] : [shown(last)];
  if (!hasProgram) return [counted(words.length)];
  return words.length === 1 ? [programOf(words[0])] : [programOf(words[0]), counted(words.length - 1)];
}

/** A command in a query, which has one value for each word. */
export function redactCommandText(words: readonly string[]): Shown {
  const [only] = words;
  if (words.length === 1 && LEFT.test(only)) return shown(only);
  return shown(redactCommand(words, true).join(' '));
}

/** A program's name or path. A whole script in its place is not shown. */
function programOf(word: string): Shown {
  return shown(PROGRAM.test(word) && !GENERATED.test(word) && word.split('/').every(isPlainWord) ? word : ELLIPSIS);
}

function counted(count: number): Shown {
  return shown(count === 1 ? '(1 argument)' : `(${count} arguments)`);
}

const COUNTED = /^\(\d+ arguments?\)$/;
/** `/usr/bin/python3.11`, `kube-proxy`; but not `$(cat …)` or `A=b`. */
const PROGRAM = /^[A-Za-z_./][A-Za-z0-9_./+-]{0,79}$/;
/** Numbers and generated names, which are no names of programs. */
const GENERATED = /\d{5}|[0-9][A-Za-z]+[0-9][A-Za-z]*[0-9]/;
/** A command in a query that was redacted before. */
const LEFT = /^[A-Za-z0-9_./+…-]{1,80} \(\d+ arguments?\)$/;
