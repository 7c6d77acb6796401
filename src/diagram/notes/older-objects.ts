// Says that a followed object may own others that the capture does not link to it: these are older than the capture, and no message
// shows their owner.

import type { FollowedName } from '../../kubernetes/api/kinds.js';
import type { MessageIndex } from '../message-index.js';
import { FollowedObjects } from '../selection/followed-objects.js';

/** @returns the line; none where the object was created in the capture, or what it owns is known. */
export function olderObjects(index: MessageIndex, root: FollowedName | undefined): readonly string[] {
  if (root === undefined || !OWNERS.has(root.resource)) return [];
  const followed = new FollowedObjects(index, [root]);
  if (followed.owns(root)) return [];
  const isNew = index.messages.some(
    (message) => message.verb === 'create' && message.subresource === undefined && followed.isAbout(message),
  );
  return isNew ? [] : [MAY_BE_MISSING];
}

const MAY_BE_MISSING = 'objects that it owned before the capture may be missing';
/** Whose controllers create objects that they own (pkg/controller). */
const OWNERS: ReadonlySet<string> = new Set([
  ...['deployments', 'replicasets', 'replicationcontrollers', 'statefulsets', 'daemonsets', 'jobs', 'cronjobs'],
]);
