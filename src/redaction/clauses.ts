// Splits the texts of programs into clauses, quotes, brackets and JSON, and undoes Go's `%q`.

import { dictionary } from '../core/collections/dictionary.js';

/** Offset at which a message may begin next: after the end of a clause, or after an opening quote or bracket. */
export function nextClause(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const one = text[at];
    if (one === '\n') return at + 1;
    if (JSON_START.includes(one)) {
      // No part of JSON is a message.
      const close = endOfJson(text, at, text.length);
      if (close > at) {
        at = close - 1;
        continue;
      }
    }
    if (CLAUSE_ENDS.includes(one) && isSpace(text.charCodeAt(at + 1))) {
      // Several spaces stay with the clause before.
      let next = at + 1;
      while (next < text.length && isSpace(text.charCodeAt(next))) next += 1;
      return next;
    }
    const opens = one === '"' || one === '[' || one === '(' || one === '`';
    if (
      opens &&
      (at === 0 || isSpace(text.charCodeAt(at - 1)) || OPENING.includes(text[at - 1]) || text[at - 1] === '=')
    )
      return at + 1;
  }
  return text.length;
}

const CLAUSE_ENDS = ':,;.-)';

/** @returns the end of the JSON object or list at `at`; `at` if there is none. */
export function endOfJson(text: string, at: number, end: number): number {
  if (!JSON_OPENS.test(text.slice(at, at + 16))) return at;
  let depth = 0;
  let isString = false;
  for (let i = at; i < end; i++) {
    const one = text[i];
    if (isString) {
      if (one === '\\') i += 1;
      else if (one === '"') isString = false;
    } else if (one === '"') isString = true;
    else if (one === '{' || one === '[') depth += 1;
    else if (one === '}' || one === ']') {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return end;
}

const JSON_OPENS = /^(?:\{\s*\\?"|\[\s*\{\s*\\?")/;

export function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** An apostrophe between letters is part of its word. */
export function isQuote(text: string, at: number): boolean {
  return QUOTES.includes(text[at]) && !isApostrophe(text, at);
}

export function isApostrophe(text: string, at: number): boolean {
  return text[at] === "'" && isLetter(text.charCodeAt(at - 1)) && isLetter(text.charCodeAt(at + 1));
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

/** Undoes Go's `%q`; null if the text has escapes other than of quotes, backslashes, line feeds and tabs. */
export function unquoted(content: string): string | null {
  if (!/^(?:[^\\]|\\["\\nt])*$/.test(content)) return null;
  return content.replace(/\\(["\\nt])/g, (_, one: string) => UNQUOTED[one] ?? one);
}

export function quoted(content: string): string {
  return content.replace(/["\\\n\t]/g, (one) => QUOTED[one]);
}

const UNQUOTED: Readonly<Record<string, string>> = dictionary({ n: '\n', t: '\t' });
const QUOTED: Readonly<Record<string, string>> = dictionary({ '"': '\\"', '\\': '\\\\', '\n': '\\n', '\t': '\\t' });

const QUOTES = '"\'`';
/** Opening brackets, and a backslash in front of them. */
export const OPENING = '([{<\\';
export const JSON_START = '{[';
