// Compares names of objects by resource, API group, namespace and name. The group counts if it is known, because two
// groups can have a resource of one name (Services of Kubernetes and of Knative). Finds the namespaces that a followed name may be in.

import type { FollowedName } from '../../kubernetes/api/kinds.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { indexMessages, type MessageIndex } from '../message-index.js';

export interface ObjectName {
  readonly resource: string;
  /** null, undefined: any, or unknown. */
  readonly group: string | null | undefined;
  /** null, undefined, empty: cluster-scoped. */
  readonly namespace: string | null | undefined;
  readonly name: string;
}

export class SelectedNames {
  /** Keys with and without the group. */
  readonly #known = new Set<string>();
  readonly #names = new Map<string, ObjectName>();

  get size(): number {
    return this.#known.size;
  }

  add(name: ObjectName): void {
    const key = keyOf(name);
    this.#known.add(key);
    this.#names.set(key, name);
    this.#known.add(`${key} ${name.group ?? ANY}`);
  }

  /** Each once, whatever its group. */
  all(): Iterable<ObjectName> {
    return this.#names.values();
  }

  has(name: ObjectName): boolean {
    const key = keyOf(name);
    if (!this.#known.has(key)) return false;
    return name.group == null || this.#known.has(`${key} ${ANY}`) || this.#known.has(`${key} ${name.group}`);
  }

  /** Is there such a name only in other groups? */
  hasElsewhere(name: ObjectName): boolean {
    return this.#known.has(keyOf(name)) && !this.has(name);
  }
}

/** An unknown group equals any. */
export function isSameGroup(a: string | null | undefined, b: string | null | undefined): boolean {
  return a == null || b == null || a === b;
}

/** Group of a resource that is named without one; null: several groups have it, or it is never named so. */
export function usualGroup(resource: string): string | null {
  return USUAL_GROUPS.get(resource) ?? null;
}

function keyOf({ resource, namespace, name }: ObjectName): string {
  return `${resource} ${resource === 'namespaces' ? '' : (namespace ?? '')} ${name}`;
}

/** No valid group name. */
const ANY = '*';
/** Resources that texts of errors, and fields of other objects, name without a group. Services are not here, because Knative has them too. */
const USUAL_GROUPS: ReadonlyMap<string, string> = new Map([
  ['configmaps', ''],
  ['namespaces', ''],
  ['persistentvolumeclaims', ''],
  ['persistentvolumes', ''],
  ['resourcequotas', ''],
  ['secrets', ''],
  ['serviceaccounts', ''],
  ['deviceclasses', 'resource.k8s.io'],
  ['nodeclaims', 'karpenter.sh'],
  ['poddisruptionbudgets', 'policy'],
  ['priorityclasses', 'scheduling.k8s.io'],
  ['resourceclaims', 'resource.k8s.io'],
  ['resourceclaimtemplates', 'resource.k8s.io'],
  ['runtimeclasses', 'node.k8s.io'],
  ['storageclasses', 'storage.k8s.io'],
]);

/** Other namespaces that have such an object, in the order of appearance. */
export function otherNamespaces(messages: readonly Message[], followed: FollowedName): readonly string[] {
  return namespacesOf(indexMessages(messages), followed).filter((one) => one !== '' && one !== followed.namespace);
}

/** Namespaces that a followed name may be in; the empty one is for cluster-scoped objects. */
export function namespacesMeant(index: MessageIndex, followed: FollowedName): readonly string[] {
  if (followed.anywhere === true) return namespacesOf(index, followed);
  return [...new Set([followed.namespace ?? '', ''])];
}

/** The empty text stands for a cluster-scoped object. */
function namespacesOf(index: MessageIndex, { resource, group, name }: FollowedName): readonly string[] {
  const found = new Set<string>();
  for (const message of index.messages) {
    const request = index.requestOf(message);
    if (request?.resource !== resource || !isSameGroup(group, request.apiGroup)) continue;
    for (const one of [message, message.object]) if (one?.name === name) found.add(one.namespace ?? '');
  }
  return [...found];
}
