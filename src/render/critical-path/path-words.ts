// Words and figures of critical paths that every format has.

import type { CriticalPath } from '../../critical-path/model.js';

/** `pods default/nginx: Ready after 1.4 s`. */
export function pathHead({ resource, namespace, name, goal, isReached, duration }: CriticalPath): string {
  const object = `${resource} ${namespace === null ? '' : `${namespace}/`}${name}`;
  return isReached
    ? `${object}: ${goal} after ${lastingWords(duration)}`
    : `${object}: ${goal}, ${lastingWords(duration)} after it was asked for`;
}

/** `0.7 ms`, `12 ms`, `58.4 s`. */
export function lastingWords(ns: bigint): string {
  const ms = Number(ns) / 1e6;
  return ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}

export function percentOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : (Number(part) / Number(whole)) * 100;
}
