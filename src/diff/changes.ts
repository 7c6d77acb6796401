// Pairs removed with added items that differ only in the status, the HTTP method or the target.

import type { Item } from './item.js';

export interface ItemChange {
  readonly before: Item;
  readonly after: Item;
  /** In what the two differ; `verb` is the HTTP method; `compare` finds the last three, between items with one label. */
  readonly what: 'status' | 'verb' | 'target' | 'order' | 'fields' | 'instance';
  /** Of a changed `order`: what came before it on the first side, and after it on the second. */
  readonly earlier?: Item;
}

/** Each item is in one pair at most: the first rule that fits takes it. */
export function pairChanges(removed: readonly Item[], added: readonly Item[]): ItemChange[] {
  const changed: ItemChange[] = [];
  const taken = new Set<Item>();
  /** @param keyOfRest what two items have in common that differ in `what` alone; null: the item cannot differ so. */
  const pair = (what: ItemChange['what'], keyOfRest: (item: Item) => string | null): void => {
    const unpaired = new Map<string, Item[]>();
    for (const item of added) {
      const key = taken.has(item) ? null : keyOfRest(item);
      if (key !== null) unpaired.set(key, [...(unpaired.get(key) ?? []), item]);
    }
    for (const item of removed) {
      const key = taken.has(item) ? null : keyOfRest(item);
      const after = key === null ? undefined : unpaired.get(key)?.shift();
      if (after === undefined) continue;
      taken.add(item).add(after);
      changed.push({ before: item, after, what });
    }
  };
  const between = ({ kind, from, to }: Item): string => `${kind}\n${from}\n${to}`;
  pair('status', (item) => (item.kind === 'response' ? `${between(item)}\n${item.requestLabel}` : null));
  // An item of a diagram has a label alone, so method and target are read from there.
  pair('verb', (item) => {
    const [, , rest] = /^\[REQ\] (\S+) (.*)$/s.exec(item.label) ?? [];
    return rest === undefined ? null : `${between(item)}\n${rest}`;
  });
  pair('target', (item) => {
    // The same object at another URL.
    const [, method] = /^\[REQ\] (\S+) /.exec(item.label) ?? [];
    return method === undefined || item.about.length === 0 ? null : `${between(item)}\n${method}\n${item.about[0]}`;
  });
  return changed;
}
