// Tracks the objects that a diagram follows: named or written ones, objects that they own, and objects created
// because of them; and decides which messages are about them.

import { type FollowedName, resourceOfKind, splitApiVersion } from '../../kubernetes/api/kinds.js';
import { isNamespaceResource, objectReference } from '../../kubernetes/api/object-ref.js';
import { requestOf } from '../../kubernetes/emitted/message-links.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { TABLE } from '../../kubernetes/objects/object-info.js';
import { placeOf } from '../../kubernetes/participants/place-name.js';
import type { MessageIndex } from '../message-index.js';
import { namespacesMeant, type ObjectName, SelectedNames, usualGroup } from './names.js';

export class FollowedObjects {
  readonly #uids = new Set<string>();
  readonly #names = new SelectedNames();
  /** uids of objects with their names in other API groups. */
  readonly #otherGroups = new Set<string>();
  /** Objects that they wait for, in their namespace and cluster-scoped. */
  readonly #missing = new SelectedNames();
  /** Followed Namespace in deletion → `seq` of the first message that shows it. */
  readonly #terminating = new Map<string, number>();
  /** Kind → resource, from requests and their objects. */
  readonly #resources: ReadonlyMap<string, string>;
  readonly #index: MessageIndex;
  /** Are Nodes or Leases followed, whose heartbeats are part of their story? */
  readonly hasHeartbeats: boolean;

