// Names of participants in a saved file: an export that was made with everything shown has them as clients sent them.

import type { Redaction } from '../redaction/redaction.js';

/** @returns the name; where it begins with a word, as a user agent's product may be shown. */
export function savedParticipantName(name: string, redaction: Redaction): string {
  const blank = name.indexOf(' ');
  const first = blank < 0 ? name : name.slice(0, blank);
  // Programs are named by what they call themselves, or by where they are.
  if (ADDRESS.test(first)) return name;
  return redaction.userAgent(first) + name.slice(first.length);
}

const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[?[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}\]?)(?::\d{1,5})?$/;
