// Names that differ every time a flow runs, made the same: what the API server and controllers generate (hashes, random
// suffixes, uids), addresses and ports. Knows how Kubernetes makes such names, and who owns whom; nothing of order.

import type { Message } from '../kubernetes/message.js';

/** Puts one placeholder wherever a generated name stands. */
export type Normalise = (text: string) => string;

/**
 * What was generated in one observation: suffixes behind an owner's name, numbered where one owner has several
 * generations (`web-{hash}`, `web-{hash2}`: the ReplicaSets of a rollout, in the order of their appearance).
 */
export function normaliser(messages: readonly Message[]): Normalise {
  const given = new Map<string, string>();
  const generations = new Map<string, number>();
  for (const { object } of messages) {
    if (object?.name == null || object.owners === undefined || given.has(object.name)) continue;
    const owner = object.owners.find(({ name }) => object.name?.startsWith(`${name}-`));
    if (owner === undefined) continue;
    const suffix = object.name.slice(owner.name.length + 1);
    if (!GENERATED.test(suffix)) continue;
    const before = given.get(owner.name) ?? normaliseText(owner.name);
    if (object.kind !== 'ReplicaSet') given.set(object.name, `${before}-{suffix}`);
    else {
      const generation = (generations.get(owner.name) ?? 0) + 1;
      generations.set(owner.name, generation);
      given.set(object.name, `${before}-{hash${generation === 1 ? '' : generation}}`);
    }
  }
  const known = new Map<string, string>();
  return (text) => {
    let made = known.get(text);
    if (made === undefined) {
      made = normaliseText(text.replaceAll(WORD, (word) => given.get(word) ?? prefixed(word, given) ?? word));
      if (known.size < MAX_KNOWN) known.set(text, made);
    }
    return made;
  };
}

/** The same from the text alone, where nothing says who owns whom. */
export function normaliseText(text: string): string {
  return text
    .replaceAll(UID, '{uid}')
    .replaceAll(ADDRESS, '{address}')
    .replaceAll(POD_NAME, '-{hash}-{suffix}')
    .replaceAll(LONG_ID, '{id}')
    .replaceAll(EVENT_NAME, '.{id}');
}

/** A name that begins with a generated one: `web-64c966cf88-6c5vr.17f0…`, the Event about it. */
function prefixed(word: string, given: ReadonlyMap<string, string>): string | undefined {
  const dot = word.indexOf('.');
  const before = dot < 0 ? undefined : given.get(word.slice(0, dot));
  return before === undefined ? undefined : before + word.slice(dot);
}

/** k8s.io/apimachinery util/rand: no vowels, no 0, 1, 3; hashes are encoded with the same letters (SafeEncodeString). */
const GENERATED = /^(?:[bcdfghjklmnpqrstvwxz2456789]{5}|[bcdfghjklmnpqrstvwxz2456789]{8,10}|[0-9a-f]{8,10})$/;
const POD_NAME = /-[bcdfghjklmnpqrstvwxz2456789]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}(?![\w-])/g;
const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** IPv4 and IPv6 addresses, with a port or without. */
const ADDRESS =
  /(?<![\w.:-])(?:\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?|(?:[0-9a-f]{1,4}:){2,7}(?::?[0-9a-f]{1,4})+|::1)(?![\w.:-])/g;
/** Container and sandbox ids, image digests, the identity of an API server. */
const LONG_ID = /(?<![\w-])(?:sha256:)?[0-9a-f]{12,64}(?![\w-])|(?<=-)[a-z2-7]{26}(?![\w-])/g;
/** Events are named after their object and the time in ns (client-go tools/record). */
const EVENT_NAME = /\.[0-9a-f]{16}(?![\w-])/g;
const WORD = /[\w.-]+/g;
/** Labels of an observation; beyond it they are made again. */
const MAX_KNOWN = 65_536;
