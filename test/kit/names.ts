// What names something of one cluster, by the places where captures have names, and the search for it in outputs.

import { BETWEEN_NAMES, isKept, isKeptKey, isMeasure, isProse, isSystemName } from '../../src/anonymize/kept-words.js';
import type { Message } from '../../src/index.js';

/** What identifies something of this cluster: names, users, hosts, images, addresses, ids; none that every cluster has. */
export function namesIn(messages: readonly Message[]): string[] {
  const names = new Set<string>();
  const add = (text: unknown): void => {
    for (const word of typeof text === 'string' ? text.split(BETWEEN_WORDS) : [])
      if (word !== '' && !stays(word)) names.add(word);
  };
  const walk = (value: unknown, key: string): void => {
    if (Array.isArray(value)) for (const one of value) walk(one, key);
    else if (typeof value === 'object' && value !== null)
      for (const [inner, one] of Object.entries(value)) walk(one, inner);
    else if (NAMED.test(key)) add(value);
  };
  for (const message of messages) {
    const { namespace, name, object, user, image, connection, from, to, lease, details } = message;
    for (const one of [namespace, name, user, image, lease?.holder]) if (one?.startsWith('system:') !== true) add(one);
    walk([object, details?.body()], '');
    for (const end of connection.split('-')) add(end.slice(0, end.lastIndexOf(':')));
    for (const one of [from, to]) add(/\((.*)\)$/.exec(one.name)?.[1]);
  }
  return [...names];
}

/** Words of Kubernetes, and what one may have that is written beside names. */
function stays(word: string): boolean {
  const isOfKubernetes = isKept(word) || isKeptKey(word) || isSystemName(word) || BETWEEN_NAMES.has(word);
  // Names of variables and headings of tables are words.
  return (
    isOfKubernetes ||
    isMeasure(word) ||
    /^[v\d.]+$/.test(word) ||
    word.split('.').every(isKept) ||
    (/[A-Z]/.test(word) && isProse(word))
  );
}

const NAMED =
  /^(?:name|namespace|nodeName|uid|user|image|podIP|hostIP|ip|clusterIP|podSandboxId|containerId|hostname|serviceAccountName|claimName|secretName)$/;
const BETWEEN_WORDS = /[^\p{L}\p{N}.-]+/u;

/** Names that stand in a text as words, each with what is around it. */
export function foundIn(text: string, names: readonly string[]): string[] {
  const words = wordsOf(text);
  return names.flatMap((name) => {
    if (!words.has(name)) return [];
    const quoted = name.replace(/[.]/g, '\\.');
    const around = new RegExp(`.{0,50}(?<![\\p{L}\\p{N}-])${quoted}(?![\\p{L}\\p{N}-]).{0,30}`, 'u').exec(text);
    return [`${name}: ${around?.[0] ?? ''}`];
  });
}

export function wordsOf(text: string): Set<string> {
  return new Set(text.split(BETWEEN_WORDS).map((word) => word.replace(/^[.-]+|[.-]+$/g, '')));
}

/**
 * Parts of names that no other cluster has: what generates names writes them behind a hyphen, and people write words of their own. Words
 * of Kubernetes, of prose and of names of programs are no such parts.
 */
export function piecesOf(names: readonly string[], messages: readonly Message[]): string[] {
  const agents = messages.flatMap(({ userAgent }) => userAgent ?? []);
  const managers = messages.flatMap(({ details }) =>
    [...JSON.stringify(details?.body() ?? '').matchAll(/"manager":"([^"]+)"/g)].map(([, manager]) => manager),
  );
  const programs = new Set([...agents, ...managers].flatMap((one) => one.split(/[^\p{L}\p{N}]+/u)));
  const pieces = names.flatMap((name) => name.split(/[.-]/)).filter((piece) => piece.length >= PIECE && !stays(piece));
  return [...new Set(pieces)].filter((piece) => !isProse(piece) && !programs.has(piece));
}

/** Those that stand in a text, whatever is around them but letters and digits. */
export function piecesIn(text: string, pieces: readonly string[]): string[] {
  const words = new Set(text.split(/[^\p{L}\p{N}]+/u));
  return pieces.filter((piece) => words.has(piece));
}

/** Characters. */
const PIECE = 5;