  constructor(index: MessageIndex, roots: readonly FollowedName[]) {
    this.#index = index;
    this.#resources = index.once(resourcesOfKinds);
    this.hasHeartbeats = roots.some(({ resource }) => HEARTBEATS.has(resource));
    for (const root of roots)
      for (const namespace of namespacesMeant(index, root)) this.#names.add({ ...root, namespace });
    // An owner may appear after its objects, so ownership is followed in several passes.
    for (let pass = 0; pass < PASSES && this.#grow(); pass++);
    for (const message of index.ofPart(missingOrNamespaces)) {
      if (message.missing !== undefined) this.#addMissing(message);
      if (message.object?.kind === 'Namespace') this.#addTerminating(message);
    }
  }

  /** Is another object followed than the root itself? */
  owns(root: FollowedName): boolean {
    return this.#names.all().some(({ resource, name }) => resource !== root.resource || name !== root.name);
  }

  /** Texts by which a message mentions one of them, or an object that one of them waits for: uids, names, `RESOURCE/NAME`. */
  *mentioned(): Generator<string> {
    yield* this.#uids;
    for (const names of [this.#names, this.#missing])
      for (const { resource, name } of names.all()) {
        yield name;
        yield objectReference(resource, name);
      }
  }

  /** Followed Namespaces in deletion. */
  terminating(): Iterable<string> {
    return this.#terminating.keys();
  }

  /** Is the message a request, response or watch event about one of them? Kubernetes Events about them do not count. */
  isAbout(message: Message): boolean {
    const request = requestOf(message);
    if (message.kind === 'event') {
      const object = objectOf(message, request);
      if (object?.uid != null && this.#uids.has(object.uid)) return true;
      return object?.uid == null && object?.name != null && this.#hasName(request, object.namespace, object.name);
    }
    if (request === undefined) return false;
    if (request.resource === undefined) return this.#passes(request);
    if (this.#isSameName(request)) return true;
    const uid = this.#uidIn(request);
    return uid !== undefined && this.#uids.has(uid);
  }

  /**
   * Was the request triggered by one of them, and did it change another object: a volume for a claim, the target of an
   * autoscaler, the content of a Namespace? Mere reactions (endpoints to Pods) do not count.
   */
  isCauseOf(request: Message, response: Message | undefined): boolean {
    return isOutcome(request, response) && this.#isTriggeredBy(request);
  }

  /** Is it about an object that one of them waits for? */
  isMissing(message: Message): boolean {
    if (this.#missing.size === 0 || message.subresource !== undefined || message.dryRun === true) return false;
    const { object, kind } = message;
    const request = requestOf(message);
    const resource = request?.resource ?? this.#resources.get(object?.kind ?? '');
    const [namespace, name] = kind === 'event' ? [object?.namespace, object?.name] : [message.namespace, message.name];
    return (
      resource !== undefined &&
      name != null &&
      this.#missing.has({ resource, group: request?.apiGroup, namespace, name })
    );
  }

  /** Does the message report that one of them is missing? */
  reportsMissing(message: Message | undefined): boolean {
    return message?.missing !== undefined && this.#missingIn(message).some((one) => this.#names.has(one));
  }

  /** Is it about an object in a followed Namespace that is terminating, and that waits until it is empty? */
  isInTerminatingNamespace({ namespace, resource, seq }: Message): boolean {
    return !isNamespaceResource(resource) && seq > (this.#terminating.get(namespace ?? '') ?? Number.POSITIVE_INFINITY);
  }

  /** Is a Kubernetes Event about one of them? */
  isReportedBy(k8sEvent: Message['k8sEvent']): boolean {
    if (k8sEvent === undefined) return false;
    if (k8sEvent.uid !== '' && this.#uids.has(k8sEvent.uid)) return true;
    if (this.#otherGroups.has(k8sEvent.uid)) return false;
    return this.#hasName({ resource: this.#resources.get(k8sEvent.kind) }, k8sEvent.namespace, k8sEvent.name);
  }

  /** Is it a message between workloads of which one is a followed Pod or Service? */
  #passes({ from, to, via }: Message): boolean {
    return [from, to, ...(via ?? [])].some((one) => {
      const place = placeOf(one);
      return place !== null && this.#hasName({ resource: place.resource, apiGroup: '' }, place.namespace, place.name);
    });
  }

  #isSameName(request: Message): boolean {
    return request.name !== undefined && this.#hasName(request, request.namespace, request.name);
  }

  /** @param kind a request, or another source of resource and group. */
  #hasName(kind: FollowedKind | undefined, namespace: string | null | undefined, name: string): boolean {
    if (kind?.resource === undefined) return false;
    return this.#names.has({ resource: kind.resource, group: kind.apiGroup, namespace, name });
  }

  /** uid of the object that a request created or changed, from its response or its body. */
  #uidIn(request: Message): string | undefined {
    const { response } = this.#index.exchangeOf(request);
    for (const object of [response?.object, request.object]) {
      if (object?.uid != null && object.kind !== 'Status') return object.uid;
    }
    return undefined;
  }

  /** Was the request triggered by an event about one of them? */
  #isTriggeredBy(request: Message): boolean {
    const cause = this.#index.causeOf(request);
    return cause?.kind === 'event' && this.isAbout(cause);
  }

  /** Was the object created because of one of them? */
  #isOffspring({ kind }: Message, request: Message | undefined): boolean {
    if (kind === 'event' || request === undefined) return false;
    return isCreate(request, this.#index.exchangeOf(request).response) && this.#isTriggeredBy(request);
  }

  /** Was the object applied for one of them? */
  #isAppliedFor(request: Message | undefined): boolean {
    const { appliedFor } = request ?? {};
    return appliedFor !== undefined && this.#hasName(appliedFor, appliedFor.namespace, appliedFor.name);
  }

  #grow(): boolean {
    const before = this.#uids.size + this.#names.size;
    for (const { message, request, object, kind } of this.#index.ofPart(identifying)) {
      if (message.k8sEvent !== undefined) this.#addNominated(message.k8sEvent);
      this.#addRow(message, request);
      if (object?.uid == null) continue;
      const owned = object.owners?.some((owner) => this.#uids.has(owner.uid)) === true;
      const named = this.#hasName(kind, object.namespace, object.name ?? '');
      this.#addOtherGroup(object, request);
      if (!owned && !named && !this.#isOffspring(message, request) && !this.#isAppliedFor(request)) continue;
      this.#uids.add(object.uid);
      // A Pod waits for its volumes and devices, so they are part of its story.
      for (const claim of message.claims ?? []) this.#addClaim(claim, object.namespace);
      if (object.name != null && kind?.resource !== undefined)
        this.#names.add({
          resource: kind.resource,
          group: kind.apiGroup,
          namespace: object.namespace,
          name: object.name,
        });
    }
    return this.#uids.size + this.#names.size > before;
  }

  /** With `kubectl get --watch`, only the rows of Tables have uids. */
  #addRow({ kind, object }: Message, request: Message | undefined): void {
    const row = kind === 'event' ? object?.row : undefined;
    if (row?.uid !== undefined && this.#hasName(request, row.namespace, row.name)) this.#uids.add(row.uid);
  }

  #addOtherGroup({ uid, namespace, name }: NonNullable<Message['object']>, request: Message | undefined): void {
    if (uid == null || name == null || request?.resource === undefined) return;
    const { resource, apiGroup: group } = request;
    if (this.#names.hasElsewhere({ resource, group, namespace, name })) this.#otherGroups.add(uid);
  }

  /** @param claim `RESOURCE/NAME`. */
  #addClaim(claim: string, namespace: string | null | undefined): void {
    const [resource, name] = resourceAndName(claim);
    this.#names.add({ resource, group: usualGroup(resource), namespace, name });
  }

  /** A Pod waits for a node that is created for it, so the node's claim is part of its story. */
  #addNominated(k8sEvent: NonNullable<Message['k8sEvent']>): void {
    const name = k8sEvent.reason === 'Nominated' ? NODE_CLAIM.exec(k8sEvent.message)?.[1] : undefined;
    if (name === undefined || !this.isReportedBy(k8sEvent)) return;
    this.#names.add({ resource: 'nodeclaims', group: usualGroup('nodeclaims'), namespace: null, name });
  }

  #addTerminating(message: Message): void {
    const { name, deletionTimestamp } = message.object ?? {};
    if (name == null || deletionTimestamp === undefined || this.#terminating.has(name) || !this.isAbout(message))
      return;
    this.#terminating.set(name, message.seq);
  }

