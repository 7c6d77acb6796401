// Which event woke a program to ask something: weighs what its process heard of the object, of what it belongs with and of what
// it owns. Knows what is remembered of objects (object-states.ts), and changes nothing of it.

import { type Heard, type Hearers, heardBy, isOver } from './hearing.js';
import type { ObjectRef } from './object-ref.js';
import type { ObjectState, ObjectStates } from './object-states.js';

/** Who asks: what it can have heard, and what of that wakes it. */
export interface Asker {
  /** Speaker ids of its process and of itself. */
  readonly process: number;
  readonly writer: number;
  /** Resources whose events wake it; null: all. */
  readonly resources: ReadonlySet<string> | null;
  /** Of what its objects own; undefined: the same. */
  readonly ofOwned?: ReadonlySet<string>;
  /** Its own changes wake it too. */
  readonly toItself: boolean;
  /** So does the event of what it made. */
  readonly toMade?: boolean;
  /** What it has acted on since does not wake it again. */
  readonly once?: boolean;
  /** Changes of a status do not wake it. */
  readonly toSpecs?: boolean;
  /** Which version of what it changes it had, where its request says so: it did not know what is newer. */
  readonly had?: { readonly resource: string; readonly version: number };
  /** Message that answered a list of its own, of no watch, that has the object: it asks because of that, or of what came after. 0: none. */
  readonly listed?: number;
}

/** What of other objects of the same owner wakes it: that one is gone, or going, or another's by now; or any change. */
export interface Siblings {
  readonly resource: string;
  readonly that: 'went' | 'changed';
}

/**
 * The last event that its process heard about the object, its owners or what it owns, of those that wake it; one that it made
 * itself only where there is no other. What it did last for that object, without having heard anything since, had the same
 * cause. What is done to an object that the program made has no cause from before that: several controllers in one program go
 * on from its own changes. A Pod that no node would do for gets one for what came after that: about itself, its volumes, the
 * node, or a Pod that left there (pkg/scheduler/backend/queue). A Pod that is asked to go is that for what the same program did
 * to its node. A Pod of a DaemonSet is made for that, or for a node that is new or takes Pods again (pkg/controller/daemon).
 * A node's status reports the volumes that were attached since it last did (pkg/controller/volume/attachdetach).
 */
export function wokeBy(
  states: ObjectStates,
  object: ObjectRef,
  asker: Asker,
  siblings: Siblings | null,
): Heard | undefined {
  const { leaves, node } = object.madeOf ?? {};
  const state = states.find(object);
  if (leaves !== undefined) return leaves === null ? undefined : didItself(states.withKey(leaves), asker);
  const since = node === undefined ? 0 : (state?.refused ?? 0);
  const heard = new Weighing(asker, since);
  const weighOwned = (owner: ObjectState | undefined): void => {
    if (siblings !== null && owner !== undefined)
      heard.weigh(siblings.that === 'went' ? owner.gone : owner.heardOfOwned, siblings.resource);
  };
  const certainFrom = heard.weighWhatItHad(state?.heard);
  heard.weighOwned(state?.heardOfOwned);
  const own = heard.echo;
  for (const owner of states.ownersOf(object, state)) {
    heard.weigh(owner.heard);
    weighOwned(owner);
  }
  for (const uid of object.madeOf?.uids ?? []) heard.weigh(states.withUid(uid)?.heard);
  const attached = lastAttached(states, object.madeOf?.attached, asker);
  for (const key of object.madeOf?.keys ?? []) {
    const other = states.withKey(key);
    heard.weigh(other?.heard);
    weighOwned(other);
  }
  heard.weighNode(states.withKey(object.madeOf?.on ?? '')?.heard, true);
  const { best } = heard;
  if ((attached?.seq ?? 0) > (heard.echo?.seq ?? 0)) return attached;
  if (node !== undefined && since > 0) {
    const place = states.withKey(node);
    heard.weigh(place?.gone);
    heard.weighNode(place?.heard, false);
    return heard.best;
  }
  if ((best?.seq ?? 0) < certainFrom) return undefined;
  const { acted = null, made = null } = state ?? {};
  const same = acted?.writer === asker.writer && acted.seq > (best?.seq ?? 0) ? acted : null;
  const isDone = asker.once === true && (best?.seq ?? 0) < (heard.echo?.seq ?? 0);
  if (made?.writer === asker.writer && (best?.seq ?? 0) < made.seq) {
    // Whose handlers are known goes on with what it began.
    const isKnown = asker.resources !== null && asker.toMade !== true;
    if (isKnown && made.cause !== undefined && !isOver(made.cause)) return made.cause;
    if (!isKnown && own !== undefined) return own;
  }
  const woke = same?.cause ?? (isDone ? undefined : (best ?? own ?? heard.echo));
  if (woke === undefined || isOver(woke) || woke.seq < heard.anewSince) return undefined;
  return woke.seq < (asker.listed ?? 0) && isAbout(state, woke, asker) ? undefined : woke;
}

