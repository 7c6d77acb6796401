// Which rows are seen: doors, folds, and what a reader filters by. A request and its response are kept together. Knows
// rows, not how they are shown.

import { type ChartRow, EVENT, type Model } from './model.js';

export interface Choice {
  /** Indices of the doors that are shown. */
  readonly layers: Set<number>;
  /** Indices of the reasons whose messages are not folded. */
  readonly unfolded: Set<number>;
  /** Rows that are not folded, whatever their reason. */
  readonly revealed: Set<ChartRow>;
  /** An empty set: whatever they are. Participants: the sender or the receiver is one of them. */
  readonly participants: Set<number>;
  readonly verbs: Set<number>;
  readonly resources: Set<number>;
  problems: boolean;
  /** Rows with the text that is looked for; null: nothing is looked for. */
  found: ReadonlySet<ChartRow> | null;
}

export type EntryVisibility = 'shown' | 'folded' | 'filtered';

/** As the page opens. */
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
    problems: false,
    found: null,
  };
}

/** @returns for each row, by index: is it shown, folded away, or not asked for. */
export function seenRows(model: Model, choice: Choice): EntryVisibility[] {
  const passes = (row: ChartRow): boolean =>
    (choice.verbs.size === 0 || choice.verbs.has(row.verb)) &&
    (choice.resources.size === 0 || choice.resources.has(row.resource)) &&
    (choice.participants.size === 0 || choice.participants.has(row.from) || choice.participants.has(row.to));
  const isMeant = (row: ChartRow): boolean =>
    (!choice.problems || row.problem) && (choice.found === null || choice.found.has(row));
  return model.rows.map((row) => {
    if (!choice.layers.has(row.layer) || !passes(row)) return 'filtered';
    if (!isMeant(row) && !(row.kind < EVENT && model.exchangeOf(row).some((one) => one.kind < EVENT && isMeant(one))))
      return 'filtered';
    return row.fold < 0 || choice.unfolded.has(row.fold) || choice.revealed.has(row) ? 'shown' : 'folded';
  });
}

/** What stands between one row that is shown and the next one before it. */
export interface Gap {
  /** 0: at once; 1, 2, 3: within 10 ms, 100 ms, a second; 4: longer, and told. */
  readonly size: 0 | 1 | 2 | 3 | 4;
  readonly micros: number;
  /** Rows that are folded here. */
  readonly folded: readonly ChartRow[];
}

/** Time is drawn compressed: a gap of an hour is not longer than one of some seconds, but says so. */
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

/** `850 µs`, `12 ms`, `3.2 s`, `4 min 10 s`. */
export function durationText(micros: number): string {
  if (micros < 1000) return `${Math.round(micros)} µs`;
  if (micros < 1e6) return `${shortNumber(micros / 1e3)} ms`;
  if (micros < 6e7) return `${shortNumber(micros / 1e6)} s`;
  const seconds = Math.round(micros / 1e6);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

function shortNumber(value: number): string {
  return value < 10 ? value.toFixed(1) : String(Math.round(value));
}
