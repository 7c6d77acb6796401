// Renders critical paths as JSON: durations in ms, messages by their numbers.

import type { CriticalPath } from '../../critical-path/model.js';
import { jsonText } from '../escape/json-text.js';
import { formatTime } from '../time.js';

/** @param digits of times of a capture: 6 or 9. */
export function renderPathJson(paths: readonly CriticalPath[], digits: (capture: number) => number): string {
  const shown = paths.map(({ legs, duration, ...path }) => ({
    ...path,
    durationMs: milliseconds(duration),
    legs: legs.map(({ who, what, from, to, duration: took }) => ({
      who,
      what,
      from: from.seq,
      to: to.seq,
      time: formatTime(from.time, digits(from.capture)),
      durationMs: milliseconds(took),
    })),
  }));
  return `${jsonText(shown, 2)}\n`;
}

function milliseconds(ns: bigint): number {
  return Number(ns) / 1e6;
}
