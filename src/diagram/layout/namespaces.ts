// In which namespaces an observation has an object of a name. Knows resources and names; nothing of what is drawn.

import type { FollowedName } from '../../kubernetes/api/kinds.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { indexMessages, type MessageIndex } from '../message-index.js';
import { isSameGroup } from '../selection/names.js';

/** Other namespaces than the wanted one that have such an object, in the order of their appearance. */
export function otherNamespaces(messages: readonly Message[], followed: FollowedName): readonly string[] {
  return namespacesOf(indexMessages(messages), followed).filter((one) => one !== '' && one !== followed.namespace);
}

/** Those that are meant. Of a kind that nobody knows, a name without namespace is that of a cluster-scoped object. */
export function namespacesMeant(index: MessageIndex, followed: FollowedName): readonly string[] {
  if (followed.anywhere === true) return namespacesOf(index, followed);
  return [...new Set([followed.namespace ?? '', ''])];
}

/** Empty text: in none, it is cluster-scoped. */
function namespacesOf(index: MessageIndex, { resource, group, name }: FollowedName): readonly string[] {
  const found = new Set<string>();
  for (const message of index.messages) {
    const request = index.requestOf(message);
    if (request?.resource !== resource || !isSameGroup(group, request.apiGroup)) continue;
    for (const one of [message, message.object]) if (one?.name === name) found.add(one.namespace ?? '');
  }
  return [...found];
}
