// Assigns lanes to the participants of shown rows, from left to right, and places the bars of exchanges on the server's lane.

import { type ChartRow, type Model, REQUEST, RESPONSE } from './model.js';

/** @returns each participant's place among the lanes; -1 if it has none. */
export function lanePlaces({ view }: Model, shown: readonly ChartRow[]): number[] {
  const used = new Set<number>();
  for (const { from, to, via } of shown) for (const one of [from, to, ...via]) used.add(one);
  let next = 0;
  return view.participants.map((_, i) => (used.has(i) ? next++ : -1));
}

/** As style rules, because thousands of rows follow them at once: sender `f`, receiver `t`, via `v` and head `p` of each participant. */
export function laneRules(places: readonly number[]): string {
  return places
    .map((place, i) =>
      place < 0
        ? `.p${i}{display:none!important}`
        : `.f${i}{--f:${place}}.t${i}{--t:${place}}.v${i}{--v:${place}}.p${i}{--p:${place}}`,
    )
    .join('');
}

export interface Bar {
  readonly request: ChartRow;
  readonly response: ChartRow;
  /** 0 on the lifeline itself; higher levels beside it, for exchanges that last at the same time. */
  readonly level: number;
}

/** @param shown rows in order. */
export function barsOf(model: Model, shown: readonly ChartRow[]): Bar[] {
  const visible = new Set(shown);
  const bars: Bar[] = [];
  /** Participant → level → row where its bar ends. */
  const busy = new Map<number, number[]>();
  for (const request of shown) {
    if (request.kind !== REQUEST) continue;
    const response = model.exchangeOf(request).find((row) => row.kind === RESPONSE);
    if (response === undefined || !visible.has(response) || response.index < request.index) continue;
    const ends = busy.get(request.to) ?? [];
    busy.set(request.to, ends);
    let level = ends.findIndex((end) => end < request.index);
    if (level < 0) level = ends.length < LEVELS ? ends.length : LEVELS - 1;
    ends[level] = Math.max(ends[level] ?? 0, response.index);
    bars.push({ request, response, level });
  }
  return bars;
}

/** Bars side by side; more of them overlap. */
const LEVELS = 3;
