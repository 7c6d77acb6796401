// Characters that a reader of a text does not see, or that move what he does see: no output has them as they are. Knows
// Unicode; how each format writes them otherwise is the formats'.

/**
 * For a regular expression with the flag `u`: C0, DEL, C1; format characters (soft hyphen, bidi controls, zero width, tags);
 * separators of lines and paragraphs; lone surrogates; and what Unicode lets a font leave out, as variation selectors and
 * fillers (DerivedCoreProperties.txt).
 */
export const UNSEEN = '[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Default_Ignorable_Code_Point}]';
