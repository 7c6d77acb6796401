// Recognises generated names, which differ between runs, by owner references and creates without a name, and the
// patterns of their generated parts.

import { dictionary } from '../core/collections/dictionary.js';
import { requestOf } from '../kubernetes/emitted/message-links.js';
import type { Message } from '../kubernetes/messages/message.js';
import type { MessageIndex } from './message-index.js';

/** `web-64c966cf88` is `web` and the hash `64c966cf88`. */
export interface GeneratedName {
  /** The owner's name, which may be generated too, or the prefix from `generateName`. */
  readonly stem: string;
  /** Kind of the generated part: `hash`, `suffix` … */
  readonly part: string;
  readonly text: string;
}

/** @returns generated name → its parts, in the order of appearance. */
export function generatedNames(index: MessageIndex): ReadonlyMap<string, GeneratedName> {
  const made = new Map<string, GeneratedName>();
  for (const message of index.messages) {
    const { object } = message;
    if (object?.name == null || object.name === '' || made.has(object.name)) continue;
    const found = ofOwner(message) ?? ofServer(message);
    if (found !== null) made.set(object.name, found);
  }
  return made;
}

/**
 * @param write the replacement of a generated part.
 * @returns generated name → the name with all parts replaced, those of owners first.
 */
export function rewrittenNames(
  made: ReadonlyMap<string, GeneratedName>,
  write: (name: GeneratedName) => string,
): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  const written = (name: string, depth: number): string => {
    const before = known.get(name);
    const parts = made.get(name);
    if (before !== undefined || parts === undefined || depth > CHAIN) return before ?? name;
    const text = `${written(parts.stem, depth + 1)}-${write(parts)}`;
    known.set(name, text);
    return text;
  };
  for (const name of made.keys()) written(name, 0);
  return known;
}

function ofOwner({ object }: Message): GeneratedName | null {
  for (const { name: stem } of object?.owners ?? []) {
    if (object?.name?.startsWith(`${stem}-`) !== true) continue;
    const text = object.name.slice(stem.length + 1);
    const { part, looks } = KINDS[object.kind] ?? OTHER;
    if (looks.test(text)) return { stem, part, text };
  }
  return null;
}

/** `generateName`: the request has no name, the response has one. */
function ofServer(message: Message): GeneratedName | null {
  if (message.kind !== 'response' || message.object?.name == null) return null;
  const request = requestOf(message);
  if (request?.verb !== 'create' || request.name !== undefined || (request.subresource ?? '') !== '') return null;
  const [, stem, text] = SERVER_NAMED.exec(message.object.name) ?? [];
  return text === undefined ? null : { stem, part: (KINDS[message.object.kind] ?? OTHER).part, text };
}

interface GeneratedPartKind {
  readonly part: string;
  readonly looks: RegExp;
}

/** Letters of k8s.io/apimachinery/pkg/util/rand: no vowels, no 0, 1, 3. */
const LETTER = '[bcdfghjklmnpqrstvwxz2456789]';
/** rand.SafeEncodeString of a 32-bit hash in decimal digits; formerly the digits themselves, or hexadecimal ones. */
const HASH = new RegExp(`^(?:${LETTER}{4,10}|[0-9a-f]{8,10})$`);
/** k8s.io/apiserver/pkg/storage/names: five letters. */
const SUFFIX = new RegExp(`^${LETTER}{5}$`);
const SERVER_NAMED = new RegExp(`^(.*[a-z0-9.])-(${LETTER}{5})$`);
const KINDS: Readonly<Record<string, GeneratedPartKind>> = dictionary({
  ReplicaSet: { part: 'hash', looks: HASH },
  ControllerRevision: { part: 'hash', looks: HASH },
  // Pods of a StatefulSet are numbered, and mirror Pods are named after their node: neither is generated.
  Pod: { part: 'suffix', looks: SUFFIX },
  EndpointSlice: { part: 'slice', looks: SUFFIX },
  // pkg/controller/cronjob: minutes since 1970; formerly seconds.
  Job: { part: 'time', looks: /^(?:\d{8}|\d{10})$/ },
});
/** Other controllers. */
const OTHER: GeneratedPartKind = {
  part: 'suffix',
  looks: new RegExp(`^(?:${LETTER}{5}|${LETTER}{8,10}|[0-9a-f]{8,10})$`),
};
/** Depth of ownership; Deployment, ReplicaSet, Pod is 3. */
const CHAIN = 6;

/** A uid is recognisable anywhere in a text. */
export const UID = /(?<!\w)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?!\w)/g;
/** A Deployment's Pod. */
export const POD_ENDING = new RegExp(`-${LETTER}{8,10}-${LETTER}{5}(?![\\w-])`, 'g');
/** Suffix that the API server generates for a create without a name. */
export const SERVER_ENDING = new RegExp(`(?<=[a-z0-9.])-${LETTER}{5}(?![\\w-])`, 'g');
/** Events are named after their object and the time in ns, in hexadecimal digits (client-go tools/record). */
export const EVENT_ENDING = /\.[0-9a-f]{14,17}(?![\w-])/g;
