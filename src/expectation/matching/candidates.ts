// Which messages an arrow could be, by who speaks and what is said, before any order: found once for each different
// arrow. Knows participants and labels; time and exchanges are search.ts's.

import type { LabelPattern } from '../syntax/label.js';
import { SOFT } from '../syntax/markup.js';
import { type Binding, compilePattern } from '../syntax/pattern.js';
import type { ObservationIndex, Saying } from './observation-index.js';
import type { ExpectedArrow, Plan, PlannedParticipant } from './plan.js';

/** Messages that an arrow fits, in the order of their time. */
export interface Candidates {
  /** Numbers of names, in the order of a binding's values. */
  readonly names: readonly number[];
  /** Place of each in the observation; the same place once for each way to read its label. */
  readonly places: Int32Array;
  readonly bindings: readonly Binding[];
  readonly all: readonly number[];
  /** Those with a name's value. */
  having(name: number, value: string): readonly number[];
  /** Those at a place. */
  at(place: number): readonly number[];
}

/** Who a participant of the diagram stands for. */
export interface Cast {
  /** Their ids. */
  readonly sending: ReadonlySet<number>;
  /** Also those who only hear of things for it: the informers of a controller's process. */
  readonly told: ReadonlySet<number>;
}

export class CandidateFinder {
  readonly #observation: ObservationIndex;
  readonly #casts = new Map<string, Cast>();
  readonly #found = new Map<string, Candidates>();
  readonly names: string[] = [];

  constructor(observation: ObservationIndex) {
    this.#observation = observation;
  }

  castOf({ name }: PlannedParticipant): Cast {
    const known = this.#casts.get(name);
    if (known !== undefined) return known;
    const pattern = compilePattern(name.replaceAll(SOFT, ' '), []);
    const cast = this.#observation.meantBy((one) => pattern.fits(one));
    this.#casts.set(name, cast);
    return cast;
  }

  of(arrow: Pick<ExpectedArrow, 'from' | 'to' | 'label'>, plan: Plan): Candidates {
    const { label } = arrow;
    const from = plan.participants[arrow.from];
    const to = plan.participants[arrow.to];
    const key = `${from.name}\n${to.name}\n${label.marked}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const found = this.#find(this.castOf(from), this.castOf(to), label);
    this.#found.set(key, found);
    return found;
  }

  #find(from: Cast, to: Cast, label: LabelPattern): Candidates {
    const hits: { place: number; binding: Binding }[] = [];
    for (const saying of this.#observation.sayings) {
      if (!isBetween(saying, from, to)) continue;
      for (const binding of label.read(saying.said) ?? [])
        for (const place of saying.places) hits.push({ place, binding });
    }
    hits.sort((a, b) => a.place - b.place);
    return new CandidateList(
      label.names.map((name) => this.#nameNumber(name)),
      hits,
    );
  }

  #nameNumber(name: string): number {
    const known = this.names.indexOf(name);
    return known >= 0 ? known : this.names.push(name) - 1;
  }
}

export function isBetween(
  { kind, from, to }: Pick<Saying, 'kind' | 'from' | 'to'>,
  sender: Cast,
  receiver: Cast,
): boolean {
  return sender.sending.has(from.id) && (kind === 'event' ? receiver.told : receiver.sending).has(to.id);
}

class CandidateList implements Candidates {
  readonly names: readonly number[];
  readonly places: Int32Array;
  readonly bindings: readonly Binding[];
  readonly all: readonly number[];
  readonly #byPlace = new Map<number, number[]>();
  readonly #byValue: (Map<string, number[]> | undefined)[] = [];

  constructor(names: readonly number[], hits: readonly { readonly place: number; readonly binding: Binding }[]) {
    this.names = names;
    this.places = Int32Array.from(hits, ({ place }) => place);
    this.bindings = hits.map(({ binding }) => binding);
    this.all = hits.map((_, i) => i);
    for (const [i, { place }] of hits.entries()) {
      const same = this.#byPlace.get(place);
      if (same === undefined) this.#byPlace.set(place, [i]);
      else same.push(i);
    }
  }

  having(name: number, value: string): readonly number[] {
    const at = this.names.indexOf(name);
    let byValue = this.#byValue[at];
    if (byValue === undefined) {
      byValue = new Map();
      for (const i of this.all) {
        const own = this.bindings[i][at] ?? '';
        const same = byValue.get(own);
        if (same === undefined) byValue.set(own, [i]);
        else same.push(i);
      }
      this.#byValue[at] = byValue;
    }
    return byValue.get(value) ?? [];
  }

  at(place: number): readonly number[] {
    return this.#byPlace.get(place) ?? [];
  }
}
