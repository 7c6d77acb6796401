// The messages that an object caused or that are about it, for one who draws no picture: all that its picture would draw,
// and what others were told of it. Knows fates, as pictures do.

import type { FollowedName } from '../kubernetes/kinds.js';
import type { Message } from '../kubernetes/message.js';
import { FOLDED_TOLD, follow } from './follow.js';
import { index } from './observation.js';

/** @param messages in the order of their time, as they come out. */
export function messagesAbout(messages: readonly Message[], followed: FollowedName): Message[] {
  const fates = follow(index(messages), [followed], { people: 'nothing' });
  return messages.filter((message) => {
    const fate = fates.get(message);
    return fate === null || fate === FOLDED_TOLD || fate === 'Events';
  });
}
