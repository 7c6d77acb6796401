// Writes the summary note at the end of a diagram about messages that are not drawn: deliveries without reaction, the number of
// folded messages by reason, and how many of these failed.

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

/** Watch events about the story whose receivers did nothing. */
export function deliveryLines(index: MessageIndex, dispositions: Dispositions): string[] {
  const delivered = new Map<string, Set<number>>();
  for (const message of index.messages) {
    if (dispositions.get(message) !== 'no-reaction') continue;
    const exchanges = delivered.get(message.to.name) ?? new Set();
    delivered.set(message.to.name, exchanges.add(message.exchange));
  }
  if (delivered.size === 0) return [];
  const parts = [...delivered].map(
    ([name, exchanges]) => `${name} (${exchanges.size} ${exchanges.size === 1 ? 'watch' : 'watches'})`,
  );
  return [`also delivered to: ${parts.join(', ')}`];
}

/** The most frequent reason first. */
export function foldedLines(folded: Readonly<Record<string, number>>): string[] {
  return Object.keys(folded).length === 0 ? [] : [`not drawn: ${listed(folded)}`];
}

/** The number of folded requests that failed, unless a drawn one stands for them or the user did not select them. */
export function foldedFailures(index: MessageIndex, dispositions: Dispositions, remainder?: Remainder): string[] {
  const found = new Map(remainder?.failed);
  for (const { request, response } of index.exchanges.values()) {
    const disposition = request === undefined ? 'drawn' : (dispositions.get(request) ?? 'drawn');
    if (request === undefined || disposition === 'drawn') continue;
    if (REPRESENTED.has(disposition) || isUnselected(disposition) || !wentWrong(request, response)) continue;
    count(found, disposition);
  }
  const failed = inWords(found);
  const [only, ...others] = Object.keys(failed);
  if (only === undefined) return [];
  const total = Object.values(failed).reduce((sum, one) => sum + one, 0);
  const requests = total === 1 ? 'request' : 'requests';
  return [`of these, ${total} ${requests} failed: ${others.length === 0 ? only : listed(failed)}`];
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

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort((a, b) => b[1] - a[1])
    .map(([reason, number]) => `${number} ${reason}`)
    .join(', ');
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
