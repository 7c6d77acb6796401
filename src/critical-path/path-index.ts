// Indexes what critical paths look up: messages by their numbers and causes, calls of extensions by their request, calls of runtimes and
// Kubernetes Events by the object that they are about.

import { type ExchangeMessages, indexMessages, type MessageIndex } from '../diagram/message-index.js';
import { qualifiedName } from '../kubernetes/api/object-ref.js';
import type { Message } from '../kubernetes/messages/message.js';

export interface PathIndex {
  readonly messages: MessageIndex;
  /** Calls of webhooks and aggregated servers that a request caused, by its `seq`. */
  extensionCalls(seq: number): readonly ExchangeMessages[];
  /** Calls of container runtimes for a Pod. */
  runtimeCalls(pod: PathObject): readonly ExchangeMessages[];
  /** Requests that write Kubernetes Events about an object, also those that repeat one. */
  k8sEvents(object: PathObject): readonly ReportedEvent[];
}

export interface ReportedEvent {
  /** The request. */
  readonly at: Message;
  readonly reason: string;
  readonly text: string;
}

export interface PathObject {
  readonly namespace?: string | null;
  readonly name?: string | null;
}

/** @param messages in the order of time. */
export function indexPaths(messages: readonly Message[]): PathIndex {
  const index = indexMessages(messages);
  const extensions = new Map<number, ExchangeMessages[]>();
  const runtimes = new Map<string, ExchangeMessages[]>();
  const k8sEvents = new Map<string, ReportedEvent[]>();
  for (const exchange of index.exchanges.values()) {
    const { request, response } = exchange;
    if (request === undefined) continue;
    if (request.causedBy !== undefined && request.to.tier === 'extensions')
      append(extensions, request.causedBy, exchange);
    if (request.protocol === 'cri') append(runtimes, qualifiedName(request.namespace, request.name), exchange);
    // A request that repeats an Event has only how often; its answer has the Event. The API server's write to its store has it again.
    const k8sEvent = request.protocol === 'kubernetes' ? (request.k8sEvent ?? response?.k8sEvent) : undefined;
    if (k8sEvent !== undefined && !READS.has(request.verb ?? ''))
      append(k8sEvents, qualifiedName(k8sEvent.namespace, k8sEvent.name), {
        at: request,
        reason: k8sEvent.reason,
        text: k8sEvent.message,
      });
  }
  return {
    messages: index,
    extensionCalls: (seq) => extensions.get(seq) ?? [],
    runtimeCalls: (pod) => runtimes.get(qualifiedName(pod.namespace, pod.name)) ?? [],
    k8sEvents: (object) => k8sEvents.get(qualifiedName(object.namespace, object.name)) ?? [],
  };
}

function append<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

const READS = new Set(['get', 'list', 'watch']);
