// The one escape of JSON: what JSON.stringify leaves as it is and a terminal or a reader would take for something else
// (C1 controls, bidi, zero width) is written as `\uXXXX`. A program that reads it gets the same text.

import { UNSEEN } from './unseen.js';

/** As JSON.stringify. */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  // `undefined` has no JSON.
  if (text === undefined || !SUSPICIOUS.test(text)) return text;
  return text.replace(ESCAPED, (character) => {
    let out = '';
    for (let i = 0; i < character.length; i++) out += `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
    return out;
  });
}

/** Most texts are ASCII. */
const SUSPICIOUS = /[^\n -~]/;
/** Line feeds are the layout's: inside a string they are escaped already. */
const ESCAPED = new RegExp(`(?!\\n)${UNSEEN}`, 'gu');
