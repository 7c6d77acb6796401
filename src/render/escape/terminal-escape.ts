// The one escape of the terminal: no character of a capture moves the cursor, changes colours or hides others
// (kubectl CVE-2021-25743).

import { UNSEEN } from './unseen.js';

export function escapeTerminal(text: string): string {
  return UNSAFE.test(text) ? text.replace(UNSAFE_ALL, (character) => `\\u${hex(character)}`) : text;
}

function hex(character: string): string {
  return (character.codePointAt(0) as number).toString(16).padStart(4, '0');
}

const UNSAFE = new RegExp(UNSEEN, 'u');
const UNSAFE_ALL = new RegExp(UNSEEN, 'gu');
