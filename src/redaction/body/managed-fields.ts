// FieldsV1 of managed fields: which fields a program wrote, as names, with keys and values of list items among them.

import type { ShownValue } from '../shown.js';

/**
 * `f:name` is the name of a field and stays; `k:{"containerPort":80}` and `v:"example.com/finalizer"` hold values
 * (sigs.k8s.io/structured-merge-diff, fieldpath/serialize-pe.go). Equal ones are numbered, so that none is lost.
 */
export function shownManagedFields(fields: Readonly<Record<string, unknown>>, depth: number): ShownValue {
  const counts = new Map<string, number>();
  const entries = Object.entries(fields).map(([name, inner]): [string, ShownValue] => {
    const isDeeper = typeof inner === 'object' && inner !== null && !Array.isArray(inner) && depth < DEPTH_LIMIT;
    return [
      nameOf(name, counts),
      isDeeper ? shownManagedFields(inner as Readonly<Record<string, unknown>>, depth + 1) : {},
    ];
  });
  return Object.fromEntries(entries);
}

function nameOf(name: string, counts: Map<string, number>): string {
  if (name === '.' || name.startsWith('f:')) return name;
  const kind = name.startsWith('k:') ? 'k:{…}' : name.startsWith('v:') ? 'v:…' : name.startsWith('i:') ? 'i:…' : '…';
  const count = (counts.get(kind) ?? 0) + 1;
  counts.set(kind, count);
  return count === 1 ? kind : `${kind} ${count}`;
}

const DEPTH_LIMIT = 100;
