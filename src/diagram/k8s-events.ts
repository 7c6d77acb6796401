// Finds requests that write an Event for the first time (a later update has only a count, so the response has the
// text), and Events of a program about a Pod that it evicted. These explain an eviction even with type Normal
// (karpenter: Evicted, the vertical autoscaler's updater: EvictedByVPA, the descheduler: its strategy).

import { objectKey, qualifiedName } from '../kubernetes/api/object-ref.js';
import type { Message } from '../kubernetes/messages/message.js';
import type { MessageIndex } from './message-index.js';

export function evictionEvents({ exchanges }: MessageIndex): ReadonlySet<Message> {
  const evicted = new Set<string>();
  const found = new Set<Message>();
  for (const { request, response } of exchanges.values()) {
    if (request === undefined) continue;
    const k8sEvent = request.k8sEvent ?? response?.k8sEvent;
    const { from, resource, subresource, namespace, name } = request;
    if (resource === 'pods' && subresource === 'eviction') evicted.add(`${from.id} ${qualifiedName(namespace, name)}`);
    else if (k8sEvent?.kind === 'Pod' && evicted.has(`${from.id} ${qualifiedName(k8sEvent.namespace, k8sEvent.name)}`))
      found.add(request);
  }
  return found;
}

export function firstK8sEvents({ exchanges }: MessageIndex): ReadonlySet<Message> {
  const first = new Set<Message>();
  const seen = new Set<string>();
  for (const { request, response } of exchanges.values()) {
    if (request === undefined || (request.k8sEvent ?? response?.k8sEvent) === undefined) continue;
    const { namespace, name } = request;
    const key = objectKey('events', undefined, namespace, name ?? response?.object?.name);
    if (request.verb === 'create' || !seen.has(key)) first.add(request);
    seen.add(key);
  }
  return first;
}
