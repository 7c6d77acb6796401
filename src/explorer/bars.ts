// Where the bars of a sequence diagram stand: on the server's line, from a request to its response, beside those that
// last at the same time. Knows rows, not how they are shown.

import { type ChartRow, type Model, REQUEST, RESPONSE } from './model.js';

export interface Bar {
  readonly request: ChartRow;
  readonly response: ChartRow;
  /** 0 on the line itself; the next ones beside it. */
  readonly level: number;
}

/** @param shown the rows that are seen, in order. */
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

/** So many bars side by side are told apart; more stand over each other. */
const LEVELS = 3;
