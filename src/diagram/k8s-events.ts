// Which requests report something that was not reported before: who makes an Event; where a capture begins later, who repeats it.
// Who repeats one says only how often, and the answer has the words. And which of them say why a Pod has to go: whatever who asks
// it to go reports of it, of type Normal too (karpenter: Evicted, the vertical autoscaler's updater: EvictedByVPA, the descheduler: the
// name of its strategy). Knows Events and evictions; not what a picture is about.

import type { Message } from '../kubernetes/messages/message.js';
import type { MessageIndex } from './message-index.js';

/** @returns requests. */
export function evictionEvents({ exchanges }: MessageIndex): ReadonlySet<Message> {
  const evicted = new Set<string>();
  const found = new Set<Message>();
  for (const { request, response } of exchanges.values()) {
    if (request === undefined) continue;
    const k8sEvent = request.k8sEvent ?? response?.k8sEvent;
    const { from, resource, subresource, namespace, name } = request;
    if (resource === 'pods' && subresource === 'eviction') evicted.add(`${from.id} ${namespace} ${name}`);
    else if (k8sEvent?.kind === 'Pod' && evicted.has(`${from.id} ${k8sEvent.namespace} ${k8sEvent.name}`))
      found.add(request);
  }
  return found;
}

/** @returns requests. */
export function firstK8sEvents({ exchanges }: MessageIndex): ReadonlySet<Message> {
  const first = new Set<Message>();
  const told = new Set<string>();
  for (const { request, response } of exchanges.values()) {
    if (request === undefined || (request.k8sEvent ?? response?.k8sEvent) === undefined) continue;
    const { namespace, name } = request;
    const key = JSON.stringify([namespace, name ?? response?.object?.name]);
    if (request.verb === 'create' || !told.has(key)) first.add(request);
    told.add(key);
  }
  return first;
}
