// Words and figures of critical paths that every format has.

import { elapsedText } from '../../core/duration.js';
import type { CriticalPath } from '../../critical-path/model.js';
import { deletionWords } from '../../object-history/deletions.js';
import { formatOffset } from '../time.js';

/**
 * `pods default/nginx: Ready after 1.4 s`; of one that is gone also who deleted it; of one that never got ready why, and since when.
 * @param first ns since the epoch: zero of the printed times; undefined: messages are named instead.
 */
export function pathHead(
  { resource, namespace, name, goal, deletion, isReached, stuck, duration }: CriticalPath,
  first?: bigint,
): string {
  const object = `${resource} ${namespace === null ? '' : `${namespace}/`}${name}`;
  const deleted = deletion === undefined ? '' : `; ${deletionWords(deletion)}`;
  if (isReached) return `${object}: ${goal} after ${elapsedText(duration)}${deleted}`;
  const since = first === undefined || stuck === undefined ? '' : `${formatOffset(stuck.since.time - first)} s`;
  const why = stuck === undefined ? '' : `: ${stuck.why} since ${since === '' ? `message ${stuck.since.seq}` : since}`;
  return `${object}: ${goal}${why}, ${elapsedText(duration)} after it was asked for${deleted}`;
}

export function percentOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : (Number(part) / Number(whole)) * 100;
}
