// Defines the type of text that may be shown. Only this folder creates it, so that printing any other text does not compile.

declare const BRAND: unique symbol;

/** Text of a capture that a row of a table allows, or fixed text of this project. */
export type Shown = string & { readonly [BRAND]: true };

/** A JSON value whose texts and keys may all be shown. */
export type ShownValue =
  | Shown
  | number
  | boolean
  | null
  | readonly ShownValue[]
  | { readonly [name: string]: ShownValue };

/** Replaces a value that no table allows. */
export const REDACTED = 'REDACTED';
/** Replaces a word, or a segment of a path, that no table allows. */
export const ELLIPSIS = '…';

/** Marks a text that a row of a table allows. The architecture test keeps other folders from calling it. */
export function shown(text: string): Shown {
  return text as Shown;
}

/** Replaces a text that no table allows. Its length stays hidden, too. */
export function redactedText(text: string): Shown {
  return shown(text === '' || isRedacted(text) ? text : REDACTED);
}

/** Replaces a key that no rule allows. @param number of the key in its object, from 1: keys stay distinct. */
export function redactedKey(number: number): Shown {
  return shown(`${REDACTED} (key ${number})`);
}

/** Whether a text was redacted before, as those of saved messages were. */
export function isRedacted(text: string): boolean {
  return LEFT_OVER.test(text);
}

/** Fixed words with shown texts between them: `` sentence`${method} ${target}` ``. */
export function sentence(words: readonly string[], ...parts: readonly (Shown | number)[]): Shown {
  let out = words[0];
  for (let i = 0; i < parts.length; i++) out += String(parts[i]) + words[i + 1];
  return shown(out);
}

/** No text. */
export const EMPTY: Shown = shown('');

/** Transforms a text that may be shown, adding only fixed text. */
export function rewritten(text: Shown, make: (text: string) => string): Shown {
  return shown(make(text));
}

/** Earlier versions wrote the number of characters. */
const LEFT_OVER = /^(?:REDACTED(?: \((?:key \d{1,9}|(?:\d+ characters)?(?:(?:, )?value \d+)?)\))?|\(\d+ arguments?\))$/;
