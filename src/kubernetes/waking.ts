// Which event woke a program to ask something: weighs what its process heard of the object, of what it belongs with and of what
// it owns. Knows what is remembered of objects (object-states.ts), and changes nothing of it.

import type { ObjectRef } from './causes.js';
import { eachHeard, type Heard, type Hearers } from './hearing.js';
import type { ObjectState, ObjectStates } from './object-states.js';

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

/** What of other objects of the same owner wakes it: that one is gone, or going; or any change. */
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
 * to its node.
 * @returns its message number.
 */
export function wokeBy(
  states: ObjectStates,
  object: ObjectRef,
  asker: Asker,
  siblings: Siblings | null,
): number | undefined {
  const { leaves, node } = object.madeOf ?? {};
  const state = states.find(object);
  if (leaves !== undefined) return leaves === null ? undefined : didItself(states.withKey(leaves), asker);
  const since = node === undefined ? 0 : (state?.refused ?? 0);
  const heard = new Weighing(asker, since);
  const weighOwned = (owner: ObjectState | undefined): void => {
    if (siblings !== null && owner !== undefined)
      heard.weigh(siblings.that === 'went' ? owner.gone : owner.heardOfOwned, siblings.resource);
  };
  heard.weigh(state?.heard);
  heard.weigh(state?.heardOfOwned);
  const own = heard.echo;
  for (const owner of states.ownersOf(object, state)) {
    heard.weigh(owner.heard);
    weighOwned(owner);
  }
  for (const uid of object.madeOf?.uids ?? []) heard.weigh(states.withUid(uid)?.heard);
  for (const key of object.madeOf?.keys ?? []) {
    const other = states.withKey(key);
    heard.weigh(other?.heard);
    weighOwned(other);
  }
  const best = heard.best?.seq;
  if (node !== undefined && since > 0) {
    const place = states.withKey(node);
    heard.weigh(place?.gone);
    eachHeard(place?.heard, asker.process, (one) => {
      if (one.writer !== undefined && one.ofStatus !== true) heard.add(one);
    });
    return heard.best?.seq;
  }
  const { acted = null, made = null } = state ?? {};
  if (made?.writer === asker.writer && (best ?? 0) < made.seq && own !== undefined) return own.seq;
  if (acted?.writer === asker.writer && acted.cause !== undefined && acted.seq > (best ?? 0)) return acted.cause;
  return best ?? (own ?? heard.echo)?.seq;
}

/** The last change of an object that a program made itself, and heard of. */
function didItself(state: ObjectState | undefined, { process, writer }: Asker): number | undefined {
  let last: Heard | undefined;
  eachHeard(state?.heard, process, (heard) => {
    if (heard.writer === writer) last = newer(heard, last);
  });
  return last?.seq;
}

/** The newest of what a program heard, apart from what it made itself. */
class Weighing {
  best: Heard | undefined;
  echo: Heard | undefined;
  readonly #asker: Asker;
  readonly #since: number;

  /** @param since only what came after this message. */
  constructor(asker: Asker, since: number) {
    this.#asker = asker;
    this.#since = since;
  }

  /** @param resource only this one's. */
  weigh(hearers: Hearers | null | undefined, resource?: string): void {
    eachHeard(hearers, this.#asker.process, (heard) => {
      if (resource === undefined || heard.resource === resource) this.add(heard);
    });
  }

  add(heard: Heard): void {
    const { writer, resources } = this.#asker;
    // Who deletes something and takes its finalizer is often two controllers of one program.
    const toItself = this.#asker.toItself || (resources === null && heard.ofDelete === true);
    if (heard.seq <= this.#since) return;
    if (resources !== null && heard.resource !== undefined && !resources.has(heard.resource)) return;
    if (heard.writer === writer && !toItself) this.echo = newer(heard, this.echo);
    else this.best = newer(heard, this.best);
  }
}

function newer(heard: Heard, than: Heard | undefined): Heard {
  return than === undefined || heard.seq > than.seq ? heard : than;
}
