// Pairs the items of two flows by key, first along the longest common subsequence, then in any order; a response is
// paired with its request.

import { diffArrays } from 'diff';
import { appendTo } from '../core/collections/multimap.js';
import { type Item, isPartlyRead, keyOf, readKeyOf, roleKeyOf } from './item.js';

/**
 * Index in `after` for each index in `before`; -1: none. First items in the same order, as diff(1) finds them, then items that
 * races moved, then items that another node or replica sent.
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
  const answers = new Map([...answersIn(before), ...answersIn(after)]);
  // Of several equal requests, those are alike that were answered alike.
  const answered =
    (key: KeyOf): KeyOf =>
    (item) =>
      `${key(item)}\n${answers.get(item) ?? ''}`;
  const pairRest = (key: KeyOf, isMeant: (item: Item, side: 'before' | 'after') => boolean): void =>
    pairLeftovers(before, after, partners, taken, pair, key, isMeant);
  for (const [a, b] of inOrder(before, after, asking(before), asking(after), answered(keyOf))) pair(a, b);
  for (const key of [answered(keyOf), keyOf, answered(roleKeyOf), roleKeyOf])
    pairRest(key, ({ kind }) => kind !== 'response');
  for (const partial of ['before', 'after'])
    for (const key of [answered(readKeyOf), readKeyOf])
      pairRest(key, (item, side) => item.kind !== 'response' && isPartlyRead(item) === (side === partial));
  const responses = new Map<number, number>();
  for (const [b, item] of after.entries()) if (item.kind === 'response') responses.set(item.exchange, b);
  const partnerOf = new Map<number, number>();
  for (const [a, b] of partners.entries())
    if (b >= 0 && before[a].kind === 'request') partnerOf.set(before[a].exchange, after[b].exchange);
  for (const [a, item] of before.entries()) {
    const exchange = item.kind === 'response' ? partnerOf.get(item.exchange) : undefined;
    const b = exchange === undefined ? undefined : responses.get(exchange);
    if (b !== undefined && readKeyOf(after[b]) === readKeyOf(item)) pair(a, b);
  }
  // Responses whose requests are missing or changed are interchangeable.
  const isPaired = new Set(partnerOf.values());
  pairRest(
    roleKeyOf,
    (item, side) =>
      item.kind === 'response' && !(side === 'before' ? partnerOf.has(item.exchange) : isPaired.has(item.exchange)),
  );
  return partners;
}

type KeyOf = (item: Item) => string;

/** @param items of one side: numbers of exchanges are each capture's own. @returns request → label of its response. */
function answersIn(items: readonly Item[]): ReadonlyMap<Item, string> {
  const answers = new Map<Item, string>();
  const open = new Map<number, Item>();
  for (const item of items) {
    if (item.kind === 'request') open.set(item.exchange, item);
    const request = item.kind === 'response' ? open.get(item.exchange) : undefined;
    if (request !== undefined) answers.set(request, item.label);
  }
  return answers;
}

/** Pairs of the longest common subsequence; none if the flows are too different. */
function inOrder(
  before: readonly Item[],
  after: readonly Item[],
  some: readonly number[],
  others: readonly number[],
  keyIn: KeyOf,
): (readonly [number, number])[] {
  const keys = (items: readonly Item[], places: readonly number[]): string[] => places.map((at) => keyIn(items[at]));
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
  keyIn: KeyOf,
  wanted: (item: Item, side: 'before' | 'after') => boolean,
): void {
  const open = new Map<string, number[]>();
  for (const [b, item] of after.entries()) {
    if (taken[b] || !wanted(item, 'after')) continue;
    const key = keyIn(item);
    appendTo(open, key, b);
  }
  for (const [a, item] of before.entries()) {
    if (partners[a] >= 0 || !wanted(item, 'before')) continue;
    const b = open.get(keyIn(item))?.shift();
    if (b !== undefined) pair(a, b);
  }
}

/**
 * Limit: differences up to which the longest common subsequence is computed, whose cost grows with their square; beyond it what is
 * equal is paired in the order of its appearance.
 */
const MAX_EDITS = 4000;
