// Which objects a picture follows: named or written ones, what they own, what was made because of them, and which messages
// are about them. Knows identities (uid; resource, group and name) and causes, not pictures.

import type { FollowedName } from '../../kubernetes/api/kinds.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { placeOf } from '../../kubernetes/network/place-name.js';
import { namespacesMeant } from '../layout/namespaces.js';
import type { MessageIndex } from '../message-index.js';
import { type ObjectName, SelectedNames, usualGroup } from './names.js';

export class FollowedObjects {
  readonly #uids = new Set<string>();
  readonly #names = new SelectedNames();
  /** Of what has their name in another API group. */
  readonly #strangers = new Set<string>();
  /** Of what they lack, as somebody says: with their namespace, and without. */
  readonly #missing = new SelectedNames();
  /** Of those that are Namespaces and have to go: the message that says so first. */
  readonly #going = new Map<string, number>();
  /** Resource of each kind, as requests and their objects showed it. */
  readonly #resources = new Map<string, string>();
  readonly #index: MessageIndex;
  /** Are Nodes or Leases among those that were asked for, whose heartbeats are their story? */
  readonly hasHeartbeats: boolean;

  constructor(index: MessageIndex, roots: readonly FollowedName[]) {
    this.#index = index;
    this.hasHeartbeats = roots.some(({ resource }) => HEARTBEATS.has(resource));
    for (const root of roots)
      for (const namespace of namespacesMeant(index, root)) this.#names.add({ ...root, namespace });
    // An owner can be learnt after what it owns was seen first: twice over reaches every child, and theirs.
    for (let pass = 0; pass < PASSES && this.#grow(); pass++);
    for (const message of index.messages) {
      if (message.missing !== undefined) this.#addMissing(message);
      if (message.object?.kind === 'Namespace') this.#addGoing(message);
    }
  }

  get size(): number {
    return this.#names.size;
  }

  /** Is the message a request, answer or event about one of them (not an Event that only reports on it)? */
  isAbout(message: Message): boolean {
    const request = this.#index.requestOf(message);
    if (message.kind === 'event') {
      const object = toldOf(message, request);
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
   * Was it done because of one of them, to something else: made a volume for a claim, scaled what an autoscaler is for,
   * emptied a Namespace? What only answers to a change (endpoints to Pods) is no part of its story.
   */
  isCauseOf(request: Message, response: Message | undefined): boolean {
    return isOutcome(request, response) && this.#isWokenBy(request);
  }

  /** Is it about something that one of them cannot do without: that it is made, or changed? */
  isMissing(message: Message): boolean {
    if (this.#missing.size === 0 || message.subresource !== undefined || message.dryRun === true) return false;
    const { object, kind } = message;
    const request = this.#index.requestOf(message);
    const resource = request?.resource ?? this.#resources.get(object?.kind ?? '');
    const [namespace, name] = kind === 'event' ? [object?.namespace, object?.name] : [message.namespace, message.name];
    return (
      resource !== undefined &&
      name != null &&
      this.#missing.has({ resource, group: request?.apiGroup, namespace, name })
    );
  }

  /** Does somebody say in it that one of them is lacking? */
  isLackingIn(message: Message | undefined): boolean {
    return message?.missing !== undefined && this.#missingIn(message).some((one) => this.#names.has(one));
  }

  /** Is it about something in one of them, a Namespace that has to go: it is gone when nothing is left in it. */
  isInGoing({ namespace, resource, seq }: Message): boolean {
    return resource !== 'namespaces' && seq > (this.#going.get(namespace ?? '') ?? Number.POSITIVE_INFINITY);
  }

  /** Does an Event report on one of them? */
  isReportedBy(k8sEvent: Message['k8sEvent']): boolean {
    if (k8sEvent === undefined) return false;
    if (k8sEvent.uid !== '' && this.#uids.has(k8sEvent.uid)) return true;
    if (this.#strangers.has(k8sEvent.uid)) return false;
    return this.#hasName({ resource: this.#resources.get(k8sEvent.kind) }, k8sEvent.namespace, k8sEvent.name);
  }

  /** Is it between workloads, and is one of these a Pod or a Service that is followed? */
  #passes({ from, to, via }: Message): boolean {
    return [from, to, ...(via ?? [])].some((one) => {
      const place = placeOf(one);
      return place !== null && this.#hasName({ resource: place.resource, apiGroup: '' }, place.namespace, place.name);
    });
  }

  #isSameName(request: Message): boolean {
    return request.name !== undefined && this.#hasName(request, request.namespace, request.name);
  }

  /** @param kind a request for it, or what else has its resource and, where it is known, its group. */
  #hasName(kind: FollowedKind | undefined, namespace: string | null | undefined, name: string): boolean {
    if (kind?.resource === undefined) return false;
    return this.#names.has({ resource: kind.resource, group: kind.apiGroup, namespace, name });
  }

  /** uid of the object that a request made or changed, as its answer or its own body tells. */
  #uidIn(request: Message): string | undefined {
    const { response } = this.#index.exchangeOf(request);
    for (const object of [response?.object, request.object]) {
      if (object?.uid != null && object.kind !== 'Status') return object.uid;
    }
    return undefined;
  }

  /** Does a request answer to an event about one of them? */
  #isWokenBy(request: Message): boolean {
    const cause = this.#index.causeOf(request);
    return cause?.kind === 'event' && this.isAbout(cause);
  }

  /** Was it made because of one of them? */
  #isOffspring({ kind }: Message, request: Message | undefined): boolean {
    if (kind === 'event' || request === undefined) return false;
    return isMade(request, this.#index.exchangeOf(request).response) && this.#isWokenBy(request);
  }

  /** Was it made, or changed, for the sake of one of them? */
  #isMadeFor(request: Message | undefined): boolean {
    const { appliedFor } = request ?? {};
    return appliedFor !== undefined && this.#hasName(appliedFor, appliedFor.namespace, appliedFor.name);
  }

  #grow(): boolean {
    const before = this.#uids.size + this.#names.size;
    for (const message of this.#index.messages) {
      const { object } = message;
      const resource = this.#index.requestOf(message)?.resource;
      if (message.k8sEvent !== undefined) this.#addNominated(message.k8sEvent);
      if (object != null && resource !== undefined) this.#resources.set(object.kind, resource);
      const request = this.#index.requestOf(message);
      this.#addRow(message, request);
      if (object?.uid == null || object.kind === 'Status' || object.kind === 'Event') continue;
      if (request?.subresource === 'token' || request?.subresource === 'binding') continue;
      const owned = object.owners?.some((owner) => this.#uids.has(owner.uid)) === true;
      const named = this.#hasName(request, object.namespace, object.name ?? '');
      this.#addStranger(object, request);
      if (!owned && !named && !this.#isOffspring(message, request) && !this.#isMadeFor(request)) continue;
      this.#uids.add(object.uid);
      // A Pod starts when its volumes and devices are there: theirs is its story.
      for (const claim of message.claims ?? []) this.#addClaim(claim, object.namespace);
      if (object.name != null && request?.resource !== undefined) {
        const { resource, apiGroup: group } = request;
        this.#names.add({ resource, group, namespace: object.namespace, name: object.name });
      }
    }
    return this.#uids.size + this.#names.size > before;
  }

  /** Who watches with kubectl alone learns ids from the rows of its Tables. */
  #addRow({ kind, object }: Message, request: Message | undefined): void {
    const row = kind === 'event' ? object?.row : undefined;
    if (row?.uid !== undefined && this.#hasName(request, row.namespace, row.name)) this.#uids.add(row.uid);
  }

  #addStranger({ uid, namespace, name }: NonNullable<Message['object']>, request: Message | undefined): void {
    if (uid == null || name == null || request?.resource === undefined) return;
    const { resource, apiGroup: group } = request;
    if (this.#names.hasElsewhere({ resource, group, namespace, name })) this.#strangers.add(uid);
  }

  /** @param claim `RESOURCE/NAME`. */
  #addClaim(claim: string, namespace: string | null | undefined): void {
    const [resource, name] = resourceAndName(claim);
    this.#names.add({ resource, group: usualGroup(resource), namespace, name });
  }

  /** A Pod waits for a node that is being made: that is its story, too. */
  #addNominated(k8sEvent: NonNullable<Message['k8sEvent']>): void {
    const name = k8sEvent.reason === 'Nominated' ? NODE_CLAIM.exec(k8sEvent.message)?.[1] : undefined;
    if (name === undefined || !this.isReportedBy(k8sEvent)) return;
    this.#names.add({ resource: 'nodeclaims', group: usualGroup('nodeclaims'), namespace: null, name });
  }

