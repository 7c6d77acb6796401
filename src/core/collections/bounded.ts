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
