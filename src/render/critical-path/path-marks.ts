// Marks the messages of a critical path for a diagram.

import type { CriticalPath } from '../../critical-path/model.js';
import type { PathMark } from '../../diagram/layout/path-marks.js';
import { pathHead, percentOf } from './path-words.js';

/** Each leg stands at the message that ends it. */
export function pathMarks(path: CriticalPath): readonly PathMark[] {
  const { legs, duration } = path;
  const [first] = legs;
  if (first === undefined) return [];
  return [
    { seq: first.from.seq, leg: null, head: pathHead(path) },
    ...legs.map((leg) => ({
      seq: leg.to.seq,
      leg: { duration: leg.duration, share: percentOf(leg.duration, duration), what: `${leg.who} ${leg.what}` },
      head: null,
    })),
  ];
}
