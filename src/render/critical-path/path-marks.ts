// Words for the messages of a critical path that a diagram marks.

import { elapsedText } from '../../core/duration.js';
import type { CriticalPath } from '../../critical-path/model.js';
import type { PathMark } from '../../diagram/layout/path-marks.js';
import { percentOf } from './path-words.js';

/** `561 ms, 40 %: kubelet (node-1) sets up volumes, the sandbox and its network`, at the message that ends it. */
export function pathMarks({ legs, duration }: CriticalPath): readonly PathMark[] {
  const [first] = legs;
  if (first === undefined) return [];
  return [
    { seq: first.from.seq, words: null },
    ...legs.map((leg) => ({
      seq: leg.to.seq,
      words: `${elapsedText(leg.duration)}, ${percentOf(leg.duration, duration).toFixed(0)} %: ${leg.who} ${leg.what}`,
    })),
  ];
}
