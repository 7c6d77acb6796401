// What made what: which write an event tells of, which event woke a request. Joins by uid, resourceVersion and name;
// where two answers are possible it gives none. Knows objects and message numbers, nothing of the wire or of pictures.

export interface ObjectRef {
  /** Resource and group, namespace, name: `pods. default nginx`. */
  readonly key: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** uids of its owners. */
  readonly owners?: readonly string[];
  /** What else it is made of: uids (Pods behind a Service) and keys (the Service that Endpoints are named after). */
  readonly madeOf?: { readonly uids: readonly string[]; readonly keys: readonly string[] };
}

/** A request that changes an object, from its sending to its answer. */
export interface Write {
  readonly seq: number;
  /** Speaker id of who wrote. */
  readonly writer: number;
  readonly deletes: boolean;
  state: 'pending' | 'done' | 'failed';
  /** resourceVersion that it made; undefined until answered and where the answer does not say. */
  resourceVersion?: string;
  claimed: boolean;
}

/** The write behind an event; `waits`: an answer that is still out may tell. */
export type EventCause = { readonly write: Write } | 'waits' | undefined;

/** An event as its receiver heard it. */
export interface Heard {
  readonly seq: number;
  /** Speaker id of who made the change; undefined while unknown. */
  writer: number | undefined;
  /** Of the object that it is about. */
  readonly resource?: string;
}

/** Who asks: what it can have heard, and what of that wakes it. */
export interface Asker {
  /** Speaker ids of its process and of itself. */
  readonly process: number;
  readonly writer: number;
  /** Resources whose events wake it; null: all. */
  readonly resources: ReadonlySet<string> | null;
  /** Its own changes wake it too. */
  readonly toItself: boolean;
}

/** The last event that a process heard, and the last that another writer made where there is one: few have two. */
type Ear = Heard | { last: Heard; other: Heard };
type Hearers = Map<number, Ear>;

interface ObjectState {
  uid: string | undefined;
  owners: readonly string[];
  writes: Write[];
  /** Highest resourceVersion that an event told. */
  newest: number;
  /** By the process that heard it: the last event, and the last one that another writer made. null: nobody so far. */
  heard: Hearers | null;
  /** The same for objects that this one owns. */
  heardOfOwned: Hearers | null;
}

export class Causes {
  readonly #byKey = new Map<string, ObjectState>();
  readonly #byUid = new Map<string, ObjectState>();
  /** uids of objects whose name another one has by now: their last events may still come. */
  readonly #replaced = new Set<string>();
  readonly #sweeps = new Map<string, Write>();
  readonly #nameless = new Map<string, Write[]>();
  forgotten = 0;

  /** A write was sent. */
  wrote(object: ObjectRef, write: Write): void {
    const state = this.#stateOf(object);
    state.writes.push(write);
    if (state.writes.length > MAX_WRITES) state.writes.shift();
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
    const state = this.#stateOf({ ...target, uid: object.uid, owners: object.owners });
    // A write that changed nothing is answered with a version that an event told before: it made no event.
    const version = Number(object.resourceVersion);
    if (version <= state.newest && !state.writes.some((one) => one !== write && one.state === 'pending')) {
      if (this.#hasWriter(state, object.resourceVersion, write)) {
        write.claimed = true;
        return;
      }
    }
    write.resourceVersion = object.resourceVersion;
  }

