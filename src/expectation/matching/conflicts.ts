// Reasons, as bits, for which the message that is matched at a depth of the search keeps a later arrow from being matched.

export function addConflict(blame: Uint8Array, depth: number, reasons: number): void {
  blame[depth] |= reasons;
}

/** What is matched at that depth is too late; anything later about the same objects would be too. */
export const TOO_LATE = 1;
/** It is an answer that came too late on its receiver's lifeline; any later answer would be too. */
export const LATE_ON_LINE = 2;
/** It is a request whose answer is too late, in the one way or the other. */
export const ANSWERED_LATE = 4;
export const ANSWERED_LATE_ON_LINE = 8;
/** Something else: any other message may do. */
export const CONFLICT = 16;

/** What is wrong with an answer, as a blame of its request. */
export function ofAnswer(reasons: number): number {
  return reasons >= ANSWERED_LATE ? CONFLICT : reasons * (ANSWERED_LATE / TOO_LATE);
}
