// Gives every key its own stage: connections are independent of each other up to the exchanges. Knows keys and stages,
// not what they mean.

import { NOTHING, type Stage } from './stage.js';

export interface Route<In, Out, Key> extends Stage<In, Out> {
  /** As `end`, by key, in the order in which the keys came. */
  endings(): Iterable<readonly [Key, readonly Out[]]>;
}

/**
 * @param keyOf which stage an input belongs to.
 * @param open makes the stage for a new key from its first input.
 * @param closes true for an input after which its key's stage is ended and forgotten.
 * @param announces true for a first input that can wait for the second: of many keys there is never one, and none of them
 *   needs a stage.
 */
export function route<In, Out, Key>(
  keyOf: (input: In) => Key,
  open: (first: In) => Stage<In, Out>,
  closes: (input: In) => boolean,
  announces: (input: In) => boolean = () => false,
): Route<In, Out, Key> {
  const stages = new Map<Key, Stage<In, Out> | Announced<In>>();
  return {
    feed(input) {
      const key = keyOf(input);
      let stage = stages.get(key);
      if (stage === undefined && announces(input)) {
        stages.set(key, { announced: input });
        return NOTHING;
      }
      let before: readonly Out[] = NOTHING;
      if (stage === undefined) {
        stage = open(input);
        stages.set(key, stage);
      } else if ('announced' in stage) {
        const { announced } = stage;
        stage = open(announced);
        stages.set(key, stage);
        before = stage.feed(announced);
      }
      const out = before.length === 0 ? stage.feed(input) : [...before, ...stage.feed(input)];
      if (!closes(input)) return out;
      stages.delete(key);
      const rest = stage.end();
      return rest.length === 0 ? out : [...out, ...rest];
    },
    *endings() {
      for (const [key, one] of stages) {
        if ('announced' in one) {
          const stage = open(one.announced);
          yield [key, [...stage.feed(one.announced), ...stage.end()]] as const;
        } else yield [key, one.end()] as const;
      }
      stages.clear();
    },
    end() {
      const out: Out[] = [];
      for (const [, items] of this.endings()) for (const item of items) out.push(item);
      return out;
    },
  };
}

interface Announced<In> {
  readonly announced: In;
}
