// Determines which object a create request created, by the uid in its response or in the event that it caused, and
// whether an event is about that object.

import { labelName } from '../../kubernetes/api/object-ref.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { type LabelPattern, type ParsedLabel, withDefault } from '../syntax/label.js';

interface CreatedObject {
  readonly uid: string;
  /** Label of an event about it. */
  readonly event: ParsedLabel;
}

export class Creations {
  readonly #messages: readonly Message[];
  readonly #responseTo: (place: number) => number;
  readonly #created = new Map<number, CreatedObject | null>();
  readonly #fits = new Map<string, boolean>();
  /** `seq` of a cause → the first event that it caused. */
  #effects: Map<number, Message> | null = null;

  /** @param responseTo place of a request's response; -1: none was captured. */
  constructor(messages: readonly Message[], responseTo: (place: number) => number) {
    this.#messages = messages;
    this.#responseTo = responseTo;
  }

  isCreate(place: number): boolean {
    const { kind, verb, subresource = '', dryRun } = this.#messages[place];
    return kind === 'request' && verb === 'create' && subresource === '' && dryRun !== true;
  }

  isAddedEvent(place: number): boolean {
    const { kind, type } = this.#messages[place];
    return kind === 'event' && type === 'ADDED';
  }

  /** Could an event with this label be about the object that the create at a place created? */
  couldBeAbout(label: LabelPattern, place: number): boolean {
    const key = `${place} ${label.marked}`;
    const known = this.#fits.get(key);
    if (known !== undefined) return known;
    const created = this.isCreate(place) ? this.#createdAt(place) : null;
    const fits = created !== null && label.read(created.event) !== null;
    this.#fits.set(key, fits);
    return fits;
  }

  /** Is the message at a place an event about the object that this create created? */
  isAbout(event: number, create: number): boolean {
    const { kind, object, causedBy } = this.#messages[event];
    if (kind !== 'event') return false;
    if (object?.uid == null) return causedBy === this.#messages[create].seq;
    return object.uid === this.#createdAt(create)?.uid;
  }

  /** null: nothing was created, or the capture does not show what. */
  #createdAt(place: number): CreatedObject | null {
    const known = this.#created.get(place);
    if (known !== undefined) return known;
    const created = this.#isRefused(place) ? null : createdIn(this.#answer(place) ?? this.#effectOf(place));
    this.#created.set(place, created);
    return created;
  }

  #isRefused(place: number): boolean {
    const response = this.#responseTo(place);
    return response >= 0 && (this.#messages[response].status ?? 200) >= 300;
  }

  #answer(place: number): Message | undefined {
    const response = this.#responseTo(place);
    const message = response < 0 ? undefined : this.#messages[response];
    return message?.object?.uid == null ? undefined : message;
  }

  #effectOf(place: number): Message | undefined {
    if (this.#effects === null) {
      this.#effects = new Map();
      for (const message of this.#messages) {
        const { kind, causedBy } = message;
        if (kind === 'event' && causedBy !== undefined && !this.#effects.has(causedBy))
          this.#effects.set(causedBy, message);
      }
    }
    return this.#effects.get(this.#messages[place].seq);
  }
}

function createdIn(message: Message | undefined): CreatedObject | null {
  const { uid, kind, namespace, name } = message?.object ?? {};
  if (uid == null || kind === undefined || name == null) return null;
  const label = `[RESP-CHUNK] ${kind} ADDED - ${labelName(namespace, name)}`;
  const qualified = namespace === 'default' ? withDefault(label) : null;
  return { uid, event: { label, qualified, tag: 'RESP-CHUNK', request: null } };
}
