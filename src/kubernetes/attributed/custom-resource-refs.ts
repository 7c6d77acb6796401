// Relates custom resources to the objects that they refer to, and to the objects that were made for them.

import { flattenString } from '../../core/bytes/bytes.js';
import { BoundedMap } from '../../core/collections/bounded.js';
import { memo } from '../../core/collections/memo.js';
import { isCustomGroup, resourceOfKind, splitApiVersion } from '../api/kinds.js';
import { objectKey } from '../api/object-ref.js';
import type { AppliedFor } from '../objects/applied-by.js';
import { type CustomReferences, looseReferences, SECRET } from '../objects/custom-references.js';
import type { ObjectInfo } from '../objects/object-info.js';

export class CustomResourceRefs {
  /** By kind. */
  readonly #groups = new BoundedMap<string, string>(MAX_KINDS, 'groups of custom resources');
  /** By resource, group and name: the namespace of the object seen last. */
  readonly #places = new BoundedMap<string, string>(MAX_OBJECTS, 'places of custom resources');
  /** By key: what an object refers to, and the namespace that it is in. */
  readonly #said = new BoundedMap<string, CustomReferences & { readonly namespace: string }>(
    MAX_OBJECTS,
    'references of custom resources',
  );
  /** By key of a created object: the object it was created for, and the creator. */
  readonly #appliedFor = new BoundedMap<string, { readonly owner: string; readonly component: string }>(
    MAX_OBJECTS,
    'objects that were applied for others',
  );

  /** An object in a body: a client's, or of a new object. @param bytes borrowed. */
  learn({ apiVersion, kind, namespace, name }: ObjectInfo, bytes: Uint8Array, contentType: string): void {
    if (name === undefined || !IS_CUSTOM(apiVersion)) return;
    const { apiGroup } = splitApiVersion(apiVersion);
    this.#groups.set(flattenString(kind), flattenString(apiGroup));
    const place = objectKey(resourceOfKind(kind), apiGroup, undefined, name);
    this.#places.set(flattenString(place), flattenString(namespace ?? ''));
    const said = looseReferences(bytes, contentType, apiGroup);
    const key = flattenString(objectKey(resourceOfKind(kind), apiGroup, namespace, name));
    if (said === null || (said.references.length + said.names.length === 0 && !this.#said.has(key))) return;
    const names = said.names.map(flattenString);
    this.#said.set(key, { namespace: flattenString(namespace ?? ''), references: said.references, names });
  }

  /** The object that an object is created for, with its namespace, where an object of that name was seen. */
  placed(appliedFor: AppliedFor): AppliedFor {
    const { resource, apiGroup, name } = appliedFor;
    if (appliedFor.namespace !== '') return appliedFor;
    const namespace = this.#places.get(objectKey(resource, apiGroup, undefined, name)) ?? '';
    return { ...appliedFor, namespace };
  }

  /** A program creates or changes an object on behalf of another object. */
  isFor(key: string, component: string, { resource, apiGroup, namespace, name }: AppliedFor): void {
    const owner = flattenString(objectKey(resource, apiGroup, namespace, name));
    this.#appliedFor.set(flattenString(key), { owner, component });
  }

  /** Texts in an object's `spec` that may be names of other objects. */
  namesIn(key: string): readonly string[] {
    return this.#said.get(key)?.names ?? NONE;
  }

  /** Keys of the objects that a program's object is related to. */
  of(component: string, key: string): readonly string[] {
    const made = this.#appliedFor.get(key);
    const owners = made?.component === component ? [made.owner, ...this.#referredBy(made.owner)] : NONE;
    return this.#said.size === 0 ? owners : [...owners, ...this.#referredBy(key)];
  }

  #referredBy(key: string): readonly string[] {
    const said = this.#said.get(key);
    if (said === undefined) return NONE;
    return said.references.flatMap(({ kind, apiGroup, namespace, name }) => {
      if (kind === SECRET) return objectKey('secrets', '', namespace || said.namespace || CERT_MANAGER_RUNS_IN, name);
      const group = apiGroup === '' ? this.#groups.get(kind) : apiGroup;
      if (group === undefined || !isCustomGroup(group)) return NONE;
      const resource = resourceOfKind(kind);
      // Whether a custom resource is cluster-scoped is in its definition alone.
      return [
        objectKey(resource, group, namespace || said.namespace, name),
        objectKey(resource, group, undefined, name),
      ];
    });
  }
}

const IS_CUSTOM = memo((apiVersion: string) => isCustomGroup(splitApiVersion(apiVersion).apiGroup), 1000);
const NONE: readonly string[] = [];
/** Where ClusterIssuers have their Secrets, if it is installed as it comes (--cluster-resource-namespace). */
const CERT_MANAGER_RUNS_IN = 'cert-manager';
/** Limit: kinds of custom resources in a large cluster, of which the group is remembered. */
const MAX_KINDS = 1_000;
/** Limit: custom resources that refer to others, and objects that were created for them. */
const MAX_OBJECTS = 10_000;
