// Routes items to one stage per key, because connections are independent of each other up to their exchanges.

import { NOTHING, type Stage } from './stage.js';

export interface Route<In, Out> extends Pick<Stage<In, Out>, 'feed'> {
  /** Ends the stages in the order in which their keys appeared, each when the items before were taken. */
  end(): Iterable<Out>;
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
): Route<In, Out> {
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
    *end() {
      for (const { stage, announced } of branches.values()) {
        if (stage !== null) yield* stage.end();
        else if (announced !== null) {
          const opened = open(announced);
          yield* opened.feed(announced);
          yield* opened.end();
        }
      }
      branches.clear();
    },
  };
}

/** The stage of a key, or the input that announced the key. */
interface RouteBranch<In, Out> {
  readonly stage: Stage<In, Out> | null;
  readonly announced: In | null;
}
