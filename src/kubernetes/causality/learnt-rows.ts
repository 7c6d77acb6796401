// Learns the work queue of a program that the table of controllers does not know, from what it writes: the status of the objects
// whose keys it queues, and objects that these own (controller-runtime pkg/builder: For, Owns).

import { BoundedMap } from '../../core/collections/bounded.js';
import { resourceOfKind } from '../api/kinds.js';
import type { RequestInfo } from '../api/request-info.js';
import type { OwnerInfo } from '../objects/object-info.js';
import { ANYTHING, type ControllerProfile, wakesNobody } from './controllers.js';

/** What a program was seen to do. */
interface Habits {
  /** Resources whose objects it reports the status of, or owns others by: those of its keys. */
  readonly keys: Set<string>;
  /** Kinds of requests that its turns begin with. */
  readonly begins: Set<string>;
  profile: ControllerProfile;
}

export class LearntRows {
  /** By participant id of a client. */
  readonly #habits = new BoundedMap<number, Habits>(MAX_PROGRAMS, 'programs whose work queue is learnt');

  /** A program sends a request. @param owners in its body. @returns its row; all resources wake it while nothing is known of its keys. */
  observeRequest(
    client: number,
    { verb, resource = '', subresource }: RequestInfo,
    owners: readonly OwnerInfo[],
  ): ControllerProfile {
    let habits = this.#habits.get(client);
    const isChange = verb === 'update' || verb === 'patch' || verb === 'apply';
    const isStatus = subresource === 'status' && isChange;
    // A body that is applied has the owners, too.
    const isMade = verb === 'create' || (isChange && habits?.keys.has(resource) !== true);
    const isOwned = subresource === undefined && isMade && owners.length > 0 && !wakesNobody(resource);
    if (habits === undefined) {
      const nothing = { keys: new Set<string>(), begins: new Set<string>() };
      habits = { ...nothing, profile: profileBy(nothing) };
      this.#habits.set(client, habits);
    }
    if (!isStatus && !isOwned) return habits.profile;
    const { keys } = habits;
    const before = keys.size;
    if (isStatus) add(keys, resource);
    else for (const { kind } of owners) add(keys, resourceOfKind(kind));
    if (before !== keys.size) habits.profile = profileBy(habits);
    return habits.profile;
  }
}

function profileBy({ keys, begins }: Omit<Habits, 'profile'>): ControllerProfile {
  const last = [...keys].flatMap((resource) => [`update ${resource}/status`, `patch ${resource}/status`]);
  const queue = { resource: '', keys, last, begins, isLearnt: true };
  return { ...ANYTHING, resources: keys.size === 0 ? null : new Set(keys), queue };
}

function add(to: Set<string>, resource: string): void {
  if (to.size < MAX_RESOURCES) to.add(resource);
}

/** Limit: programs of a large cluster that write. */
const MAX_PROGRAMS = 1_000;
/** Limit: resources that one program writes; an operator has some ten. */
const MAX_RESOURCES = 64;
