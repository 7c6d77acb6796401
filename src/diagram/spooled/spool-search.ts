// Collects what is to be searched for in a spool, each thing once, until the next pass over its blocks takes it.

/** What one pass searches for. */
export interface SearchPass {
  /** Names, uids and references (`RESOURCE/NAME`) of objects. */
  readonly names: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
  /** By number in the spool. */
  readonly participants: ReadonlySet<number>;
  /** Exchanges whose request, response and data are part of the story. */
  readonly exchanges: ReadonlySet<number>;
  /** Exchanges whose request and response explain an event, a cause or an effect. */
  readonly explaining: ReadonlySet<number>;
  /** `seq` of messages whose effects are searched for. */
  readonly effects: ReadonlySet<number>;
  /** `seq` of a cause → how many causes in a row are searched for from there. */
  readonly causes: ReadonlyMap<number, number>;
}

export class SpoolSearch {
  readonly names = new SearchTerms<string>();
  readonly namespaces = new SearchTerms<string>();
  readonly participants = new SearchTerms<number>();
  readonly exchanges = new SearchTerms<number>();
  readonly explaining = new SearchTerms<number>();
  readonly effects = new SearchTerms<number>();
  readonly #depths = new Map<number, number>();
  #causes = new Map<number, number>();

  /** @param seq undefined: no cause is known. @param depth causes in a row. */
  addCause(seq: number | undefined, depth: number): void {
    if (seq === undefined || (this.#depths.get(seq) ?? 0) >= depth) return;
    this.#depths.set(seq, depth);
    this.#causes.set(seq, depth);
  }

  /** @returns what was added since the last pass; null: nothing. */
  take(): SearchPass | null {
    const causes = this.#causes;
    this.#causes = new Map();
    const pass = {
      names: this.names.take(),
      namespaces: this.namespaces.take(),
      participants: this.participants.take(),
      exchanges: this.exchanges.take(),
      explaining: this.explaining.take(),
      effects: this.effects.take(),
      causes,
    };
    return Object.values(pass).every(({ size }) => size === 0) ? null : pass;
  }
}

class SearchTerms<T> {
  readonly #all = new Set<T>();
  #added = new Set<T>();

  add(term: T | null | undefined): void {
    if (term == null || this.#all.has(term)) return;
    this.#all.add(term);
    this.#added.add(term);
  }

  has(term: T): boolean {
    return this.#all.has(term);
  }

  take(): ReadonlySet<T> {
    const added = this.#added;
    this.#added = new Set();
    return added;
  }
}
