// Names of participants in a saved file: an export that was made with everything shown has them as clients sent them.

import { BoundedMap, CACHE } from '../core/collections/bounded.js';
import { shownNames } from '../redaction/names.js';
import type { Redaction } from '../redaction/redaction.js';
import type { Shown } from '../redaction/shown.js';

/** The name of a participant in a message. */
export interface SavedName {
  /** As `savedParticipantName` gives it. */
  readonly name: string;
  readonly shown: Shown;
}

/** Remembers names, as a few participants send all messages. */
export class SavedNames {
  readonly #redaction: Redaction;
  readonly #known = new BoundedMap<string, SavedName>(MAX_NAMES, CACHE);

  constructor(redaction: Redaction) {
    this.#redaction = redaction;
  }

  /** @param text as the line has it. */
  of(text: string): SavedName {
    let known = this.#known.get(text);
    if (known === undefined) {
      const name = savedParticipantName(text, this.#redaction);
      known = { name, shown: shownNames(name) };
      if (text.length <= LONGEST) this.#known.set(text, known);
    }
    return known;
  }
}

/** Limit: names of participants whose redaction is remembered: nodes and programs of a large cluster, some 300 bytes each. */
const MAX_NAMES = 4096;
/** Characters of a name that is remembered. */
const LONGEST = 512;

/** @returns the name; where it begins with a word, as a user agent's product may be shown. */
export function savedParticipantName(name: string, redaction: Redaction): string {
  const blank = name.indexOf(' ');
  const first = blank < 0 ? name : name.slice(0, blank);
  // Programs are named by what they call themselves, or by where they are.
  if (ADDRESS.test(first)) return name;
  return redaction.userAgent(first) + name.slice(first.length);
}

const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[?[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}\]?)(?::\d{1,5})?$/;
