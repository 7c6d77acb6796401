// What two flows have in common and what not, with the partial order of contract.md: races are not differences. Knows
// items; not where they came from nor how a difference is shown.
//
//   both sides   the longest common part, then k-th of a key ↔ k-th of the key; what is left was added or removed
//   order        a pair that both sides hold in an order that counts, each in another one, is taken apart again

import { changes, type ItemChange } from './changes.js';
import { type DiffSide, type Item, keyOf } from './item.js';
import { separateReordered } from './order.js';
import { pairUp } from './pairing.js';

/** A line of both flows told as one, in an order that either side allows. */
export interface DiffLine {
  /** `same`: on both sides; `removed`: on the first only; `added`: on the second only. */
  readonly kind: 'same' | 'removed' | 'added';
  readonly item: Item;
  /** The item of the second side, where both have it. */
  readonly other?: Item;
  /** Why it is told on both sides all the same: its place among what it is causally bound to is another one. */
  readonly moved?: true;
}

export interface Repetition {
  readonly item: Item;
  readonly before: number;
  readonly after: number;
}

/** What is told of one side, and what is left out of it, both in order. */
export type ComparedFlow = Pick<DiffSide, 'items' | 'untold'>;

export interface Difference {
  readonly lines: readonly DiffLine[];
  readonly added: readonly Item[];
  readonly removed: readonly Item[];
  readonly changed: readonly ItemChange[];
  /** On both sides, but not as often; what is too many is among the lines too. */
  readonly repeated: readonly Repetition[];
}

export function compare(first: ComparedFlow, second: ComparedFlow): Difference {
  const [before, after] = adoptFromOther(first, second);
  const partners = pairUp(before, after);
  const moved = separateReordered(before, after, partners);
  const lines = mergedLines(before, after, partners, moved);
  const counts = countsOf(before, after);
  const isRepeated = (item: Item): boolean => counts.has(keyOf(item)) && bothHave(counts, item);
  const movedItems = new Set<Item>([...moved].flatMap(([a, b]) => [before[a], after[b]]));
  const removed = lines.filter(({ kind }) => kind === 'removed').map(({ item }) => item);
  const added = lines.filter(({ kind }) => kind === 'added').map(({ item }) => item);
  const left = removed.filter((item) => !movedItems.has(item) && !isRepeated(item));
  const right = added.filter((item) => !movedItems.has(item) && !isRepeated(item));
  const changed = changes(left, right);
  for (const [a, b] of moved) changed.push({ before: before[a], after: after[b], what: 'order' });
  const isChanged = new Set(changed.flatMap((change) => [change.before, change.after]));
  return {
    lines,
    removed: left.filter((item) => !isChanged.has(item)),
    added: right.filter((item) => !isChanged.has(item)),
    changed,
    repeated: [...counts.values()].filter((one) => one.before !== one.after && one.before > 0 && one.after > 0),
  };
}

/** What one side tells and the other only has is on both: a picture leaves out what led to nothing. */
function adoptFromOther(first: ComparedFlow, second: ComparedFlow): readonly [readonly Item[], readonly Item[]] {
  const partners = pairUp(first.items, second.items);
  const paired = new Set(partners);
  const alone = first.items.filter((_, a) => partners[a] < 0);
  const aloneThere = second.items.filter((_, b) => !paired.has(b));
  return [withAdopted(first, aloneThere), withAdopted(second, alone)];
}

function withAdopted({ items, untold }: ComparedFlow, wanted: readonly Item[]): readonly Item[] {
  if (wanted.length === 0 || untold.length === 0) return items;
  const open = new Map<string, Item[]>();
  for (const item of untold) {
    const key = keyOf(item);
    const known = open.get(key);
    if (known === undefined) open.set(key, [item]);
    else known.push(item);
  }
  const adopted = wanted.flatMap((item) => open.get(keyOf(item))?.shift() ?? []);
  return adopted.length === 0 ? items : [...items, ...adopted].sort((a, b) => a.seq - b.seq);
}

/** Both flows as one: the second's order, what only the first has behind what it came after there. */
function mergedLines(
  before: readonly Item[],
  after: readonly Item[],
  partners: readonly number[],
  moved: ReadonlyMap<number, number>,
): DiffLine[] {
  const behind = new Map<number, number[]>();
  let anchor = -1;
  for (const [a, b] of partners.entries()) {
    if (b >= 0) anchor = Math.max(anchor, b);
    else {
      const open = behind.get(anchor);
      if (open === undefined) behind.set(anchor, [a]);
      else open.push(a);
    }
  }
  const back = new Map<number, number>();
  for (const [a, b] of partners.entries()) if (b >= 0) back.set(b, a);
  const movedThere = new Set(moved.values());
  const lines: DiffLine[] = [];
  const removedBehind = (place: number): void => {
    for (const a of behind.get(place) ?? [])
      lines.push({ kind: 'removed', item: before[a], ...(moved.has(a) ? { moved: true } : null) });
  };
  removedBehind(-1);
  for (const [b, item] of after.entries()) {
    const a = back.get(b);
    if (a === undefined) lines.push({ kind: 'added', item, ...(movedThere.has(b) ? { moved: true } : null) });
    else lines.push({ kind: 'same', item: before[a], other: item });
    removedBehind(b);
  }
  return lines;
}

function countsOf(before: readonly Item[], after: readonly Item[]): Map<string, Repetition> {
  const counts = new Map<string, { item: Item; before: number; after: number }>();
  const count = (item: Item, side: 'before' | 'after'): void => {
    const key = keyOf(item);
    const known = counts.get(key);
    if (known !== undefined) known[side] += 1;
    else counts.set(key, { item, before: 0, after: 0, [side]: 1 });
  };
  for (const item of before) count(item, 'before');
  for (const item of after) count(item, 'after');
  return counts;
}

function bothHave(counts: ReadonlyMap<string, Repetition>, item: Item): boolean {
  const known = counts.get(keyOf(item));
  return known !== undefined && known.before > 0 && known.after > 0;
}