  /** Records missing objects from an Event about one of them, or from an error of a request for one of them. */
  #addMissing(message: Message): void {
    const request = requestOf(message);
    if (request === undefined) return;
    const isOwned = request.object?.owners?.some((owner) => this.#uids.has(owner.uid)) === true;
    const isTheirs = isOwned || this.isAbout(request) || this.#isTriggeredBy(request);
    if (message.k8sEvent === undefined ? !isTheirs : !this.isReportedBy(message.k8sEvent)) return;
    for (const one of this.#missingIn(message)) this.#missing.add(one);
  }

  /** Names of the missing objects: in the namespace of the waiting object, and cluster-scoped. */
  #missingIn(message: Message): readonly ObjectName[] {
    const namespace = message.k8sEvent?.namespace ?? requestOf(message)?.namespace;
    return (message.missing ?? []).flatMap((one) => {
      const [resource, name] = resourceAndName(one);
      const group = usualGroup(resource);
      return [namespace, null].map((place) => ({ resource, group, namespace: place, name }));
    });
  }
}

/** Kind → resource, from requests and their objects: the last message of a kind counts, and it may be left out. */
function resourcesOfKinds({ messages, facts }: MessageIndex): ReadonlyMap<string, string> {
  const resources = new Map(facts?.resources);
  if (facts !== undefined) return resources;
  for (const message of messages) {
    const resource = message.object == null ? undefined : requestOf(message)?.resource;
    if (resource !== undefined && message.object != null) resources.set(message.object.kind, resource);
  }
  return resources;
}

/** A message from which more objects become followed. */
interface Identifying {
  readonly message: Message;
  readonly request: Message | undefined;
  /** That the message is about, if it shows which one. */
  readonly object: Message['object'];
  readonly kind: FollowedKind | undefined;
}

function identifying({ messages }: MessageIndex): readonly Identifying[] {
  const found: Identifying[] = [];
  for (const message of messages) {
    const request = requestOf(message);
    if (isIdentified(message, request))
      found.push({ message, request, object: message.object, kind: kindOf(message, request) });
    else if (message.object?.row?.uid !== undefined || message.k8sEvent?.reason === 'Nominated')
      found.push({ message, request, object: undefined, kind: undefined });
  }
  return found;
}

/** Does the message show which object it is about: no error, Event, token or binding? */
function isIdentified({ object }: Message, request: Message | undefined): boolean {
  if (object?.uid == null || object.kind === 'Status' || object.kind === 'Event') return false;
  return request?.subresource !== 'token' && request?.subresource !== 'binding';
}

function missingOrNamespaces({ messages }: MessageIndex): readonly Message[] {
  return messages.filter(({ missing, object }) => missing !== undefined || object?.kind === 'Namespace');
}

interface FollowedKind {
  readonly resource?: string;
  readonly apiGroup?: string;
}

/** Resource and group of a message's object: by its request; of a watch from before the capture by the object itself. */
function kindOf({ kind, object }: Message, request: Message | undefined): FollowedKind | undefined {
  if (request !== undefined || kind !== 'event' || object?.apiVersion === undefined) return request;
  const { apiGroup } = splitApiVersion(object.apiVersion);
  return apiGroup === META ? undefined : { resource: resourceOfKind(object.kind), apiGroup };
}

/** The object of a watch event: for a Table of `kubectl get --watch`, its row or the watched name. */
function objectOf(
  { object }: Message,
  request: Message | undefined,
): { readonly namespace?: string | null; readonly name?: string | null; readonly uid?: string | null } | undefined {
  if (object?.kind !== TABLE) return object;
  return object.row ?? { namespace: request?.namespace, name: request?.name };
}

/** Does the request create an object other than bookkeeping: Events, Leases, Endpoints beside EndpointSlices, reviews? */
function isCreate({ verb, resource, subresource, dryRun }: Message, response: Message | undefined): boolean {
  if (subresource !== undefined || dryRun === true || BOOKS.has(resource ?? '')) return false;
  // A server-side apply creates an object that does not exist.
  return verb === 'create' || (verb === 'patch' && response?.status === 201);
}

function isOutcome(request: Message, response: Message | undefined): boolean {
  const { verb, subresource } = request;
  if (verb === 'deletecollection') return (response?.object?.items ?? 0) > 0;
  return isCreate(request, response) || (subresource === 'scale' && verb !== 'get');
}

/** @param text `RESOURCE/NAME`. */
function resourceAndName(text: string): readonly [string, string] {
  const at = text.indexOf('/');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** karpenter (pkg/controllers/provisioning/scheduling/events.go): `Pod should schedule on: nodeclaim/default-4v7pt, node/…`. */
const NODE_CLAIM = /(?:^|[ ,])nodeclaim\/([a-z0-9][-a-z0-9.]{0,252})/;
/** Of what stands for an object of another kind. */
const META = 'meta.k8s.io';
const HEARTBEATS = new Set(['nodes', 'leases']);
const BOOKS = new Set(['events', 'leases', 'endpoints', 'tokenreviews', 'subjectaccessreviews']);

/** Limit: depth of ownership: Deployment, ReplicaSet, Pod, and what they own. */
const PASSES = 6;
