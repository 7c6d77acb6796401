// Records which objects a program reported as missing, until an event about the missing object reaches the program.

import { BoundedMap } from '../../core/collections/bounded.js';

interface Waiter {
  /** uid of the object that lacks another. */
  readonly uid: string;
  /** Participant id of the process that reported it. */
  readonly process: number;
}

export class PendingDependencies {
  /** By key of the missing object. */
  readonly #waiters = new BoundedMap<string, readonly Waiter[]>(MAX_WAITED_FOR, 'objects that wait for others');

  /** A process reports that an object lacks another. @param key of the missing object. */
  lacks(uid: string, process: number, key: string): void {
    const others = (this.#waiters.get(key) ?? []).filter((one) => one.process !== process || one.uid !== uid);
    this.#waiters.set(key, [...others.slice(1 - MAX_WAITERS), { uid, process }]);
  }

  /** A process receives an event. @returns uids of objects that it reported to lack the event's object, once. */
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
/** Limit: objects that are reported as missing: ConfigMaps, Secrets. */
const MAX_WAITED_FOR = 1000;
/** Limit: objects that lack one of them: Pods of some nodes with the same ConfigMap. */
const MAX_WAITERS = 128;
