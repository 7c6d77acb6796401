// Writes in whose name a participant sends requests, on the first request of each user.

import type { Message, Participant } from '../../kubernetes/messages/message.js';

/**
 * @param drawn messages of a diagram. @param all users that connections prove too; else those that an audit log names.
 * @returns message → `as probe`.
 */
export function userNotes(drawn: readonly Message[], all: boolean): ReadonlyMap<Message, string> {
  const notes = new Map<Message, string>();
  const last = new Map<Participant, string>();
  for (const message of drawn) {
    const { kind, protocol, user, userFrom, from } = message;
    if (kind !== 'request' || protocol !== 'kubernetes' || user === undefined || user === '') continue;
    if (!all && userFrom !== 'audit log') continue;
    if (last.get(from) === user) continue;
    last.set(from, user);
    notes.set(message, `as ${user}`);
  }
  return notes;
}
