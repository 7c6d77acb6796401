// Finds the next message between the participants of a `critical` block, where no other message may come between.

import { type CandidateFinder, isBetween } from './candidates.js';
import type { ObservationIndex } from './observation-index.js';
import type { Critical, Plan } from './plan.js';

export class CriticalWindows {
  readonly #observation: ObservationIndex;
  readonly #finder: CandidateFinder;
  readonly #places = new Map<string, readonly number[]>();

  constructor(observation: ObservationIndex, finder: CandidateFinder) {
    this.#observation = observation;
    this.#finder = finder;
  }

  /** Place of the next message between the block's participants; -1: none. */
  nextAfter(place: number, critical: Critical, plan: Plan): number {
    const places = this.#placesOf(critical, plan);
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (places[middle] <= place) low = middle + 1;
      else high = middle;
    }
    return places[low] ?? -1;
  }

  #placesOf({ participants }: Critical, plan: Plan): readonly number[] {
    const key = [...participants].map((one) => plan.participants[one].name).join('\n');
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const ids = [...participants].map((one) => this.#finder.idsOf(plan.participants[one]));
    const places = this.#observation.messageGroups
      .filter((group) => ids.some((from) => ids.some((to) => from !== to && isBetween(group, from, to))))
      .flatMap((group) => group.places)
      .sort((a, b) => a - b);
    this.#places.set(key, places);
    return places;
  }
}
