// A stage is a small pure machine: what it is fed comes out as a list, now or later. It knows its neighbour's type and
// nothing else: no I/O, no clock, no logging. It throws only for its caller's bug; bad input is a notice.
//
// Bytes are borrowed: what `feed` gets is valid until it returns; who keeps, copies.

export interface Stage<In, Out> {
  /** Takes one piece; gives what can be said now, in order. The list is the caller's to read once, not to keep. */
  feed(input: In): readonly Out[];
  /** As `feed` for one after the other, for stages of which much is asked: one list instead of one for each. */
  feedAll?(inputs: readonly In[]): readonly Out[];
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
  return new Pipe<A, B, X, C>(first, accepts, second);
}

// A class, because every connection has one: closures would be made for each.
class Pipe<A, B, X, C> implements Stage<A, C | X> {
  readonly #first: Stage<A, B | X>;
  readonly #accepts: (item: B | X) => item is B;
  readonly #second: Stage<B, C>;

  constructor(first: Stage<A, B | X>, accepts: (item: B | X) => item is B, second: Stage<B, C>) {
    this.#first = first;
    this.#accepts = accepts;
    this.#second = second;
  }

  feed(input: A): readonly (C | X)[] {
    return this.#through(this.#first.feed(input));
  }

  end(): readonly (C | X)[] {
    const out = this.#through(this.#first.end());
    const rest = this.#second.end();
    return rest.length === 0 ? out : [...out, ...rest];
  }

  #through(items: readonly (B | X)[]): readonly (C | X)[] {
    if (items.length === 0) return NOTHING;
    if (items.length === 1) return this.#one(items[0]);
    if (this.#second.feedAll !== undefined && this.#acceptsAll(items)) return this.#second.feedAll(items);
    let out: readonly (C | X)[] = NOTHING;
    let own: (C | X)[] | null = null;
    for (let i = 0; i < items.length; i++) {
      const made = this.#one(items[i]);
      if (made.length === 0) continue;
      // Most lists lead to one other: that is handed on as it is.
      if (out.length === 0) out = made;
      else {
        if (own === null) {
          own = [...out];
          out = own;
        }
        for (let j = 0; j < made.length; j++) own.push(made[j]);
      }
    }
    return out;
  }

  #acceptsAll(items: readonly (B | X)[]): items is readonly B[] {
    for (let i = 0; i < items.length; i++) if (!this.#accepts(items[i])) return false;
    return true;
  }

  #one(item: B | X): readonly (C | X)[] {
    return this.#accepts(item) ? this.#second.feed(item) : [item as X];
  }
}