/** The last that others did to what is attached to an object, and is not about to go. */
function lastAttached(
  states: ObjectStates,
  keys: readonly string[] | undefined,
  { process, writer }: Asker,
): Heard | undefined {
  let last: Heard | undefined;
  for (const key of keys ?? []) {
    const state = states.withKey(key);
    if (state === undefined || state.goesSince !== undefined) continue;
    for (const heard of heardBy(state.heard, process))
      if (heard.writer !== writer && !isOver(heard)) last = newer(heard, last);
  }
  return last;
}

function isAbout(state: ObjectState | undefined, event: Heard, { process }: Asker): boolean {
  return heardBy(state?.heard, process).includes(event);
}

/** The last change of an object that a program made itself, and heard of. */
function didItself(state: ObjectState | undefined, { process, writer }: Asker): Heard | undefined {
  let last: Heard | undefined;
  for (const heard of heardBy(state?.heard, process))
    if (heard.writer === writer && !isOver(heard)) last = newer(heard, last);
  return last;
}

/** The newest of what a program heard, apart from what it made itself. */
class Weighing {
  best: Heard | undefined;
  echo: Heard | undefined;
  /** Message that told anew of something of that; what came before it may not be the last that was told. 0: none. */
  anewSince = 0;
  readonly #asker: Asker;
  readonly #since: number;

  /** @param since only what came after this message. */
  constructor(asker: Asker, since: number) {
    this.#asker = asker;
    this.#since = since;
  }

  /** @param resource only this one's. */
  weigh(hearers: Hearers | null | undefined, resource?: string): void {
    for (const heard of heardBy(hearers, this.#asker.process))
      if (resource === undefined || heard.resource === resource) {
        if (isOver(heard)) this.over(heard);
        else this.add(heard);
      }
  }

  /** What was heard of those that the object owns. */
  weighOwned(hearers: Hearers | null | undefined): void {
    const { process, ofOwned } = this.#asker;
    for (const heard of heardBy(hearers, process)) {
      if (heard.resource !== undefined && ofOwned?.has(heard.resource) === false) continue;
      if (isOver(heard)) this.over(heard);
      else this.add(heard);
    }
  }

  /**
   * What was heard of a node makes room on it, or lets Pods come; its status says from time to time that it lives.
   * @param atOnce who wrote may not be answered yet.
   */
  weighNode(hearers: Hearers | null | undefined, atOnce: boolean): void {
    for (const one of heardBy(hearers, this.#asker.process))
      if (!isOver(one) && (one.writer !== undefined || atOnce) && one.ofStatus !== true) this.add(one);
  }

  /** What it heard before it began anew: that was told anew then. */
  over({ resource, source }: Heard): void {
    const { resources } = this.#asker;
    if (source === undefined || (resources !== null && resource !== undefined && !resources.has(resource))) return;
    this.anewSince = Math.max(this.anewSince, source.since);
  }

  /**
   * What it heard of an object that it changes, but for what is newer than the version that it had. What others did then may have
   * taken the place of what woke it.
   * @returns only what came from this message on is certain then: from the event of that version on, if it heard that.
   */
  weighWhatItHad(hearers: Hearers | null | undefined): number {
    const { process, writer, had } = this.#asker;
    let isOvertaken = false;
    let at = Number.POSITIVE_INFINITY;
    for (const heard of heardBy(hearers, process)) {
      const { version = 0 } = heard;
      if (isOver(heard)) {
        this.over(heard);
        continue;
      }
      if (had === undefined || version <= had.version || heard.resource !== had.resource) this.add(heard);
      else if (heard.writer !== writer) isOvertaken = true;
      if (version === had?.version) at = Math.min(at, heard.seq);
    }
    return isOvertaken ? at : 0;
  }

  add(heard: Heard): void {
    const { writer, resources, toSpecs } = this.#asker;
    // Who deletes something and takes its finalizer is often two controllers of one program.
    const toItself = this.#asker.toItself || (resources === null && heard.ofDelete === true);
    if (heard.seq <= this.#since || (toSpecs === true && heard.ofStatus === true && heard.writer !== writer)) return;
    if (resources !== null && heard.resource !== undefined && !resources.has(heard.resource)) return;
    if (heard.writer === writer && !toItself) this.echo = newer(heard, this.echo);
    else this.best = newer(heard, this.best);
  }
}

function newer(heard: Heard, than: Heard | undefined): Heard {
  return than === undefined || heard.seq > than.seq ? heard : than;
}
