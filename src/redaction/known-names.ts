// Names of objects, namespaces, nodes and images that a capture has: texts may keep them.

import { keep } from '../core/collections/bounded.js';

export class KnownNames {
  readonly #names = new Map<string, true>();
  #last = '';
  /** Names that were added so far: with one more, a text may show more. */
  added = 0;

  /** @param name of an object, an image, an id; what is too short to be told from any word is not kept. */
  add(name: string): void {
    // Messages about one thing come one after another.
    if (name === this.#last || name.length < SHORTEST || name.length > LONGEST) return;
    this.#last = name;
    if (this.#names.has(name)) return;
    keep(this.#names, name, true, MAX_NAMES);
    this.added += 1;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }
}

/** Characters. */
const SHORTEST = 2;
/** Characters of the longest names that Kubernetes takes (RFC 1123; apimachinery, validation); image references are shorter. */
const LONGEST = 253;
/** As many objects as the interpreter follows causes of. */
const MAX_NAMES = 20_000;
