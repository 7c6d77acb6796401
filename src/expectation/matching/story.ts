// Orders the candidates of an arrow by how they relate to the messages matched above: caused by them or about the
// same ownership trees first, messages before the first match last. The order does not change whether an expectation
// holds.

import type { ObservationIndex } from './observation-index.js';

export class Story {
  readonly #observation: ObservationIndex;
  /** Places in the order of matching, with the latest so far. */
  readonly #matched: { readonly place: number; readonly latest: number }[] = [];
  readonly #families = new Map<number, number>();
  readonly #exchanges = new Map<number, number>();
  readonly #seqs = new Map<number, number>();

  constructor(observation: ObservationIndex) {
    this.#observation = observation;
  }

  add(place: number): void {
    const before = this.#matched.at(-1)?.latest ?? -1;
    this.#matched.push({ place, latest: Math.max(before, place) });
    this.#count(place, 1);
  }

  /** Removes the place that was added last. */
  remove(): void {
    const last = this.#matched.pop();
    if (last !== undefined) this.#count(last.place, -1);
  }

  /** @returns the same candidates, those of the story first. */
  ordered(list: readonly number[], placeOf: (candidate: number) => number): readonly number[] {
    if (this.#matched.length === 0 || list.length < 2) return list;
    const byRank: number[][] = RANKS.map(() => []);
    for (const candidate of list) byRank[this.#rankOf(placeOf(candidate))].push(candidate);
    // Before the story, the latest message is the nearest.
    byRank[BEFORE].reverse();
    byRank[BEFORE_OTHERS].reverse();
    return byRank.flat();
  }

  #rankOf(place: number): number {
    const isOwn = this.#isOwn(place);
    if (place < this.#matched[0].place) return isOwn ? BEFORE : BEFORE_OTHERS;
    const isInTurn = place > (this.#matched.at(-1)?.latest ?? -1);
    if (isOwn) return isInTurn ? OWN_IN_TURN : OWN;
    return isInTurn ? OTHERS_IN_TURN : OTHERS;
  }

  #isOwn(place: number): boolean {
    const { exchange, causedBy } = this.#observation.messages[place];
    if (this.#exchanges.has(exchange) || (causedBy !== undefined && this.#seqs.has(causedBy))) return true;
    return this.#observation.familiesAt(place).some((family) => this.#families.has(family));
  }

  #count(place: number, by: 1 | -1): void {
    const { exchange, seq } = this.#observation.messages[place];
    add(this.#exchanges, exchange, by);
    add(this.#seqs, seq, by);
    for (const family of this.#observation.familiesAt(place)) add(this.#families, family, by);
  }
}

function add(counts: Map<number, number>, key: number, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

const RANKS = [0, 1, 2, 3, 4, 5] as const;
const [OWN_IN_TURN, OWN, OTHERS_IN_TURN, OTHERS, BEFORE, BEFORE_OTHERS] = RANKS;
