// Defines by what the rows of `kubeseq top` can be sorted: the largest value comes first.

import type { TopCounts } from './top-report.js';

/** By the head of the column. What a row does not have counts as 0. */
export const SORT_KEYS = {
  requests: ({ requests }) => requests,
  failed: ({ errors }) => errors,
  '429': ({ throttled }) => throttled,
  in: ({ bytesIn }) => bytesIn ?? 0,
  out: ({ bytesOut }) => bytesOut ?? 0,
  p50: ({ latencyMs }) => latencyMs?.p50 ?? 0,
  p99: ({ latencyMs }) => latencyMs?.p99 ?? 0,
  lost: ({ lostMs }) => lostMs,
  items: ({ lists }) => lists.mostItems,
  restarted: ({ watches }) => watches.restarted,
  events: ({ watches }) => watches.events,
} as const satisfies Readonly<Record<string, (counts: TopCounts) => number>>;

export type SortKey = keyof typeof SORT_KEYS;
