// What is said at the end of a picture about messages that were seen and are not drawn: who else was told, and how many
// were folded for which reason. Knows fates; what a capture itself lacks is missing.ts's.

import { type Fates, FOLDED_TOLD } from './follow.js';
import type { Indexed } from './observation.js';

/** Messages that are not drawn, by reason. */
export function countFolded(fates: Fates): Record<string, number> {
  const folded: Record<string, number> = {};
  for (const reason of fates.values()) if (reason !== null) folded[reason] = (folded[reason] ?? 0) + 1;
  return folded;
}

/** Who else was told of it in a watch, and did nothing. */
export function toldLines(seen: Indexed, fates: Fates): string[] {
  const told = new Map<string, Set<number>>();
  for (const message of seen.messages) {
    if (fates.get(message) !== FOLDED_TOLD) continue;
    const exchanges = told.get(message.to.name) ?? new Set();
    exchanges.add(message.exchange);
    told.set(message.to.name, exchanges);
  }
  if (told.size === 0) return [];
  const parts = [...told].map(
    ([name, exchanges]) => `${exchanges.size} ${exchanges.size === 1 ? 'watch' : 'watches'} of ${name}`,
  );
  return [`also told: ${parts.join(', ')}`];
}

/** The most frequent reason first. */
export function foldedLines(folded: Readonly<Record<string, number>>): string[] {
  const parts = Object.entries(folded)
    .sort((a, b) => b[1] - a[1])
    .map(([reason, count]) => `${count} ${reason}`);
  return parts.length === 0 ? [] : [`not drawn: ${parts.join(', ')}`];
}
