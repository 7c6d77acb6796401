// Says in a few words what a write or a watch event changed: `phase Pending → Failed`.

import { LruMap } from '../core/collections/bounded.js';
import { resourceOfKind, splitApiVersion } from '../kubernetes/api/kinds.js';
import { objectKey } from '../kubernetes/api/object-ref.js';
import type { Message, ShownValue } from '../kubernetes/messages/message.js';
import { EMPTY, type Shown, sentence } from '../redaction/shown.js';
import { type TellingFields, tellingFields } from './telling-fields.js';

/**
 * Takes all messages in order, with their bodies; keeps of each object the telling fields as the capture last showed them.
 *
 * The words of a write, whether it succeeds or not, are the fields it sends that differ from the latest known version: fields of the
 * status if it writes the status, else fields of the spec. The words of a watch event are the difference from the latest older version.
 */
export class ChangeWords {
  /** `/pods/default/nginx` → its versions. */
  readonly #objects = new LruMap<string, ShownObject>(MAX_OBJECTS, 'fields of objects');
  readonly #words = new Map<number, Shown>();

  /** Words by the `seq` of the message. */
  get words(): ReadonlyMap<number, Shown> {
    return this.#words;
  }

  feed(message: Message): void {
    if (message.protocol !== 'kubernetes') return;
    if (message.kind === 'request') this.#request(message);
    else if (message.kind === 'event') this.#show(message, memberOf(message.details?.body(), 'object'));
    else if (message.kind === 'response') this.#show(message, message.details?.body());
  }

  #request(message: Message): void {
    const { verb = '', apiGroup = '', resource, subresource, namespace, name } = message;
    const isWrite = verb === 'patch' || verb === 'update' || (verb === 'create' && subresource === 'binding');
    if (!isWrite || resource === undefined || name === undefined) return;
    // The API server takes a status from these alone, and nothing else from them.
    const isOfStatus = subresource === 'status' || subresource === 'approval';
    const writtenPart = isOfStatus ? 'status' : 'spec';
    const sent = tellingFields(message.details?.body(), [writtenPart]);
    const known = this.#objects.get(objectKey(resource, apiGroup, namespace, name));
    this.#add(message, difference(known?.versions.at(-1)?.fields, sent, false));
  }

  /** A version of an object. */
  #show(message: Message, body: ShownValue | undefined): void {
    const { object } = message;
    if (object === undefined || object.items !== undefined || object.name == null || object.uid == null) return;
    if (object.resourceVersion == null || body === undefined || memberOf(body, 'metadata') === undefined) return;
    const resource = resourceOfKind(object.kind);
    // These are partial views of an object of another kind.
    if (resource === 'partialobjectmetadatas' || resource === 'scales') return;
    const { apiGroup } = splitApiVersion(object.apiVersion ?? '');
    const key = objectKey(resource, apiGroup, object.namespace, object.name);
    const before = this.#objects.get(key);
    const known = before?.uid === object.uid ? before : { uid: object.uid, versions: [] };
    const place = known.versions.findIndex(({ version }) => !isOlder(version, object.resourceVersion as string));
    const at = place < 0 ? known.versions.length : place;
    const isKnown = known.versions[at]?.version === object.resourceVersion;
    const fields = isKnown ? known.versions[at].fields : tellingFields(body);
    if (!isKnown) {
      const versions = [...known.versions];
      versions.splice(at, 0, { version: object.resourceVersion, fields });
      this.#objects.set(key, { uid: object.uid, versions: versions.slice(-MAX_VERSIONS) });
    }
    if (message.kind === 'event' && message.type === 'MODIFIED' && at > 0)
      this.#add(message, difference(known.versions[at - 1].fields, fields, true));
  }

  #add({ seq }: Message, words: Shown): void {
    if (words !== '' && this.#words.size < MAX_WORDS) this.#words.set(seq, words);
  }
}

interface ShownObject {
  readonly uid: string;
  /** The latest last. */
  readonly versions: readonly { readonly version: string; readonly fields: TellingFields }[];
}

/** @param isWhole `after` is all of the object: what it does not have is gone. */
function difference(before: TellingFields | undefined, after: TellingFields, isWhole: boolean): Shown {
  const parts: Shown[] = [];
  for (const [key, { name, value }] of after) {
    const old = before?.get(key)?.value;
    if (old === value) continue;
    if (value === '') parts.push(name);
    else parts.push(old === undefined ? sentence`${name} ${value}` : sentence`${name} ${old} → ${value}`);
  }
  if (isWhole)
    for (const [key, { name }] of before ?? new Map()) if (!after.has(key)) parts.push(sentence`${name} gone`);
  return joined(parts);
}

/** `phase Pending → Running, Ready True +3`: as many as fit. */
function joined(parts: readonly Shown[]): Shown {
  let line = EMPTY;
  let taken = 0;
  for (const part of parts) {
    const next = taken === 0 ? part : sentence`${line}, ${part}`;
    const isLast = taken === parts.length - 1;
    if (next.length > MAX_WORDS_LENGTH - (isLast ? 0 : COUNT_LENGTH)) break;
    line = next;
    taken += 1;
  }
  const left = parts.length - taken;
  if (taken === 0) return left === 0 ? EMPTY : left === 1 ? sentence`1 change` : sentence`${left} changes`;
  return left === 0 ? line : sentence`${line} +${left}`;
}

function memberOf(value: ShownValue | undefined, name: string): ShownValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return (value as Readonly<Record<string, ShownValue>>)[name];
}

/** Numbers of etcd's revision, of any length. */
function isOlder(one: string, other: string): boolean {
  return one.length === other.length ? one < other : one.length < other.length;
}

/** Limit: objects whose fields are known, those used last stay: some KB each. */
const MAX_OBJECTS = 10_000;
/** Limit: versions of one object that are known: events of a slow watch come some versions late. */
const MAX_VERSIONS = 8;
/** Limit: messages that have words: no diagram of more arrows is read. */
const MAX_WORDS = 100_000;
/** Characters of ` +18`. */
const COUNT_LENGTH = 4;
/** Limit: characters of such words, which stand after a short label. */
const MAX_WORDS_LENGTH = 40;
