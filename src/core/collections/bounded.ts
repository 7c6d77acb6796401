// Maps and sets that remember at most `limit` entries of a capture. A further key empties them first, which costs nothing until then:
// what is still needed comes again. A collection tells the `BoundsKeeper` under which it was made (`keptBy`) whenever it forgets.

/** Learns what is forgotten. */
export interface BoundsKeeper {
  /** @param what the name of a collection that was full. @param limit entries that it had. */
  forgot(what: string, limit: number): void;
  /** Another limit, for tests; default: the collection's own. */
  limitOf?(what: string, limit: number): number;
}

/** Instead of a name: what is forgotten is computed again, and nothing changes. */
export const CACHE = null;

/** Collections that `make` creates report to the keeper. */
export function keptBy<T>(keeper: BoundsKeeper, make: () => T): T {
  const before = current;
  current = keeper;
  try {
    return make();
  } finally {
    current = before;
  }
}

/** Whose the collections are that are made now. */
let current: BoundsKeeper | null = null;

class Bound {
  readonly limit: number;
  readonly #what: string | null;
  readonly #keeper: BoundsKeeper | null;

  constructor(limit: number, what: string | null) {
    this.#what = what;
    this.#keeper = what === null ? null : current;
    this.limit = what === null ? limit : (current?.limitOf?.(what, limit) ?? limit);
  }

  forgot(): void {
    if (this.#what !== null) this.#keeper?.forgot(this.#what, this.limit);
  }
}

export class BoundedMap<K, V> extends Map<K, V> {
  readonly #bound: Bound;

  /** @param what is forgotten, in words for the user: `users of connections`. */
  constructor(limit: number, what: string | null) {
    super();
    this.#bound = new Bound(limit, what);
  }

  override set(key: K, value: V): this {
    if (this.size >= this.#bound.limit && !this.has(key)) {
      this.#bound.forgot();
      this.makeRoom();
    }
    return super.set(key, value);
  }

  protected makeRoom(): void {
    this.clear();
  }
}

export class BoundedSet<T> extends Set<T> {
  readonly #bound: Bound;

  /** @param what as of a BoundedMap. */
  constructor(limit: number, what: string | null) {
    super();
    this.#bound = new Bound(limit, what);
  }

  override add(value: T): this {
    if (this.size >= this.#bound.limit && !this.has(value)) {
      this.#bound.forgot();
      this.clear();
    }
    return super.add(value);
  }
}

/** A further key replaces the oldest one, for entries that do not come again: an open request is seen once. */
export class RecentMap<K, V> extends BoundedMap<K, V> {
  /** @param what as of a BoundedMap; default: what is forgotten is not said. */
  constructor(limit: number, what: string | null = CACHE) {
    super(limit, what);
  }

  protected override makeRoom(): void {
    this.delete(this.keys().next().value as K);
  }
}

/**
 * Remembers the entries that were used last, at least half of `limit`, at most all. Once half of `limit` are young, the old ones are
 * dropped together: a deletion of each at its time would cost as much as all else.
 */
export class LruMap<K, V> {
  readonly #bound: Bound;
  readonly #half: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  /** @param what as of a BoundedMap; default: what is forgotten is not said. */
  constructor(limit: number, what: string | null = CACHE) {
    this.#bound = new Bound(limit, what);
    this.#half = Math.max(1, this.#bound.limit >> 1);
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.#half && !this.#young.has(key)) {
      if (this.#old.size > 0) this.#bound.forgot();
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
