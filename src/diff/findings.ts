// Weighs what differs: leaves out what differs between any two runs of one script, and sorts the rest, heaviest first.

import { isPerson } from '../diagram/selection/noise.js';
import { countsOf, type Difference, type DiffLine } from './compare.js';
import { type Item, roleKeyOf } from './item.js';
import { type DifferingItem, hasFailed, ordinaryWords } from './ordinary.js';

/** Sorts of findings, the heaviest first; what is ordinary comes last. */
export const WEIGHTS = ['people', 'only', 'more', 'failed', 'verb', 'fields', 'order', 'ordinary'] as const;

export interface Finding {
  readonly weight: (typeof WEIGHTS)[number];
  readonly what: DifferingItem['what'];
  readonly before?: Item;
  readonly after?: Item;
  /** How many differences are alike. */
  readonly alike: number;
  /** How often each side has it. */
  readonly counts: readonly [before: number, after: number];
  /** Messages of the same side that follow from it, and differ because of it. */
  readonly followers: number;
  /** Of what is ordinary: the words for it. */
  readonly ordinary?: string;
}

export interface WeighedDifference extends Difference {
  /** Heaviest first. */
  readonly findings: readonly Finding[];
  /** What is left out, in words, with its number: most first. */
  readonly leftOut: readonly { readonly what: string; readonly count: number }[];
}

/** @param all leave nothing out. */
export function weigh(difference: Difference, all = false): WeighedDifference {
  const found = differingItems(difference);
  const ordinary = new Map<DifferingItem, readonly [string, string]>();
  for (const one of found) {
    const words = ordinaryWords(one);
    if (words !== null) ordinary.set(one, words);
  }
  const isHidden = (one: DifferingItem): boolean => !all && ordinary.has(one);
  const shown = found.filter((one) => !isHidden(one));
  const hidden = new Set(found.filter(isHidden).flatMap(itemsOf));
  const repeated = new Set(
    shown
      .filter(({ what }) => what === 'more')
      .flatMap(itemsOf)
      .map(roleKeyOf),
  );
  const isShown = (item: Item): boolean => !hidden.has(item);
  return {
    lines: all ? difference.lines : drawnLines(difference, hidden),
    added: difference.added.filter(isShown),
    removed: difference.removed.filter(isShown),
    changed: difference.changed.filter(({ before }) => isShown(before)),
    repeated: difference.repeated.filter(({ item }) => all || repeated.has(roleKeyOf(item))),
    findings: findingsOf(shown, difference.lines, ordinary, all),
    leftOut: all ? [] : countWords([...ordinary.values()]),
  };
}

/** An exchange of which one side has more is one difference: its response belongs to its request. */
function differingItems({ lines, changed }: Difference): readonly DifferingItem[] {
  const counts = countsOf(lines);
  const contended = new Set<string>();
  const unknown = new Set<string>();
  for (const item of lines.flatMap(({ item, other }) => (other === undefined ? [item] : [item, other]))) {
    if (item.source?.isRetried === true) contended.add(item.requestLabel || item.label);
    if (item.kind === 'event' && item.source?.message.to.component.startsWith(UNKNOWN)) unknown.add(item.label);
  }
  const more = lines.filter(({ kind, moved }) => kind !== 'same' && moved === undefined);
  const exchanges = new Map<string, Partial<Record<'request' | 'response', Item>>>();
  for (const { kind, item } of more) {
    const key = `${kind} ${item.exchange}`;
    if (item.kind === 'request' || item.kind === 'response')
      exchanges.set(key, { ...exchanges.get(key), [item.kind]: item });
  }
  const changes = new Map(changed.map((change) => [change.before, change]));
  const isChanged = new Set(changed.flatMap(({ before, after }) => [before, after]));
  return lines.flatMap(({ kind, item }): DifferingItem[] => {
    const change = changes.get(item);
    if (change === undefined && (kind === 'same' || isChanged.has(item))) return [];
    const { request, response } = exchanges.get(`${kind} ${item.exchange}`) ?? {};
    if (item === response && request !== undefined && change?.what !== 'status') return [];
    const count = counts.get(roleKeyOf(item));
    return [
      {
        what: change?.what ?? 'more',
        side: kind === 'added' ? 'after' : 'before',
        item,
        ...(change !== undefined && { other: change.after, earlier: change.earlier }),
        ...(item === request && change === undefined && { answer: response }),
        isOnBoth: count !== undefined && count.before > 0 && count.after > 0,
        isContended: contended.has(item.requestLabel || item.label),
        isOfUnknownReceiver: unknown.has(item.label),
      },
    ];
  });
}

function itemsOf({ item, other, answer }: DifferingItem): readonly Item[] {
  return [item, other, answer].filter((one) => one !== undefined);
}

