// Names the nodes and replicas of two sides alike, where one of them does not know or does not have those of the other.

import type { DiffSide, Item } from './item.js';

/** @returns both sides; a participant that the other side lacks is named by its component, if the other side has one of that. */
export function alignInstances(a: DiffSide, b: DiffSide): [DiffSide, DiffSide] {
  return [aligned(a, b), aligned(b, a)];
}

function aligned(side: DiffSide, other: DiffSide): DiffSide {
  const roles = rolesOf(side);
  const others = rolesOf(other);
  const known = new Set(others.values());
  const nameOf = (name: string): string => {
    const role = roles.get(name);
    return role === undefined || others.has(name) || !known.has(role) ? name : role;
  };
  const renamed = (item: Item): Item => ({ ...item, from: nameOf(item.from), to: nameOf(item.to) });
  return {
    ...side,
    items: side.items.map(renamed),
    notDrawn: side.notDrawn.map(renamed),
    participants: [...new Set(side.participants.map(nameOf))],
  };
}

/** Name → name without the node or replica. */
function rolesOf({ items, notDrawn }: DiffSide): Map<string, string> {
  const roles = new Map<string, string>();
  for (const { from, to, roles: [sender, receiver] = [from, to] } of [...items, ...notDrawn])
    roles.set(from, sender).set(to, receiver);
  return roles;
}