  #addGoing(message: Message): void {
    const { name, deletionTimestamp } = message.object ?? {};
    if (name == null || deletionTimestamp === undefined || this.#going.has(name) || !this.isAbout(message)) return;
    this.#going.set(name, message.seq);
  }

  /** What somebody says that it lacks: an Event about one of them, or why one of them was not made or changed. */
  #addMissing(message: Message): void {
    const request = this.#index.requestOf(message);
    if (request === undefined) return;
    const isOwned = request.object?.owners?.some((owner) => this.#uids.has(owner.uid)) === true;
    const isTheirs = isOwned || this.isAbout(request) || this.#isWokenBy(request);
    if (message.k8sEvent === undefined ? !isTheirs : !this.isReportedBy(message.k8sEvent)) return;
    for (const one of this.#missingIn(message)) this.#missing.add(one);
  }

  /** Names of what it says is lacking: with the namespace of whom it speaks, and without, for what is in none. */
  #missingIn(message: Message): readonly ObjectName[] {
    const namespace = message.k8sEvent?.namespace ?? this.#index.requestOf(message)?.namespace;
    return (message.missing ?? []).flatMap((one) => {
      const [resource, name] = resourceAndName(one);
      const group = usualGroup(resource);
      return [namespace, null].map((place) => ({ resource, group, namespace: place, name }));
    });
  }
}

