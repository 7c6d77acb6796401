// Which object a create made, and whether an event is about it: by the uid in the answer, else by the event that the create
// caused. An ADDED event that stands below a create, and whose name nothing above has bound, is about what that create made and
// not about another object of its kind. What the capture does not tell of rules out nothing.

import type { Message } from '../../kubernetes/messages/message.js';
import type { LabelPattern, ParsedLabel } from '../syntax/label.js';
import type { ObservationIndex } from './observation-index.js';

interface Made {
  readonly uid: string;
  /** What an event about it says. */
  readonly event: ParsedLabel;
}

export class Creations {
  readonly #observation: ObservationIndex;
  readonly #made = new Map<number, Made | null>();
  readonly #fits = new Map<string, boolean>();
  /** By `seq` of what caused it, the first event. */
  #effects: Map<number, Message> | null = null;

  constructor(observation: ObservationIndex) {
    this.#observation = observation;
  }

  isCreate(place: number): boolean {
    const { kind, verb, subresource = '', dryRun } = this.#observation.messages[place];
    return kind === 'request' && verb === 'create' && subresource === '' && dryRun !== true;
  }

  /** Does it tell of an object that is new to its receiver? Of what was there before, others tell. */
  isOfNew(place: number): boolean {
    const { kind, type } = this.#observation.messages[place];
    return kind === 'event' && type === 'ADDED';
  }

  /** Could an event with this label be about what the create at a place made? */
  mayTellOf(label: LabelPattern, place: number): boolean {
    const key = `${place} ${label.marked}`;
    const known = this.#fits.get(key);
    if (known !== undefined) return known;
    const made = this.isCreate(place) ? this.#madeAt(place) : null;
    const fits = made !== null && label.read(made.event) !== null;
    this.#fits.set(key, fits);
    return fits;
  }

  /** Is the message at a place an event about what that create made? */
  tellsOf(event: number, create: number): boolean {
    const { kind, object, causedBy } = this.#observation.messages[event];
    if (kind !== 'event') return false;
    if (object?.uid == null) return causedBy === this.#observation.messages[create].seq;
    return object.uid === this.#madeAt(create)?.uid;
  }

  /** null: nothing, or nobody knows what. */
  #madeAt(place: number): Made | null {
    const known = this.#made.get(place);
    if (known !== undefined) return known;
    const made = this.#isRefused(place) ? null : madeOf(this.#answer(place) ?? this.#effectOf(place));
    this.#made.set(place, made);
    return made;
  }

  #isRefused(place: number): boolean {
    const response = this.#observation.responseTo(place);
    return response >= 0 && (this.#observation.messages[response].status ?? 200) >= 300;
  }

  #answer(place: number): Message | undefined {
    const response = this.#observation.responseTo(place);
    const message = response < 0 ? undefined : this.#observation.messages[response];
    return message?.object?.uid == null ? undefined : message;
  }

  #effectOf(place: number): Message | undefined {
    if (this.#effects === null) {
      this.#effects = new Map();
      for (const message of this.#observation.messages) {
        const { kind, causedBy } = message;
        if (kind === 'event' && causedBy !== undefined && !this.#effects.has(causedBy))
          this.#effects.set(causedBy, message);
      }
    }
    return this.#effects.get(this.#observation.messages[place].seq);
  }
}

function madeOf(message: Message | undefined): Made | null {
  const { uid, kind, namespace, name } = message?.object ?? {};
  if (uid == null || kind === undefined || name == null) return null;
  // As labels have it: NAMESPACE/NAME outside `default`.
  const shown = namespace == null || namespace === '' || namespace === 'default' ? name : `${namespace}/${name}`;
  return { uid, event: { label: `[RESP-CHUNK] ${kind} ADDED - ${shown}`, tag: 'RESP-CHUNK', request: null } };
}
