// Determines which objects a message is about, by path, uid and owner references, and which objects own each other.

import { addToSet, appendTo } from '../../core/collections/multimap.js';
import type { MessageIndex } from '../../diagram/message-index.js';
import { objectKey } from '../../kubernetes/api/object-ref.js';
import { requestOf } from '../../kubernetes/emitted/message-links.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { tellsKind } from '../../kubernetes/objects/object-info.js';

export interface RootObject {
  /** `deployments` */
  readonly resource: string;
  readonly name: string;
}

export class Relations {
  readonly #objects = new Map<string, number>();
  /** In the order of their numbers, which begin with 1. */
  readonly #named: RootObject[] = [];
  /** uid → number of the object. */
  readonly #byUid = new Map<string, number>();
  /** Kind → resource, from requests and their objects. */
  readonly #resources = new Map<string, string>();
  readonly #owners = new Map<number, Set<number>>();
  readonly #owned = new Map<number, Set<number>>();
  /** Distinct sets of objects; 0 is the empty one. */
  readonly #sets: number[][] = [[]];
  readonly #setNumbers = new Map<string, number>([['', 0]]);
  readonly #subjects: Int32Array;
  readonly #setsWith = new Map<number, Set<number>>();
  readonly #related = new Map<number, readonly number[]>();
  /** Object → first object of its ownership tree; computed on first use. */
  #families: Int32Array | null = null;
  readonly #familiesOf: (readonly number[] | undefined)[] = [];
  #roots: Map<number, RootObject[]> | null = null;

  constructor(index: MessageIndex) {
    for (const message of index.messages) this.#recordResource(message);
    for (const message of index.messages) this.#recordNames(message);
    this.#subjects = Int32Array.from(index.messages, (message) => this.#setOf(this.#subjectsOf(message, index)));
  }

  /** Number of the set of objects that the message at a place is about; 0: none. */
  subjectAt(place: number): number {
    return this.#subjects[place];
  }

  isSame(a: number, b: number): boolean {
    if (a === 0 || b === 0) return false;
    return a === b || this.#sets[a].some((one) => this.#sets[b].includes(one));
  }

