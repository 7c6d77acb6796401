// How much work the matching of an expectation takes: steps go in, an error comes out past the limit. Knows no clock, so that
// the same expectation is given up at the same place everywhere.

/** More steps than WORK_LIMIT. */
export class StepLimitReached extends Error {}

/** Counts steps over all searches for one expectation. */
export class StepLimit {
  #left: number;

  constructor(limit: number = WORK_LIMIT) {
    this.#left = limit;
  }

  step(steps = 1): void {
    this.#left -= steps;
    if (this.#left < 0) throw new StepLimitReached();
  }
}

/** Steps (messages held against an arrow) for one expectation: seconds of work; real ones need a thousandth. */
export const WORK_LIMIT = 8_000_000;
