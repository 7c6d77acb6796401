// Renders statistics over critical paths as JSON: durations in ms, messages by their numbers.

import type { DurationSummary, PathStatistics } from '../../critical-path/path-statistics.js';
import { jsonText } from '../escape/json-text.js';
import { milliseconds, pathFields } from './path-json.js';

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
