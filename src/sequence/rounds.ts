// Rounds: what a component writes again and again about one object while others change it, its status above all. The first
// and the last round of a chapter are drawn, with the number of all; rounds that failed, or say that something did, are drawn
// too. Knows which writes are bookkeeping; sees one observation.

import type { Message } from '../kubernetes/message.js';
import type { Chapters } from './chapters.js';
import { BEHIND_SERVICES, type Fates } from './follow.js';
import { isPerson } from './noise.js';
import type { Indexed } from './observation.js';
import { foldTalk } from './siblings.js';

export const FOLDED_ROUNDS = 'status updates in between';

/** Folds in `fates`. @param telling those that say something new. @returns what to say beside the first of the rounds. */
export function foldRounds(
  seen: Indexed,
  fates: Fates,
  chapters: Chapters,
  telling: ReadonlyMap<Message, unknown> = new Map(),
): ReadonlyMap<Message, readonly string[]> {
  const groups = new Map<string, Message[]>();
  for (const message of seen.messages) {
    if (fates.get(message) !== null || !keepsBooks(message) || isPerson(message.from)) continue;
    if ((seen.talkOf(message).response?.status ?? 0) >= 300 || telling.has(message)) continue;
    const key = `${chapters.of(message)} ${message.from.name} ${message.label}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [message]);
    else group.push(message);
  }
  const remarks = new Map<Message, readonly string[]>();
  for (const rounds of groups.values()) {
    if (rounds.length < FEWEST_ROUNDS) continue;
    remarks.set(rounds[0], [`${rounds.length} of these: the first and the last are drawn`]);
    for (const round of rounds.slice(1, -1)) foldTalk(round, FOLDED_ROUNDS, seen, fates);
  }
  return remarks;
}

/** What a controller only reports: the status of its object, and which Pods are ready behind a Service. */
function keepsBooks(message: Message): boolean {
  if (message.kind !== 'request' || message.protocol !== 'kubernetes') return false;
  if (message.verb !== 'update' && message.verb !== 'patch') return false;
  return (
    message.subresource === 'status' ||
    (message.subresource === undefined && BEHIND_SERVICES.has(message.resource ?? ''))
  );
}

/** Fewer are drawn sooner than explained. */
const FEWEST_ROUNDS = 4;
