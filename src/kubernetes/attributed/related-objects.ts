// Relates objects that do not own each other: by references in their bodies, by names, and by what a controller acts for.

import { flattenString } from '../../core/bytes/bytes.js';
import { BoundedMap } from '../../core/collections/bounded.js';
import { isNamespaceResource, keyOfKind, objectKey, type Related } from '../api/object-ref.js';
import type { RequestInfo } from '../api/request-info.js';
import type { AppliedFor } from '../objects/applied-by.js';
import { nodeNameOf, podsBehind } from '../objects/object-facts.js';
import type { K8sEventInfo, ObjectInfo } from '../objects/object-info.js';
import { type Reference, referencesOf, refers } from '../objects/references.js';
import { actsForNamespace } from './controllers.js';
import { CustomResourceRefs } from './custom-resource-refs.js';
import { PodSelection, SELECTING } from './pod-selection.js';

/** Origin of a body: a client, or the API server, of a new object or of one that may have been seen before. */
export type Telling = 'client' | 'first' | 'again';

interface NamedObject {
  readonly key: string;
  readonly name: string;
}

export class RelatedObjects {
  /** By key of an EndpointSlice or Endpoints: uids of the Pods behind it, as last written and as before that. */
  readonly #behind = new BoundedMap<string, { now: readonly string[]; before: readonly string[] }>(
    MAX_RELATED,
    'objects that stand behind others',
  );
  /** By key: what an object's body says of others. */
  readonly #said = new BoundedMap<string, Related>(MAX_RELATED, 'relations of objects');
  /** By key of a Pod: key of its node. */
  readonly #nodes = new BoundedMap<string, string>(MAX_RELATED, 'nodes of objects');
  /** By key: keys of the last objects that refer to it. */
  readonly #users = new BoundedMap<string, readonly string[]>(MAX_RELATED, 'objects that use others');
  readonly #custom = new CustomResourceRefs();
  readonly #selection = new PodSelection();

  /**
   * Learns from a body which objects its object is related to. Bodies that come often are read only where they are new.
   * @returns what the body says of other objects.
   */
  observe(info: ObjectInfo, bytes: Uint8Array, contentType: string, by: Telling): readonly Reference[] {
    const { kind, namespace, name } = info;
    if (name === undefined) return NOTHING_SAID;
    // Labels and selectors seldom change; a status does often.
    if (SELECTING.has(kind) && (by !== 'again' || kind !== 'Pod'))
      this.#selection.observe(
        kind,
        namespace ?? '',
        flattenString(keyOfKind(info.apiVersion, kind, namespace, name)),
        bytes,
        contentType,
      );
    if (by !== 'again') this.#custom.learn(info, bytes, contentType);
    if (by === 'client' && (kind === 'EndpointSlice' || kind === 'Endpoints')) {
      const key = flattenString(keyOfKind(info.apiVersion, kind, namespace, name));
      const before = this.#behind.get(key)?.now ?? [];
      this.#behind.set(key, { now: podsBehind(bytes, contentType), before });
    } else if (kind === 'Binding') this.#isOn(info, bytes, contentType);
    else if (refers(kind, by !== 'again')) return this.#refer(info, name, bytes, contentType);
    return NOTHING_SAID;
  }

  #refer(
    { apiVersion, kind, namespace }: ObjectInfo,
    name: string,
    bytes: Uint8Array,
    contentType: string,
  ): readonly Reference[] {
    const key = flattenString(keyOfKind(apiVersion, kind, namespace, name));
    const said = referencesOf(bytes, contentType, kind, namespace ?? '');
    const keys = said.map((one) => flattenString(keyOfKind(one.apiVersion, one.kind, one.namespace, one.name)));
    // A node's own status says nothing of one of its volumes.
    const others = keys.filter((_, i) => said[i].kind !== 'Node');
    if (others.length > 0 || this.#said.has(key))
      this.#said.set(key, { keys: others, uids: said.map(({ uid }) => uid).filter((uid) => uid !== '') });
    if (!USERS.has(kind)) return said;
    for (const used of keys) {
      const known = this.#users.get(used) ?? [];
      if (!known.includes(key)) this.#users.set(used, [...known.slice(1 - MAX_USERS), key]);
    }
    return said;
  }

  /** A program creates or changes an object on behalf of another. @returns that one, with its namespace if known. */
  isFor(key: string, component: string, appliedFor: AppliedFor): AppliedFor {
    const placed = this.#custom.placed(appliedFor);
    this.#custom.isFor(key, component, placed);
    return placed;
  }

  /** Keys of the objects whose selectors match a Pod. */
  selecting(key: string): readonly string[] {
    return this.#selection.selecting(key);
  }

  /** An object was deleted. @param bytes its last state. */
  deleted(info: ObjectInfo, bytes: Uint8Array, contentType: string): void {
    const { apiVersion, kind, namespace = '', name = '' } = info;
    if (kind === 'Pod') this.#isOn(info, bytes, contentType);
    else if (SELECTING.has(kind)) this.#selection.deleted(namespace, keyOfKind(apiVersion, kind, namespace, name));
  }

  /** What the object that an Event reports on is related to. */
  ofReport(component: string, k8sEvent: K8sEventInfo | undefined): Related | undefined {
    if (component !== 'node-controller' || k8sEvent?.kind !== 'Pod') return undefined;
    const pod = objectKey('pods', '', k8sEvent.namespace, k8sEvent.name);
    return { uids: [], keys: [], evictedFrom: this.#nodes.get(pod) ?? null };
  }

  /** Key of the node that a Pod has or had; undefined: not known. */
  nodeOf(pod: string): string | undefined {
    return this.#nodes.get(pod);
  }

  /** Texts in the `spec` of a custom resource that may be names of other objects. @param key of it. */
  namesIn(key: string): readonly string[] {
    return this.#custom.namesIn(key);
  }

  /** @param bytes of the Pod, or of its Binding. */
  #isOn({ namespace, name = '' }: ObjectInfo, bytes: Uint8Array, contentType: string): void {
    const node = nodeNameOf(bytes, contentType);
    if (node === undefined) return;
    const pod = flattenString(objectKey('pods', '', namespace, name));
    this.#nodes.set(pod, flattenString(objectKey('nodes', '', undefined, node)));
  }

  /**
   * The objects that a request's object is related to.
   * @param component of the client. @param object key and name; empty: not known. @param isKnown whether an object of a key was seen.
   */
  of(
    component: string,
    info: RequestInfo,
    object: NamedObject,
    isKnown: (key: string) => boolean,
  ): Related | undefined {
    const { resource = '', namespace } = info;
    const { key, name } = object;
    if (namespace !== undefined && actsForNamespace(component) && !isNamespaceResource(resource))
      return { uids: [], keys: [objectKey('namespaces', '', undefined, namespace)] };
    if (BEHIND_SERVICES.has(resource)) return this.#behindService(key, namespace, name);
    if (component === 'statefulset-controller' && resource === 'persistentvolumeclaims')
      return { uids: [], keys: setOfClaim(namespace, name, isKnown) };
    const said = withKeys(this.#said.get(key), this.#custom.of(component, key));
    if (component === 'attachdetach-controller' && resource === 'nodes')
      return { uids: [], keys: [], attachments: this.#users.get(key) };
    const users = this.#usersOf(component, info, key);
    if (users.length > 0) return withKeys(said, users);
    const claim = resource === 'persistentvolumes' ? PROVISIONED.exec(name)?.[1] : undefined;
    if (claim !== undefined) return { uids: [claim], keys: [] };
    if (resource === 'pods' && (info.subresource === 'eviction' || component === 'node-controller'))
      return { uids: [], keys: [], evictedFrom: this.#nodes.get(key) ?? null };
    if (resource !== 'pods' || info.subresource !== 'binding') return said;
    return { uids: [], keys: [], ...said, node: this.#nodes.get(key) };
  }

  /** Keys of the objects on whose behalf a program acts on what they refer to. */
  #usersOf(component: string, { verb, resource = '', subresource }: RequestInfo, key: string): readonly string[] {
    const row = FOR_USERS.get(component);
    if (row === undefined || verb === 'get' || !row.to.includes(subresource === 'scale' ? subresource : resource))
      return [];
    const named = resource === 'volumeattachments' ? this.#claimsOf(key) : [key];
    return named.flatMap((one) => this.#users.get(one) ?? []).filter((one) => one.startsWith(row.users));
  }

  /** A VolumeAttachment refers to a volume, and the volume to a claim. */
  #claimsOf(attachment: string): readonly string[] {
    return (this.#said.get(attachment)?.keys ?? []).flatMap((volume) => this.#said.get(volume)?.keys ?? []);
  }

  /** Pods of the previous version too: a deleted Pod triggers the controller as well. */
  #behindService(key: string, namespace: string | undefined, name: string): Related {
    const { now = [], before = [] } = this.#behind.get(key) ?? {};
    return { uids: [...new Set([...before, ...now])], keys: [objectKey('services', '', namespace, name)] };
  }
}

function withKeys(said: Related | undefined, keys: readonly string[]): Related | undefined {
  return keys.length === 0 ? said : { uids: said?.uids ?? [], keys: [...(said?.keys ?? []), ...keys] };
}

/**
 * `data-db-0` is a claim of the StatefulSet db, if there is no other that it could be of (pkg/controller/statefulset:
 * getPersistentVolumeClaimName): template, set and ordinal, each of which may have dashes but the last.
 */
function setOfClaim(namespace: string | undefined, name: string, isKnown: (key: string) => boolean): readonly string[] {
  const words = name.split('-');
  if (words.length > MAX_WORDS || !/^\d+$/.test(words[words.length - 1])) return [];
  const sets = words.slice(1, -1).map((_, i) => words.slice(i + 1, -1).join('-'));
  const known = sets.map((set) => objectKey('statefulsets', 'apps', namespace, set)).filter(isKnown);
  return known.length === 1 ? known : [];
}

/** What a volume is called that is made for a claim, by the claim's uid (pkg/controller/volume/persistentvolume, external-provisioner). */
const PROVISIONED = /^pvc-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
/** Kinds on whose behalf controllers act on what they refer to. */
const USERS = new Set(['HorizontalPodAutoscaler', 'Pod', 'VolumeAttachment']);
/**
 * Who does it, and to what (a scale or a resource), for whom: pkg/controller/podautoscaler; the nodes that the scheduler
 * chooses for volumes and devices (pkg/scheduler/framework/plugins/volumebinding, dynamicresources), what is let go when no Pod
 * wants it any more (pkg/controller/volume/pvcprotection, resourceclaim), volumes that come to a node (attachdetach), and keep
 * it from being deleted (kubernetes-csi/external-attacher).
 */
const FOR_USERS: ReadonlyMap<string, { readonly to: readonly string[]; readonly users: string }> = new Map([
  ['horizontal-pod-autoscaler', { to: ['scale'], users: 'horizontalpodautoscalers.autoscaling ' }],
  ['kube-scheduler', { to: ['persistentvolumeclaims', 'resourceclaims'], users: 'pods. ' }],
  ['pvc-protection-controller', { to: ['persistentvolumeclaims'], users: 'pods. ' }],
  ['resource-claim-controller', { to: ['resourceclaims'], users: 'pods. ' }],
  ['attachdetach-controller', { to: ['volumeattachments'], users: 'pods. ' }],
  ['csi-attacher', { to: ['persistentvolumes'], users: 'volumeattachments.storage.k8s.io ' }],
]);
const NOTHING_SAID: readonly Reference[] = [];
const BEHIND_SERVICES = new Set(['endpointslices', 'endpoints']);
/**
 * Limit: objects whose relations are remembered: Services or EndpointSlices with their Pods, volumes with their claims, autoscalers,
 * and Pods with their nodes, in a large cluster.
 */
const MAX_RELATED = 10_000;
/**
 * Limit: objects for whose sake something is done to one object (Pods that mount a claim, attachments of a volume, autoscalers): more
 * Pods than these seldom share a volume, and more autoscalers contend.
 */
const MAX_USERS = 4;
/** Limit: words of a claim's name, by dashes. */
const MAX_WORDS = 32;
