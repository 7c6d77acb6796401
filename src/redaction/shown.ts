// The type of text that may be shown: only this folder makes it, so that printing anything else does not compile.

declare const BRAND: unique symbol;

/** Text of a capture that a row of a table allows, or words of this project. */
export type Shown = string & { readonly [BRAND]: true };

/** A plain value as JSON has it, all texts of which may be shown. Names of members are shown always. */
export type ShownValue =
  | Shown
  | number
  | boolean
  | null
  | readonly ShownValue[]
  | { readonly [name: string]: ShownValue };

/** What stands for a value that no table allows. */
export const REDACTED = 'REDACTED';
/** What stands for a word, or a segment of a path, that no table allows. */
export const ELLIPSIS = '…';

/** Says that a row of a table allows this text. For this folder alone: `src/architecture.test.ts` holds others to it. */
export function shown(text: string): Shown {
  return text as Shown;
}

/** A text that no table allows, as a reader sees it: that there is one, and how long it is in UTF-16 code units. */
export function redactedText(text: string): Shown {
  return shown(text === '' || isRedacted(text) ? text : `${REDACTED} (${text.length} characters)`);
}

/** Whether a text is what was left of another: saved messages come here a second time. */
export function isRedacted(text: string): boolean {
  return LEFT_OVER.test(text);
}

/** Words of this project with what may be shown between them: `` sentence`${method} ${target}` ``. */
export function sentence(words: readonly string[], ...parts: readonly (Shown | number)[]): Shown {
  let out = words[0];
  for (let i = 0; i < parts.length; i++) out += String(parts[i]) + words[i + 1];
  return shown(out);
}

/** No text. */
export const EMPTY: Shown = shown('');

/** A text that is made of one that may be shown and of nothing else. */
export function rewritten(text: Shown, make: (text: string) => string): Shown {
  return shown(make(text));
}

const LEFT_OVER = /^(?:REDACTED(?: \((?:\d+ characters)?(?:(?:, )?value \d+)?\))?|\(\d+ arguments?\))$/;
