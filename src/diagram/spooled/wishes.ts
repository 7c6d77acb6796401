// What is to be looked for in a spool of messages, each thing once.

/** Looked for in one pass. */
export interface Pass {
  /** Names, uids and references of objects. */
  readonly names: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
  /** By number. */
  readonly participants: ReadonlySet<number>;
  /** Names of connections on which several requests had no response. */
  readonly connections: ReadonlySet<string>;
  /** Exchanges whose request, response and data are part of the story. */
  readonly exchanges: ReadonlySet<number>;
  /** Exchanges whose request and response explain an event. */
  readonly watches: ReadonlySet<number>;
  /** `seq` of messages of which it is looked for what they caused. */
  readonly effects: ReadonlySet<number>;
  /** `seq` of messages that caused others → how many causes before it are looked for as well. */
  readonly causes: ReadonlyMap<number, number>;
}

export class Wishes {
  readonly names = new WishSet<string>();
  readonly namespaces = new WishSet<string>();
  readonly participants = new WishSet<number>();
  readonly connections = new WishSet<string>();
  readonly exchanges = new WishSet<number>();
  readonly watches = new WishSet<number>();
  readonly effects = new WishSet<number>();
  readonly #depths = new Map<number, number>();
  #causes = new Map<number, number>();

  /** @param seq 0: none is known. */
  cause(seq: number | undefined, depth: number): void {
    if (seq === undefined || (this.#depths.get(seq) ?? 0) >= depth) return;
    this.#depths.set(seq, depth);
    this.#causes.set(seq, depth);
  }

  /** @returns what was wished for since the last pass; null: nothing. */
  take(): Pass | null {
    const causes = this.#causes;
    this.#causes = new Map();
    const pass = {
      names: this.names.take(),
      namespaces: this.namespaces.take(),
      participants: this.participants.take(),
      connections: this.connections.take(),
      exchanges: this.exchanges.take(),
      watches: this.watches.take(),
      effects: this.effects.take(),
      causes,
    };
    return Object.values(pass).every(({ size }) => size === 0) ? null : pass;
  }
}

class WishSet<T> {
  readonly #all = new Set<T>();
  #fresh = new Set<T>();

  add(one: T | null | undefined): void {
    if (one == null || this.#all.has(one)) return;
    this.#all.add(one);
    this.#fresh.add(one);
  }

  has(one: T): boolean {
    return this.#all.has(one);
  }

  take(): ReadonlySet<T> {
    const fresh = this.#fresh;
    this.#fresh = new Set();
    return fresh;
  }
}
