// Memoizes functions of a text, because a cluster sends the same texts again and again.

import { keep } from './bounded.js';

/**
 * @param make pure; its results are shared: who changes one changes it for all.
 * @param limit texts that are remembered; one more and all are forgotten.
 */
export function memo<V>(make: (text: string) => V, limit: number): (text: string) => V {
  const known = new Map<string, V>();
  return (text) => {
    let made = known.get(text);
    if (made === undefined) {
      made = make(text);
      keep(known, text, made, limit);
    }
    return made;
  };
}
