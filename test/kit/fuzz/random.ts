// Numbers that look random and come again with their seed, so that a case has a number. Knows nothing of what is tested.

export interface Random {
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number;
  /** True once in `often` times. */
  once(often: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/** @param seed any whole number; each case of a run has a seed of its own, so that one case can be made alone. */
export function random(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  // Mulberry32; good enough to choose places and bytes.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  next();
  return {
    below: (limit) => Math.floor(next() * limit),
    once: (often) => next() * often < 1,
    pick: (list) => list[Math.floor(next() * list.length)],
  };
}
