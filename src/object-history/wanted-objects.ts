// Compares objects with the resource, API group and namespace that a user asks for.

import type { FollowedName } from '../kubernetes/api/kinds.js';
import type { NamedResource } from '../kubernetes/lives/object-store.js';

/** What a user does not say (null) is any; so is a group that a request does not tell. */
export function isOfResource(
  { resource, apiGroup }: NamedResource,
  wanted: Pick<FollowedName, 'resource' | 'group'>,
): boolean {
  return resource === wanted.resource && (wanted.group === null || apiGroup === undefined || apiGroup === wanted.group);
}

/** @param namespace of an object or a request; without one, as of requests for all namespaces, it may be the wanted one. */
export function isInNamespace(namespace: unknown, wanted: Pick<FollowedName, 'namespace'>): boolean {
  return wanted.namespace === null || namespace == null || namespace === '' || namespace === wanted.namespace;
}
