// Words and figures of critical paths that every format has.

import { elapsedText } from '../../core/duration.js';
import type { CriticalPath } from '../../critical-path/model.js';
import { deletionWords } from '../../object-history/deletions.js';

/** `pods default/nginx: Ready after 1.4 s`; of one that is gone also who deleted it. */
export function pathHead({ resource, namespace, name, goal, deletion, isReached, duration }: CriticalPath): string {
  const object = `${resource} ${namespace === null ? '' : `${namespace}/`}${name}`;
  const deleted = deletion === undefined ? '' : `; ${deletionWords(deletion)}`;
  return isReached
    ? `${object}: ${goal} after ${elapsedText(duration)}${deleted}`
    : `${object}: ${goal}, ${elapsedText(duration)} after it was asked for${deleted}`;
}

export function percentOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : (Number(part) / Number(whole)) * 100;
}
