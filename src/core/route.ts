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
  const places = new Map<Key, RouteBranch<In, Out>>();
  return {
    feed(input) {
      const key = keyOf(input);
      const place = places.get(key);
      let stage = place === undefined ? null : place.stage;
      let before: readonly Out[] = NOTHING;
      if (stage === null) {
        if (place === undefined && announces(input)) {
          places.set(key, { stage: null, announced: input });
          return NOTHING;
        }
        const announced = place === undefined ? null : place.announced;
        stage = open(announced ?? input);
        if (place === undefined) places.set(key, { stage, announced: null });
        else {
          place.stage = stage;
          place.announced = null;
        }
        if (announced !== null) before = stage.feed(announced);
      }
      const out = before.length === 0 ? stage.feed(input) : [...before, ...stage.feed(input)];
      if (!closes(input)) return out;
      places.delete(key);
      const rest = stage.end();
      return rest.length === 0 ? out : [...out, ...rest];
    },
    *endings() {
      for (const [key, { stage, announced }] of places) {
        if (stage !== null) yield [key, stage.end()] as const;
        else if (announced !== null) {
          const opened = open(announced);
          yield [key, [...opened.feed(announced), ...opened.end()]] as const;
        }
      }
      places.clear();
    },
    end() {
      const out: Out[] = [];
      for (const [, items] of this.endings()) for (const item of items) out.push(item);
      return out;
    },
  };
}

/** Of one key: its stage, or what announced it. */
interface RouteBranch<In, Out> {
  stage: Stage<In, Out> | null;
  announced: In | null;
}
