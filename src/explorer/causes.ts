// Why a message came and what came of it: `causedBy` followed both ways. Knows rows, not how they are shown.

import type { ChartRow, Model } from './model.js';

export interface Trace {
  /** What led here, the nearest first. */
  readonly causes: readonly ChartRow[];
  /** What it led to, directly and further on, in the order of the page. */
  readonly effects: readonly ChartRow[];
  /** The steps between all of them: the one who received `cause` sent `effect`. */
  readonly links: readonly Link[];
}

export interface Link {
  readonly cause: ChartRow;
  readonly effect: ChartRow;
}

/** Visits every message at most once, whatever `causedBy` says. */
export function traceOf(model: Model, start: ChartRow): Trace {
  const links: Link[] = [];
  const seen = new Set([start]);
  const causes: ChartRow[] = [];
  for (let row = start; ; ) {
    const cause = row.causedBy < 0 ? undefined : model.rowOf(row.causedBy);
    if (cause === undefined || seen.has(cause)) break;
    seen.add(cause);
    causes.push(cause);
    links.push({ cause, effect: row });
    row = cause;
  }
  const effects: ChartRow[] = [];
  const waiting: ChartRow[] = [start];
  for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
    for (const effect of model.effectsOf(row)) {
      if (seen.has(effect)) continue;
      seen.add(effect);
      effects.push(effect);
      links.push({ cause: row, effect });
      waiting.push(effect);
    }
  }
  effects.sort((a, b) => a.index - b.index);
  return { causes, effects, links };
}
