// What is said at the end of a picture about messages that were seen and are not drawn: who else was told, how many were folded
// for which reason, and how many of those went wrong. Knows fates; what a capture itself lacks is missing.ts's.

import { FOLDED_REPEATED_ERRORS } from '../folding/repeated-errors.js';
import { FOLDED_IDLE, FOLDED_REPEATED_WRITES } from '../folding/repeated-writes.js';
import { FOLDED_SIMILAR } from '../folding/similar-objects.js';
import { FOLDED_EXPIRED, FOLDED_REFUSED, FOLDED_RESUMED } from '../folding/watch-restarts.js';
import type { MessageIndex } from '../message-index.js';
import { type Dispositions, FOLDED_DELIVERED } from '../selection/follow.js';
import { wentWrong } from './failed-requests.js';

/** Messages that are not drawn, by reason. */
export function countFolded(fates: Dispositions): Record<string, number> {
  const folded: Record<string, number> = {};
  for (const reason of fates.values()) if (reason !== null) folded[reason] = (folded[reason] ?? 0) + 1;
  return folded;
}

/** Participants that received events about it, and did not react. */
export function deliveryLines(seen: MessageIndex, fates: Dispositions): string[] {
  const watches = new Map<string, Set<number>>();
  for (const message of seen.messages) {
    if (fates.get(message) !== FOLDED_DELIVERED) continue;
    const exchanges = watches.get(message.to.name) ?? new Set();
    exchanges.add(message.exchange);
    watches.set(message.to.name, exchanges);
  }
  if (watches.size === 0) return [];
  const parts = [...watches].map(
    ([name, exchanges]) => `${name} (${exchanges.size} ${exchanges.size === 1 ? 'watch' : 'watches'})`,
  );
  return [`also delivered to: ${parts.join(', ')}`];
}

/** The most frequent reason first. */
export function foldedLines(folded: Readonly<Record<string, number>>): string[] {
  return Object.keys(folded).length === 0 ? [] : [`not drawn: ${listed(folded)}`];
}

/** How many of these went wrong, where none that is drawn stands for them: what fails elsewhere is no part of a story, and no secret. */
export function foldedFailures(seen: MessageIndex, fates: Dispositions): string[] {
  const failed: Record<string, number> = {};
  let count = 0;
  for (const { request, response } of seen.exchanges.values()) {
    const reason = request === undefined ? null : (fates.get(request) ?? null);
    if (request === undefined || reason === null || STOOD_FOR.has(reason) || UNWANTED.test(reason)) continue;
    if (!wentWrong(request, response)) continue;
    failed[reason] = (failed[reason] ?? 0) + 1;
    count += 1;
  }
  if (count === 0) return [];
  const [only, ...others] = Object.keys(failed);
  return [
    `of these, ${count} ${count === 1 ? 'request' : 'requests'} failed: ${others.length === 0 ? only : listed(failed)}`,
  ];
}

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort((a, b) => b[1] - a[1])
    .map(([reason, count]) => `${count} ${reason}`)
    .join(', ');
}

/** Folds of what goes as one that is drawn. */
const STOOD_FOR: ReadonlySet<string> = new Set([
  FOLDED_SIMILAR,
  FOLDED_REPEATED_WRITES,
  FOLDED_IDLE,
  FOLDED_REPEATED_ERRORS,
  FOLDED_EXPIRED,
  FOLDED_RESUMED,
  FOLDED_REFUSED,
]);
/** As decide.ts words it: what a user did not ask for. */
const UNWANTED = /^(?:layer |not selected$)/;
