// Words of statistics over critical paths that text and Markdown have.

import { counted } from '../../core/quantity.js';
import type { PathStep } from '../../critical-path/model.js';
import type { ObjectWithoutGoal, PathStatistics } from '../../critical-path/path-statistics.js';

export const STEP_WORDS: Readonly<Record<PathStep, string>> = {
  write: 'API servers',
  webhook: 'webhooks, aggregated servers',
  queue: 'queues and work of controllers',
  wait: 'waits for others',
  scheduler: 'scheduler',
  prepare: 'volumes, preparations',
  sandbox: 'sandbox and network',
  pull: 'image pull',
  create: 'container creation',
  start: 'container start',
  probe: 'probes',
  report: 'probes and status report',
  'back-off': 'back-off',
  stop: 'container stop',
  other: 'other work',
};

/** `4 of 6 pods Ready`, and what a percentile of so few is. */
export function statisticsHead({ resource, paths, others, unlisted }: PathStatistics): string {
  const goals = [...new Set(paths.map(({ goal }) => goal))].sort().join(' or ');
  const total = paths.length + others.length;
  const head =
    paths.length === 0
      ? `none of ${total} ${resource} reached the goal`
      : `${paths.length} of ${total} ${resource}: ${goals}`;
  const more = unlisted === 0 ? '' : `; ${unlisted} more were not looked at`;
  return `${head}${more}`;
}

/** undefined: the capture has enough for a percentile that is not the largest. */
export function rankNote({ paths }: PathStatistics): string | undefined {
  return paths.length === 0 || paths.length > FEWEST
    ? undefined
    : `percentiles are nearest ranks: of up to ${counted(FEWEST, 'object')}, p99 is the slowest`;
}

/** `pods default/noimage`. */
export function objectWords(
  resource: string,
  { namespace, name }: Pick<ObjectWithoutGoal, 'namespace' | 'name'>,
): string {
  return `${resource} ${namespace === null ? '' : `${namespace}/`}${name}`;
}

/** Objects of which the nearest rank of 99 % is the last. */
const FEWEST = 99;
/** Objects without a goal that are listed, so that the report stays readable; JSON has all. */
export const MOST_OTHERS = 10;
