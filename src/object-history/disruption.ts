// Determines why a Pod had to be deleted: eviction, preemption, a taint, or its node.

import { dictionary } from '../core/collections/dictionary.js';
import type { Message } from '../kubernetes/messages/message.js';
import type { Disruption, Revision } from './model.js';

/**
 * The condition DisruptionTarget of a Pod, or an eviction of it (k8s.io/api, core/v1 and policy/v1); the first one if there are
 * several.
 *
 * @param bodies of the versions, in order.
 */
export function disruptionOf(versions: readonly Revision[], bodies: readonly unknown[]): Disruption | null {
  for (const [i, version] of versions.entries()) {
    const { author } = version;
    const reason = reasonIn(bodies[i]);
    const isEviction = author?.request.subresource === 'eviction';
    if (reason === null && !isEviction) continue;
    if (author !== null && (isEviction || reason === EVICTION)) {
      const node = nodeOf(bodies.slice(0, i + 1));
      return { words: evictionWords(author.request, isEviction, node), reason, message: author.request };
    }
    const words = REASONS[reason ?? ''] ?? `to be disrupted (${reason})`;
    return { words, reason, message: author?.request ?? version.first };
  }
  return null;
}

/** kubectl evicts only to drain a node (k8s.io/kubectl, pkg/drain). */
function evictionWords({ from }: Message, isSeen: boolean, node: string | null): string {
  if (!isSeen) return REASONS[EVICTION];
  if (from.component !== 'kubectl') return `evicted by ${from.name}`;
  return `evicted by a drain of ${node ?? 'its node'}`;
}

function reasonIn(body: unknown): string | null {
  const conditions = member(member(body, 'status'), 'conditions');
  if (!Array.isArray(conditions)) return null;
  const condition: unknown = conditions.find(
    (one) => member(one, 'type') === 'DisruptionTarget' && member(one, 'status') === 'True',
  );
  const reason = member(condition, 'reason');
  return typeof reason === 'string' && reason !== '' ? reason : null;
}

function nodeOf(bodies: readonly unknown[]): string | null {
  const names = bodies.map((body) => member(member(body, 'spec'), 'nodeName'));
  const name = names.findLast((one) => typeof one === 'string' && one !== '');
  return typeof name === 'string' ? name : null;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

const EVICTION = 'EvictionByEvictionAPI';
/**
 * Reasons of the condition: core/v1 (PodReasonPreemptionByScheduler, PodReasonTerminationByKubelet), pkg/registry/core/pod/storage
 * (eviction.go), pkg/controller/tainteviction and pkg/controller/podgc.
 */
const REASONS: Readonly<Record<string, string>> = dictionary({
  [EVICTION]: 'evicted through the Eviction API',
  PreemptionByScheduler: 'preempted by the scheduler, for a Pod of a higher priority',
  DeletionByTaintManager: 'evicted by a taint of its node (NoExecute) that it does not tolerate',
  DeletionByPodGC: 'deleted by the garbage collection of Pods: its node is gone, or out of service',
  TerminationByKubelet: 'ended by its kubelet: its node was short of something, or was shut down',
});
