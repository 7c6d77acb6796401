// Remembers objects by key and by uid: their writes, and which processes received events about them. The oldest are forgotten first.

import { BoundedMap } from '../../core/collections/bounded.js';
import type { ObjectRef } from '../api/object-ref.js';
import type { DeliveriesByProcess } from './deliveries.js';
import type { Turn } from './turns.js';
import type { Write } from './writes.js';

export interface ObjectState {
  /** `pods. default nginx`; empty: only its uid is known. */
  key: string;
  uid: string | undefined;
  /** The object is known by its name, not only by its uid. */
  isNamed: boolean;
  owners: readonly string[];
  /** Former owners, by the version from which on they are not. */
  left: { readonly owners: readonly string[]; readonly version: string } | null;
  /** The first version with a deletionTimestamp. */
  terminatingSince: string | undefined;
  /** The first version without a grace period. */
  graceExpiredSince: string | undefined;
  writes: Write[];
  /** Highest resourceVersion of an event. */
  newest: number;
  /** Deliveries of the object's events; null: none so far. */
  deliveries: DeliveriesByProcess | null;
  /** Deliveries of events of objects that this object owns, and of Pods that it selects. */
  ownedDeliveries: DeliveriesByProcess | null;
  /** Of owned objects that were deleted, terminating or released; of a Node: of Pods that left it. */
  removals: DeliveriesByProcess | null;
  /** By participant id of a client: its last turn for the object; null: none so far. */
  turns: BoundedMap<number, Turn> | null;
  /** Of a Pod: it has a node. */
  isBound: boolean;
  /** Of a Pod: `seq` of the scheduler's last report that no node fits; 0: none. */
  unschedulableSince: number;
}

export class ObjectStates {
  readonly #byKey = new Map<string, ObjectState>();
  readonly #byUid = new Map<string, ObjectState>();
  /** uids of objects whose name a newer object has: their last events may still come. */
  readonly #replaced = new Set<string>();
  forgotten = 0;

  withUid(uid: string): ObjectState | undefined {
    return this.#byUid.get(uid);
  }

  withUids(uids: readonly string[]): readonly ObjectState[] {
    if (uids.length === 0) return NO_STATES;
    const states: ObjectState[] = [];
    for (const uid of uids) {
      const state = this.#byUid.get(uid);
      if (state !== undefined) states.push(state);
    }
    return states;
  }

  withKey(key: string): ObjectState | undefined {
    return this.#byKey.get(key);
  }

  /** By its uid, else by its name. */
  find(object: ObjectRef): ObjectState | undefined {
    return (object.uid === undefined ? undefined : this.#byUid.get(object.uid)) ?? this.#byKey.get(object.key);
  }

  /** States of an object's owners: of those that it names, else of those that it had. */
  ownersOf(object: ObjectRef, known = this.find(object)): readonly ObjectState[] {
    return this.withUids(object.owners ?? known?.owners ?? NOBODY);
  }

  /** The state of an object, created where there is none. */
  of(object: ObjectRef): ObjectState {
    let state = this.find(object);
    let open: Write[] = [];
    // Another uid under the same name is another object: it was deleted and created again.
    if (state !== undefined && object.uid !== undefined && state.uid !== undefined && state.uid !== object.uid) {
      this.#replace(state.uid);
      // The create may not be answered yet.
      open = mayMake(state);
      state = undefined;
    }
    if (state === undefined) {
      if (this.#byKey.size >= MAX_OBJECTS) this.#forgetOldest();
      state = {
        key: object.key,
        uid: undefined,
        isNamed: object.key !== '',
        owners: NOBODY,
        left: null,
        terminatingSince: undefined,
        graceExpiredSince: undefined,
        writes: open,
        newest: 0,
        deliveries: null,
        ownedDeliveries: null,
        removals: null,
        turns: null,
        isBound: false,
        unschedulableSince: 0,
      };
      this.#byKey.set(state.isNamed ? object.key : nameless(object.uid ?? ''), state);
    } else if (!state.isNamed && object.key !== '') this.#named(object.key, state);
    if (object.uid !== undefined && state.uid === undefined) {
      state.uid = object.uid;
      this.#byUid.set(object.uid, state);
    }
    if (object.owners !== undefined) own(state, object.owners, object.resourceVersion);
    return state;
  }

  /** An object known by its uid alone gets its name: the state under that name is its own. */
  #named(key: string, state: ObjectState): void {
    state.isNamed = true;
    state.key = key;
    const other = this.#byKey.get(key);
    if (other?.uid !== undefined) {
      this.#replace(other.uid);
      state.writes = [...mayMake(other), ...state.writes];
    } else if (other !== undefined) {
      state.writes = [...other.writes, ...state.writes];
      state.isBound ||= other.isBound;
      state.unschedulableSince = Math.max(state.unschedulableSince, other.unschedulableSince);
    }
    if (state.uid !== undefined) this.#byKey.delete(nameless(state.uid));
    this.#byKey.set(key, state);
  }

  #replace(uid: string): void {
    this.#replaced.add(uid);
    if (this.#replaced.size <= MAX_REPLACED) return;
    const oldest = this.#replaced.keys().next().value as string;
    this.#replaced.delete(oldest);
    this.#byUid.delete(oldest);
  }

  #forgetOldest(): void {
    for (const [key, state] of this.#byKey) {
      this.#byKey.delete(key);
      if (state.uid !== undefined) this.#byUid.delete(state.uid);
      this.forgotten += 1;
      if (this.#byKey.size < MAX_OBJECTS * 0.9) return;
    }
  }
}

/**
 * The newest version decides who owns an object. @param version undefined: of a request, which may fail; events of a version may
 * come after those of the next.
 */
function own(state: ObjectState, owners: readonly string[], version: string | undefined): void {
  if (version === undefined ? state.owners.length > 0 : Number(version) < state.newest) return;
  if (version !== undefined && state.owners.length > 0) {
    const left = state.owners.filter((owner) => !owners.includes(owner));
    if (left.length > 0) state.left = { owners: left, version };
  }
  state.owners = owners.length === 0 ? NOBODY : owners;
}

/** Remembers the last turn of a client for an object: the next request may belong to it, and Kubernetes Events are about it. */
export function rememberTurn(state: ObjectState | undefined, client: number, turn: Turn): void {
  if (state === undefined) return;
  state.turns ??= new BoundedMap(MAX_CLIENTS, 'turns of an object');
  state.turns.set(client, turn);
}

/** Writes that may belong to the next object of that name. */
function mayMake({ writes }: ObjectState): Write[] {
  return writes.filter((write) => write.state === 'pending' && !write.deletes);
}

/** Under which it is remembered until then. */
function nameless(uid: string): string {
  return ` ${uid}`;
}

const NOBODY: readonly string[] = [];
const NO_STATES: readonly ObjectState[] = [];
/** Limit: clients that act on one object, whose last turns are remembered. */
const MAX_CLIENTS = 256;
/** Limit: objects whose causes are followed, 1 KiB each, the oldest is dropped first; a large cluster changes 10,000 an hour. */
const MAX_OBJECTS = 20_000;
/** Limit: objects that were replaced by another of their name, remembered for late events: an event comes within a second of its change. */
const MAX_REPLACED = 1_000;
