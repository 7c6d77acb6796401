// What statuses say that went wrong, each thing once for its object: the first that says it is never folded away. Knows
// requests and whose they are; nothing of arrows. How a container of a Pod that is being deleted ends is no trouble.

import type { Message, Trouble } from '../kubernetes/message.js';
import type { Indexed } from './observation.js';

/** @returns what to say beside each request that says something new. */
export function troublesIn(seen: Indexed): ReadonlyMap<Message, readonly string[]> {
  const said = new Map<Message, readonly string[]>();
  const lives = new Map<string, Life>();
  for (const message of seen.messages) {
    if (message.kind !== 'request' || message.resource === undefined || message.name === undefined) continue;
    if (message.dryRun === true) continue;
    const isEnd = message.verb === 'delete' || message.subresource === 'eviction';
    const isBegin = message.verb === 'create' && message.subresource === undefined;
    if (message.troubles === undefined && !isEnd && !isBegin) continue;
    if ((seen.talkOf(message).response?.status ?? 0) >= 300) continue;
    const key = `${message.resource} ${message.namespace ?? ''} ${message.name}`;
    const life = isBegin ? undefined : lives.get(key);
    const known: Life = life ?? { told: new Set(), isGoing: false };
    if (life === undefined) lives.set(key, known);
    if (isEnd) known.isGoing = true;
    const news = (message.troubles ?? []).filter((trouble) => isNew(trouble, known)).map(troubleWords);
    if (news.length > 0) said.set(message, news);
  }
  return said;
}

/** `container web terminated: OOMKilled, exit code 137`. */
export function troubleWords({ of, state, reason, exitCode }: Trouble): string {
  const why = [reason, exitCode === undefined ? '' : `exit code ${exitCode}`].filter((word) => word !== '');
  return `${of} ${state}${why.length === 0 ? '' : `: ${why.join(', ')}`}`;
}

interface Life {
  readonly told: Set<string>;
  /** Somebody deletes it. */
  isGoing: boolean;
}

function isNew(trouble: Trouble, { told, isGoing }: Life): boolean {
  if (isGoing && trouble.state === 'terminated') return false;
  const words = troubleWords(trouble);
  if (told.has(words)) return false;
  told.add(words);
  return true;
}
