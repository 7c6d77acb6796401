// Remembers which objects a capture names, to offer the nearest where a followed one is not among them.

import { BoundedSet } from '../../core/collections/bounded.js';
import { type FollowedName, resourceOfKind } from '../../kubernetes/api/kinds.js';
import type { Message } from '../../kubernetes/messages/message.js';

export class NearestNames {
  readonly #wanted: FollowedName;
  /** `nginx` for objects of the same resource. */
  readonly #names = new BoundedSet<string>(MAX_NAMES);
  /** Other resources with an object of that very name. */
  readonly #resources = new BoundedSet<string>(MAX_NAMES);

  constructor(wanted: FollowedName) {
    this.#wanted = wanted;
  }

  observe({ kind, resource, name, object }: Message): void {
    if (kind === 'request' && resource !== undefined && name !== undefined) this.#add(resource, name);
    // What a request carries may be no object of its own: a Binding, an Eviction.
    if (kind !== 'request' && object?.name != null) this.#add(resourceOfKind(object.kind), object.name);
  }

  #add(resource: string, name: string): void {
    if (resource === this.#wanted.resource) this.#names.add(name);
    else if (name === this.#wanted.name) this.#resources.add(resource);
  }

  /** `pods/nginx`: at most three, the nearest first; none where no name is alike. */
  nearest(): readonly string[] {
    const { resource, name } = this.#wanted;
    const far = name.length < 4 ? 1 : Math.max(2, Math.floor(name.length / 3));
    const alike = [...this.#names]
      .map((one) => ({ one, far: one.startsWith(name) ? 0 : distance(name, one, far) }))
      .filter((each) => each.one !== name && each.far <= far)
      .sort((a, b) => a.far - b.far || (a.one < b.one ? -1 : 1));
    const others = [...this.#resources].sort().map((other) => `${other}/${name}`);
    return [...alike.map(({ one }) => `${resource}/${one}`), ...others].slice(0, MOST);
  }
}

/** Characters to insert, remove or replace (Levenshtein). @returns more than `limit`, if it is more than that. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[b.length];
}

/** Limit: names of one resource, and resources of one name: the Pods of a capture that are worth a look, 0.1 KiB each. */
const MAX_NAMES = 10_000;
const MOST = 3;
