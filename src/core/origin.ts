// Where a piece of data was captured. Knows nothing but numbers; rides on every piece from the packet to the arrow.

/** The frame that carried a byte. `frame` counts from 1 within its capture, as Wireshark does; `time` is ns since the epoch. */
export interface Origin {
  /** Index of the capture among the command's arguments, from 0. */
  readonly capture: number;
  readonly frame: number;
  readonly time: bigint;
}

/** Orders by time, ties by capture argument, then frame: the order in which messages are printed. */
export function compareOrigins(a: Origin, b: Origin): number {
  if (a.time !== b.time) return compareTimes(a.time, b.time);
  return a.capture - b.capture || a.frame - b.frame;
}

/** @param a, b ns. */
export function compareTimes(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Orders what happened on one connection: a clock can be set back between two frames of a capture, their order stays. */
export function compareFrames(a: Origin, b: Origin): number {
  return a.capture === b.capture ? a.frame - b.frame : compareOrigins(a, b);
}

/** Of two frames of a connection. */
export function earlier(a: Origin, b: Origin): Origin {
  return compareFrames(a, b) <= 0 ? a : b;
}

/** Of two frames of a connection. */
export function later(a: Origin, b: Origin): Origin {
  return compareFrames(a, b) >= 0 ? a : b;
}

/** Whether what happened at `at` and is told at `now` can still stand in its place: what is younger has not been told. */
export function isInOrder(at: Origin, now: Origin): boolean {
  return now.time - at.time <= ORDER_SLACK_NS;
}

/**
 * ns of capture time that a message waits for older ones: captures of several interfaces are out of order by milliseconds, and
 * what a connection speaks is known within a second.
 */
export const ORDER_SLACK_NS = 1_000_000_000n;

/** ns: before every time that a capture can tell, and after. */
export const MIN_TIME = -(1n << 63n);
export const MAX_TIME = (1n << 63n) - 1n;
