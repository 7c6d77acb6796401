// Compares two flows under the partial order of contract.md, so that races are no differences: items are paired by
// key, and pairs in a contradicting order are separated again.

import { appendTo } from '../core/collections/multimap.js';
import { counted } from '../core/quantity.js';
import { changesBetween } from '../object-history/changes.js';
import { type ItemChange, pairChanges } from './changes.js';
import { type DiffSide, type Item, isPartlyRead, keyOf, readKeyOf, roleKeyOf } from './item.js';
import { pairUp } from './pairing.js';

/** A line of the merged flows, in an order that both sides allow. */
export interface DiffLine {
  /** `same`: on both sides; `removed`: on the first only; `added`: on the second only. */
  readonly kind: 'same' | 'removed' | 'added';
  readonly item: Item;
  /** The item of the second side, if both have it. */
  readonly other?: Item;
  /** It is on both sides, but in another order relative to causally related items, with other fields, or of another node. */
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
  const [before, after] = adoptFromOther(first, second).map((items) => [...items]);
  const partners = pairUp(before, after);
  const separated: ItemChange[] = [];
  const moved = new Map<number, number>();
  const reordered = separateReordered(before, after, partners);
  for (const [a, item] of before.entries()) {
    const order = reordered.get(a);
    const b = order?.there ?? partners[a];
    if (b < 0) continue;
    const fields = withChangedFields(item, after[b]);
    if (fields === null && order === undefined && isSame(item, after[b])) continue;
    if (fields !== null) [before[a], after[b]] = fields;
    moved.set(a, b);
    partners[a] = -1;
    const what = fields !== null ? 'fields' : order !== undefined ? 'order' : 'instance';
    const earlier = order === undefined ? undefined : before[order.earlier];
    separated.push({ before: before[a], after: after[b], what, ...(earlier && { earlier }) });
  }
  const lines = mergedLines(before, after, partners, moved);
  const counts = countsOf(lines);
  const isRepeated = (item: Item): boolean => bothHave(counts, item);
  const leftOn = (side: DiffLine['kind']): Item[] =>
    lines.filter(({ kind, moved }) => kind === side && moved === undefined).map(({ item }) => item);
  const [left, right] = [leftOn('removed'), leftOn('added')].map((items) => items.filter((item) => !isRepeated(item)));
  const changed = [...pairChanges(left, right), ...separated];
  const isChanged = new Set(changed.flatMap((change) => [change.before, change.after]));
  return {
    lines,
    removed: left.filter((item) => !isChanged.has(item)),
    added: right.filter((item) => !isChanged.has(item)),
    changed,
    repeated: [...counts.values()].filter((one) => one.before !== one.after && one.before > 0 && one.after > 0),
  };
}

function isSame(a: Item, b: Item): boolean {
  if (keyOf(a) === keyOf(b)) return true;
  return isPartlyRead(a) !== isPartlyRead(b) && a.from === b.from && a.to === b.to && readKeyOf(a) === readKeyOf(b);
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
    appendTo(open, key, item);
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
      appendTo(behind, anchor, a);
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

/** How often each side has each item, whichever node or replica sent it. What moved is on both. */
export function countsOf(lines: readonly DiffLine[]): Map<string, Repetition> {
  const counts = new Map<string, { item: Item; before: number; after: number }>();
  for (const { kind, item, moved } of lines) {
    if (moved === true && kind === 'removed') continue;
    const key = roleKeyOf(item);
    const known = counts.get(key) ?? { item, before: 0, after: 0 };
    if (kind !== 'added' || moved === true) known.before += 1;
    if (kind !== 'removed') known.after += 1;
    counts.set(key, known);
  }
  return counts;
}

function bothHave(counts: ReadonlyMap<string, Repetition>, item: Item): boolean {
  const known = counts.get(roleKeyOf(item));
  return known !== undefined && known.before > 0 && known.after > 0;
}

/** @returns both items with the fields in which their bodies differ in their labels; null: they send the same, or it is not known. */
export function withChangedFields(before: Item, after: Item): readonly [Item, Item] | null {
  const [a, b] = [before.body?.(), after.body?.()];
  if (a === undefined || b === undefined) return null;
  const changes = changesBetween(a, b).filter(({ path }) => !COUNTED.test(path));
  if (changes.length === 0) return null;
  const labelOf = (label: string, side: 'before' | 'after'): string => {
    const shown = changes.slice(0, MAX_FIELDS).map((change) => `${change.path} ${valueText(change[side])}`);
    const more = changes.length - shown.length;
    return `${label}, ${shown.join(', ')}${more === 0 ? '' : `, ${counted(more, 'more field')}`}`;
  };
  return [
    { ...before, label: labelOf(before.label, 'before') },
    { ...after, label: labelOf(after.label, 'after') },
  ];
}

function valueText(value: unknown): string {
  const text = value === undefined ? 'absent' : typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

/** The API server counts them, or a client waits no longer. */
const COUNTED = /(?:^\??|\.)(?:generation|resourceVersion|timeout)$/;
/** Limit: fields that a label names. */
const MAX_FIELDS = 4;
/** Limit: characters of a value in a label. */
const MAX_VALUE = 60;

/**
 * Order has a meaning within an exchange, between what a participant received and then sent about the same objects, and between writes
 * to one object. What triggered a request counts where the capture proves it.
 *
 * @param partners index in `before` → index in `after`, -1: none. Separated pairs become -1.
 * @returns index in `before` → index in `after` of the separated pairs, and in `before` of what must precede them.
 */
export function separateReordered(
  before: readonly Item[],
  after: readonly Item[],
  partners: number[],
): Map<number, { readonly there: number; readonly earlier: number }> {
  const moved = new Map<number, { readonly there: number; readonly earlier: number }>();
  const boundBefore = bindings(before);
  const boundAfter = bindings(after);
  for (const [a, b] of partners.entries()) {
    if (b < 0) continue;
    // An item that must precede this one comes after it in the other capture, where it is the cause or must precede it as well.
    const earlier = boundBefore[a].find((earlier) => {
      const there = partners[earlier];
      const isCause = before[a].follows !== undefined && before[a].follows === before[earlier].seq;
      return there > b && (isCause || boundAfter[there].includes(b));
    });
    if (earlier === undefined) continue;
    moved.set(a, { there: b, earlier });
    partners[a] = -1;
  }
  return moved;
}

/** Item → indices of items that must precede it, at most NEAREST for each object. */
function bindings(items: readonly Item[]): number[][] {
  const lastOfExchange = new Map<number, number>();
  const lastWrite = new Map<string, number>();
  const received = new Map<string, number[]>();
  return items.map((item, place) => {
    const bound: number[] = [];
    const inExchange = lastOfExchange.get(item.exchange);
    if (inExchange !== undefined) bound.push(inExchange);
    lastOfExchange.set(item.exchange, place);
    for (const about of item.about) {
      if (item.writes) {
        const write = lastWrite.get(about);
        if (write !== undefined) bound.push(write);
        lastWrite.set(about, place);
      }
      if (item.kind === 'request') bound.push(...(received.get(`${item.from}\n${about}`) ?? []));
      const inbox = `${item.to}\n${about}`;
      const inboxes = received.get(inbox);
      if (inboxes === undefined) received.set(inbox, [place]);
      else {
        inboxes.push(place);
        if (inboxes.length > NEAREST) inboxes.shift();
      }
    }
    return bound;
  });
}

/** Received messages about one object that may have triggered a request; earlier ones are implied. */
const NEAREST = 8;
