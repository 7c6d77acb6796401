// Keeps the events of one connection in the order of their frames, even if the clock was set back a little between two frames.

import { later, ORDER_SLACK_NS, type Origin } from './origin.js';

/** `Subject` is what has an order of its own: a connection. */
export class FrameOrder<Subject extends object> {
  /** Sort key of the latest event of each subject, in an object that is changed instead of the map. */
  readonly #latest = new WeakMap<Subject, { last: Origin }>();

  /**
   * @param at frame of the event; events of a subject arrive in nearly the order of their frames.
   * @returns the sort key of the event: `at`; but if the event before it in the same capture has a lower frame number and a later
   *   time, by at most `CLOCK_STEP_NS`, then the frame of `at` with that time.
   */
  sortKeyOf(subject: Subject, at: Origin): Origin {
    const latest = this.#latest.get(subject);
    if (latest === undefined) {
      this.#latest.set(subject, { last: at });
      return at;
    }
    const { last } = latest;
    // An earlier frame that arrives later, as in captures from network cards with several receive queues.
    if (last.capture === at.capture && at.frame < last.frame) return at;
    const step = last.capture === at.capture ? last.time - at.time : 0n;
    latest.last = step > 0n && step <= CLOCK_STEP_NS ? { ...at, time: last.time } : at;
    return latest.last;
  }
}

/** The later of two frames of a connection, with the later of their times if these differ by no more than `CLOCK_STEP_NS`. */
export function laterSortKey(a: Origin, b: Origin): Origin {
  const last = later(a, b);
  const step = (last === a ? b : a).time - last.time;
  return step > 0n && step <= CLOCK_STEP_NS ? { ...last, time: last.time + step } : last;
}

/**
 * Limit in ns: largest backward step of a clock that is repaired: the time for which messages are held to be sorted. After a larger
 * step, events are sorted by time.
 */
export const CLOCK_STEP_NS = ORDER_SLACK_NS;
