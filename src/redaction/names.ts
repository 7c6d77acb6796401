// Redacts names of objects, namespaces, kinds, resources, images and participants: they are shown, and texts that do not look like a name
// are searched for credentials.

import { memo } from '../core/collections/memo.js';
import { isFieldPathShown } from './keys.js';
import { ELLIPSIS, REDACTED, type Shown, shown } from './shown.js';
import { redactStoreKey, shownHost, unknownSegments } from './target.js';
import { redactText } from './text.js';
import { isPlainWord } from './words/plain-word.js';

/** Limit: words of which it is remembered whether they belong to an API. */
const MAX_WORDS = 4096;

/** @param text from a field that holds a name. */
export function shownName(text: string): Shown {
  return shown(NAME.test(text) ? text : redactText(text));
}

/** Names with fixed words between them. */
export function shownNames(text: string): Shown {
  return shown(redactText(text));
}

/** A key of etcd: names of objects below the registry, plain words elsewhere. */
export function shownStoreKey(key: string): Shown {
  return shown(redactStoreKey(key));
}

/** @param address that a tunnel is told to dial: `tcp/HOST:PORT`, `unix/PATH`; any other is not shown. */
export function shownDial(address: string): Shown {
  const [, network, target] = DIAL.exec(address) ?? [];
  if (network === undefined) return shown(ELLIPSIS);
  return shown(network + (network === 'unix/' ? unknownSegments(target) : shownHost(target)));
}

/** The path of a field, whose keys are identifiers. */
export function shownFieldPath(path: string): Shown {
  return shown(isFieldPathShown(path) ? path : REDACTED);
}

/** A word of an API: `AlreadyExists`, `MODIFIED`. Any other text goes through `otherwise`. */
export function shownWord(text: string, otherwise: (text: string) => Shown): Shown {
  return isWordOfAnApi(text) ? shown(text) : otherwise(text);
}

/** The same with an ellipsis for any other text: the type of an event, the method of a call. */
export function shownPlainWord(text: string): Shown {
  return shownWord(text, () => shown(ELLIPSIS));
}

/** remotedialer, client_dialer.go: the network and the address. */
const DIAL =
  /^((?:tcp[46]?|unix)\/)((?<=unix\/)\S{1,300}|\[[0-9a-fA-F:.]{2,45}\]:\d{1,5}|[A-Za-z0-9_.-]{1,253}:\d{1,5})$/;
/** Names in Kubernetes are in lower case, so no JWT and no base64 is one (RFC 1123; apimachinery, validation). */
const NAME = /^[a-z0-9/._:-]{0,253}$/;
/** Messages use the same few hundred words. */
const isWordOfAnApi = memo((text) => WORD.test(text) && isPlainWord(text), MAX_WORDS);
const WORD = /^(?:[A-Za-z][A-Za-z0-9_./:-]{0,127})?$/;

/** Verbs, kinds, versions, uids: users cannot put any other text into these fields. */
export function shownIdentity(text: string): Shown {
  return shown(text);
}

/** The name of a participant, composed of products, addresses and names that were each redacted before. */
export function shownParticipant(text: string): Shown {
  return shown(text);
}
