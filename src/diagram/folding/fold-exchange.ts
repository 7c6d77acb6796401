// Folds an exchange: a request, its response and the drawn parts of its stream.

import { objectKey } from '../../kubernetes/api/object-ref.js';
import type { Message } from '../../kubernetes/messages/message.js';
import type { Disposition, Dispositions, FoldReason } from '../disposition.js';
import type { MessageIndex } from '../message-index.js';
import { WRITES } from '../selection/follow.js';
import { isPerson } from '../selection/noise.js';

export function foldExchange(
  request: Message,
  reason: FoldReason,
  index: MessageIndex,
  dispositions: Dispositions,
): void {
  dispositions.set(request, reason);
  const { response, parts } = index.exchangeOf(request);
  if (response !== undefined) dispositions.set(response, reason);
  for (const part of parts) if (dispositions.get(part) === 'drawn') dispositions.set(part, reason);
}

/**
 * Folds, in long diagrams, successful reads that a program sends directly before it writes the object: a kubelet
 * reads a Pod each time before it patches its status.
 */
export function foldReadsBeforeWrites(index: MessageIndex, dispositions: Dispositions): void {
  /** Sender and object → its last request, if that was a successful read. */
  const reads = new Map<string, Message>();
  const hops: Message[] = [];
  for (const message of index.messages) {
    if (message.kind !== 'request' || message.protocol !== 'kubernetes' || dispositions.get(message) !== 'drawn')
      continue;
    if (isPerson(message.from) || message.name === undefined) continue;
    // A forwarded request belongs to the read of the original sender.
    if (index.causeOf(message)?.kind === 'request') {
      hops.push(message);
      continue;
    }
    const key = `${message.from.name} ${objectKey(message.resource, undefined, message.namespace, message.name)}`;
    const read = reads.get(key);
    if (message.verb === 'get' && index.exchangeOf(message).response?.status === 200) reads.set(key, message);
    else {
      reads.delete(key);
      if (read !== undefined && WRITES.has(message.verb ?? ''))
        foldExchange(read, 'reads-before-writes', index, dispositions);
    }
  }
  for (const hop of hops) {
    const original = index.causeOf(hop);
    if (original !== undefined && dispositions.get(original) === 'reads-before-writes')
      foldExchange(hop, 'reads-before-writes', index, dispositions);
  }
}

// Folds what only belongs to folded requests: the events that triggered them, the events of their writes that people received, and
// the requests that the API server or a runtime sent to carry them out.

/** Folds for the reason of the request. @param reasons only requests that were folded for one of these count. */
export function foldOrphanedEvents(
  index: MessageIndex,
  dispositions: Dispositions,
  reasons: ReadonlySet<Disposition>,
): void {
  const reasonOf = (message: Message | undefined): FoldReason | undefined => {
    const disposition = message === undefined ? undefined : dispositions.get(message);
    return disposition !== undefined && disposition !== 'drawn' && reasons.has(disposition) ? disposition : undefined;
  };
  // A cause stands before its effects, so one pass reaches all of them.
  for (const message of index.messages) {
    if (message.kind !== 'request' || message.protocol === 'kubernetes' || dispositions.get(message) !== 'drawn')
      continue;
    const reason = reasonOf(index.causeOf(message));
    if (reason !== undefined) foldExchange(message, reason, index, dispositions);
  }
  /** `seq` of an event → 'drawn' if it triggered a request that is drawn, else the reason of one that was folded. */
  const triggered = new Map<number, Disposition>();
  for (const message of index.messages) {
    if (message.kind !== 'request' || message.causedBy === undefined) continue;
    const reason = reasonOf(message);
    if ((dispositions.get(message) ?? 'drawn') === 'drawn') triggered.set(message.causedBy, 'drawn');
    else if (reason !== undefined && triggered.get(message.causedBy) !== 'drawn')
      triggered.set(message.causedBy, reason);
  }
  for (const message of index.messages) {
    if (message.kind !== 'event' || message.type === 'ERROR' || dispositions.get(message) !== 'drawn') continue;
    // An event that triggered no request is drawn for its receiver: a person, or a program whose reaction is not captured.
    const reason = triggered.get(message.seq) ?? reasonOf(index.causeOf(message));
    if (reason !== undefined) dispositions.set(message, reason);
  }
}
