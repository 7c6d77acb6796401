// Words and figures of critical paths that every format has.

import { elapsedText } from '../../core/duration.js';
import { counted } from '../../core/quantity.js';
import type { CriticalPath, PathStep } from '../../critical-path/model.js';
import type { PathStatistics } from '../../critical-path/path-statistics.js';
import { objectText } from '../../kubernetes/api/object-ref.js';
import { deletionWords } from '../../kubernetes/lives/deletion-words.js';
import { formatOffset } from '../time.js';

/**
 * `pods default/nginx: Ready after 1.4 s`, and what went wrong afterwards; of one that is gone also who deleted it; of one that never got ready
 * why, and since when.
 * @param first ns since the epoch: zero of the printed times; undefined: messages are named instead.
 */
export function pathHead(
  { resource, namespace, name, goal, deletion, isReached, stuck, later, duration }: CriticalPath,
  first?: bigint,
): string {
  const object = objectText(resource, namespace, name);
  const deleted = deletion === undefined ? '' : `; ${deletionWords(deletion)}`;
  const after = later === undefined ? '' : `; afterwards ${later.words} (message ${later.at.seq})`;
  if (isReached) return `${object}: ${goal} after ${elapsedText(duration)}${deleted}${after}`;
  const since = first === undefined || stuck === undefined ? '' : `${formatOffset(stuck.since.time - first)} s`;
  const why =
    stuck === undefined
      ? ''
      : `: ${stuck.reasons.join(' and ')} since ${since === '' ? `message ${stuck.since.seq}` : since}`;
  return `${object}: ${goal}${why}; followed for ${elapsedText(duration)}${deleted}`;
}

/** `from message 999 (kubectl: create pods) to message 1092`; undefined: there are no legs. */
export function pathSpan({ legs, begin }: CriticalPath): string | undefined {
  const first = legs.at(0)?.from;
  const last = legs.at(-1)?.to;
  if (first === undefined || last === undefined) return undefined;
  return `from message ${first.seq} (${begin}) to message ${last.seq}`;
}

/** What lies beside the path. */
export function besideWords(beside: number): string {
  return `${counted(beside, 'other message')} about the object, or caused by it, ${beside === 1 ? 'is' : 'are'} not on this path`;
}

/** What is there, and less than the half of a percent, is not nothing. */
export function shareText(part: bigint, whole: bigint): string {
  const share = percentOf(part, whole);
  return part > 0n && share < 0.5 ? '<1' : share.toFixed(0);
}

export function percentOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : (Number(part) / Number(whole)) * 100;
}

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

/** Objects of which the nearest rank of 99 % is the last. */
const FEWEST = 99;
/** Objects without a goal that are listed, so that the report stays readable; JSON has all. */
export const MOST_OTHERS = 10;
