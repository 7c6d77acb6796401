// Keeps the events of one connection in the order of their frames, even if the clock was set back between two frames.

import { later, ORDER_SLACK_NS, type Origin } from './origin.js';

export class FrameOrder<Subject extends object> {
  /** Sort key of the latest event of each subject. */
  readonly #latest = new WeakMap<Subject, { last: Origin }>();

  /**
   * @param at frame of the event; events of a subject arrive in nearly the order of their frames.
   * @returns the sort key of the event: `at`, or, if frame number and time contradict the event before in the same capture by
   *   no more than `CLOCK_STEP_NS`, the same frame with the time of the event before.
   */
  placeOf(subject: Subject, at: Origin): Origin {
    const latest = this.#latest.get(subject);
    if (latest === undefined) {
      this.#latest.set(subject, { last: at });
      return at;
    }
    const { last } = latest;
    // An earlier frame that arrives later: the capture has several queues, whose frames are not in order.
    if (last.capture === at.capture && at.frame < last.frame) return at;
    const step = last.capture === at.capture ? last.time - at.time : 0n;
    latest.last = step > 0n && step <= CLOCK_STEP_NS ? { ...at, time: last.time } : at;
    return latest.last;
  }
}

/** The later of two frames of a connection, with the later of their times if these differ by no more than `CLOCK_STEP_NS`. */
export function behind(a: Origin, b: Origin): Origin {
  const last = later(a, b);
  const step = (last === a ? b : a).time - last.time;
  return step > 0n && step <= CLOCK_STEP_NS ? { ...last, time: last.time + step } : last;
}

/**
 * Limit in ns: capture time by which a clock may be set back without changing the order: as long as messages wait to be ordered. After
 * a larger step, time decides.
 */
export const CLOCK_STEP_NS = ORDER_SLACK_NS;
