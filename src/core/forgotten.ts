// Says, once for each collection with a limit, that it forgot what came first, and since which frame.

import type { BoundsKeeper } from './collections/bounded.js';
import { type Notice, notice } from './notice.js';
import type { Origin } from './origin.js';

export class Forgotten implements BoundsKeeper {
  readonly #say: (one: Notice) => void;
  readonly #limitOf: ((what: string, limit: number) => number) | undefined;
  readonly #said = new Set<string>();
  /** Where what is looked at now was captured; undefined: after the last frame. */
  at: Origin | undefined;

  /** @param limitOf other limits, for tests. */
  constructor(say: (one: Notice) => void, limitOf?: (what: string, limit: number) => number) {
    this.#say = say;
    this.#limitOf = limitOf;
  }

  forgot(what: string, limit: number): void {
    if (this.#said.has(what)) return;
    this.#said.add(what);
    this.#say(notice('limit.forgotten', `${what}: the first ${limit} were forgotten`, { origin: this.at }));
  }

  limitOf(what: string, limit: number): number {
    return this.#limitOf?.(what, limit) ?? limit;
  }
}
