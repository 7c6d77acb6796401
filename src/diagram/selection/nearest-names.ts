// Remembers which objects a capture names, to offer the nearest where a followed one is not among them.

import { BoundedSet } from '../../core/collections/bounded.js';
import { memo } from '../../core/collections/memo.js';
import { editDistance } from '../../core/nearest-name.js';
import { type FollowedName, resourceOfKind } from '../../kubernetes/api/kinds.js';
import { objectReference } from '../../kubernetes/api/object-ref.js';
import type { Message } from '../../kubernetes/messages/message.js';

/** What a user may have meant. */
export interface OfferedNames {
  /** At most three, the nearest first; none where no name is alike. */
  readonly nearest: readonly string[];
  /** Objects of the capture, those that were created first. */
  readonly present: readonly string[];
}

export class NearestNames {
  readonly #wanted: FollowedName;
  /** `nginx` for objects of the same resource. */
  readonly #names = new BoundedSet<string>(MAX_NAMES, 'names that may be meant');
  /** Other resources with an object of that very name. */
  readonly #resources = new BoundedSet<string>(MAX_NAMES, 'resources that may be meant');
  /** Objects that requests created, in this order, as far as they are listed. */
  readonly #created = new BoundedSet<string>(MOST_CREATED, 'objects that were created');

  constructor(wanted: FollowedName) {
    this.#wanted = wanted;
  }

  observe({ kind, resource, name, object, verb, subresource }: Message): void {
    if (kind === 'request' && verb === 'create' && subresource === undefined && !INCIDENTAL.has(resource ?? '')) {
      const created = name ?? object?.name ?? undefined;
      if (created !== undefined && this.#created.size < MOST_CREATED)
        this.#created.add(objectReference(resource, created));
    }
    if (kind === 'request' && resource !== undefined && name !== undefined) this.#add(resource, name);
    // What a request carries may be no object of its own: a Binding, an Eviction.
    if (kind !== 'request' && object?.name != null) this.#add(resourceOf(object.kind), object.name);
  }

  #add(resource: string, name: string): void {
    if (resource === this.#wanted.resource) this.#names.add(name);
    else if (name === this.#wanted.name) this.#resources.add(resource);
  }

  offered(): OfferedNames {
    return { nearest: this.nearest(), present: [...this.#created] };
  }

  /** `pods/nginx`: at most three, the nearest first; none where no name is alike. */
  nearest(): readonly string[] {
    const { resource, name } = this.#wanted;
    const limit = name.length < 4 ? 1 : Math.max(2, Math.floor(name.length / 3));
    const alike = [...this.#names]
      .map((one) => ({ one, edits: editsTo(name, one, limit) }))
      .filter(({ one, edits }) => one !== name && edits <= limit)
      .sort((a, b) => a.edits - b.edits || (a.one < b.one ? -1 : 1));
    const others = [...this.#resources].sort().map((other) => objectReference(other, name));
    return [...alike.map(({ one }) => objectReference(resource, one)), ...others].slice(0, MOST);
  }
}

/** @returns 0 where a name begins so, as generated names do; more than `limit` where the lengths differ too much to be alike. */
function editsTo(name: string, one: string, limit: number): number {
  if (one.startsWith(name)) return 0;
  return Math.abs(one.length - name.length) > limit ? limit + 1 : editDistance(name, one);
}

/** Few kinds, asked for with each message. */
const resourceOf = memo(resourceOfKind, 1000);
/** Limit: names of one resource, and resources of one name: the Pods of a capture that are worth a look, 0.1 KiB each. */
const MAX_NAMES = 10_000;
const MOST = 3;
/** Limit: created objects that are listed where a followed one is not in the capture: a line of a terminal or two. */
const MOST_CREATED = 8;
/** Objects that programs create beside the ones that people ask for. */
const INCIDENTAL: ReadonlySet<string> = new Set(
  `events leases endpoints endpointslices serviceaccounts secrets configmaps controllerrevisions tokenreviews
  subjectaccessreviews selfsubjectaccessreviews selfsubjectreviews csinodes nodes namespaces`.split(/\s+/),
);
