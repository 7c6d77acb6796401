// Which object a message is about, and which objects belong together: by the name in the path, by uid, by owner
// references. Knows identities; nothing of order.

import type { MessageIndex } from '../../diagram/message-index.js';
import type { Message } from '../../kubernetes/messages/message.js';

export class Relations {
  readonly #objects = new Map<string, number>();
  /** An object's number by its uid, where something named it. */
  readonly #byUid = new Map<string, number>();
  /** Resource of a kind, as requests and their objects showed it. */
  readonly #resources = new Map<string, string>();
  readonly #owners = new Map<number, Set<number>>();
  readonly #owned = new Map<number, Set<number>>();
  /** Sets of objects, each once; 0 is the empty one. */
  readonly #sets: number[][] = [[]];
  readonly #setNumbers = new Map<string, number>([['', 0]]);
  readonly #abouts: Int32Array;
  readonly #setsWith = new Map<number, Set<number>>();
  readonly #related = new Map<number, readonly number[]>();
  /** Of each object, one for all that own each other; made when it is asked for. */
  #families: Int32Array | null = null;
  readonly #familiesOf: (readonly number[] | undefined)[] = [];

  constructor(seen: MessageIndex) {
    for (const message of seen.messages) this.#learnResource(message, seen);
    for (const message of seen.messages) this.#learnNames(message, seen);
    this.#abouts = Int32Array.from(seen.messages, (message) => this.#setOf(this.#aboutOf(message, seen)));
  }

  /** Number of the set of objects that the message at a place is about; 0: about none. */
  aboutAt(place: number): number {
    return this.#abouts[place];
  }

  isSame(a: number, b: number): boolean {
    if (a === 0 || b === 0) return false;
    return a === b || this.#sets[a].some((one) => this.#sets[b].includes(one));
  }

  /** All sets with an object of this set, or with one that owns or is owned by one of them; this set among them. */
  relatedTo(about: number): readonly number[] {
    if (about === 0) return [];
    const known = this.#related.get(about);
    if (known !== undefined) return known;
    const found = new Set<number>();
    for (const one of this.#sets[about]) {
      for (const near of [one, ...(this.#owners.get(one) ?? []), ...(this.#owned.get(one) ?? [])])
        for (const set of this.#setsWith.get(near) ?? []) found.add(set);
    }
    const related = [...found];
    this.#related.set(about, related);
    return related;
  }

  /** Families of the objects of a set: an object, its owners, what they own, and so on. */
  familiesOf(about: number): readonly number[] {
    const known = this.#familiesOf[about];
    if (known !== undefined) return known;
    this.#families ??= this.#joined();
    const all = this.#families;
    const families = [...new Set(this.#sets[about].map((one) => all[one]))];
    this.#familiesOf[about] = families;
    return families;
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

  #learnResource(message: Message, seen: MessageIndex): void {
    const { object } = message;
    const request = seen.requestOf(message);
    const resource = message.resource ?? request?.resource;
    if (object == null || resource === undefined || isWrapping(object.kind)) return;
    if ((request?.subresource ?? '') === '') this.#resources.set(object.kind, resource);
  }

  #learnNames(message: Message, seen: MessageIndex): void {
    const { object } = message;
    if (object?.uid == null || object.name == null || isWrapping(object.kind)) return;
    if ((seen.requestOf(message)?.subresource ?? '') === 'token') return;
    const number = this.#numberOf(this.#resourceOfKind(object.kind), object.namespace, object.name);
    this.#byUid.set(object.uid, number);
    for (const owner of object.owners ?? []) {
      const owning =
        this.#byUid.get(owner.uid) ?? this.#numberOf(this.#resourceOfKind(owner.kind), object.namespace, owner.name);
      addTo(this.#owners, number, owning);
      addTo(this.#owned, owning, number);
    }
  }

  #aboutOf(message: Message, seen: MessageIndex): number[] {
    const talk = seen.exchangeOf(message);
    const about: number[] = [];
    const add = (number: number | undefined): void => {
      if (number !== undefined && !about.includes(number)) about.push(number);
    };
    if (message.kind === 'event') {
      add(this.#objectOf(message, talk.request?.resource));
      return about;
    }
    const named = talk.request ?? message;
    const { resource, namespace } = named;
    const name = named.name ?? (talk.response?.object?.kind === 'Status' ? undefined : talk.response?.object?.name);
    if (resource !== undefined && name != null && name !== '') add(this.#numberOf(resource, namespace, name));
    if ((named.subresource ?? '') === '') {
      add(this.#objectOf(named, resource));
      if (talk.response !== undefined) add(this.#objectOf(talk.response, resource));
    }
    return about;
  }

  /** @param asked resource that the exchange is about: a partial object does not tell its own. */
  #objectOf({ object, resource = undefined, namespace, name }: Message, asked: string | undefined): number | undefined {
    if (object?.name == null || object.name === '' || object.kind === 'Status') {
      return resource === undefined || name === undefined ? undefined : this.#numberOf(resource, namespace, name);
    }
    const known = object.uid == null ? undefined : this.#byUid.get(object.uid);
    if (known !== undefined) return known;
    if (!isWrapping(object.kind)) {
      return this.#numberOf(this.#resourceOfKind(object.kind), object.namespace ?? namespace, object.name);
    }
    const wrapped = resource ?? asked;
    return wrapped === undefined ? undefined : this.#numberOf(wrapped, object.namespace ?? namespace, object.name);
  }

  #numberOf(resource: string, namespace: string | null | undefined, name: string): number {
    const key = `${resource} ${resource === 'namespaces' ? '' : (namespace ?? '')} ${name}`;
    const known = this.#objects.get(key);
    if (known !== undefined) return known;
    const number = this.#objects.size + 1;
    this.#objects.set(key, number);
    return number;
  }

  #setOf(objects: readonly number[]): number {
    const sorted = [...objects].sort((a, b) => a - b);
    const key = sorted.join(' ');
    const known = this.#setNumbers.get(key);
    if (known !== undefined) return known;
    this.#setNumbers.set(key, this.#sets.length);
    for (const one of sorted) addTo(this.#setsWith, one, this.#sets.length);
    return this.#sets.push(sorted) - 1;
  }

  /** A kind whose resource was never named is told from others by its kind. */
  #resourceOfKind(kind: string): string {
    return this.#resources.get(kind) ?? `${kind.toLowerCase()}s`;
  }
}

function addTo(sets: Map<number, Set<number>>, key: number, value: number): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}

/** Bodies that are not the object that a path names. */
function isWrapping(kind: string): boolean {
  return WRAPPING.test(kind);
}

const WRAPPING = /^(?:Status|Table|PartialObjectMetadata(?:List)?|Binding|Eviction|TokenRequest|Scale|.*List)$/;
