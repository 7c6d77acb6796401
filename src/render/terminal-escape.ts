// The one escape of the terminal: no character of a capture moves the cursor, changes colours or hides others
// (kubectl CVE-2021-25743).

export function escapeTerminal(text: string): string {
  return UNSAFE.test(text) ? text.replace(UNSAFE_ALL, (character) => `\\u${hex(character)}`) : text;
}

function hex(character: string): string {
  return (character.codePointAt(0) as number).toString(16).padStart(4, '0');
}

/**
 * C0, DEL, C1; format characters (soft hyphen, bidi controls, zero width, tags), line and paragraph separators, lone
 * surrogates; variation selectors and fillers, which take no room either.
 */
const PATTERN =
  '[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u2065\\u3164\\uffa0\\ufe00-\\ufe0f\\u{e0000}-\\u{e0fff}]';
const UNSAFE = new RegExp(PATTERN, 'u');
const UNSAFE_ALL = new RegExp(PATTERN, 'gu');
