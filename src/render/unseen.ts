// Characters that a reader of a text does not see, or that move what he does see: no output has them as they are. Knows
// Unicode; how each format writes them otherwise is the formats'.

/**
 * For a regular expression with the flag `u`: C0, DEL, C1; format characters (soft hyphen, bidi controls, zero width, tags);
 * separators of lines and paragraphs; lone surrogates; variation selectors and fillers, which take no room either.
 */
export const UNSEEN =
  '[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u2065\\u3164\\uffa0\\ufe00-\\ufe0f\\u{e0000}-\\u{e0fff}]';
