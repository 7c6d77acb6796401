// Folds, in long diagrams, successful reads that a program sends directly before it writes the object: a kubelet
// reads a Pod each time before it patches its status.

import type { Message } from '../../kubernetes/messages/message.js';
import type { Dispositions } from '../disposition.js';
import type { MessageIndex } from '../message-index.js';
import { WRITES } from '../selection/follow.js';
import { isPerson } from '../selection/noise.js';
import { foldExchange } from './fold-exchange.js';

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
    const key = `${message.from.name} ${message.resource} ${message.namespace ?? ''} ${message.name}`;
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
