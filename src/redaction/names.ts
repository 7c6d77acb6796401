// Names of objects, namespaces, kinds, resources, images and participants are shown always; what does not look like a name is searched
// for credentials (text.ts).

import { memo } from '../core/collections/memo.js';
import { ELLIPSIS, type Shown, shown } from './shown.js';
import { redactText } from './text.js';
import { isPlainWord } from './words/plain-word.js';

/** Words that are remembered with whether they are such. */
const MAX_WORDS = 4096;

/** @param text of a place that holds a name. */
export function shownName(text: string): Shown {
  return shown(NAME.test(text) ? text : redactText(text));
}

/** Names with words of this project between them. */
export function shownNames(text: string): Shown {
  return shown(redactText(text));
}

/** A word of an API: `AlreadyExists`, `MODIFIED`. What is none goes through `otherwise`. */
export function shownWord(text: string, otherwise: (text: string) => Shown): Shown {
  return isWordOfAnApi(text) ? shown(text) : otherwise(text);
}

/** The same where there is nothing else to say: the type of an event, the method of a call. */
export function shownPlainWord(text: string): Shown {
  return shownWord(text, () => shown(ELLIPSIS));
}

/** Names of Kubernetes are in lower case, so nothing of a JWT's or a base64's shape is one (RFC 1123; apimachinery, validation). */
const NAME = /^[a-z0-9/._:-]{0,253}$/;
/** Messages have the same few hundred words. */
const isWordOfAnApi = memo((text) => WORD.test(text) && isPlainWord(text), MAX_WORDS);
const WORD = /^(?:[A-Za-z][A-Za-z0-9_./:-]{0,127})?$/;

/** What an API calls its parts, and who an object of it is: verbs, kinds, versions, uids. Nobody can put anything else there. */
export function shownIdentity(text: string): Shown {
  return shown(text);
}

/** The name of a participant: made of products, addresses and names, each of which was looked at where it came from. */
export function shownParticipant(text: string): Shown {
  return shown(text);
}
