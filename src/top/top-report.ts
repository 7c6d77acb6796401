// Defines what `kubeseq top` reports: counts of requests by group, and findings.

import type { UsageFinding } from './findings/finding.js';
import type { GroupKeyName } from './group-keys.js';

export interface TopReport {
  /** ns since the epoch: first and last message that was counted; null: none was. */
  readonly first: bigint | null;
  readonly last: bigint | null;
  /** Between them. */
  readonly seconds: number;
  readonly by: readonly GroupKeyName[];
  /** All requests, whatever their group. */
  readonly total: TopCounts;
  /** In the order that was asked for. */
  readonly rows: readonly TopRow[];
  /** Rows beyond the limit that the reader set. */
  readonly moreRows: number;
  /** Requests of groups beyond the limit of the table; `total` has them. */
  readonly ungrouped: number;
  readonly findings: readonly UsageFinding[];
}

export interface TopRow extends TopCounts {
  /** One value for each key of `by`; empty: the request has none, or it is not known. */
  readonly values: readonly string[];
}

export interface TopCounts {
  readonly requests: number;
  /** Requests by `seconds`; null where no time passed. */
  readonly perSecond: number | null;
  /** Responses with a status from 400 on, those of 429 among them. */
  readonly errors: number;
  readonly throttled: number;
  /** Requests without a response in the capture. */
  readonly unanswered: number;
  /** Bodies as they were transferred; null where no size is known. `out` has responses, events and streams. */
  readonly bytesIn: number | null;
  readonly bytesOut: number | null;
  /** Of responses, to their first byte; null: none has a latency. `message` is the slowest. */
  readonly latencyMs: {
    readonly p50: number;
    readonly p99: number;
    readonly max: number;
    readonly message: number;
  } | null;
  readonly lists: {
    readonly count: number;
    /** Objects in all of them together, and in the largest one. */
    readonly items: number;
    readonly mostItems: number;
    /** Bytes of the largest one; null where no size is known. */
    readonly mostBytes: number | null;
  };
  /** `restarted`: the same client had opened one of the same scope before. */
  readonly watches: { readonly opened: number; readonly restarted: number; readonly events: number };
  /** Lost below HTTP until servers had the requests: in connecting, and in sending again what was lost. */
  readonly lostMs: number;
}
