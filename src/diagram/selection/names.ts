// Names of objects: resource, API group, namespace, name. Two groups can have a resource of one name (a Service is one of Kubernetes
// or of Knative), so the group counts wherever it is known. Knows what makes two names the same; not whose they are.

export interface ObjectName {
  readonly resource: string;
  /** null, undefined: any, or nobody knows. */
  readonly group: string | null | undefined;
  /** null, undefined and empty: in none. */
  readonly namespace: string | null | undefined;
  readonly name: string;
}

export class SelectedNames {
  /** Without the group, then with it. */
  readonly #known = new Set<string>();

  /** Grows with each name that was not there. */
  get size(): number {
    return this.#known.size;
  }

  add(name: ObjectName): void {
    const key = keyOf(name);
    this.#known.add(key);
    this.#known.add(`${key} ${name.group ?? ANY}`);
  }

  has(name: ObjectName): boolean {
    const key = keyOf(name);
    if (!this.#known.has(key)) return false;
    return name.group == null || this.#known.has(`${key} ${ANY}`) || this.#known.has(`${key} ${name.group}`);
  }

  /** Is only the group another one? */
  hasElsewhere(name: ObjectName): boolean {
    return this.#known.has(keyOf(name)) && !this.has(name);
  }
}

/** Where one of them is not known, nothing tells them apart. */
export function isSameGroup(a: string | null | undefined, b: string | null | undefined): boolean {
  return a == null || b == null || a === b;
}

/** Of what people and programs name without its group; null: more than one group has it. */
export function usualGroup(resource: string): string | null {
  return USUAL_GROUPS.get(resource) ?? null;
}

function keyOf({ resource, namespace, name }: ObjectName): string {
  return `${resource} ${resource === 'namespaces' ? '' : (namespace ?? '')} ${name}`;
}

/** No group has this name. */
const ANY = '*';
/** Claims, and what is said to be lacking (kubernetes/api/missing-objects.ts); Knative has Services, too. */
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
