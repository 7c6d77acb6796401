// Who has a lane: whoever sends or receives what is seen, from left to right. As style rules, because thousands of rows
// follow them at once. Knows places, not pixels.

import type { ChartRow, Model } from './model.js';

/** @returns place of each participant among the lanes; -1: it has none. */
export function lanePlaces({ view }: Model, shown: readonly ChartRow[]): number[] {
  const used = new Set<number>();
  for (const { from, to, via } of shown) for (const one of [from, to, ...via]) used.add(one);
  let next = 0;
  return view.participants.map((_, i) => (used.has(i) ? next++ : -1));
}

/** Sender `f`, receiver `t`, way `v` and head `p` of each participant. */
export function laneRules(places: readonly number[]): string {
  return places
    .map((place, i) =>
      place < 0
        ? `.p${i}{display:none!important}`
        : `.f${i}{--f:${place}}.t${i}{--t:${place}}.v${i}{--v:${place}}.p${i}{--p:${place}}`,
    )
    .join('');
}
