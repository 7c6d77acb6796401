// Names that a capture told of: objects, namespaces, nodes, images. A text that speaks of them may keep them. Knows no more than
// the last of them.

import { keep } from '../core/bounded.js';

export class KnownNames {
  readonly #names = new Map<string, true>();
  #last = '';
  /** Names that were learnt so far: what was made of a text before may be other now. */
  learnt = 0;

  /** @param name of an object, an image, an id; what is too short to be told from any word is not kept. */
  learn(name: string): void {
    // Messages about one thing come one after another.
    if (name === this.#last || name.length < SHORTEST || name.length > LONGEST) return;
    this.#last = name;
    if (this.#names.has(name)) return;
    keep(this.#names, name, true, MAX_NAMES);
    this.learnt += 1;
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
