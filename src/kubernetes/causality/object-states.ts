// Remembers objects by key and by uid: their writes, and which processes received events about them. The oldest are forgotten first.

import type { ObjectRef } from '../api/object-ref.js';
import type { DeliveriesByProcess, Delivery } from './deliveries.js';
import type { Write } from './writes.js';

export interface ObjectState {
  uid: string | undefined;
  /** It is known by its name, and not by its uid alone. */
  isNamed: boolean;
  owners: readonly string[];
  /** Who does not own it any more, from which version on. */
  left: { readonly owners: readonly string[]; readonly version: string } | null;
  /** The version in which an event told first that it is being deleted. */
  terminatingSince: string | undefined;
  /** And that it has no time to stop. */
  graceExpiredSince: string | undefined;
  writes: Write[];
  /** Highest resourceVersion that an event told. */
  newest: number;
  /** By the process that heard it. null: nobody so far. */
  deliveries: DeliveriesByProcess | null;
  /** The same for objects that this one owns. */
  ownedDeliveries: DeliveriesByProcess | null;
  /** And for those of them that were gone or going, or another's; of a Node: for Pods that left it. */
  removals: DeliveriesByProcess | null;
  /** Who made it, with which message, and what had triggered it. */
  created: Acted | null;
  /** What a program made or deleted of these last, and what had triggered it. */
  lastChildAction: Acted | null;
  /** Of a Pod: it got a node. */
  isBound: boolean;
  /** Of a Pod: when its scheduler said last that no node will do, as a message number; 0: never. */
  unschedulableSince: number;
}

interface Acted {
  readonly writer: number;
  readonly seq: number;
  readonly cause: Delivery | undefined;
}

export class ObjectStates {
  readonly #byKey = new Map<string, ObjectState>();
  readonly #byUid = new Map<string, ObjectState>();
  /** uids of objects whose name another one has by now: their last events may still come. */
  readonly #replaced = new Set<string>();
  forgotten = 0;

  withUid(uid: string): ObjectState | undefined {
    return this.#byUid.get(uid);
  }

  withUids(uids: readonly string[]): ObjectState[] {
    return uids.flatMap((uid) => this.#byUid.get(uid) ?? []);
  }

  withKey(key: string): ObjectState | undefined {
    return this.#byKey.get(key);
  }

  /** By its uid, else by its name. */
  find(object: ObjectRef): ObjectState | undefined {
    return (object.uid === undefined ? undefined : this.#byUid.get(object.uid)) ?? this.#byKey.get(object.key);
  }

  /** What is remembered of its owners: of those that it names, else of those that it had. */
  ownersOf(object: ObjectRef, known = this.find(object)): ObjectState[] {
    return this.withUids(object.owners ?? known?.owners ?? NOBODY);
  }

  /** What is remembered of an object, which is known from now on. */
  of(object: ObjectRef): ObjectState {
    let state = this.find(object);
    let open: Write[] = [];
    // Another uid under the same name is another object: it was deleted and made again.
    if (state !== undefined && object.uid !== undefined && state.uid !== undefined && state.uid !== object.uid) {
      this.#replace(state.uid);
      // The one that makes it may not be answered yet.
      open = mayMake(state);
      state = undefined;
    }
    if (state === undefined) {
      if (this.#byKey.size >= MAX_OBJECTS) this.#forgetOldest();
      state = {
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
        created: null,
        lastChildAction: null,
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

  /** What was known by its uid alone has a name: what was remembered under that is about it. */
  #named(key: string, state: ObjectState): void {
    state.isNamed = true;
    const other = this.#byKey.get(key);
    if (other?.uid !== undefined) {
      this.#replace(other.uid);
      state.writes = [...mayMake(other), ...state.writes];
    } else if (other !== undefined) {
      state.writes = [...other.writes, ...state.writes];
      state.created ??= other.created;
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
 * Who owns an object is what its newest version says. @param version undefined: a request says so, which may come to nothing;
 * events of a version may come after those of the next.
 */
function own(state: ObjectState, owners: readonly string[], version: string | undefined): void {
  if (version === undefined ? state.owners.length > 0 : Number(version) < state.newest) return;
  if (version !== undefined && state.owners.length > 0) {
    const left = state.owners.filter((owner) => !owners.includes(owner));
    if (left.length > 0) state.left = { owners: left, version };
  }
  state.owners = owners.length === 0 ? NOBODY : owners;
}

/** Writes that may be those of the next object by that name. */
function mayMake({ writes }: ObjectState): Write[] {
  return writes.filter((write) => write.state === 'pending' && !write.deletes);
}

/** Under which it is remembered until then. */
function nameless(uid: string): string {
  return ` ${uid}`;
}

const NOBODY: readonly string[] = [];
/** Objects whose life is joined at a time; a large cluster changes some 10,000 within an hour. 1 KiB each. */
const MAX_OBJECTS = 20_000;
/** Objects made anew under their name, remembered for what is late: an event comes within a second of its change. */
const MAX_REPLACED = 1_000;