  /** All sets with an object of this set, one of their owners, or an object that they own. */
  relatedTo(subject: number): readonly number[] {
    if (subject === 0) return [];
    const known = this.#related.get(subject);
    if (known !== undefined) return known;
    const found = new Set<number>();
    for (const one of this.#sets[subject]) {
      for (const near of [one, ...(this.#owners.get(one) ?? []), ...(this.#owned.get(one) ?? [])])
        for (const set of this.#setsWith.get(near) ?? []) found.add(set);
    }
    const related = [...found];
    this.#related.set(subject, related);
    return related;
  }

  /** Ownership trees of the objects of a set. */
  familiesOf(subject: number): readonly number[] {
    const known = this.#familiesOf[subject];
    if (known !== undefined) return known;
    this.#families ??= this.#joined();
    const all = this.#families;
    const families = [...new Set(this.#sets[subject].map((one) => all[one]))];
    this.#familiesOf[subject] = families;
    return families;
  }

  /** Does something own one of the objects of a set? */
  isOwned(subject: number): boolean {
    return this.#sets[subject].some((one) => this.#owners.has(one));
  }

  /** The objects of an ownership tree that nothing owns. */
  rootsOf(family: number): readonly RootObject[] {
    if (this.#roots === null) {
      this.#roots = new Map();
      this.#families ??= this.#joined();
      for (const [number, object] of this.#named.entries())
        if (!this.#owners.has(number + 1)) appendTo(this.#roots, this.#families[number + 1], object);
    }
    return this.#roots.get(family) ?? [];
  }

  #joined(): Int32Array {
    const families = new Int32Array(this.#objects.size + 1);
    for (let first = 1; first < families.length; first++) {
      if (families[first] !== 0) continue;
      families[first] = first;
      const left = [first];
      for (let one = left.pop(); one !== undefined; one = left.pop()) {
        for (const near of [...(this.#owners.get(one) ?? []), ...(this.#owned.get(one) ?? [])]) {
          if (families[near] !== 0) continue;
          families[near] = first;
          left.push(near);
        }
      }
    }
    return families;
  }

  #recordResource(message: Message): void {
    const { object } = message;
    const request = requestOf(message);
    const resource = message.resource ?? request?.resource;
    if (object == null || resource === undefined || isWrapping(object.kind)) return;
    if ((request?.subresource ?? '') === '') this.#resources.set(object.kind, resource);
  }

  #recordNames(message: Message): void {
    const { object } = message;
    if (object?.uid == null || object.name == null || isWrapping(object.kind)) return;
    if ((requestOf(message)?.subresource ?? '') === 'token') return;
    const number = this.#numberOf(this.#resourceOfKind(object.kind), object.namespace, object.name);
    this.#byUid.set(object.uid, number);
    for (const owner of object.owners ?? []) {
      const owning =
        this.#byUid.get(owner.uid) ?? this.#numberOf(this.#resourceOfKind(owner.kind), object.namespace, owner.name);
      addToSet(this.#owners, number, owning);
      addToSet(this.#owned, owning, number);
    }
  }

  #subjectsOf(message: Message, index: MessageIndex): number[] {
    const exchange = index.exchangeOf(message);
    const subject: number[] = [];
    const add = (number: number | undefined): void => {
      if (number !== undefined && !subject.includes(number)) subject.push(number);
    };
    if (message.kind === 'event') {
      add(this.#objectOf(message, exchange.request?.resource));
      return subject;
    }
    const named = exchange.request ?? message;
    const { resource, namespace } = named;
    const name =
      named.name ?? (exchange.response?.object?.kind === 'Status' ? undefined : exchange.response?.object?.name);
    if (resource !== undefined && name != null && name !== '') add(this.#numberOf(resource, namespace, name));
    if ((named.subresource ?? '') === '') {
      add(this.#objectOf(named, resource));
      if (exchange.response !== undefined) add(this.#objectOf(exchange.response, resource));
    }
    return subject;
  }

  /** @param requested resource of the exchange: a partial object does not name its own. */
  #objectOf(
    { object, resource = undefined, namespace, name }: Message,
    requested: string | undefined,
  ): number | undefined {
    if (object?.name == null || object.name === '' || object.kind === 'Status') {
      return resource === undefined || name === undefined ? undefined : this.#numberOf(resource, namespace, name);
    }
    const known = object.uid == null ? undefined : this.#byUid.get(object.uid);
    if (known !== undefined) return known;
    if (!isWrapping(object.kind)) {
      return this.#numberOf(this.#resourceOfKind(object.kind), object.namespace ?? namespace, object.name);
    }
    const wrapped = resource ?? requested;
    return wrapped === undefined ? undefined : this.#numberOf(wrapped, object.namespace ?? namespace, object.name);
  }

  #numberOf(resource: string, namespace: string | null | undefined, name: string): number {
    const key = objectKey(resource, undefined, namespace, name);
    const known = this.#objects.get(key);
    if (known !== undefined) return known;
    const number = this.#named.push({ resource, name });
    this.#objects.set(key, number);
    return number;
  }

  #setOf(objects: readonly number[]): number {
    const sorted = [...objects].sort((a, b) => a - b);
    const key = sorted.join(' ');
    const known = this.#setNumbers.get(key);
    if (known !== undefined) return known;
    this.#setNumbers.set(key, this.#sets.length);
    for (const one of sorted) addToSet(this.#setsWith, one, this.#sets.length);
    return this.#sets.push(sorted) - 1;
  }

  /** A kind without a captured resource gets the plural of its own name. */
  #resourceOfKind(kind: string): string {
    return this.#resources.get(kind) ?? `${kind.toLowerCase()}s`;
  }
}

/** Is the body another kind than the object that the path names? */
function isWrapping(kind: string): boolean {
  return !tellsKind(kind) || WRAPPING.test(kind);
}

const WRAPPING = /^(?:Binding|Eviction|TokenRequest|Scale|.*List)$/;