interface FollowedKind {
  readonly resource?: string;
  readonly apiGroup?: string;
}

/** Whom an event tells of: an event of `kubectl get --watch` is a Table, and its row says it, or the name that is watched. */
function toldOf(
  { object }: Message,
  request: Message | undefined,
): { readonly namespace?: string | null; readonly name?: string | null; readonly uid?: string | null } | undefined {
  if (object?.kind !== 'Table') return object;
  return object.row ?? { namespace: request?.namespace, name: request?.name };
}

/** Something that is an object of its own: no report, no lock, not what EndpointSlices say once more. */
function isMade({ verb, resource, subresource, dryRun }: Message, response: Message | undefined): boolean {
  if (subresource !== undefined || dryRun === true || BOOKS.has(resource ?? '')) return false;
  // Who applies on the server's side makes what is not there.
  return verb === 'create' || (verb === 'patch' && response?.status === 201);
}

function isOutcome(request: Message, response: Message | undefined): boolean {
  const { verb, subresource } = request;
  if (verb === 'deletecollection') return (response?.object?.items ?? 0) > 0;
  return isMade(request, response) || (subresource === 'scale' && verb !== 'get');
}

/** @param text `RESOURCE/NAME`. */
function resourceAndName(text: string): readonly [string, string] {
  const at = text.indexOf('/');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** karpenter (pkg/controllers/provisioning/scheduling/events.go): `Pod should schedule on: nodeclaim/default-4v7pt, node/…`. */
const NODE_CLAIM = /(?:^|[ ,])nodeclaim\/([a-z0-9][-a-z0-9.]{0,252})/;
const HEARTBEATS = new Set(['nodes', 'leases']);
const BOOKS = new Set(['events', 'leases', 'endpoints', 'tokenreviews', 'subjectaccessreviews']);

/** Deployment, ReplicaSet, Pod, and what else may hang below: owners nest less deep than this. */
const PASSES = 6;
