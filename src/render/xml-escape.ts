// The one escape of XML: the five characters, and what XML 1.0 does not allow at all (section 2.2) as U+FFFD. Attributes
// and text alike.

import { lookup } from '../core/lookup.js';

export function escapeXml(text: string): string {
  return text.replace(NEVER, '\ufffd').replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

const ENTITIES: Readonly<Record<string, string>> = lookup({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
});
/** Controls but tab, line feed and carriage return; lone surrogates; what changes the direction of text. */
const NEVER =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Cs}/gu;
