// The one escape of PlantUML: captured text becomes a label that PlantUML shows as exactly that text, and nothing of it can be a
// directive, a function (`%getenv(…)`), a link, an image or markup.
//
// Every character outside a list of allowed ones becomes `<U+0041>`. Entities (`&#65;`) are no alternative: PlantUML 1.2020 throws an
// exception at those of `\` and `$`.

import { UNSEEN } from './terminal-escape.js';

/** One line of text. Control, bidi and zero-width characters are shown as U+FFFD. */
export function escapePlantuml(text: string): string {
  const characters = [...text];
  return characters.map((one, i) => escaped(one, characters[i - 1], characters[i + 1], i === 0)).join('');
}

/** A line inside `note … end note`: it must not end the note, nor begin like a list or a rule. */
export function escapePlantumlNote(text: string): string {
  const line = escapePlantuml(text);
  return /^\s*end/i.test(line) ? line.replace(/e/i, code) : line;
}

function escaped(one: string, before: string | undefined, after: string | undefined, isFirst: boolean): string {
  if (INVISIBLE.test(one)) return code('\ufffd');
  if (WORD.test(one)) return one;
  if (isFirst && one !== '[' && one !== '(') return code(one);
  if (SINGLE.test(one)) return one === before || one === after ? code(one) : one;
  return ALLOWED.test(one) ? one : code(one);
}

function code(character: string): string {
  const digits = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
  return `<U+${digits}>`;
}

const WORD = /[\p{L}\p{N}]/u;
const ALLOWED = /[ \u00a0,:()\]?=!+@…×→]/u;
/** Harmless alone; two of them are markup. */
const SINGLE = /[-_*./[&]/;
const INVISIBLE = new RegExp(UNSEEN, 'u');
