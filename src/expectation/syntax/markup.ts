// Text of a mermaid diagram as it is meant: entities are the characters they stand for, `<br>` is a place where a blank
// may stand. Knows mermaid's escapes, not what a label means.

import { dictionary } from '../../core/collections/dictionary.js';

/**
 * Undoes what is layout. A character that an entity stands for is meant literally, also where it would be a wildcard:
 * such characters come out moved into a private plane, until `literally` or `plainText` takes them back.
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

/** For people: as the diagram shows it, in one line. A path and its query are put together again where they were broken. */
export function plainText(marked: string): string {
  return [...marked.replace(WITHIN_TARGET, '').replaceAll(SOFT, ' ')].map(literally).join('');
}

/** The character that a protected one stands for; others are themselves. */
export function literally(character: string): string {
  const code = character.codePointAt(0) as number;
  return code >= PRIVATE && code < PRIVATE + 0x100 ? String.fromCodePoint(code - PRIVATE) : character;
}

/** Text that is meant as it stands, made into what `readMarkup` would give for it. */
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

/** A line may be broken here: no text, or blanks. */
export const SOFT = '\u{f1000}';
const WITHIN_TARGET = new RegExp(`(?<=/\\S*)${SOFT}(?=[/?&=])|(?<=[/?&=])${SOFT}`, 'gu');
const PRIVATE = 0xf0000;
/** mermaid: "encodeEntities" in utils.ts */
const ENTITY = /#(\w+);/g;
/** Those of the HTML standard that have a place in a label. */
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
