// Brothers that go the same way: Pods of one ReplicaSet (or any objects of one owner) about which the same participants
// send the same requests with the same answers in the same order. One of them is drawn, with the number and the names of
// all. Knows identities and labels; what goes another way, or fails, stays drawn.

import type { Message } from '../kubernetes/message.js';
import type { Fates } from './follow.js';
import type { Indexed } from './observation.js';

export const FOLDED_SIBLINGS = 'of siblings that go the same way';

/** Folds in `fates`. @returns what to say beside the first message of the one that is drawn. */
export function foldSiblings(seen: Indexed, fates: Fates): ReadonlyMap<Message, string> {
  const lives = livesOf(seen, fates);
  const groups = new Map<string, Life[]>();
  for (const life of lives.values()) {
    if (life.owner === undefined || life.requests.length < SHORTEST_WAY) continue;
    const key = `${life.owner} ${life.kind} ${wayOf(life, seen)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [life]);
    else group.push(life);
  }
  const remarks = new Map<Message, string>();
  const folded = new Set<string>();
  for (const [first, ...others] of groups.values()) {
    if (others.length === 0) continue;
    const names = [first, ...others].map((life) => life.name);
    remarks.set(first.requests[0], `${names.length} ${first.kind}s go this way: ${names.join(', ')}`);
    for (const { uid, requests } of others) {
      folded.add(uid);
      for (const request of requests) {
        fates.set(request, FOLDED_SIBLINGS);
        const { response } = seen.talkOf(request);
        if (response !== undefined) fates.set(response, FOLDED_SIBLINGS);
      }
    }
  }
  if (folded.size > 0) foldTheirEvents(seen, fates, folded);
  return remarks;
}

interface Life {
  readonly uid: string;
  readonly kind: string;
  readonly name: string;
  readonly owner: string | undefined;
  /** Drawn requests about it. */
  readonly requests: Message[];
}

function livesOf(seen: Indexed, fates: Fates): ReadonlyMap<string, Life> {
  const lives = new Map<string, Life>();
  const byName = new Map<string, Life>();
  for (const { object } of seen.messages) {
    if (object?.uid == null || object.name == null || object.owners === undefined || lives.has(object.uid)) continue;
    const life: Life = {
      uid: object.uid,
      kind: object.kind,
      name: object.name,
      owner: object.owners[0]?.uid,
      requests: [],
    };
    lives.set(object.uid, life);
    byName.set(`${object.namespace ?? ''}/${object.name}`, life);
  }
  for (const message of seen.messages) {
    if (message.kind !== 'request' || fates.get(message) !== null || message.verb === 'watch') continue;
    const uid = seen.talkOf(message).response?.object?.uid ?? message.object?.uid;
    const life =
      (uid == null ? undefined : lives.get(uid)) ??
      (message.name === undefined ? undefined : byName.get(`${message.namespace ?? ''}/${message.name}`));
    life?.requests.push(message);
  }
  return lives;
}

/** The way that an object went: who asked what and with which success, its own name left out. */
function wayOf(life: Life, seen: Indexed): string {
  return life.requests
    .map((request) => {
      const status = seen.talkOf(request).response?.status ?? 'none';
      return `${request.from.name} ${request.label.replaceAll(life.name, '*')} ${status}`;
    })
    .join('\n');
}

/** An event stays where somebody who is drawn acted on it for another object. */
function foldTheirEvents(seen: Indexed, fates: Fates, folded: ReadonlySet<string>): void {
  const causes = new Set<number>();
  for (const [message, fate] of fates) {
    if (fate === null && message.kind === 'request' && message.causedBy !== undefined) causes.add(message.causedBy);
  }
  for (const message of seen.messages) {
    const uid = message.object?.uid;
    if (message.kind !== 'event' || fates.get(message) !== null || uid == null || !folded.has(uid)) continue;
    if (!causes.has(message.seq)) fates.set(message, FOLDED_SIBLINGS);
  }
}

/** What was asked about only once or twice is a line, not a way. */
const SHORTEST_WAY = 3;
