// Finds the messages that an arrow could be, by participants and label, once for each different arrow.

import { appendTo } from '../../core/collections/multimap.js';
import type { LabelPattern } from '../syntax/label.js';
import { SOFT } from '../syntax/markup.js';
import { type Binding, compilePattern } from '../syntax/pattern.js';
import type { MessageGroup, ObservationIndex } from './observation-index.js';
import type { ExpectedArrow, Plan, PlannedParticipant } from './plan.js';

/** Messages that an arrow fits, in the order of time. */
export interface Candidates {
  /** Numbers of names, in the order of a binding's values. */
  readonly names: readonly number[];
  /** Place of each in the observation; a place occurs once for each way to read its label. */
  readonly places: Int32Array;
  readonly bindings: readonly Binding[];
  readonly all: readonly number[];
  /** Candidates in which a name has this value. */
  having(name: number, value: string): readonly number[];
  at(place: number): readonly number[];
}

/** Ids of the captured participants that a participant of the diagram stands for. */
export interface ParticipantIds {
  readonly sending: ReadonlySet<number>;
  /** Also participants that receive events for it: the informers of a controller's process. */
  readonly receiving: ReadonlySet<number>;
}

export class CandidateFinder {
  readonly #observation: ObservationIndex;
  readonly #ids = new Map<string, ParticipantIds>();
  readonly #found = new Map<string, Candidates>();
  readonly names: string[] = [];

  constructor(observation: ObservationIndex) {
    this.#observation = observation;
  }

  idsOf({ name }: PlannedParticipant): ParticipantIds {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const pattern = compilePattern(name.replaceAll(SOFT, ' '), []);
    const ids = this.#observation.participantsNamed((one) => pattern.fits(one));
    this.#ids.set(name, ids);
    return ids;
  }

  of(arrow: Pick<ExpectedArrow, 'from' | 'to' | 'label'>, plan: Plan): Candidates {
    const { label } = arrow;
    const from = plan.participants[arrow.from];
    const to = plan.participants[arrow.to];
    const key = `${from.name}\n${to.name}\n${label.tag}\n${label.marked}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const found = this.#find(this.idsOf(from), this.idsOf(to), label);
    this.#found.set(key, found);
    return found;
  }

  #find(from: ParticipantIds, to: ParticipantIds, label: LabelPattern): Candidates {
    const hits: { place: number; binding: Binding }[] = [];
    for (const group of this.#observation.messageGroups) {
      if (!isBetween(group, from, to)) continue;
      for (const binding of label.read(group.label) ?? [])
        for (const place of group.places) hits.push({ place, binding });
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
  { kind, from, to }: Pick<MessageGroup, 'kind' | 'from' | 'to'>,
  sender: ParticipantIds,
  receiver: ParticipantIds,
): boolean {
  return sender.sending.has(from.id) && (kind === 'event' ? receiver.receiving : receiver.sending).has(to.id);
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
      appendTo(this.#byPlace, place, i);
    }
  }

  having(name: number, value: string): readonly number[] {
    const at = this.names.indexOf(name);
    let byValue = this.#byValue[at];
    if (byValue === undefined) {
      byValue = new Map();
      for (const i of this.all) {
        const own = this.bindings[i][at] ?? '';
        appendTo(byValue, own, i);
      }
      this.#byValue[at] = byValue;
    }
    return byValue.get(value) ?? [];
  }

  at(place: number): readonly number[] {
    return this.#byPlace.get(place) ?? [];
  }
}
