// For how long a node's kubelet had said nothing when the node-controller concluded that the node is not ready. Nothing happens in
// such a time, so nothing of it would be drawn. Knows messages in their order; not why a kubelet says nothing.

import type { Message } from '../../kubernetes/messages/message.js';
import { words } from '../layout/pauses.js';
import type { MessageIndex } from '../message-index.js';

/** @returns what to say beside the requests that tell it: `nothing from kubelet (node-1) for 31 s`. */
export function silencesIn({ messages }: MessageIndex): ReadonlyMap<Message, readonly string[]> {
  const said = new Map<Message, readonly string[]>();
  const heard = new Map<string, bigint>();
  /** Which kubelet spoke of a Pod last. */
  const kubelets = new Map<string, string>();
  for (const message of messages) {
    const { kind, from, time, resource, namespace, name } = message;
    if (from.component === KUBELET) {
      heard.set(from.name, time);
      if (resource === 'pods' && name !== undefined) kubelets.set(`${namespace}/${name}`, from.name);
    }
    const silent = kind === 'request' ? silentIn(message, kubelets) : undefined;
    const last = silent === undefined ? undefined : heard.get(silent);
    if (last !== undefined && time - last >= LONG_NS)
      said.set(message, [`nothing from ${silent} for ${words(time - last)}`]);
  }
  return said;
}

/** Whose silence a request is about. */
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
/** Shorter ones are no silence: a kubelet renews its lease every ten seconds, or as often as its node's owner wants. */
const LONG_NS = 5_000_000_000n;
