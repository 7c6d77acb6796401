// The messages that an object caused or that are about it, whole: all that its picture would draw, what others were told of
// it, and what Events report of it. Knows fates, as pictures do; nothing of what is drawn.

import type { FollowedName } from '../../kubernetes/api/kinds.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { indexMessages, type MessageIndex } from '../message-index.js';
import { type Dispositions, FOLDED_DELIVERED, follow } from './follow.js';
import { FollowedObjects } from './followed-objects.js';

/**
 * @param messages in the order of their time, as they come out.
 * @returns with what opened the watches of their events: without, who reads them takes these for watches from before the capture.
 */
export function messagesAbout(messages: readonly Message[], followed: FollowedName): Message[] {
  const seen = indexMessages(messages);
  const about = new Set(messages.filter(isAboutIn(seen, followed, follow(seen, [followed], { people: 'nothing' }))));
  for (const message of about) {
    if (message.kind !== 'event') continue;
    const { request, response } = seen.exchangeOf(message);
    for (const one of [request, response]) if (one !== undefined) about.add(one);
  }
  return messages.filter((message) => about.has(message));
}

/** @param fates of the messages seen, where the object is followed. */
export function isAboutIn(
  seen: MessageIndex,
  followed: FollowedName,
  fates: Dispositions,
): (message: Message) => boolean {
  const tracked = new FollowedObjects(seen, [followed]);
  return (message) => {
    const fate = fates.get(message);
    if (fate === null || fate === FOLDED_DELIVERED) return true;
    return fate === 'Events' && (tracked.isAbout(message) || tracked.isReportedBy(k8sEventOf(message, seen)));
  };
}

/** Of an exchange it stands in the request or, where somebody only repeats it, in the answer; the two go together. */
function k8sEventOf(message: Message, seen: MessageIndex): Message['k8sEvent'] {
  if (message.kind !== 'request' && message.kind !== 'response') return message.k8sEvent;
  const { request, response } = seen.exchangeOf(message);
  return request?.k8sEvent ?? response?.k8sEvent;
}
