// The one escape of JSON: characters that JSON.stringify keeps and a terminal or a reader could misread (C1 controls, bidi, zero width)
// and those that begin a command of a CI system become `\uXXXX`. A program that parses the JSON gets the same text.

import { HASH_COMMAND } from './ci-commands.js';
import { UNSEEN } from './terminal-escape.js';

/** JSON.stringify with this escape. */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  // `undefined` has no JSON.
  if (text === undefined || !SUSPICIOUS.test(text)) return text;
  return text.replace(ESCAPED, (found) => {
    let out = '';
    for (let i = 0; i < found.length; i++) out += `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`;
    return out;
  });
}

/** Texts of plain ASCII without `##`, as most are, need no escape. */
const SUSPICIOUS = /[^\n -~]|##/;
/** Line feeds are kept, as they belong to the layout; inside strings they are escaped already. */
const ESCAPED = new RegExp(`(?!\\n)${UNSEEN}|${HASH_COMMAND}`, 'gu');
