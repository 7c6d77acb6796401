// What of one direction was given up as lost, so that bytes that come for it after all are not taken for repeated ones. Knows
// offsets only.

export class LostRanges {
  /** Ascending: [start, end, start, end …). */
  readonly #ranges: number[] = [];

  /** [start, end) was given up; it lies behind all that was before. */
  add(start: number, end: number): void {
    const ranges = this.#ranges;
    if (ranges.length !== 0 && ranges[ranges.length - 1] === start) ranges[ranges.length - 1] = end;
    else ranges.push(start, end);
    if (ranges.length > 2 * RANGES) ranges.splice(0, 2);
  }

  /** How much of [start, end) that is. */
  within(start: number, end: number): number {
    const ranges = this.#ranges;
    let sum = 0;
    for (let i = ranges.length - 2; i >= 0 && ranges[i + 1] > start; i -= 2)
      sum += Math.max(0, Math.min(end, ranges[i + 1]) - Math.max(start, ranges[i]));
    return sum;
  }
}

/** The last ones: what comes late comes soon. */
const RANGES = 8;