/** What is left to draw: what is ordinary is on both sides, or on neither. */
function drawnLines({ lines, changed }: Difference, hidden: ReadonlySet<Item>): DiffLine[] {
  const befores = new Map(changed.map(({ before, after }) => [after, before]));
  return lines.flatMap((line): DiffLine[] => {
    const { kind, item, other, moved } = line;
    if (kind === 'same') return isBackground(item) && isBackground(other) ? [] : [line];
    if (!hidden.has(item)) return [line];
    const before = befores.get(item);
    return moved === true && kind === 'added' && before !== undefined && !isBackground(item)
      ? [{ kind: 'same', item: before, other: item }]
      : [];
  });
}

function isBackground(item: Item | undefined): boolean {
  return item?.source?.background !== undefined;
}

function findingsOf(
  shown: readonly DifferingItem[],
  lines: readonly DiffLine[],
  ordinary: ReadonlyMap<DifferingItem, readonly [string, string]>,
  all: boolean,
): readonly Finding[] {
  const rootOf = all ? (one: DifferingItem): DifferingItem => one : rootsIn(shown, lines);
  const counts = countsOf(lines);
  const findings = new Map<string, { -readonly [Name in keyof Finding]: Finding[Name] }>();
  const findingOf = (one: DifferingItem): { -readonly [Name in keyof Finding]: Finding[Name] } => {
    const { what, side, item, other } = one;
    const key = [what, side, roleKeyOf(item), other === undefined ? '' : roleKeyOf(other)].join('\n\n');
    let finding = findings.get(key);
    if (finding === undefined) {
      const words = ordinary.get(one);
      const count = counts.get(roleKeyOf(item));
      finding = {
        weight: words === undefined ? weightOf(one) : 'ordinary',
        what,
        ...(other !== undefined ? { before: item, after: other } : { [side]: item }),
        alike: 0,
        counts: [count?.before ?? 0, count?.after ?? 0],
        followers: 0,
        ...(words !== undefined && { ordinary: words[1] }),
      };
      findings.set(key, finding);
    }
    return finding;
  };
  for (const one of shown) {
    const root = rootOf(one);
    if (root === one) findingOf(one).alike += 1;
    else findingOf(root).followers += 1;
  }
  const rankOf = ({ weight, before, after }: Finding): number => {
    const item = before ?? after;
    const rank =
      (weight !== 'only' && weight !== 'more') || item?.writes === true ? 0 : item?.kind === 'request' ? 1 : 2;
    return WEIGHTS.indexOf(weight) * 3 + rank;
  };
  return [...findings.values()].sort(
    (a, b) => rankOf(a) - rankOf(b) || (a.ordinary ?? '').localeCompare(b.ordinary ?? '', 'en'),
  );
}

function weightOf(one: DifferingItem): Finding['weight'] {
  const { what, item } = one;
  const { source } = item;
  if (source !== undefined && isPerson((source.request ?? source.message).from)) return 'people';
  if (what === 'more') return one.isOnBoth ? 'more' : 'only';
  if (what === 'status') return 'failed';
  return what === 'fields' ? 'fields' : what === 'order' || what === 'instance' ? 'order' : 'verb';
}

/** @returns the first difference that one follows from, itself if there is none; what failed stands for itself. */
function rootsIn(shown: readonly DifferingItem[], lines: readonly DiffLine[]): (one: DifferingItem) => DifferingItem {
  const items = { before: new Map<number, Item>(), after: new Map<number, Item>() };
  for (const { kind, item, other } of lines) {
    items[kind === 'added' ? 'after' : 'before'].set(item.seq, item);
    if (other !== undefined) items.after.set(other.seq, other);
  }
  const owners = new Map(shown.flatMap((one) => itemsOf(one).map((item) => [item, one] as const)));
  return (one) => {
    const { item, side } = one;
    const { source, kind } = item;
    const isPart = kind === 'event' || kind === 'data' || kind === 'end';
    if (source === undefined || (!isPart && (weightOf(one) === 'people' || hasFailed(one)))) return one;
    const request = isPart && source.request !== undefined ? items[side].get(source.request.seq) : undefined;
    let root = (request && owners.get(request)) ?? one;
    let seq = (request ?? item).source?.message.causedBy;
    for (let last = (request ?? item).seq; seq !== undefined && seq < last; ) {
      last = seq;
      const cause = items[side].get(seq);
      root = (cause && owners.get(cause)) ?? root;
      seq = cause?.source?.message.causedBy;
    }
    return root;
  };
}

function countWords(words: readonly (readonly [string, string])[]): WeighedDifference['leftOut'] {
  const counts = new Map<readonly [string, string], number>();
  for (const one of words) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([[one, many], count]) => ({ what: count === 1 ? one : many, count }));
}

/** Begins the component of clients of which only the address is known. */
const UNKNOWN = 'client ';
