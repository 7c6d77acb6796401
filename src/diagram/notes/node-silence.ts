// Adds a note for how long a node's kubelet had sent nothing when the node-controller marked the node as not ready,
// because no arrow shows that time.

import { BoundedMap } from '../../core/collections/bounded.js';
import { elapsedText } from '../../core/duration.js';
import { qualifiedName } from '../../kubernetes/api/object-ref.js';
import type { Message } from '../../kubernetes/messages/message.js';
import type { MessageIndex } from '../message-index.js';

/** @returns request → note: `nothing from kubelet (node-1) for 31 s`. */
export function silenceNotes({ messages, facts }: MessageIndex): ReadonlyMap<Message, readonly string[]> {
  const found = facts?.silences ?? silencesIn(messages);
  const notes = new Map<Message, readonly string[]>();
  if (found.size === 0) return notes;
  for (const message of messages) {
    const lines = found.get(message.seq);
    if (lines !== undefined) notes.set(message, lines);
  }
  return notes;
}

function silencesIn(messages: readonly Message[]): ReadonlyMap<number, readonly string[]> {
  const silences = new NodeSilences();
  for (const message of messages) silences.observe(message);
  return silences.found;
}

/** Watches kubelets, message by message. */
export class NodeSilences {
  /** `seq` of a request → its note. */
  readonly found = new Map<number, readonly string[]>();
  readonly #lastSent = new Map<string, bigint>();
  /** Pod → kubelet that last sent a request about it. */
  readonly #kubelets = new BoundedMap<string, string>(MAX_PODS, 'kubelets of Pods');

  observe(message: Message): void {
    const { kind, from, time, resource, namespace, name } = message;
    if (from.component === KUBELET) {
      this.#lastSent.set(from.name, time);
      if (resource === 'pods' && name !== undefined) this.#kubelets.set(qualifiedName(namespace, name), from.name);
    }
    const silent = kind === 'request' ? silentIn(message, this.#kubelets) : undefined;
    const last = silent === undefined ? undefined : this.#lastSent.get(silent);
    if (last !== undefined && time - last >= LONG_NS)
      this.found.set(message.seq, [`nothing from ${silent} for ${elapsedText(time - last)}`]);
  }
}

/** The kubelet whose silence a request reports. */
function silentIn(
  { k8sEvent, problems, resource, name }: Message,
  kubelets: ReadonlyMap<string, string>,
): string | undefined {
  if (k8sEvent?.reason === 'NodeNotReady')
    return k8sEvent.kind === 'Pod'
      ? kubelets.get(qualifiedName(k8sEvent.namespace, k8sEvent.name))
      : kubeletOf(k8sEvent.name);
  const isUnknown = problems?.some(({ of, state }) => of === 'condition Ready' && state === 'Unknown') === true;
  return resource === 'nodes' && isUnknown ? kubeletOf(name ?? '') : undefined;
}

function kubeletOf(node: string): string {
  return `${KUBELET} (${node})`;
}

const KUBELET = 'kubelet';
/** A kubelet renews its lease every ten seconds by default; shorter intervals are usual. */
const LONG_NS = 5_000_000_000n;
/** Limit: Pods whose kubelets are known; with more, all are learnt anew. */
const MAX_PODS = 150_000;
