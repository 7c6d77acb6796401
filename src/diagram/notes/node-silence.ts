// Adds a note for how long a node's kubelet had sent nothing when the node-controller marked the node as not ready,
// because no arrow shows that time.

import type { Message } from '../../kubernetes/messages/message.js';
import { words } from '../layout/pauses.js';
import type { MessageIndex } from '../message-index.js';

/** @returns request → note: `nothing from kubelet (node-1) for 31 s`. */
export function silenceNotes({ messages }: MessageIndex): ReadonlyMap<Message, readonly string[]> {
  const notes = new Map<Message, readonly string[]>();
  const lastSent = new Map<string, bigint>();
  /** Pod → kubelet that last sent a request about it. */
  const kubelets = new Map<string, string>();
  for (const message of messages) {
    const { kind, from, time, resource, namespace, name } = message;
    if (from.component === KUBELET) {
      lastSent.set(from.name, time);
      if (resource === 'pods' && name !== undefined) kubelets.set(`${namespace}/${name}`, from.name);
    }
    const silent = kind === 'request' ? silentIn(message, kubelets) : undefined;
    const last = silent === undefined ? undefined : lastSent.get(silent);
    if (last !== undefined && time - last >= LONG_NS)
      notes.set(message, [`nothing from ${silent} for ${words(time - last)}`]);
  }
  return notes;
}

/** The kubelet whose silence a request reports. */
function silentIn(
  { k8sEvent, problems, resource, name }: Message,
  kubelets: ReadonlyMap<string, string>,
): string | undefined {
  if (k8sEvent?.reason === 'NodeNotReady')
    return k8sEvent.kind === 'Pod' ? kubelets.get(`${k8sEvent.namespace}/${k8sEvent.name}`) : kubeletOf(k8sEvent.name);
  const isUnknown = problems?.some(({ of, state }) => of === 'condition Ready' && state === 'Unknown') === true;
  return resource === 'nodes' && isUnknown ? kubeletOf(name ?? '') : undefined;
}

function kubeletOf(node: string): string {
  return `${KUBELET} (${node})`;
}

const KUBELET = 'kubelet';
/** A kubelet renews its lease every ten seconds by default; shorter intervals are usual. */
const LONG_NS = 5_000_000_000n;
