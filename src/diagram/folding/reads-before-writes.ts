// Looks before writes: a kubelet reads a Pod each time before it patches it, a collector before it deletes. In a long
// story only the write is drawn. Knows requests; a read that failed, or that nothing follows, stays.

import type { Message } from '../../kubernetes/messages/message.js';
import type { MessageIndex } from '../message-index.js';
import { type Dispositions, WRITES } from '../selection/follow.js';
import { isPerson } from '../selection/noise.js';
import { foldExchange } from './similar-objects.js';

export const FOLDED_READS_BEFORE_WRITES = 'reads just before a write';

/** Folds in `fates`. */
export function foldReadsBeforeWrites(seen: MessageIndex, fates: Dispositions): void {
  /** The last request of each sender about each object, if it was such a read. */
  const looks = new Map<string, Message>();
  const hops: Message[] = [];
  for (const message of seen.messages) {
    if (message.kind !== 'request' || message.protocol !== 'kubernetes' || fates.get(message) !== null) continue;
    if (isPerson(message.from) || message.name === undefined) continue;
    // Handed on for somebody else, whose read it is.
    if (seen.causeOf(message)?.kind === 'request') {
      hops.push(message);
      continue;
    }
    const key = `${message.from.name} ${message.resource} ${message.namespace ?? ''} ${message.name}`;
    const look = looks.get(key);
    if (message.verb === 'get' && seen.exchangeOf(message).response?.status === 200) looks.set(key, message);
    else {
      looks.delete(key);
      if (look !== undefined && WRITES.has(message.verb ?? ''))
        foldExchange(look, FOLDED_READS_BEFORE_WRITES, seen, fates);
    }
  }
  for (const hop of hops) {
    const asked = seen.causeOf(hop);
    if (asked !== undefined && fates.get(asked) === FOLDED_READS_BEFORE_WRITES)
      foldExchange(hop, FOLDED_READS_BEFORE_WRITES, seen, fates);
  }
}
