// Remembers which objects a deletecollection deleted: those that its response lists, until then any object of the collection.

import { RecentMap } from '../../core/collections/bounded.js';
import { MAX_WRITES, type Write } from './writes.js';

interface CollectionDelete {
  readonly write: Write;
  /** It has no selector. */
  readonly takesAll: boolean;
}

export class CollectionDeletes {
  /** By the key of the collection: deletions that were pending when the last one was requested. */
  readonly #asked = new RecentMap<string, readonly CollectionDelete[]>(MAX_SWEEPS);
  /** By uid: the first deletion that listed the object; later ones find it terminating. */
  readonly #took = new RecentMap<string, Write>(MAX_TAKEN);

  requested(prefix: string, write: Write, takesAll: boolean): void {
    const open = this.pending(prefix);
    this.#asked.delete(prefix);
    this.#asked.set(prefix, [...open, { write, takesAll }].slice(-MAX_WRITES));
  }

  /** @param uids of the objects that the response lists (k8s.io/apiserver, registry/generic/registry: Store.DeleteCollection). */
  deleted(write: Write, uids: readonly string[]): void {
    for (const uid of uids) if (!this.#took.has(uid)) this.#took.set(uid, write);
  }

  /** The deletion that requested an object's deletion. */
  of(uid: string | undefined): Write | undefined {
    return uid === undefined ? undefined : this.#took.get(uid);
  }

  /** Pending deletions that may delete an object of that collection. */
  pending(prefix: string): readonly CollectionDelete[] {
    return (this.#asked.get(prefix) ?? NONE).filter(({ write }) => write.state === 'pending');
  }
}

const NONE: readonly CollectionDelete[] = [];
/** Limit: collections that are deleted whole, with `MAX_WRITES` deletions each; a deleted Namespace has some hundred collections. */
const MAX_SWEEPS = 1000;
/** Limit: objects that such a deletion covers by its response, waiting for finalizers: as many as those whose causes are followed. */
const MAX_TAKEN = 20_000;
