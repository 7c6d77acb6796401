// Records which objects a program reported as missing, until an event about the missing object reaches the program.

import { keep } from '../../core/collections/bounded.js';

interface Waiter {
  /** Of the object that lacks something. */
  readonly uid: string;
  /** Speaker id of the process that says so. */
  readonly process: number;
}

export class PendingDependencies {
  /** By key of what is waited for. */
  readonly #waiters = new Map<string, readonly Waiter[]>();

  /** A process says that an object lacks another one. @param key of that. */
  lacks(uid: string, process: number, key: string): void {
    const others = (this.#waiters.get(key) ?? []).filter((one) => one.process !== process || one.uid !== uid);
    keep(this.#waiters, key, [...others.slice(1 - MAX_WAITERS), { uid, process }], MAX_WAITED_FOR);
  }

  /** A process hears of something. @returns uids of what it said to wait for that, once. */
  came(key: string, process: number): readonly string[] {
    const waiters = this.#waiters.size === 0 ? undefined : this.#waiters.get(key);
    if (waiters === undefined) return NOBODY;
    const others = waiters.filter((one) => one.process !== process);
    if (others.length === 0) this.#waiters.delete(key);
    else this.#waiters.set(key, others);
    return waiters.filter((one) => one.process === process).map(({ uid }) => uid);
  }
}

const NOBODY: readonly string[] = [];
/** Objects that are waited for. */
const MAX_WAITED_FOR = 1000;
/** Who waits for one: the Pods of some nodes that want the same ConfigMap. */
const MAX_WAITERS = 128;
