// The one escape of mermaid: captured text becomes a label that mermaid reads back as exactly that text, and nothing of it can be a
// directive, a statement or markup.
//
// In raw text (mermaid's lexer and its `#NN;` entities), `;` and a line break end a statement, `#` begins an entity, `%%` a comment or
// `%%{…}%%` a directive, `<` markup, and a leading `wrap:` is removed. So the escape allows a list of characters and writes every other
// one as a decimal entity.

import { UNSEEN } from './terminal-escape.js';

/** @returns text for an alias, a label or a note. Control, bidi and zero-width characters are shown as U+FFFD. */
export function escapeMermaid(text: string): string {
  if (HARMLESS.test(text)) return text;
  const wrapping = LEADING_WRAP.exec(text);
  const eaten = wrapping === null ? -1 : wrapping[0].length - 1;
  let out = '';
  let at = 0;
  for (const character of text) {
    out += at === eaten ? '#58;' : escapeCharacter(character);
    at += character.length;
  }
  return out;
}

function escapeCharacter(character: string): string {
  if (ALLOWED.test(character)) return character;
  if (INVISIBLE.test(character)) return '#65533;';
  return `#${character.codePointAt(0)};`;
}

/**
 * Shortens long text visibly: ids to their first digits, other text in the middle, where a path matters least.
 * @param limit in characters.
 */
export function shorten(text: string, limit: number = MAX_LABEL): string {
  const short = text.replace(LONG_ID, '$1…');
  const characters = [...short];
  if (characters.length <= limit) return short;
  const head = Math.ceil((limit - 1) * 0.6);
  return `${characters.slice(0, head).join('')}…${characters.slice(characters.length - (limit - 1 - head)).join('')}`;
}

/**
 * The lines of a label, before they are escaped.
 * @param width characters of a line; words that are much longer are cut in the middle. undefined: wide lines, whole words.
 */
export function labelLines(text: string, width?: number): string[] {
  const short = shorten(text);
  if (width === undefined) return wrap(short);
  const words = short.split(' ').map((word) => shorten(word, width + LONGER));
  return wrap(words.join(' '), width);
}

/** Breaks a label into lines of at most about `width` characters, before an outcome (`→ 201`), at `&`, `,`, blanks or `/`. */
export function wrap(text: string, width: number = LINE_WIDTH): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const at = breakAt(rest, width);
    if (at <= 0) break;
    lines.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at);
  }
  lines.push(rest);
  return lines;
}

/** The last place that fits: before `→` or `&`, else after a comma, else before `/` or after a blank. */
function breakAt(text: string, width: number): number {
  const outcome = text.lastIndexOf(' → ', width);
  if (outcome >= width / 3) return outcome + 1;
  const parameter = text.lastIndexOf('&', width);
  if (parameter >= width / 3) return parameter;
  const comma = text.lastIndexOf(', ', width - 2);
  if (comma >= width / 2) return comma + 2;
  for (let at = width; at >= width / 2; at--) if (isBreak(text, at)) return at;
  // A word longer than the rest of the line makes this line longer, but not the following ones.
  for (let at = width + 1; at < text.length; at++) if (isBreak(text, at)) return at;
  return -1;
}

function isBreak(text: string, at: number): boolean {
  const before = text[at - 1];
  return before === ',' || before === ' ' || text[at] === '/';
}

const HARMLESS = /^(?!(?:no)?wrap:)[A-Za-z0-9 _.,:()[\]/?&=!*+\-~@'…→]*$/;
const ALLOWED =
  /[A-Za-z0-9 _.,:()[\]/?&=!*+\-~@'\u2026\u2192\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7af]/;
const INVISIBLE = new RegExp(UNSEEN, 'u');
const LEADING_WRAP = /^\s*(?:no)?wrap:/i;
/** Ids of containers, digests of images (SHA-256), of which docker and crictl print twelve digits. */
const LONG_ID = /(?<![0-9a-f])([0-9a-f]{12})[0-9a-f]{52}(?![0-9a-f])/g;
/** Limit: characters of a label, longer ones make a diagram illegible and are cut in the middle; mermaid has no limit for it. */
export const MAX_LABEL = 120;
const LINE_WIDTH = 76;
/** Characters by which a word may exceed a narrow line: names of Pods do. */
const LONGER = 6;
