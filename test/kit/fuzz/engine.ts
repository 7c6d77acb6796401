// Runs one target over and over: seeds, then what becomes of them by chance. An input that reached code that none before
// it reached is kept and changed further. Knows counters, not clocks: whoever runs it says when to stop.

import { damagedCapture } from './captures.js';
import { mutateBytes } from './mutate-bytes.js';
import { random } from './random.js';
import type { Target } from './targets.js';

export interface Engine {
  /** Input of the next run, made from its number and what was found before. */
  next(run: number): Buffer<ArrayBufferLike>;
  /** After a run: true if it reached something new. */
  learn(input: Buffer<ArrayBufferLike>): boolean;
  readonly corpus: number;
  readonly reached: number;
}

/** @param counters how often each place of the program was reached since the last `learn`; null: nobody counts. */
export function engine({ seeds, name }: Target, counters: Uint8Array | null, seed: number): Engine {
  const corpus: Buffer<ArrayBufferLike>[] = seeds().map((one) => Buffer.from(one));
  const first = corpus.length;
  const seen = new Uint8Array(counters?.length ?? 0);
  let reached = 0;
  return {
    next(run) {
      if (run < first) return corpus[run];
      const dice = random(seed + run);
      if (name === 'capture' && (counters === null || dice.once(2))) return Buffer.from(damagedCapture(seed + run));
      return Buffer.from(mutateBytes(dice.pick(corpus), dice, corpus));
    },
    learn(input) {
      if (counters === null) return false;
      let isNew = false;
      for (let i = 0; i < counters.length; i++) {
        const count = counters[i];
        if (count === 0) continue;
        counters[i] = 0;
        // Once, a few times, often: one bit each.
        const bit = count === 1 ? 1 : count < 4 ? 2 : count < 16 ? 4 : 8;
        if ((seen[i] & bit) !== 0) continue;
        if (seen[i] === 0) reached += 1;
        seen[i] |= bit;
        isNew = true;
      }
      if (isNew && input.length <= LONGEST_KEPT) {
        if (corpus.length < MOST_KEPT) corpus.push(input);
        else corpus[reached % MOST_KEPT] = input;
      }
      return isNew;
    },
    get corpus() {
      return corpus.length;
    },
    get reached() {
      return reached;
    },
  };
}

const LONGEST_KEPT = 64 * 1024;
const MOST_KEPT = 4096;
