// Memoizes functions of a text, because a cluster sends the same texts again and again.

import { BoundedMap, CACHE } from './bounded.js';

/**
 * @param make pure; its results are shared and must not be changed.
 * @param limit of cached texts; a further one empties the cache.
 */
export function memo<V>(make: (text: string) => V, limit: number): (text: string) => V {
  const cache = new BoundedMap<string, V>(limit, CACHE);
  return (text) => {
    let value = cache.get(text);
    if (value === undefined) {
      value = make(text);
      cache.set(text, value);
    }
    return value;
  };
}
