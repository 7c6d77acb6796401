// Does for lists of any length what a call with `...list` does for short ones: arguments go on the stack, which has room for some
// 120,000.

/** Adds items at the end. */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}

/** Infinity: there are none. */
export function smallestOf(numbers: Iterable<number>): number {
  let smallest = Number.POSITIVE_INFINITY;
  for (const number of numbers) if (!(number >= smallest)) smallest = number;
  return smallest;
}

/** -Infinity: there are none. */
export function largestOf(numbers: Iterable<number>): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (const number of numbers) if (!(number <= largest)) largest = number;
  return largest;
}
