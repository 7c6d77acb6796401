// Records where a piece of data was captured, from the packet to the arrow, and orders such places.

export interface Origin {
  /** Index of the capture among the arguments of the command, from 0. */
  readonly capture: number;
  /** Number of the frame in its capture, from 1, as in Wireshark. */
  readonly frame: number;
  /** ns since the epoch. */
  readonly time: bigint;
}

/** Orders by time, then capture, then frame: the order in which messages are printed. */
export function compareOrigins(a: Origin, b: Origin): number {
  if (a.time !== b.time) return compareTimes(a.time, b.time);
  return a.capture - b.capture || a.frame - b.frame;
}

/** @param a, b ns. */
export function compareTimes(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Orders frames of one connection. A clock can be set back between two frames of a capture; their order remains. */
export function compareFrames(a: Origin, b: Origin): number {
  return a.capture === b.capture ? a.frame - b.frame : compareOrigins(a, b);
}

/** The earlier of two frames of a connection. */
export function earlier(a: Origin, b: Origin): Origin {
  return compareFrames(a, b) <= 0 ? a : b;
}

/** The later of two frames of a connection. */
export function later(a: Origin, b: Origin): Origin {
  return compareFrames(a, b) >= 0 ? a : b;
}

/** Whether an event of `at` that is emitted at `now` can still be put in order: no younger event has been emitted. */
export function isInOrder(at: Origin, now: Origin): boolean {
  return now.time - at.time <= ORDER_SLACK_NS;
}

/**
 * Limit in ns: capture time that a message waits for older ones: captures of several interfaces are out of order by milliseconds, and
 * the protocol of a connection is detected within a second.
 */
export const ORDER_SLACK_NS = 1_000_000_000n;

/** `frame 1791`, `frames 1791 to 1801`. @param frames first and last, as Wireshark counts. */
export function framesText([first, last]: readonly [number, number]): string {
  return first === last ? `frame ${first}` : `frames ${first} to ${last}`;
}

/** ns: before and after every time that a capture can contain. */
export const MIN_TIME = -(1n << 63n);
export const MAX_TIME = (1n << 63n) - 1n;
