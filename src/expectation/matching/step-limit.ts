// Counts the steps of matching one expectation. It counts steps and not time, so that every machine stops at the same
// point.

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

/**
 * Limit: steps (messages compared with an arrow) for one expectation: seconds of work; real ones need a thousandth. Past it `check`
 * exits 2 with the reason.
 */
export const WORK_LIMIT = 8_000_000;
