// Replaces names that differ between runs (generated names, uids, ids, addresses, ports) by placeholders.

import { EVENT_ENDING, generatedNames, POD_ENDING, rewrittenNames, UID } from '../diagram/generated-names.js';
import type { MessageIndex } from '../diagram/message-index.js';

export type Normalise = (text: string) => string;

/**
 * What was generated in one observation. Hashes after an owner's name are numbered where one owner has several generations
 * (`web-{hash}`, `web-{hash2}`: the ReplicaSets of a rollout, in the order of their appearance); all else is alike.
 */
export function normaliser(index: MessageIndex): Normalise {
  const generations = new Map<string, number>();
  const given = rewrittenNames(generatedNames(index), ({ stem, part }) => {
    if (part !== 'hash') return `{${part}}`;
    const generation = (generations.get(stem) ?? 0) + 1;
    generations.set(stem, generation);
    return `{hash${generation === 1 ? '' : generation}}`;
  });
  const known = new Map<string, string>();
  return (text) => {
    let normalised = known.get(text);
    if (normalised === undefined) {
      normalised = normaliseText(text.replaceAll(WORD, (word) => given.get(word) ?? prefixed(word, given) ?? word));
      if (known.size < MAX_KNOWN) known.set(text, normalised);
    }
    return normalised;
  };
}

/** The same from the text alone, without owner references. */
export function normaliseText(text: string): string {
  return text
    .replaceAll(UID, '{uid}')
    .replaceAll(ADDRESS, '{address}')
    .replaceAll(POD_ENDING, '-{hash}-{suffix}')
    .replaceAll(EVENT_ENDING, '.{id}')
    .replaceAll(LONG_ID, '{id}');
}

/** A name that begins with a generated one: `web-64c966cf88-6c5vr.17f0…`, the Event about it. */
function prefixed(word: string, given: ReadonlyMap<string, string>): string | undefined {
  const dot = word.indexOf('.');
  const before = dot < 0 ? undefined : given.get(word.slice(0, dot));
  return before === undefined ? undefined : before + word.slice(dot);
}

/** IPv4 and IPv6 addresses, with a port or without. */
const ADDRESS =
  /(?<![\w.:-])(?:\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?|(?:[0-9a-f]{1,4}:){2,7}(?::?[0-9a-f]{1,4})+|::1)(?![\w.:-])/g;
/** Container and sandbox ids, image digests, the identity of an API server. */
const LONG_ID = /(?<![\w-])(?:sha256:)?[0-9a-f]{12,64}(?![\w-])|(?<=-)[a-z2-7]{26}(?![\w-])/g;
const WORD = /[\w.-]+/g;
/** Limit: labels of an observation whose comparable form is cached. */
const MAX_KNOWN = 65_536;
