// What is remembered only so long as there is room. Knows no values.

/** Puts a value into a map that holds `limit` at most: one more, and all before it are forgotten. */
export function keep<K, V>(known: Map<K, V>, key: K, value: V, limit: number): void {
  if (known.size >= limit && !known.has(key)) known.clear();
  known.set(key, value);
}
