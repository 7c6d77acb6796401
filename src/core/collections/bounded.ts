// Bounds maps that cache values from captures.

/** Sets a value in a map of at most `limit` entries; a further key empties the map first. */
export function keep<K, V>(map: Map<K, V>, key: K, value: V, limit: number): void {
  if (map.size >= limit && !map.has(key)) map.clear();
  map.set(key, value);
}
