// How a cost grows, as a power of the size: 1 is linear, 2 quadratic. CPU time, not the clock's, and ratios within one run:
// what else a machine does adds to a cost and never takes away, so the least of some runs counts. Knows no subject.

/** Does something of size n once. What it has to prepare is left out of the cost if it returns the rest as a function. */
export type Work = (n: number) => unknown;

export interface Cost {
  /** CPU time in ms, the least of the rounds. */
  readonly once: number;
  readonly eightTimes: number;
  readonly power: number;
}

/**
 * The power with which the CPU time of `work` grows from n to 8 n, measured until it is below `enough`, at most `rounds`
 * times: what is linear shows it sooner or later, what is quadratic never does.
 */
export function powerOf(work: Work, n: number, enough = LINEAR, rounds = ROUNDS): number {
  return costs(work, n, enough, rounds).power;
}

/** What powerOf measures, with its figures. */
export function costs(work: Work, n: number, enough: number, rounds: number): Cost {
  timed(work, n);
  let [once, eightTimes, power] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NaN];
  for (let round = 0; round < rounds && !(round > 0 && power < enough); round++) {
    once = Math.min(once, timed(work, n));
    eightTimes = Math.min(eightTimes, timed(work, 8 * n));
    power = Math.log(eightTimes / Math.max(once, CLOCK)) / Math.log(8);
  }
  return { once, eightTimes, power };
}

/** How many times as much CPU time `work` takes as `other` of the same size, measured until it is below `enough`. */
export function timesAsMuch(work: Work, other: Work, n: number, enough: number, rounds = ROUNDS): number {
  timed(other, n);
  let [one, two, times] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NaN];
  for (let round = 0; round < rounds && !(times < enough); round++) {
    one = Math.min(one, timed(work, n));
    two = Math.min(two, timed(other, n));
    times = one / Math.max(two, CLOCK);
  }
  return times;
}

/** Long enough for a busy machine to have a quiet moment. */
const ROUNDS = 24;
/** 12 times the cost for 8 times the size. */
export const LINEAR = 1.2;
/** Bytes that V8 keeps apart from others, as it does from 128 KB on: there each costs more, some machines' pages three times. */
export const LARGE = 200_000;

function timed(work: Work, n: number): number {
  let from = process.cpuUsage();
  const rest = work(n);
  if (typeof rest === 'function') {
    from = process.cpuUsage();
    rest();
  }
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
}

/** What takes less than this, in ms, cannot be told from nothing. */
const CLOCK = 0.5;
