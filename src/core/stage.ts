// A stage transforms a stream of items synchronously, without I/O, clock or logging. It throws only for a bug of its caller;
// bad input becomes a notice.

export interface Stage<In, Out> {
  /**
   * @param input bytes in it are borrowed: they are valid until `feed` returns, so a stage that keeps bytes copies them.
   * @returns the items that are complete now, in order; the caller may read the list once and must not keep it.
   */
  feed(input: In): readonly Out[];
  /** Like `feed` for each input in turn, for busy stages: it makes one list instead of one per input. */
  feedAll?(inputs: readonly In[]): readonly Out[];
  /** Ends the input. @returns the items that were still buffered. */
  end(): readonly Out[];
}

/** Shared empty list: most packets produce no item. */
export const NOTHING: readonly never[] = Object.freeze([]);

/** Connects two stages. Items that `accepts` refuses (notices, reports) bypass the second one, in order. */
export function pipe<A, B, X, C>(
  first: Stage<A, B | X>,
  accepts: (item: B | X) => item is B,
  second: Stage<B, C>,
): Stage<A, C | X> {
  return new Pipe<A, B, X, C>(first, accepts, second);
}

// A class, because every connection has a pipe and closures would be allocated for each.
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
      const more = this.#one(items[i]);
      if (more.length === 0) continue;
      // In most lists only one item produces output, so its list is returned without a copy.
      if (out.length === 0) out = more;
      else {
        if (own === null) {
          own = [...out];
          out = own;
        }
        for (let j = 0; j < more.length; j++) own.push(more[j]);
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
