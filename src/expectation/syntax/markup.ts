// Decodes the text of a mermaid diagram: entities become characters, `<br>` a place where a blank may stand.

import { dictionary } from '../../core/collections/dictionary.js';

/**
 * Replaces entities and line breaks. A character from an entity is literal even if it is a wildcard: it is moved into a
 * private Unicode plane, and `literally` or `plainText` moves it back.
 */
export function readMarkup(text: string): string {
  return text
    .replace(/^\s*:?(?:no)?wrap:/i, '')
    .replace(ENTITY, (whole, name: string) => {
      const character = characterOf(name);
      return character === null ? whole : protect(character);
    })
    .replace(/\s*<br\s*\/?>\s*/gi, SOFT)
    .trim();
}

/** The text in one line as the diagram shows it, with broken paths and queries joined. */
export function plainText(marked: string): string {
  return [...marked.replace(WITHIN_TARGET, '').replaceAll(SOFT, ' ')].map(literally).join('');
}

/** The character that a protected one stands for; other characters unchanged. */
export function literally(character: string): string {
  const code = character.codePointAt(0) as number;
  return code >= PRIVATE && code < PRIVATE + 0x100 ? String.fromCodePoint(code - PRIVATE) : character;
}

/** Makes the wildcards of a text literal, as `readMarkup` does for entities. */
export function protect(text: string): string {
  return text.replace(/[*|{}"']/g, (one) => String.fromCodePoint(PRIVATE + one.charCodeAt(0)));
}

function characterOf(name: string): string | null {
  if (/^\d{1,7}$/.test(name)) {
    const code = Number(name);
    return code > 0 && code < 0x110000 && !(code >= 0xd800 && code < 0xe000) ? String.fromCodePoint(code) : null;
  }
  return NAMED[name] ?? null;
}

/** A possible line break: matches nothing, or blanks. */
export const SOFT = '\u{f1000}';
const WITHIN_TARGET = new RegExp(`(?<=/\\S*)${SOFT}(?=[/?&=])|(?<=[/?&=])${SOFT}`, 'gu');
const PRIVATE = 0xf0000;
/** mermaid: "encodeEntities" in utils.ts */
const ENTITY = /#(\w+);/g;
/** Named entities of the HTML standard that are useful in a label. */
const NAMED: Readonly<Record<string, string>> = dictionary({
  amp: '&',
  apos: "'",
  ast: '*',
  colon: ':',
  comma: ',',
  commat: '@',
  equals: '=',
  gt: '>',
  lbrace: '{',
  lcub: '{',
  lpar: '(',
  lsqb: '[',
  lt: '<',
  nbsp: ' ',
  num: '#',
  percnt: '%',
  plus: '+',
  quest: '?',
  quot: '"',
  rbrace: '}',
  rcub: '}',
  rpar: ')',
  rsqb: ']',
  semi: ';',
  sol: '/',
  verbar: '|',
  vert: '|',
});
