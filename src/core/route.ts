// Routes items to one stage per key, because connections are independent of each other up to their exchanges.

import { NOTHING, type Stage } from './stage.js';

export interface Route<In, Out, Key> extends Stage<In, Out> {
  /** Like `end`, by key, in the order in which the keys appeared. */
  endings(): Iterable<readonly [Key, readonly Out[]]>;
}

/**
 * @param open creates the stage of a new key from its first input.
 * @param closes true for an input after which the stage of its key is ended and removed.
 * @param announces true for a first input that can wait for the second one: many keys never get a second, so they need no
 *   stage.
 */
export function route<In, Out, Key>(
  keyOf: (input: In) => Key,
  open: (first: In) => Stage<In, Out>,
  closes: (input: In) => boolean,
  announces: (input: In) => boolean = () => false,
): Route<In, Out, Key> {
  const branches = new Map<Key, RouteBranch<In, Out>>();
  return {
    feed(input) {
      const key = keyOf(input);
      const branch = branches.get(key);
      let stage = branch === undefined ? null : branch.stage;
      let before: readonly Out[] = NOTHING;
      if (stage === null) {
        if (branch === undefined && announces(input)) {
          branches.set(key, { stage: null, announced: input });
          return NOTHING;
        }
        const announced = branch === undefined ? null : branch.announced;
        stage = open(announced ?? input);
        branches.set(key, { stage, announced: null });
        if (announced !== null) before = stage.feed(announced);
      }
      const out = before.length === 0 ? stage.feed(input) : [...before, ...stage.feed(input)];
      if (!closes(input)) return out;
      branches.delete(key);
      const rest = stage.end();
      return rest.length === 0 ? out : [...out, ...rest];
    },
    *endings() {
      for (const [key, { stage, announced }] of branches) {
        if (stage !== null) yield [key, stage.end()] as const;
        else if (announced !== null) {
          const opened = open(announced);
          yield [key, [...opened.feed(announced), ...opened.end()]] as const;
        }
      }
      branches.clear();
    },
    end() {
      const out: Out[] = [];
      for (const [, items] of this.endings()) for (const item of items) out.push(item);
      return out;
    },
  };
}

/** The stage of a key, or the input that announced the key. */
interface RouteBranch<In, Out> {
  readonly stage: Stage<In, Out> | null;
  readonly announced: In | null;
}
