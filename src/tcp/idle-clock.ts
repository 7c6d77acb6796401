// When to look for idle connections, and how late it is then. Knows times of segments, no connections.
//
// A time stamp can be wrong: a card's clock that jumps, a flipped bit. One that is an hour ahead must not end every
// connection, with the requests that wait in it: it is as late as all of the last segments say.

import { CLOCK_SEGMENTS, IDLE_LOOK } from './limits.js';

export class IdleClock {
  /** Number of the segment from which on it has to see each. */
  from = IDLE_LOOK - CLOCK_SEGMENTS + 1;
  #earliest: bigint | null = null;

  /**
   * @param order number of the segment, from 1 on.
   * @param time its capture time in ns.
   * @returns capture time in ns where it is time to look, else null.
   */
  read(order: number, time: bigint): bigint | null {
    if (this.#earliest === null || time < this.#earliest) this.#earliest = time;
    if (order % IDLE_LOOK !== 0) return null;
    const now = this.#earliest;
    this.#earliest = null;
    this.from += IDLE_LOOK;
    return now;
  }
}
