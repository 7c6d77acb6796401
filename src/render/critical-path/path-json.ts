// Renders critical paths as JSON: durations in ms, messages by their numbers.

import type { CriticalPath } from '../../critical-path/model.js';
import type { DurationSummary, PathStatistics } from '../../critical-path/path-statistics.js';
import { deletionFields } from '../../kubernetes/lives/deletion-words.js';
import { jsonText } from '../escape/json-text.js';
import { formatTime } from '../time.js';

/** @param digits of times of a capture: 6 or 9. */
export function renderPathJson(paths: readonly CriticalPath[], digits: (capture: number) => number): string {
  return `${jsonText(
    paths.map((path) => pathFields(path, digits)),
    2,
  )}\n`;
}

/** One path as data. */
export function pathFields(
  { legs, duration, deletion, stuck, later: _, begin: __, ...path }: CriticalPath,
  digits: (capture: number) => number,
) {
  return {
    ...path,
    deletion: deletion === undefined ? undefined : deletionFields(deletion),
    stuck: stuck === undefined ? undefined : { why: stuck.why, since: stuck.since.seq },
    durationMs: milliseconds(duration),
    legs: legs.map(({ step, who, what, from, to, duration: took }) => ({
      step,
      who,
      what,
      from: from.seq,
      to: to.seq,
      time: formatTime(from.time, digits(from.capture)),
      durationMs: milliseconds(took),
    })),
  };
}

export function milliseconds(ns: bigint): number {
  return Number(ns) / 1e6;
}

/** @param digits of times of a capture: 6 or 9. */
export function renderStatisticsJson(
  { resource, whole, steps, paths, others, unlisted }: PathStatistics,
  digits: (capture: number) => number,
): string {
  const shown = {
    resource,
    reached: paths.length,
    others: others.map(({ namespace, name, why, path }) => ({
      namespace,
      name,
      why,
      ...(path === undefined ? null : { durationMs: milliseconds(path.duration) }),
    })),
    unlisted,
    whole: whole === null ? null : summary(whole),
    steps: steps.map(({ step, ...one }) => ({ step, ...summary(one) })),
    paths: paths.map((path) => {
      const { beside: _, ...fields } = pathFields(path, digits);
      return fields;
    }),
  };
  return `${jsonText(shown, 2)}\n`;
}

function summary({ objects, p50, p99, max, total, slowest }: DurationSummary) {
  return {
    objects,
    p50Ms: milliseconds(p50),
    p99Ms: milliseconds(p99),
    maxMs: milliseconds(max),
    totalMs: milliseconds(total),
    slowest: { namespace: slowest.namespace, name: slowest.name },
  };
}
