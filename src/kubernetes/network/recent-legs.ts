// Connections that began a short while ago, by what tells that two of them are one. Knows times, not what they carry.

import { Fifo } from '../../core/collections/fifo.js';

interface RecentLeg<K, L> {
  readonly key: K;
  readonly leg: L;
  /** ns since the epoch. */
  readonly time: bigint;
}

/** @typeParam K what tells that two are one. @typeParam L a connection. */
export class RecentLegs<K, L> {
  readonly #entries = new Fifo<RecentLeg<K, L>>();
  readonly #byKey = new Map<K, L[]>();

  /** Those that began with the same, oldest first; borrowed. */
  with(key: K): readonly L[] {
    return this.#byKey.get(key) ?? NONE;
  }

  add(key: K, leg: L, time: bigint): void {
    const same = this.#byKey.get(key);
    if (same === undefined) this.#byKey.set(key, [leg]);
    else if (same.length < MAX_SAME) same.push(leg);
    this.#entries.push({ key, leg, time });
  }

  /** @returns those that began before `time` (ns), and the oldest of too many: they are forgotten here. */
  takeBefore(time: bigint): readonly L[] {
    const entries = this.#entries;
    let gone = Math.max(0, entries.length - MAX_RECENT);
    while (gone < entries.length && entries.at(gone).time < time) gone += 1;
    if (gone === 0) return NONE;
    return entries.take(gone).map(({ key, leg }) => {
      const left = (this.#byKey.get(key) ?? []).filter((one) => one !== leg);
      if (left.length === 0) this.#byKey.delete(key);
      else this.#byKey.set(key, left);
      return leg;
    });
  }
}

const NONE: readonly never[] = [];
/** Connections whose other leg may still come: those that begin within a tenth of a second on a very busy host. */
const MAX_RECENT = 10_000;
/** Connections with the same key that are compared, and legs of one: a connection has a handful at most. */
export const MAX_SAME = 16;
