// Pairs removed with added items that differ only in status, verb or target.

import type { Item } from './item.js';

export interface ItemChange {
  readonly before: Item;
  readonly after: Item;
  readonly what: 'status' | 'verb' | 'target' | 'order';
}

export function changes(removed: readonly Item[], added: readonly Item[]): ItemChange[] {
  const changed: ItemChange[] = [];
  const taken = new Set<Item>();
  const pair = (what: ItemChange['what'], same: (item: Item) => string | null): void => {
    const open = new Map<string, Item[]>();
    for (const item of added) {
      const key = taken.has(item) ? null : same(item);
      if (key !== null) open.set(key, [...(open.get(key) ?? []), item]);
    }
    for (const item of removed) {
      const key = taken.has(item) ? null : same(item);
      const after = key === null ? undefined : open.get(key)?.shift();
      if (after === undefined) continue;
      taken.add(item).add(after);
      changed.push({ before: item, after, what });
    }
  };
  const between = ({ kind, from, to }: Item): string => `${kind}\n${from}\n${to}`;
  pair('status', (item) => (item.kind === 'response' ? `${between(item)}\n${item.asked}` : null));
  pair('verb', (item) => {
    const [, , rest] = /^\[REQ\] (\S+) (.*)$/s.exec(item.label) ?? [];
    return rest === undefined ? null : `${between(item)}\n${rest}`;
  });
  pair('target', (item) => {
    const [, verb] = /^\[REQ\] (\S+) /.exec(item.label) ?? [];
    return verb === undefined || item.about.length === 0 ? null : `${between(item)}\n${verb}\n${item.about[0]}`;
  });
  return changed;
}