  /** Writes without an answer yet that can be the reason for which an object is changed in the store. */
  carriedOut(object: ObjectRef, creates: boolean): readonly Write[] {
    const named = (this.#find(object)?.writes ?? []).filter((write) => write.state === 'pending');
    if (named.length > 0) return named;
    const prefix = prefixOf(object);
    if (creates) return (this.#nameless.get(prefix) ?? []).filter((write) => write.state === 'pending');
    const sweep = this.#sweeps.get(prefix);
    return sweep?.state === 'pending' ? [sweep] : [];
  }

  /** Which write an event tells of. */
  ofEvent(object: ObjectRef, deleted: boolean): EventCause {
    const writes = this.#find(object)?.writes;
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
    return candidates.length === 0 && deleted ? this.#sweepOf(object) : undefined;
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
    const open = (this.#find(object)?.writes ?? []).filter(
      (write) => write.state !== 'failed' && !write.claimed && write.resourceVersion === undefined,
    );
    return open.length === 1 ? open[0] : undefined;
  }

  /** An event reached a process. */
  heard(object: ObjectRef, process: number, heard: Heard): void {
    const state = this.#stateOf(object);
    state.newest = Math.max(state.newest, Number(object.resourceVersion) || 0);
    state.heard = remember(state.heard, process, heard);
    for (const uid of state.owners) {
      const owner = this.#byUid.get(uid);
      if (owner !== undefined) owner.heardOfOwned = remember(owner.heardOfOwned, process, heard);
    }
  }

  /**
   * The event that woke a program to ask something about an object: the last that its process heard about it, its owners
   * or what it owns, of those that wake it; one that it made itself only where there is no other.
   */
  ofRequest(object: ObjectRef, { process, writer, resources, toItself }: Asker): number | undefined {
    let best: Heard | undefined;
    let echo: Heard | undefined;
    const one = (heard: Heard): void => {
      if (resources !== null && heard.resource !== undefined && !resources.has(heard.resource)) return;
      if (heard.writer === writer && !toItself) echo = echo === undefined || heard.seq > echo.seq ? heard : echo;
      else best = best === undefined || heard.seq > best.seq ? heard : best;
    };
    const weigh = (ear: Ear | undefined): void => {
      if (ear === undefined) return;
      if ('last' in ear) {
        one(ear.last);
        one(ear.other);
      } else one(ear);
    };
    const state = this.#find(object);
    weigh(state?.heard?.get(process));
    weigh(state?.heardOfOwned?.get(process));
    for (const uid of object.owners ?? state?.owners ?? []) weigh(this.#byUid.get(uid)?.heard?.get(process));
    for (const uid of object.madeOf?.uids ?? []) weigh(this.#byUid.get(uid)?.heard?.get(process));
    for (const key of object.madeOf?.keys ?? []) weigh(this.#byKey.get(key)?.heard?.get(process));
    return (best ?? echo)?.seq;
  }

  #hasWriter(state: ObjectState, resourceVersion: string | undefined, but: Write): boolean {
    return (
      state.writes.some((one) => one !== but && one.resourceVersion === resourceVersion) ||
      Number(resourceVersion) < state.newest
    );
  }

  #find(object: ObjectRef): ObjectState | undefined {
    return (object.uid === undefined ? undefined : this.#byUid.get(object.uid)) ?? this.#byKey.get(object.key);
  }

  #stateOf(object: ObjectRef): ObjectState {
    let state = this.#find(object);
    // Another uid under the same name is another object: it was deleted and made again.
    if (state !== undefined && object.uid !== undefined && state.uid !== undefined && state.uid !== object.uid) {
      this.#replace(state.uid);
      state = undefined;
    }
    if (state === undefined) {
      if (this.#byKey.size >= MAX_OBJECTS) this.#forgetOldest();
      state = { uid: undefined, owners: [], writes: [], newest: 0, heard: null, heardOfOwned: null };
      this.#byKey.set(object.key, state);
    }
    if (object.uid !== undefined && state.uid === undefined) {
      state.uid = object.uid;
      this.#byUid.set(object.uid, state);
    }
    if (object.owners !== undefined && object.owners.length > 0) state.owners = object.owners;
    return state;
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

/** The key up to the name. */
function prefixOf({ key }: ObjectRef): string {
  return key.slice(0, key.lastIndexOf(' ') + 1);
}

function remember(known: Hearers | null, process: number, heard: Heard): Hearers {
  const by: Hearers = known ?? new Map();
  const ear = by.get(process);
  if (ear === undefined) {
    if (by.size >= MAX_HEARERS) by.delete(by.keys().next().value as number);
    by.set(process, heard);
  } else if ('last' in ear) {
    if (ear.last.writer !== heard.writer) ear.other = ear.last;
    ear.last = heard;
  } else by.set(process, ear.writer !== heard.writer ? { last: heard, other: ear } : heard);
  return by;
}

/** Objects whose life is joined at a time; a large cluster changes some 10,000 within an hour. 1 KiB each. */
const MAX_OBJECTS = 20_000;
/** Objects made anew under their name, remembered for what is late: an event comes within a second of its change. */
const MAX_REPLACED = 1_000;
/** Programs that hear of one object; all kubelets hear of a Service, and those that act on it are few. */
const MAX_HEARERS = 256;
/** Writes of one object that can still be waiting for their events. */
const MAX_WRITES = 32;
const MAX_SWEEPS = 1000;
