// Compares two flows under the partial order of contract.md, so that races are no differences: items are paired by
// key, and pairs in a contradicting order are separated again.

import { type ItemChange, pairChanges } from './changes.js';
import { type DiffSide, type Item, keyOf } from './item.js';
import { separateReordered } from './order.js';
import { pairUp } from './pairing.js';

/** A line of the merged flows, in an order that both sides allow. */
export interface DiffLine {
  /** `same`: on both sides; `removed`: on the first only; `added`: on the second only. */
  readonly kind: 'same' | 'removed' | 'added';
  readonly item: Item;
  /** The item of the second side, if both have it. */
  readonly other?: Item;
  /** It is on both sides, but in another order relative to causally related items. */
  readonly moved?: true;
}

export interface Repetition {
  readonly item: Item;
  readonly before: number;
  readonly after: number;
}

/** The drawn items of one side, and those left out, both in order. */
export type ComparedFlow = Pick<DiffSide, 'items' | 'notDrawn'>;

export interface Difference {
  readonly lines: readonly DiffLine[];
  readonly added: readonly Item[];
  readonly removed: readonly Item[];
  readonly changed: readonly ItemChange[];
  /** Items on both sides with different counts; the surplus is among the lines too. */
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
  const changed = pairChanges(left, right);
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

/** An item that one side draws and the other one leaves out is on both: diagrams leave out messages without effect. */
function adoptFromOther(first: ComparedFlow, second: ComparedFlow): readonly [readonly Item[], readonly Item[]] {
  const partners = pairUp(first.items, second.items);
  const paired = new Set(partners);
  const alone = first.items.filter((_, a) => partners[a] < 0);
  const aloneThere = second.items.filter((_, b) => !paired.has(b));
  return [withAdopted(first, aloneThere), withAdopted(second, alone)];
}

function withAdopted({ items, notDrawn }: ComparedFlow, wanted: readonly Item[]): readonly Item[] {
  if (wanted.length === 0 || notDrawn.length === 0) return items;
  const open = new Map<string, Item[]>();
  for (const item of notDrawn) {
    const key = keyOf(item);
    const known = open.get(key);
    if (known === undefined) open.set(key, [item]);
    else known.push(item);
  }
  const adopted = wanted.flatMap((item) => open.get(keyOf(item))?.shift() ?? []);
  return adopted.length === 0 ? items : [...items, ...adopted].sort((a, b) => a.seq - b.seq);
}

/** Merges both flows in the order of the second; items of the first stand after their predecessor. */
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
