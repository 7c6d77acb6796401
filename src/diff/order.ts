// Separates paired messages whose order differs between two captures where order has a meaning.

import type { Item } from './item.js';

/**
 * Order has a meaning within an exchange, between what a participant received and then sent about the same objects, and between writes
 * to one object. What triggered a request counts where the capture proves it.
 *
 * @param partners index in `before` → index in `after`, -1: none. Separated pairs become -1.
 * @returns index in `before` → index in `after` of the separated pairs, and in `before` of what must precede them.
 */
export function separateReordered(
  before: readonly Item[],
  after: readonly Item[],
  partners: number[],
): Map<number, { readonly there: number; readonly earlier: number }> {
  const moved = new Map<number, { readonly there: number; readonly earlier: number }>();
  const boundBefore = bindings(before);
  const boundAfter = bindings(after);
  for (const [a, b] of partners.entries()) {
    if (b < 0) continue;
    // An item that must precede this one comes after it in the other capture, where it is the cause or must precede it as well.
    const earlier = boundBefore[a].find((earlier) => {
      const there = partners[earlier];
      const isCause = before[a].follows !== undefined && before[a].follows === before[earlier].seq;
      return there > b && (isCause || boundAfter[there].includes(b));
    });
    if (earlier === undefined) continue;
    moved.set(a, { there: b, earlier });
    partners[a] = -1;
  }
  return moved;
}

/** Item → indices of items that must precede it, at most NEAREST for each object. */
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

/** Received messages about one object that may have triggered a request; earlier ones are implied. */
const NEAREST = 8;
