// Which objects a picture follows: named or written ones, what they own, what was made because of them, and which messages
// are about them. Knows identities (uid, resource and name) and causes, not pictures.

import type { FollowedName } from '../kubernetes/kinds.js';
import type { Message, ReportInfo } from '../kubernetes/message.js';
import { placeOf } from '../kubernetes/network/place-name.js';
import { namespacesMeant } from './namespaces.js';
import type { Indexed } from './observation.js';

export class Tracked {
  readonly #uids = new Set<string>();
  readonly #names = new Set<string>();
  /** Of what they lack, as somebody says: with their namespace, and without. */
  readonly #lacked = new Set<string>();
  /** Of those that are Namespaces and have to go: the message that says so first. */
  readonly #going = new Map<string, number>();
  /** Resource of each kind, as requests and their objects showed it. */
  readonly #resources = new Map<string, string>();
  readonly #index: Indexed;
  /** Are Nodes or Leases among those that were asked for, whose heartbeats are their story? */
  readonly hasHeartbeats: boolean;

  constructor(index: Indexed, roots: readonly FollowedName[]) {
    this.#index = index;
    this.hasHeartbeats = roots.some(({ resource }) => HEARTBEATS.has(resource));
    for (const root of roots)
      for (const namespace of namespacesMeant(index, root))
        this.#names.add(nameKey(root.resource, namespace, root.name));
    // An owner can be learnt after what it owns was seen first: twice over reaches every child, and theirs.
    for (let pass = 0; pass < PASSES && this.#grow(); pass++);
    for (const message of index.messages) {
      if (message.lacks !== undefined) this.#addLacked(message);
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
      const { object } = message;
      if (object?.uid != null && this.#uids.has(object.uid)) return true;
      return (
        object?.uid == null && object?.name != null && this.#hasName(request?.resource, object.namespace, object.name)
      );
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
  isOfLacked(message: Message): boolean {
    if (this.#lacked.size === 0 || message.subresource !== undefined || message.dryRun === true) return false;
    const { object, kind } = message;
    const resource = this.#index.requestOf(message)?.resource ?? this.#resources.get(object?.kind ?? '');
    const [namespace, name] = kind === 'event' ? [object?.namespace, object?.name] : [message.namespace, message.name];
    return resource !== undefined && name != null && this.#lacked.has(nameKey(resource, namespace ?? undefined, name));
  }

  /** Does somebody say in it that one of them is lacking? */
  isLackingIn(message: Message | undefined): boolean {
    return message?.lacks !== undefined && this.#lackedIn(message).some((key) => this.#names.has(key));
  }

  /** Is it about something in one of them, a Namespace that has to go: it is gone when nothing is left in it. */
  isInGoing({ namespace, resource, seq }: Message): boolean {
    return resource !== 'namespaces' && seq > (this.#going.get(namespace ?? '') ?? Number.POSITIVE_INFINITY);
  }

  /** Does an Event report on one of them? */
  isReportedBy(report: ReportInfo | undefined): boolean {
    if (report === undefined) return false;
    if (report.uid !== '' && this.#uids.has(report.uid)) return true;
    return this.#hasName(this.#resources.get(report.kind), report.namespace, report.name);
  }

  /** Is it between workloads, and is one of these a Pod or a Service that is followed? */
  #passes({ from, to, via }: Message): boolean {
    return [from, to, ...(via ?? [])].some((one) => {
      const place = placeOf(one);
      return place !== null && this.#hasName(place.resource, place.namespace, place.name);
    });
  }

  #isSameName(request: Message): boolean {
    return request.name !== undefined && this.#hasName(request.resource, request.namespace, request.name);
  }

  #hasName(resource: string | undefined, namespace: string | null | undefined, name: string): boolean {
    return resource !== undefined && this.#names.has(nameKey(resource, namespace ?? undefined, name));
  }

  /** uid of the object that a request made or changed, as its answer or its own body tells. */
  #uidIn(request: Message): string | undefined {
    const { response } = this.#index.talkOf(request);
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
    return isMade(request, this.#index.talkOf(request).response) && this.#isWokenBy(request);
  }

  /** Was it made, or changed, for the sake of one of them? */
  #isMadeFor(request: Message | undefined): boolean {
    const { madeFor } = request ?? {};
    return madeFor !== undefined && this.#hasName(madeFor.resource, madeFor.namespace, madeFor.name);
  }

  #grow(): boolean {
    const before = this.#uids.size + this.#names.size;
    for (const message of this.#index.messages) {
      const { object } = message;
      const resource = this.#index.requestOf(message)?.resource;
      if (message.report !== undefined) this.#addNominated(message.report);
      if (object != null && resource !== undefined) this.#resources.set(object.kind, resource);
      if (object?.uid == null || object.kind === 'Status' || object.kind === 'Event') continue;
      const request = this.#index.requestOf(message);
      if (request?.subresource === 'token' || request?.subresource === 'binding') continue;
      const owned = object.owners?.some((owner) => this.#uids.has(owner.uid)) === true;
      const named = this.#hasName(request?.resource, object.namespace, object.name ?? '');
      if (!owned && !named && !this.#isOffspring(message, request) && !this.#isMadeFor(request)) continue;
      this.#uids.add(object.uid);
      // A Pod starts when its volumes and devices are there: theirs is its story.
      for (const claim of message.claims ?? []) this.#addClaim(claim, object.namespace);
      if (object.name != null && request?.resource !== undefined) {
        this.#names.add(nameKey(request.resource, object.namespace ?? undefined, object.name));
      }
    }
    return this.#uids.size + this.#names.size > before;
  }

  /** @param claim `RESOURCE/NAME`. */
  #addClaim(claim: string, namespace: string | null | undefined): void {
    const [resource, name] = resourceAndName(claim);
    this.#names.add(nameKey(resource, namespace ?? undefined, name));
  }

  /** A Pod waits for a node that is being made: that is its story, too. */
  #addNominated(report: ReportInfo): void {
    const name = report.reason === 'Nominated' ? NODE_CLAIM.exec(report.message)?.[1] : undefined;
    if (name !== undefined && this.isReportedBy(report)) this.#names.add(nameKey('nodeclaims', undefined, name));
  }

  #addGoing(message: Message): void {
    const { name, deletionTimestamp } = message.object ?? {};
    if (name == null || deletionTimestamp === undefined || this.#going.has(name) || !this.isAbout(message)) return;
    this.#going.set(name, message.seq);
  }

  /** What somebody says that it lacks: an Event about one of them, or why one of them was not made or changed. */
  #addLacked(message: Message): void {
    const request = this.#index.requestOf(message);
    if (request === undefined) return;
    const isOwned = request.object?.owners?.some((owner) => this.#uids.has(owner.uid)) === true;
    const isTheirs = isOwned || this.isAbout(request) || this.#isWokenBy(request);
    if (message.report === undefined ? !isTheirs : !this.isReportedBy(message.report)) return;
    for (const key of this.#lackedIn(message)) this.#lacked.add(key);
  }

  /** Names of what it says is lacking: with the namespace of whom it speaks, and without, for what is in none. */
  #lackedIn(message: Message): readonly string[] {
    const namespace = message.report?.namespace ?? this.#index.requestOf(message)?.namespace;
    return (message.lacks ?? []).flatMap((one) => {
      const [resource, name] = resourceAndName(one);
      return [nameKey(resource, namespace, name), nameKey(resource, undefined, name)];
    });
  }
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

function nameKey(resource: string, namespace: string | undefined, name: string): string {
  return `${resource} ${resource === 'namespaces' ? '' : (namespace ?? '')} ${name}`;
}

/** Deployment, ReplicaSet, Pod, and what else may hang below: owners nest less deep than this. */
const PASSES = 6;
