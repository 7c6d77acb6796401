// Maps and sets that remember at most `limit` entries of a capture. A further key empties them first, which costs nothing until then:
// what is still needed comes again.

export class BoundedMap<K, V> extends Map<K, V> {
  readonly #limit: number;

  constructor(limit: number) {
    super();
    this.#limit = limit;
  }

  override set(key: K, value: V): this {
    if (this.size >= this.#limit && !this.has(key)) this.makeRoom();
    return super.set(key, value);
  }

  protected makeRoom(): void {
    this.clear();
  }
}

export class BoundedSet<T> extends Set<T> {
  readonly #limit: number;

  constructor(limit: number) {
    super();
    this.#limit = limit;
  }

  override add(value: T): this {
    if (this.size >= this.#limit && !this.has(value)) this.clear();
    return super.add(value);
  }
}

/** A further key replaces the oldest one, for entries that do not come again: an open request is seen once. */
export class RecentMap<K, V> extends BoundedMap<K, V> {
  protected override makeRoom(): void {
    this.delete(this.keys().next().value as K);
  }
}

/**
 * Remembers the entries that were used last, at least half of `limit`, at most all. Once half of `limit` are young, the old ones are
 * dropped together: a deletion of each at its time would cost as much as all else.
 */
export class LruMap<K, V> {
  readonly #half: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  constructor(limit: number) {
    this.#half = limit >> 1;
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.#half) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
