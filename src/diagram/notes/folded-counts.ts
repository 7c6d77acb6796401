// Counts the messages that are not drawn: deliveries without reaction, folded messages by reason, and how many of these failed.

import { counted } from '../../core/quantity.js';
import { type Dispositions, FOLD_REASONS, type FoldReason, isUnselected, reasonWords } from '../disposition.js';
import type { MessageIndex } from '../message-index.js';
import type { Remainder } from '../remainder.js';
import { wentWrong } from './failed-requests.js';

/** Messages that are not drawn, by the words for the reason. */
export function countFolded(dispositions: Dispositions, remainder?: Remainder): Record<string, number> {
  const folded = new Map(remainder?.folded);
  for (const disposition of dispositions.values()) if (disposition !== 'drawn') count(folded, disposition);
  return inWords(folded);
}

/** Receivers of watch events about the story that did nothing: `kube-scheduler (2 watches)`. */
export function deliveries(index: MessageIndex, dispositions: Dispositions): string[] {
  const delivered = new Map<string, Set<number>>();
  for (const message of index.messages) {
    if (dispositions.get(message) !== 'no-reaction') continue;
    const exchanges = delivered.get(message.to.name) ?? new Set();
    delivered.set(message.to.name, exchanges.add(message.exchange));
  }
  return [...delivered].map(([name, exchanges]) => `${name} (${counted(exchanges.size, 'watch', 'watches')})`);
}

/** The number of folded requests that failed, unless a drawn one stands for them or the user did not select them; by the words for the reason. */
export function foldedFailures(
  index: MessageIndex,
  dispositions: Dispositions,
  remainder?: Remainder,
): Record<string, number> {
  const found = new Map(remainder?.failed);
  for (const { request, response } of index.exchanges.values()) {
    const disposition = request === undefined ? 'drawn' : (dispositions.get(request) ?? 'drawn');
    if (request === undefined || disposition === 'drawn') continue;
    if (REPRESENTED.has(disposition) || isUnselected(disposition) || !wentWrong(request, response)) continue;
    count(found, disposition);
  }
  return inWords(found);
}

function count(counts: Map<FoldReason, number>, reason: FoldReason): void {
  counts.set(reason, (counts.get(reason) ?? 0) + 1);
}

/** In the order of all reasons. */
function inWords(counts: ReadonlyMap<FoldReason, number>): Record<string, number> {
  return Object.fromEntries(
    FOLD_REASONS.flatMap((reason) => {
      const number = counts.get(reason) ?? 0;
      return number === 0 ? [] : [[reasonWords(reason), number]];
    }),
  );
}

/** Reasons of requests that repeat one that is drawn. */
const REPRESENTED: ReadonlySet<FoldReason> = new Set([
  'similar-objects',
  'status-updates',
  'unchanged-writes',
  'repeated-errors',
  'expired-watches',
  'resumed-watches',
  'refused-watches',
]);
