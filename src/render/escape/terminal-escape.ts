// The one escape of the terminal: no character of a capture moves the cursor, changes colours or hides others
// (kubectl CVE-2021-25743), and none begins a command of the CI system that reads the log.

import { COMMAND } from './ci-commands.js';

export function escapeTerminal(text: string): string {
  return UNSAFE.test(text) ? text.replace(UNSAFE_ALL, (character) => `\\u${hex(character)}`) : text;
}

function hex(character: string): string {
  return (character.codePointAt(0) as number).toString(16).padStart(4, '0');
}

/**
 * Characters that are invisible or move others, which no output contains as they are. For a regular expression with the flag `u`: C0,
 * DEL, C1; format characters (soft hyphen, bidi controls, zero width, tags); separators of lines and paragraphs; lone surrogates; and
 * what Unicode lets a font leave out, as variation selectors and fillers (DerivedCoreProperties.txt).
 */
export const UNSEEN = '[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Default_Ignorable_Code_Point}]';
const UNSAFE = new RegExp(`${UNSEEN}|${COMMAND}`, 'u');
const UNSAFE_ALL = new RegExp(`${UNSEEN}|${COMMAND}`, 'gu');
