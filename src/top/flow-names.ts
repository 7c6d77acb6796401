// Names the flow schema and the priority level of a response: its head has their uids (API priority and fairness), objects in the
// capture have their names.

import { LruMap } from '../core/collections/bounded.js';
import type { Message, ShownValue } from '../kubernetes/messages/message.js';

export class FlowNames {
  readonly #names = new LruMap<string, string>(MAX_NAMES, 'names of flow schemas');

  /** Learns names from every object and list of these kinds. */
  observe({ object, details }: Message): void {
    if (object === undefined || !KINDS.test(object.kind)) return;
    if (object.uid != null && object.name != null) this.#names.set(object.uid, object.name);
    if (object.items === undefined) return;
    const items = member(details?.body(), 'items');
    if (!Array.isArray(items)) return;
    for (const item of items) {
      const metadata = member(item, 'metadata');
      const [uid, name] = [member(metadata, 'uid'), member(metadata, 'name')];
      if (typeof uid === 'string' && typeof name === 'string') this.#names.set(uid, name);
    }
  }

  /** Its name, else its uid; empty: the head is not there, or has neither. */
  flowSchemaOf(response: Message | undefined): string {
    return this.#of(response, FLOW_SCHEMA);
  }

  priorityLevelOf(response: Message | undefined): string {
    return this.#of(response, PRIORITY_LEVEL);
  }

  /** The name that an object with this uid has; itself if none was seen. */
  nameOf(uid: string): string {
    return this.#names.get(uid) ?? uid;
  }

  #of(response: Message | undefined, field: string): string {
    const found = response?.details?.fields().find(([name]) => name.toLowerCase() === field);
    return found === undefined ? '' : this.nameOf(found[1]);
  }
}

function member(value: ShownValue | undefined, name: string): ShownValue | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, ShownValue>>)[name]
    : undefined;
}

/** Kubernetes: staging/src/k8s.io/api/flowcontrol/v1/types.go, ResponseHeaderMatched…UID. */
const FLOW_SCHEMA = 'x-kubernetes-pf-flowschema-uid';
const PRIORITY_LEVEL = 'x-kubernetes-pf-prioritylevel-uid';
const KINDS = /^(?:FlowSchema|PriorityLevelConfiguration)(?:List)?$/;
/** Limit: flow schemas and priority levels with a name: a cluster has some dozen of each. */
const MAX_NAMES = 2000;
