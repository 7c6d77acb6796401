// Tables of what happens again and again, an entry for each key, which is made when the key comes first.

/** Keys beyond its limit are left out and counted. */
export class SeriesTable<K, V> extends Map<K, V> {
  /** How often a key was asked for that is beyond the limit. */
  leftOut = 0;
  readonly #limit: number;

  constructor(limit: number) {
    super();
    this.#limit = limit;
  }

  /** @param begin makes the entry of a new key. @returns undefined beyond the limit. */
  of(key: K, begin: () => V): V | undefined {
    const known = this.get(key);
    if (known !== undefined) return known;
    if (this.size >= this.#limit) {
      this.leftOut += 1;
      return undefined;
    }
    const begun = begin();
    this.set(key, begun);
    return begun;
  }
}

interface Table<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** The entry of a key; `begin` makes that of a new one. */
export function entryOf<K, V>(table: Table<K, V>, key: K, begin: () => V): V {
  const known = table.get(key);
  if (known !== undefined) return known;
  const begun = begin();
  table.set(key, begun);
  return begun;
}
