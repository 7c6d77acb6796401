// What made what: which write an event tells of, and what programs heard of an object (which of that woke them is waking.ts's).
// Joins by uid, resourceVersion and name; where two answers are possible it gives none. Knows objects and message numbers,
// nothing of the wire or of pictures.

import { keep } from '../core/bounded.js';
import { type Heard, remember } from './hearing.js';
import { type ObjectState, ObjectStates } from './object-states.js';
import { Waiting } from './waiting.js';
import { type Asker, type Siblings, wokeBy } from './waking.js';

export interface ObjectRef {
  /** Resource and group, namespace, name: `pods. default nginx`; empty: only its uid is known. */
  readonly key: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** uids of its owners. */
  readonly owners?: readonly string[];
  readonly madeOf?: Related;
}

/** What else an object belongs with: uids (Pods behind a Service) and keys (the Service that Endpoints are named after). */
export interface Related {
  readonly uids: readonly string[];
  readonly keys: readonly string[];
  /** Of a Pod that gets its node: the node's key. */
  readonly node?: string;
  /** Of a Pod that is asked to go: the key of the node that it is on, if that is known. */
  readonly leaves?: string | null;
}

/** A request that changes an object, from its sending to its answer. */
export interface Write {
  readonly seq: number;
  /** Speaker id of who wrote. */
  readonly writer: number;
  readonly deletes: boolean;
  /** It made the object; known from its answer. */
  creates?: boolean;
  readonly ofStatus?: boolean;
  state: 'pending' | 'done' | 'failed';
  /** resourceVersion that it made; undefined until answered and where the answer does not say. */
  resourceVersion?: string;
  claimed: boolean;
  /** Its answer has a version that was there before: it changed nothing, or took the last finalizer of what is to be deleted. */
  unchanged?: boolean;
}

/** The write behind an event; `waits`: an answer that is still out may tell. */
export type EventCause = { readonly write: Write } | 'waits' | undefined;

export class Causes {
  readonly #states = new ObjectStates();
  readonly #sweeps = new Map<string, Write>();
  readonly #nameless = new Map<string, Write[]>();
  readonly #waiting = new Waiting();
  /** By process: the Pod without a node that it heard of last. */
  readonly #unplaced = new Map<number, { readonly pod: ObjectState; readonly seq: number }>();

  /** Objects whose causes are not followed any more. */
  get forgotten(): number {
    return this.#states.forgotten;
  }

