// Which arrows of an expectation happened in another order than they are drawn, although it holds: what races, a diagram has
// to draw in some order. Takes what was matched, in the order of the diagram; says pairs of arrows, request and answer as one.

import type { ArrowPair } from './matching/partial-match.js';
import type { ExpectedArrow, Plan } from './matching/plan.js';

/** The one drawn below happened first. */
export interface Reordered {
  readonly above: ExpectedArrow;
  readonly below: ExpectedArrow;
}

/**
 * @param pairs what each arrow was matched with.
 * @param exchanges of each place, as Facts has it.
 * @returns of every arrow, and of all of its exchange, the first above that happened later; branches of `par` have no order.
 */
export function reordered(pairs: readonly ArrowPair[], plan: Plan, exchanges: Int32Array): Reordered[] {
  const found: Reordered[] = [];
  const said = new Set<string>();
  const asked = new Map<number, number>();
  /** By arrow: its place among them, or that of its request. */
  const heads = pairs.map(({ arrow, place }, i) => {
    const { tag } = arrow.label;
    if (tag === 'REQ' || tag === 'RPC') asked.set(exchanges[place], i);
    return tag === 'RESP' || tag === 'RPC-RESP' ? (asked.get(exchanges[place]) ?? i) : i;
  });
  let latest = -1;
  for (const [i, { arrow, place }] of pairs.entries()) {
    if (place > latest) {
      latest = place;
      continue;
    }
    for (let above = 0; above < i; above++) {
      if (pairs[above].place < place || plan.areApart(pairs[above].arrow.branch, arrow.branch)) continue;
      const key = `${heads[above]} ${heads[i]}`;
      if (!said.has(key)) found.push({ above: pairs[above].arrow, below: arrow });
      said.add(key);
      break;
    }
  }
  return found;
}
