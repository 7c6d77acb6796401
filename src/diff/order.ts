// The order that counts, and pairs that stand in another one. Knows what contract.md says of partial orders; not how items
// were paired.

import type { Item } from './item.js';

/**
 * Order that counts, as contract.md has it: inside an exchange; what a participant received before what it then sent about
 * the same objects; writes to one object. Each item is held against the last one that binds it, on either side.
 *
 * @returns the pairs that were taken apart, by their places.
 */
export function separateReordered(
  before: readonly Item[],
  after: readonly Item[],
  partners: number[],
): Map<number, number> {
  const moved = new Map<number, number>();
  const back = new Map<number, number>();
  for (const [a, b] of partners.entries()) if (b >= 0) back.set(b, a);
  const boundBefore = bindings(before);
  const boundAfter = bindings(after);
  for (const [a, b] of partners.entries()) {
    if (b < 0) continue;
    // What came before it here comes behind it there, and it made it happen here, or there too the order counts.
    const isReordered = boundBefore[a].some((earlier) => {
      const there = partners[earlier];
      const isCause = before[a].causedBy !== undefined && before[a].causedBy === before[earlier].seq;
      return there > b && (isCause || boundAfter[there].includes(b));
    });
    if (!isReordered) continue;
    moved.set(a, b);
    back.delete(b);
    partners[a] = -1;
  }
  return moved;
}

/** For each item the places of what has to come before it: a bounded number of the nearest. */
function bindings(items: readonly Item[]): number[][] {
  const lastOfExchange = new Map<number, number>();
  const lastWrite = new Map<string, number>();
  const received = new Map<string, number[]>();
  return items.map((item, place) => {
    const bound: number[] = [];
    const inExchange = lastOfExchange.get(item.exchange);
    if (inExchange !== undefined) bound.push(inExchange);
    lastOfExchange.set(item.exchange, place);
    for (const about of item.about) {
      if (item.writes) {
        const write = lastWrite.get(about);
        if (write !== undefined) bound.push(write);
        lastWrite.set(about, place);
      }
      if (item.kind === 'request') bound.push(...(received.get(`${item.from}\n${about}`) ?? []));
      const inbox = `${item.to}\n${about}`;
      const inboxes = received.get(inbox);
      if (inboxes === undefined) received.set(inbox, [place]);
      else {
        inboxes.push(place);
        if (inboxes.length > NEAREST) inboxes.shift();
      }
    }
    return bound;
  });
}

/** Receipts about one object that may have made a participant act: what it heard before that is told by those. */
const NEAREST = 8;
