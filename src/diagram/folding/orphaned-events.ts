// What has nothing to tell once the requests behind it are folded: the events that only woke those requests, what people
// heard of those writes, and what the API server or a runtime did to carry them out. Each goes with its request, for the
// same reason. Knows causes.

import type { Message } from '../../kubernetes/messages/message.js';
import type { MessageIndex } from '../message-index.js';
import type { Dispositions } from '../selection/follow.js';
import { foldExchange } from './similar-objects.js';

/** @param reasons of the folding that has just been done; what other reasons folded has no leftovers. */
export function foldOrphanedEvents(seen: MessageIndex, fates: Dispositions, reasons: ReadonlySet<string>): void {
  const reasonOf = (message: Message): string | undefined => {
    const cause = seen.causeOf(message);
    const fate = cause === undefined ? null : (fates.get(cause) ?? null);
    return fate !== null && reasons.has(fate) ? fate : undefined;
  };
  // In the order of time a cause stands before what it caused: once over reaches all.
  for (const message of seen.messages) {
    if (message.kind !== 'request' || message.protocol === 'kubernetes' || fates.get(message) !== null) continue;
    const reason = reasonOf(message);
    if (reason !== undefined) foldExchange(message, reason, seen, fates);
  }
  const woke = wokenBy(seen, fates, reasons);
  for (const message of seen.messages) {
    if (message.kind !== 'event' || message.type === 'ERROR' || fates.get(message) !== null) continue;
    const reaction = woke.get(message.seq);
    if (reaction === null) continue;
    // Whom it is drawn for although it woke no request: a person, or one who acts unseen.
    const reason = reaction ?? reasonOf(message);
    if (reason !== undefined && reasons.has(reason)) fates.set(message, reason);
  }
}

/** By event: null where a request that it woke is drawn, else the reason for which one of those was just folded. */
function wokenBy(
  seen: MessageIndex,
  fates: Dispositions,
  reasons: ReadonlySet<string>,
): ReadonlyMap<number, string | null> {
  const woke = new Map<number, string | null>();
  for (const message of seen.messages) {
    if (message.kind !== 'request' || message.causedBy === undefined) continue;
    const fate = fates.get(message) ?? null;
    if (fate === null) woke.set(message.causedBy, null);
    else if (reasons.has(fate) && woke.get(message.causedBy) !== null) woke.set(message.causedBy, fate);
  }
  return woke;
}
