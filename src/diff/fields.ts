// Compares what two writes of one label send, field by field.

import { counted } from '../core/quantity.js';
import { changesBetween } from '../object-history/changes.js';
import type { Item } from './item.js';

/** @returns both items with the fields in which their bodies differ in their labels; null: they send the same, or it is not known. */
export function withChangedFields(before: Item, after: Item): readonly [Item, Item] | null {
  const [a, b] = [before.body?.(), after.body?.()];
  if (a === undefined || b === undefined) return null;
  const changes = changesBetween(a, b).filter(({ path }) => !COUNTED.test(path));
  if (changes.length === 0) return null;
  const labelOf = (label: string, side: 'before' | 'after'): string => {
    const shown = changes.slice(0, MAX_FIELDS).map((change) => `${change.path} ${valueText(change[side])}`);
    const more = changes.length - shown.length;
    return `${label}, ${shown.join(', ')}${more === 0 ? '' : `, ${counted(more, 'more field')}`}`;
  };
  return [
    { ...before, label: labelOf(before.label, 'before') },
    { ...after, label: labelOf(after.label, 'after') },
  ];
}

function valueText(value: unknown): string {
  const text = value === undefined ? 'absent' : typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

/** The API server counts them, or a client waits no longer. */
const COUNTED = /(?:^\??|\.)(?:generation|resourceVersion|timeout)$/;
/** Limit: fields that a label names. */
const MAX_FIELDS = 4;
/** Limit: characters of a value in a label. */
const MAX_VALUE = 60;
