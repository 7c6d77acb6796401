// Compares names of objects by resource, API group, namespace and name. The group counts if it is known, because two
// groups can have a resource of one name (Services of Kubernetes and of Knative). Finds the namespaces that a followed name may be in.

import type { FollowedName } from '../../kubernetes/api/kinds.js';
import { isNamespaceResource } from '../../kubernetes/api/object-ref.js';
import { requestOf } from '../../kubernetes/emitted/message-links.js';
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
  /** By name alone, which tells of most messages that they name no selected object. */
  readonly #byName = new Map<string, SelectedName[]>();

  /** Counts each name, and each of its groups. */
  get size(): number {
    let size = 0;
    for (const names of this.#byName.values()) for (const { groups } of names) size += 1 + groups.size;
    return size;
  }

  add(name: ObjectName): void {
    const group = name.group ?? null;
    const known = this.#find(name);
    if (known !== undefined) known.groups.add(group);
    else this.#byName.set(name.name, [...(this.#byName.get(name.name) ?? []), { ...name, groups: new Set([group]) }]);
  }

  /** Each once, whatever its group. */
  all(): readonly ObjectName[] {
    return [...this.#byName.values()].flat();
  }

  has(name: ObjectName): boolean {
    const groups = this.#find(name)?.groups;
    return groups !== undefined && (name.group == null || groups.has(null) || groups.has(name.group));
  }

  /** Is there such a name only in other groups? */
  hasElsewhere(name: ObjectName): boolean {
    return this.#find(name) !== undefined && !this.has(name);
  }

  #find({ resource, namespace, name }: ObjectName): SelectedName | undefined {
    return this.#byName
      .get(name)
      ?.find(
        (one) =>
          one.resource === resource &&
          (isNamespaceResource(resource) || (one.namespace || null) === (namespace || null)),
      );
  }
}

interface SelectedName extends ObjectName {
  /** null: any. */
  readonly groups: Set<string | null>;
}

/** An unknown group equals any. */
export function isSameGroup(a: string | null | undefined, b: string | null | undefined): boolean {
  return a == null || b == null || a === b;
}

/** Group of a resource that is named without one; null: several groups have it, or it is never named so. */
export function usualGroup(resource: string): string | null {
  return USUAL_GROUPS.get(resource) ?? null;
}

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
    const request = requestOf(message);
    if (request?.resource !== resource || !isSameGroup(group, request.apiGroup)) continue;
    for (const one of [message, message.object]) if (one?.name === name) found.add(one.namespace ?? '');
  }
  return [...found];
}
