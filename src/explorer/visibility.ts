// Decides which rows are shown: by layer, fold and the reader's filters. A request and its response stay together.

import { type ChartRow, EVENT, type Model } from './model.js';

export interface Choice {
  /** Indices of the layers that are shown. */
  readonly layers: Set<number>;
  /** Indices of the fold reasons whose messages are unfolded. */
  readonly unfolded: Set<number>;
  /** Rows that are unfolded one by one. */
  readonly revealed: Set<ChartRow>;
  /** Empty sets do not filter. Participants: the sender or the receiver is one of them. */
  readonly participants: Set<number>;
  readonly verbs: Set<number>;
  readonly resources: Set<number>;
  /** Indices of stories: only their arrows are open. */
  readonly stories: Set<number>;
  /** Indices of objects and of the model's namespaces. */
  readonly objects: Set<number>;
  readonly namespaces: Set<number>;
  /** Only what happened in it; null: always. */
  time: TimeRange | null;
  problems: boolean;
  /** Rows with the searched text; null if nothing is searched. */
  found: ReadonlySet<ChartRow> | null;
}

/** µs since the first frame, both included. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

export type EntryVisibility = 'shown' | 'folded' | 'filtered';

/** The choice when the page opens. */
export function firstChoice({ view }: Model): Choice {
  const layers = new Set<number>();
  view.layers.forEach(({ on }, i) => {
    if (on) layers.add(i);
  });
  return {
    layers,
    unfolded: new Set(),
    revealed: new Set(),
    participants: new Set(),
    verbs: new Set(),
    resources: new Set(),
    stories: new Set(),
    objects: new Set(),
    namespaces: new Set(),
    time: null,
    problems: false,
    found: null,
  };
}

/** @returns the visibility of each row, by index. */
export function seenRows(model: Model, choice: Choice): EntryVisibility[] {
  const passes = (row: ChartRow): boolean =>
    (choice.verbs.size === 0 || choice.verbs.has(row.verb)) &&
    (choice.resources.size === 0 || choice.resources.has(row.resource)) &&
    (choice.objects.size === 0 || choice.objects.has(row.about)) &&
    (choice.namespaces.size === 0 || choice.namespaces.has(row.namespace)) &&
    (choice.participants.size === 0 || choice.participants.has(row.from) || choice.participants.has(row.to));
  const matches = (row: ChartRow): boolean =>
    (!choice.problems || row.problem) &&
    (choice.found === null || choice.found.has(row)) &&
    (choice.time === null || (row.micros >= choice.time.from && row.micros <= choice.time.to));
  // The story of an object has all its requests, and the events that triggered something.
  const isTold = (row: ChartRow): boolean =>
    choice.objects.size > 0 && (row.kind !== EVENT || model.effectsOf(row).length > 0);
  const told =
    choice.stories.size === 0 ? null : new Set([...choice.stories].flatMap((one) => model.view.stories[one].slice(1)));
  const isFolded = (row: ChartRow): boolean => (told === null ? row.fold >= 0 && !isTold(row) : !told.has(row.seq));
  return model.rows.map((row) => {
    if (!choice.layers.has(row.layer) || !passes(row)) return 'filtered';
    if (!matches(row) && !(row.kind < EVENT && model.exchangeOf(row).some((one) => one.kind < EVENT && matches(one))))
      return 'filtered';
    return isFolded(row) && !choice.unfolded.has(row.fold) && !choice.revealed.has(row) ? 'folded' : 'shown';
  });
}

/** The gap between a shown row and the one before it. */
export interface Gap {
  /** 0: under 1 ms; 1, 2, 3: within 10 ms, 100 ms, a second; 4: longer, and printed. */
  readonly size: 0 | 1 | 2 | 3 | 4;
  readonly micros: number;
  /** Rows that are folded here. */
  readonly folded: readonly ChartRow[];
}

/** Time is drawn compressed: a gap of an hour is no longer than one of some seconds, but its length is printed. */
export function gapsOf(model: Model, seen: readonly EntryVisibility[]): ReadonlyMap<ChartRow, Gap> {
  const gaps = new Map<ChartRow, Gap>();
  let folded: ChartRow[] = [];
  let before: ChartRow | undefined;
  for (const row of model.rows) {
    if (seen[row.index] === 'folded') folded.push(row);
    if (seen[row.index] !== 'shown') continue;
    const micros = before === undefined ? 0 : row.micros - before.micros;
    gaps.set(row, { size: sizeOf(micros), micros, folded });
    folded = [];
    before = row;
  }
  return gaps;
}

function sizeOf(micros: number): Gap['size'] {
  if (micros < 1e3) return 0;
  if (micros < 1e4) return 1;
  if (micros < 1e5) return 2;
  return micros < 1e6 ? 3 : 4;
}
