// The one escape of the terminal: no character of a capture moves the cursor, changes colours or hides others
// (kubectl CVE-2021-25743).

export function escapeTerminal(text: string): string {
  return UNSAFE.test(text) ? text.replace(UNSAFE_ALL, (character) => `\\u${hex(character)}`) : text;
}

function hex(character: string): string {
  return (character.codePointAt(0) as number).toString(16).padStart(4, '0');
}

/** C0, DEL, C1, soft hyphen, bidi controls, zero-width characters, line separators, lone surrogates. */
const PATTERN =
  '[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\ufff9-\\ufffb]|\\p{Cs}';
const UNSAFE = new RegExp(PATTERN, 'u');
const UNSAFE_ALL = new RegExp(PATTERN, 'gu');
