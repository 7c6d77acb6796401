// Indexes what critical paths look up: messages by their numbers and causes, calls of extensions by their request, calls of runtimes and
// Kubernetes Events by the object that they are about.

import { appendTo } from '../core/collections/multimap.js';
import { type ExchangeMessages, indexMessages, type MessageIndex } from '../diagram/message-index.js';
import { objectKey } from '../kubernetes/api/object-ref.js';
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
      appendTo(extensions, request.causedBy, exchange);
    if (request.protocol === 'cri') appendTo(runtimes, keyOf(request), exchange);
    // A request that repeats an Event has only how often; its answer has the Event. The API server's write to its store has it again.
    const k8sEvent = request.protocol === 'kubernetes' ? (request.k8sEvent ?? response?.k8sEvent) : undefined;
    if (k8sEvent !== undefined && !READS.has(request.verb ?? ''))
      appendTo(k8sEvents, keyOf(k8sEvent), { at: request, reason: k8sEvent.reason, text: k8sEvent.message });
  }
  return {
    messages: index,
    extensionCalls: (seq) => extensions.get(seq) ?? [],
    runtimeCalls: (pod) => runtimes.get(keyOf(pod)) ?? [],
    k8sEvents: (object) => k8sEvents.get(keyOf(object)) ?? [],
  };
}

/** Of whatever kind: no namespace and one without a name are alike. */
function keyOf({ namespace, name }: PathObject): string {
  return objectKey(undefined, undefined, namespace, name);
}

const READS = new Set(['get', 'list', 'watch']);
