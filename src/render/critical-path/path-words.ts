// Words and figures of critical paths that every format has.

import { elapsedText } from '../../core/duration.js';
import type { CriticalPath } from '../../critical-path/model.js';

/** `pods default/nginx: Ready after 1.4 s`. */
export function pathHead({ resource, namespace, name, goal, isReached, duration }: CriticalPath): string {
  const object = `${resource} ${namespace === null ? '' : `${namespace}/`}${name}`;
  return isReached
    ? `${object}: ${goal} after ${elapsedText(duration)}`
    : `${object}: ${goal}, ${elapsedText(duration)} after it was asked for`;
}

export function percentOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : (Number(part) / Number(whole)) * 100;
}
