// Pairs the items of two flows by key, first along the longest common subsequence, then in any order; a response is
// paired with its request.

import { diffArrays } from 'diff';
import { type Item, keyOf } from './item.js';

/**
 * Index in `after` for each index in `before`; -1: none. First items in the same order, as diff(1) finds them, then items that
 * races moved.
 */
export function pairUp(before: readonly Item[], after: readonly Item[]): number[] {
  const partners = before.map(() => -1);
  const taken = after.map(() => false);
  const pair = (a: number, b: number): void => {
    partners[a] = b;
    taken[b] = true;
  };
  const asking = (items: readonly Item[]): number[] =>
    [...items.keys()].filter((place) => items[place].kind !== 'response');
  for (const [a, b] of inOrder(before, after, asking(before), asking(after))) pair(a, b);
  pairLeftovers(before, after, partners, taken, pair, ({ kind }) => kind !== 'response');
  const responses = new Map<number, number>();
  for (const [b, item] of after.entries()) if (item.kind === 'response') responses.set(item.exchange, b);
  const partnerOf = new Map<number, number>();
  for (const [a, b] of partners.entries())
    if (b >= 0 && before[a].kind === 'request') partnerOf.set(before[a].exchange, after[b].exchange);
  for (const [a, item] of before.entries()) {
    const exchange = item.kind === 'response' ? partnerOf.get(item.exchange) : undefined;
    const b = exchange === undefined ? undefined : responses.get(exchange);
    if (b !== undefined && keyOf(after[b]) === keyOf(item)) pair(a, b);
  }
  // Responses whose requests are missing or changed are interchangeable.
  const isPaired = new Set(partnerOf.values());
  pairLeftovers(
    before,
    after,
    partners,
    taken,
    pair,
    (item, side) =>
      item.kind === 'response' && !(side === 'before' ? partnerOf.has(item.exchange) : isPaired.has(item.exchange)),
  );
  return partners;
}

/** Pairs of the longest common subsequence; none if the flows are too different. */
function inOrder(
  before: readonly Item[],
  after: readonly Item[],
  some: readonly number[],
  others: readonly number[],
): (readonly [number, number])[] {
  const keys = (items: readonly Item[], places: readonly number[]): string[] => places.map((at) => keyOf(items[at]));
  const parts = diffArrays(keys(before, some), keys(after, others), { maxEditLength: MAX_EDITS });
  const pairs: (readonly [number, number])[] = [];
  let a = 0;
  let b = 0;
  for (const { count = 0, added, removed } of parts ?? []) {
    if (!added && !removed) for (let i = 0; i < count; i++) pairs.push([some[a + i], others[b + i]]);
    if (!added) a += count;
    if (!removed) b += count;
  }
  return pairs;
}

function pairLeftovers(
  before: readonly Item[],
  after: readonly Item[],
  partners: readonly number[],
  taken: readonly boolean[],
  pair: (a: number, b: number) => void,
  wanted: (item: Item, side: 'before' | 'after') => boolean,
): void {
  const open = new Map<string, number[]>();
  for (const [b, item] of after.entries()) {
    if (taken[b] || !wanted(item, 'after')) continue;
    const key = keyOf(item);
    const known = open.get(key);
    if (known === undefined) open.set(key, [b]);
    else known.push(b);
  }
  for (const [a, item] of before.entries()) {
    if (partners[a] >= 0 || !wanted(item, 'before')) continue;
    const b = open.get(keyOf(item))?.shift();
    if (b !== undefined) pair(a, b);
  }
}

/**
 * Limit: differences up to which the longest common subsequence is computed, whose cost grows with their square; beyond it what is
 * equal is paired in the order of its appearance.
 */
const MAX_EDITS = 4000;
