// Where what happened on one thing stands in time, when the clock that told the time was set back: not before what the same
// capture held of it in frames before. Knows frames and times of things, not what they are.

import { later, ORDER_SLACK_NS, type Origin } from './origin.js';

export class FrameOrder<Thing extends object> {
  /** The place of what was told last of each, as long as somebody else holds it. */
  readonly #told = new WeakMap<Thing, { last: Origin }>();

  /**
   * @param at frame of what happened; things are told in nearly the order of their frames.
   * @returns its place in order, to sort by: `at`, or where frames and times of the same capture contradict each other by no
   *   more than `CLOCK_STEP_NS`, the same frame at the time of the one told before.
   */
  placeOf(thing: Thing, at: Origin): Origin {
    const told = this.#told.get(thing);
    if (told === undefined) {
      this.#told.set(thing, { last: at });
      return at;
    }
    const { last } = told;
    if (last.capture !== at.capture) {
      told.last = at;
      return at;
    }
    const step = last.time - at.time;
    // It comes after, with an earlier frame and a later time: the capture holds several queues, whose frames are in no order.
    if (at.frame < last.frame) return at;
    const place = step > 0n && step <= CLOCK_STEP_NS ? { ...at, time: last.time } : at;
    told.last = place;
    return place;
  }
}

/**
 * Behind both frames of a connection: in their order, and in time, where these contradict each other by no more than
 * `CLOCK_STEP_NS`.
 */
export function behind(a: Origin, b: Origin): Origin {
  const last = later(a, b);
  const step = (last === a ? b : a).time - last.time;
  return step > 0n && step <= CLOCK_STEP_NS ? { ...last, time: last.time + step } : last;
}

/**
 * ns of capture time by which a clock may be set back with everything still in order: as long as messages wait to be put
 * into order. Where it goes back farther, what was captured before is told before.
 */
export const CLOCK_STEP_NS = ORDER_SLACK_NS;