  /** A write was sent. */
  wrote(object: ObjectRef, write: Write): void {
    addTo(this.#states.of(object), write);
  }

  /** A create whose object gets its name from the server: `prefix` is the key up to the name. */
  wroteNameless(prefix: string, write: Write): void {
    const open = (this.#nameless.get(prefix) ?? []).filter((one) => one.state === 'pending');
    open.push(write);
    this.#nameless.set(prefix, open.slice(-MAX_WRITES));
    if (this.#nameless.size > MAX_SWEEPS) this.#nameless.delete(this.#nameless.keys().next().value as string);
  }

  /** A whole collection is being deleted: `prefix` is the key of its objects up to the name. */
  swept(prefix: string, write: Write): void {
    this.#sweeps.set(prefix, write);
    if (this.#sweeps.size > MAX_SWEEPS) this.#sweeps.delete(this.#sweeps.keys().next().value as string);
  }

  /** A write was answered. `object` undefined: the answer does not carry the object (a binding's does not). */
  answered(target: ObjectRef, write: Write, ok: boolean, object: ObjectRef | undefined): void {
    write.state = ok ? 'done' : 'failed';
    if (!ok || object === undefined) return;
    const state = this.#states.of({ ...target, uid: object.uid, owners: object.owners });
    if (write.creates === true) state.made = { writer: write.writer, seq: write.seq };
    // A new object under a name that another one had.
    if (!state.writes.includes(write)) addTo(state, write);
    // A write that changed nothing is answered with a version that an event told before: it made no event.
    const version = Number(object.resourceVersion);
    if (version <= state.newest && !state.writes.some((one) => one !== write && one.state === 'pending')) {
      if (this.#hasWriter(state, object.resourceVersion, write)) {
        write.claimed = true;
        write.unchanged = true;
        return;
      }
    }
    write.resourceVersion = object.resourceVersion;
  }

  /** Writes without an answer yet that can be the reason for which an object is changed in the store. */
  carriedOut(object: ObjectRef, creates: boolean): readonly Write[] {
    const named = (this.#states.find(object)?.writes ?? []).filter((write) => write.state === 'pending');
    if (named.length > 0) return named;
    const prefix = prefixOf(object);
    if (creates) return (this.#nameless.get(prefix) ?? []).filter((write) => write.state === 'pending');
    const sweep = this.#sweeps.get(prefix);
    return sweep?.state === 'pending' ? [sweep] : [];
  }

  /** Which write an event tells of. */
  ofEvent(object: ObjectRef, deleted: boolean): EventCause {
    const writes = this.#states.find(object)?.writes;
    if (writes === undefined || writes.length === 0) return this.#withoutWrites(object, deleted);
    const exact = writes.find(
      (write) => write.resourceVersion !== undefined && write.resourceVersion === object.resourceVersion,
    );
    if (exact !== undefined) {
      // It made a version in which the object is still there: with a grace period, or finalizers.
      if (exact.deletes && !deleted) exact.claimed = true;
      return { write: exact };
    }
    const candidates = writes.filter(
      (write) =>
        write.state !== 'failed' &&
        !write.claimed &&
        (write.resourceVersion === undefined || (deleted && write.deletes)),
    );
    // An object with a grace period or finalizers is gone with the last delete or update, not with the first delete.
    if (deleted && candidates.length > 1 && candidates.every((write) => write.state === 'done')) {
      return { write: candidates[candidates.length - 1] };
    }
    if (candidates.some((write) => write.state === 'pending')) return 'waits';
    if (candidates.length === 1) return { write: candidates[0] };
    return candidates.length === 0 && deleted ? (lastFinalizer(writes) ?? this.#sweepOf(object)) : undefined;
  }

  #withoutWrites(object: ObjectRef, deleted: boolean): EventCause {
    if (this.#nameless.size > 0) {
      const open = this.#nameless.get(prefixOf(object));
      if (open?.some((write) => write.state === 'pending') === true) return 'waits';
    }
    return deleted ? this.#sweepOf(object) : undefined;
  }

  #sweepOf(object: ObjectRef): EventCause {
    const sweep = this.#sweeps.get(prefixOf(object));
    return sweep !== undefined && sweep.state !== 'failed' ? { write: sweep } : undefined;
  }

  /** The only write that an event could tell of, when no more answers can be waited for. */
  onlyPending(object: ObjectRef): Write | undefined {
    const open = (this.#states.find(object)?.writes ?? []).filter(
      (write) => write.state !== 'failed' && !write.claimed && write.resourceVersion === undefined,
    );
    return open.length === 1 ? open[0] : undefined;
  }

  /** An event reached a process. */
  heard(object: ObjectRef, process: number, heard: Heard): void {
    const state = this.#states.of(object);
    state.newest = Math.max(state.newest, Number(object.resourceVersion) || 0);
    state.heard = remember(state.heard, process, heard);
    if (state.refused > 0 && !state.bound) keep(this.#unplaced, process, { pod: state, seq: heard.seq }, MAX_PROGRAMS);
    for (const waits of this.#states.withUids(this.#waiting.came(object.key, process)))
      waits.heard = remember(waits.heard, process, heard);
    for (const owner of this.#states.withUids(state.owners))
      owner.heardOfOwned = remember(owner.heardOfOwned, process, heard);
  }

  /** A process says that an object lacks another one: what it hears of that next is as good as heard of the object. */
  lacks(uid: string, process: number, key: string): void {
    this.#waiting.lacks(uid, process, key);
  }

  /** An event reached a process by which an object was gone, or began to go: who owns it may be about to make another. */
  went(object: ObjectRef, process: number, heard: Heard): void {
    for (const owner of this.#states.ownersOf(object)) owner.gone = remember(owner.gone, process, heard);
  }

  /** A program makes or deletes an object that others own. @param cause what woke it. */
  acts(object: ObjectRef, writer: number, seq: number, cause: number | undefined): void {
    for (const owner of this.#states.ownersOf(object)) owner.acted = { writer, seq, cause };
  }

  /** A Pod got its node. */
  bound(object: ObjectRef): void {
    this.#states.of(object).bound = true;
  }

  /** Its scheduler found no node for a Pod. */
  refused(object: ObjectRef, seq: number): void {
    const state = this.#states.find(object);
    if (state !== undefined) state.refused = seq;
  }

  /** A Pod left its node, and a program heard of it. */
  left(node: string, process: number, heard: Heard): void {
    const state = this.#states.of({ key: node });
    state.gone = remember(state.gone, process, heard);
  }

  /**
   * The event that wakes a program to make a node: the last that it heard about a Pod that no node would do for, and that has
   * none yet (karpenter, pkg/controllers/provisioning: all such Pods of the last second or more are taken together).
   */
  ofNewNode(process: number): number | undefined {
    const last = this.#unplaced.get(process);
    return last === undefined || last.pod.bound ? undefined : last.seq;
  }

  isBound(object: ObjectRef): boolean {
    return this.#states.find(object)?.bound === true;
  }

  knows(key: string): boolean {
    return this.#states.withKey(key) !== undefined;
  }

  /** The event that woke a program to ask something about an object, as a message number. */
  ofRequest(object: ObjectRef, asker: Asker, siblings: Siblings | null = null): number | undefined {
    return wokeBy(this.#states, object, asker, siblings);
  }

  #hasWriter(state: ObjectState, resourceVersion: string | undefined, but: Write): boolean {
    return (
      state.writes.some((one) => one !== but && one.resourceVersion === resourceVersion) ||
      Number(resourceVersion) < state.newest
    );
  }
}

function addTo({ writes }: ObjectState, write: Write): void {
  writes.push(write);
  if (writes.length > MAX_WRITES) writes.shift();
}

/** Which write let an object go whose deletion waited for it: it is answered with the object as it was. */
function lastFinalizer(writes: readonly Write[]): EventCause {
  const asked = writes.findIndex(({ deletes, state }) => deletes && state === 'done');
  const write = asked < 0 ? undefined : writes.slice(asked).findLast(({ unchanged }) => unchanged === true);
  return write === undefined ? undefined : { write };
}

/** The key up to the name. */
function prefixOf({ key }: ObjectRef): string {
  return key.slice(0, key.lastIndexOf(' ') + 1);
}

/** Writes of one object that can still be waiting for their events. */
const MAX_WRITES = 32;
const MAX_SWEEPS = 1000;
/** Programs that hear of Pods. */
const MAX_PROGRAMS = 256;
