// A stage is a small pure machine: what it is fed comes out as a list, now or later. It knows its neighbour's type and
// nothing else: no I/O, no clock, no logging. It throws only for its caller's bug; bad input is a notice.
//
// Bytes are borrowed: what `feed` gets is valid until it returns; who keeps, copies.

export interface Stage<In, Out> {
  /** Takes one piece; gives what can be said now, in order. The list is the caller's to read once, not to keep. */
  feed(input: In): readonly Out[];
  /** The input is over: gives what was still held. */
  end(): readonly Out[];
}

/** The one empty list: most packets lead to nothing new. */
export const NOTHING: readonly never[] = Object.freeze([]);

/**
 * One stage after another. What `accepts` refuses (notices, reports) passes by the second stage, in order.
 */
export function pipe<A, B, X, C>(
  first: Stage<A, B | X>,
  accepts: (item: B | X) => item is B,
  second: Stage<B, C>,
): Stage<A, C | X> {
  const through = (items: readonly (B | X)[]): readonly (C | X)[] => {
    if (items.length === 0) return NOTHING;
    const out: (C | X)[] = [];
    for (const item of items) {
      if (accepts(item)) for (const made of second.feed(item)) out.push(made);
      else out.push(item);
    }
    return out;
  };
  return {
    feed: (input) => through(first.feed(input)),
    end: () => [...through(first.end()), ...second.end()],
  };
}
