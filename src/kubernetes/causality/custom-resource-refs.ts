// Relates custom resources to the objects that they refer to, and to the objects that were made for them.

import { flattenString } from '../../core/bytes/bytes.js';
import { keep } from '../../core/collections/bounded.js';
import { memo } from '../../core/collections/memo.js';
import { isCustomGroup } from '../api/api-group.js';
import { resourceOfKind, splitApiVersion } from '../api/kinds.js';
import { objectKey } from '../api/object-key.js';
import type { AppliedFor } from '../objects/applied-by.js';
import { type LooseReference, looseReferences, SECRET } from '../objects/custom-references.js';
import type { ObjectInfo } from '../objects/object-info.js';

export class CustomResourceRefs {
  /** By kind. */
  readonly #groups = new Map<string, string>();
  /** By resource, group and name: the namespace of the one that was told last. */
  readonly #places = new Map<string, string>();
  /** By key: what an object refers to, and the namespace that it is in. */
  readonly #said = new Map<string, { readonly namespace: string; readonly references: readonly LooseReference[] }>();
  /** By key of what was made: for whom, and who made it. */
  readonly #appliedFor = new Map<string, { readonly owner: string; readonly component: string }>();

  /** A body told an object: a client's, or of one that is new. @param bytes borrowed. */
  learn({ apiVersion, kind, namespace, name }: ObjectInfo, bytes: Uint8Array, contentType: string): void {
    if (name === undefined || !IS_CUSTOM(apiVersion)) return;
    const { apiGroup } = splitApiVersion(apiVersion);
    keep(this.#groups, flattenString(kind), flattenString(apiGroup), MAX_KINDS);
    const place = `${resourceOfKind(kind)}.${apiGroup} ${name}`;
    keep(this.#places, flattenString(place), flattenString(namespace ?? ''), MAX_OBJECTS);
    const references = looseReferences(bytes, contentType, apiGroup);
    const key = flattenString(objectKey(resourceOfKind(kind), apiGroup, namespace, name));
    if (references === null || (references.length === 0 && !this.#said.has(key))) return;
    keep(this.#said, key, { namespace: flattenString(namespace ?? ''), references }, MAX_OBJECTS);
  }

  /** Whom an object is made for, with its namespace, where one of that name was told. */
  placed(appliedFor: AppliedFor): AppliedFor {
    if (appliedFor.namespace !== '') return appliedFor;
    const namespace = this.#places.get(`${appliedFor.resource}.${appliedFor.apiGroup} ${appliedFor.name}`) ?? '';
    return { ...appliedFor, namespace };
  }

  /** A program makes or changes an object for another one's sake. */
  isFor(key: string, component: string, { resource, apiGroup, namespace, name }: AppliedFor): void {
    const owner = flattenString(objectKey(resource, apiGroup, namespace, name));
    keep(this.#appliedFor, flattenString(key), { owner, component }, MAX_OBJECTS);
  }

  /** Keys of what a program's object belongs with. */
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
      // Which kinds are in no namespace only their definitions say.
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
/** Kinds of somebody's own in a large cluster. */
const MAX_KINDS = 1_000;
/** Objects of such kinds that refer to others, and objects that were made for them. */
const MAX_OBJECTS = 10_000;
