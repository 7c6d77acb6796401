// Gives every key its own stage: connections are independent of each other up to the exchanges. Knows keys and stages,
// not what they mean.

import type { Stage } from './stage.js';

export interface Route<In, Out, Key> extends Stage<In, Out> {
  /** As `end`, by key, in the order in which the keys came. */
  endings(): Iterable<readonly [Key, readonly Out[]]>;
}

/**
 * @param keyOf which stage an input belongs to.
 * @param open makes the stage for a new key from its first input.
 * @param closes true for an input after which its key's stage is ended and forgotten.
 */
export function route<In, Out, Key>(
  keyOf: (input: In) => Key,
  open: (first: In) => Stage<In, Out>,
  closes: (input: In) => boolean,
): Route<In, Out, Key> {
  const stages = new Map<Key, Stage<In, Out>>();
  return {
    feed(input) {
      const key = keyOf(input);
      let stage = stages.get(key);
      if (stage === undefined) {
        stage = open(input);
        stages.set(key, stage);
      }
      const out = stage.feed(input);
      if (!closes(input)) return out;
      stages.delete(key);
      const rest = stage.end();
      return rest.length === 0 ? out : [...out, ...rest];
    },
    *endings() {
      for (const [key, stage] of stages) yield [key, stage.end()] as const;
      stages.clear();
    },
    end() {
      const out: Out[] = [];
      for (const [, items] of this.endings()) out.push(...items);
      return out;
    },
  };
}
