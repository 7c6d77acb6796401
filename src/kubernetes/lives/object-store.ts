// Decides which object each message is about, and keeps the lives of all objects: by uid, and by name, where the newest is meant.

import { builtInResource } from '../../core/api-resources.js';
import { RecentMap } from '../../core/collections/bounded.js';
import { resourceOfKind, splitApiVersion } from '../api/kinds.js';
import { groupResource, type NamePart, namespaceOf, objectKey } from '../api/object-ref.js';
import { bare, requestOf } from '../emitted/message-links.js';
import type { DeletionWrite, Message } from '../messages/message.js';
import { identityOf, tellsKind } from '../objects/object-info.js';
import { type FirstWrite, Life, type LifeName } from './object-life.js';

/** A resource as a request names it. */
export interface NamedResource {
  readonly apiGroup?: string;
  readonly resource?: string;
  readonly subresource?: string;
}

export class ObjectStore {
  /** The lives that had a name, the newest last. */
  readonly #byName = new RecentMap<string, Life[]>(MAX_NAMES, 'objects by name');
  readonly #byUid = new RecentMap<string, Life>(MAX_NAMES, 'objects by uid');
  /** Resource with its group → kind. */
  readonly #kinds = new RecentMap<string, string>(MAX_KINDS, 'kinds of resources');
  /** Kind → the resource of the last request for it. */
  readonly #resources = new RecentMap<string, NamedResource>(MAX_KINDS, 'kinds of objects');
  /** By `seq`: writes whose events may still come. */
  readonly #writes = new RecentMap<number, DeletionWrite>(MAX_OPEN, 'writes that delete');
  /** By `seq`: the write that began what led to a message. */
  readonly #origins = new RecentMap<number, FirstWrite>(MAX_ORIGINS, 'writes that began a deletion');
  /** The kind of a request's object; null: no body has shown it. */
  readonly #kindOf = (request: Message): string | null => this.#kinds.get(kindKey(request)) ?? null;

  /**
   * Sets `about` and `reportsOn` of a message, and of its request where the answer shows that another object is meant.
   * @param message the next one in the order of time, linked to its request. @returns the same message.
   */
  link(message: Message): Message {
    this.#rememberOrigin(message);
    const links = message as { about?: Life; reportsOn?: Life };
    const about = this.#about(message);
    if (about !== undefined) links.about = about;
    const reported = this.#reportedIn(message);
    if (reported !== undefined) links.reportsOn = reported;
    return message;
  }

  /** Remembers which write began the chain of causes that leads to a message. */
  #rememberOrigin(message: Message): void {
    const { seq, kind, verb = '', resource = '', causedBy, cause, protocol } = message;
    if (protocol !== 'kubernetes') return;
    const before = causedBy === undefined ? undefined : this.#origins.get(causedBy);
    const isWrite = kind === 'request' && WRITES.has(verb) && (!BY_THE_CLOCK.has(resource) || isDeletion(message));
    const own = isWrite ? bare(message) : undefined;
    if (own !== undefined) this.#writes.set(seq, { request: own });
    if (before !== undefined) {
      const isCertain = before.isCertain && (cause?.certain === true || cause?.how === 'response');
      this.#origins.set(seq, isCertain === before.isCertain ? before : { request: before.request, isCertain });
    } else if (own !== undefined) this.#origins.set(seq, { request: own, isCertain: true });
  }

  #about(message: Message): Life | undefined {
    const { kind, object, protocol } = message;
    const request = requestOf(message);
    // A life begins and ends by what the API server says: not by another server's copy of a request, nor in another protocol.
    const isOwn = protocol === 'kubernetes' && request?.cause?.how !== 'forwarded';
    const shown = !isOwn ? undefined : kind === 'response' ? this.#response(message) : this.#event(message);
    if (kind === 'data' || kind === 'end') return request?.about as Life | undefined;
    const about = resourceOf(message);
    if (about === null) return shown;
    if (object !== undefined && about.subresource === undefined) this.#rememberResource(object.kind, about);
    if (shown !== undefined) return shown;
    const { namespace, name } = namedIn(message);
    const named = name == null || name === '' ? undefined : this.#newest(about, namespace, name);
    if (isOwn && kind === 'request') this.#request(message, named);
    return named;
  }

  #rememberResource(kind: string, { apiGroup, resource }: NamedResource): void {
    const known = this.#resources.get(kind);
    if (known?.resource !== resource || known?.apiGroup !== apiGroup) this.#resources.set(kind, { apiGroup, resource });
  }

  #request(request: Message, life: Life | undefined): void {
    const write = this.#writes.get(request.seq);
    if (write !== undefined && isDeletion(request) && request.dryRun !== true)
      life?.requestDeletion(write, this.#origins.get(request.seq));
  }

  /** @returns undefined: the response does not show which object it is. */
  #response(response: Message): Life | undefined {
    const { request, object, status = 0 } = response;
    if (request === undefined) return this.#withoutRequest(response);
    if (request.verb === 'watch') return undefined;
    const life = request.about as Life | undefined;
    const write = this.#writes.get(request.seq);
    if (write !== undefined && isDeletion(request)) write.response = bare(response);
    const deletion = life?.deletionRequest(write);
    const isDone = status >= 200 && status < FAILURE;
    if (deletion !== undefined) deletion.state = isDone ? 'done' : 'failed';
    const name = request.name ?? (request.verb === 'create' ? object?.name : undefined);
    if (!isDone || request.dryRun === true || name == null) return life;
    const isCreated = status === CREATED && request.subresource === undefined;
    if (isCreated || object?.uid != null) {
      if (object?.uid != null && object.kind !== 'Status' && request.subresource === undefined)
        this.#kinds.set(kindKey(request), object.kind);
      const own = this.#lifeOf(request, request.namespace ?? object?.namespace, name, object?.uid ?? null, isCreated);
      if (isCreated) own.created ??= { seq: request.seq, from: request.from, user: request.user };
      if (deletion !== undefined && own !== life) own.adopt(deletion, life);
      (request as { about?: Life }).about = own;
      return own;
    }
    return life;
  }

  /** The object in a response whose request was not captured. */
  #withoutRequest({ object }: Message): Life | undefined {
    const about = object === undefined ? null : aboutKind(object);
    if (about === null || object?.name == null || object.uid == null) return undefined;
    return this.#lifeOf(about, object.namespace, object.name, object.uid, false);
  }

  #event({ object, kind, type, request, causedBy }: Message): Life | undefined {
    const named = object && identityOf(object);
    if (kind !== 'event' || object === undefined || named?.name == null) return undefined;
    const about = request?.resource === undefined ? aboutKind(object) : request;
    if (about === null) return undefined;
    if (tellsKind(object.kind)) this.#kinds.set(kindKey(about), object.kind);
    const life = this.#lifeOf(about, named.namespace, named.name, object.uid ?? null, false);
    const made = causedBy === undefined ? undefined : this.#writes.get(causedBy);
    const asked = made !== undefined && isDeletion(made.request) ? made : undefined;
    const isMarked = object.deletionTimestamp !== undefined;
    // A watch with a selector has DELETED for what only left the selection.
    const isWhole = request?.target !== undefined && !SELECTOR.test(request.target);
    const isGone = type === 'DELETED' && (asked !== undefined || isWhole);
    if (!isMarked && !isGone) return life;
    if (asked !== undefined) life.requestDeletion(asked, this.#origins.get(asked.request.seq)).state = 'done';
    life.isMarked ||= isMarked;
    if (isGone) {
      life.isGone = true;
      life.finished ??= made ?? null;
    }
    return life;
  }

  /** Who repeats a Kubernetes Event sends only how often: its request says what it reports on. */
  #reportedIn(message: Message): Life | undefined {
    const k8sEvent = message.k8sEvent ?? (message.kind === 'event' ? undefined : message.request?.k8sEvent);
    if (k8sEvent === undefined || k8sEvent.name === '') return undefined;
    const { uid, kind, namespace, name } = k8sEvent;
    const about = this.#resources.get(kind) ?? { resource: resourceOfKind(kind) };
    return this.#byUid.get(uid) ?? this.#newest(about, namespace, name);
  }

  /** The object that had a name last; a new life where none had it. */
  #newest(about: NamedResource, namespace: NamePart, name: string): Life {
    const place = nameOf(about, namespace, name);
    return this.#byName.get(keyOf(place))?.at(-1) ?? this.#add(place, null);
  }

  /** @param isCreated the message says that the object is new. */
  #lifeOf(about: NamedResource, namespace: NamePart, name: string, uid: string | null, isCreated: boolean): Life {
    const place = nameOf(about, namespace, name);
    const lives = this.#byName.get(keyOf(place)) ?? [];
    const newest = lives.at(-1);
    if (uid === null) {
      // What is created under the name of what was there is another object.
      const isOther = isCreated && newest !== undefined && (newest.created !== null || newest.deletion !== null);
      return newest === undefined || isOther ? this.#add(place, null) : newest;
    }
    const known = lives.find((life) => life.uid === uid);
    if (known !== undefined) return known;
    if (newest?.uid !== null) return this.#add(place, uid);
    newest.uid = uid;
    this.#byUid.set(uid, newest);
    return newest;
  }

  #add(place: LifeName, uid: string | null): Life {
    const key = keyOf(place);
    const life = new Life(place, uid, this.#kindOf);
    if (uid !== null) this.#byUid.set(uid, life);
    this.#byName.set(key, [...(this.#byName.get(key) ?? []), life].slice(-MAX_LIVES));
    return life;
  }
}

/** The resource that a message is about, also of many objects; null: a call of another program, a health check. */
export function resourceOf(message: Message): NamedResource | null {
  const request = requestOf(message);
  const asked = request?.resource === undefined ? message : request;
  if (asked.resource !== undefined) return asked;
  return message.kind === 'event' && message.object !== undefined ? aboutKind(message.object) : null;
}

/** The name of the object that a message is about, by its request and what it shows. */
function namedIn(message: Message): { readonly namespace?: NamePart; readonly name?: NamePart } {
  const request = requestOf(message);
  const { kind, object, namespace, name } = message;
  if (kind === 'event')
    return object?.row ?? (object?.name == null ? { namespace: namespace ?? request?.namespace, name } : object);
  const asked = request ?? message;
  const isCreated = kind === 'response' && asked.verb === 'create' && object?.name != null && object.kind !== 'Status';
  return asked.name === undefined && isCreated ? object : asked;
}

/** Whether a request is to delete: an object, by an eviction, or a collection. */
export function isDeletion({ verb, subresource }: Message): boolean {
  if (verb === 'create') return subresource === 'eviction';
  return (verb === 'delete' || verb === 'deletecollection') && subresource === undefined;
}

/** From the object itself, where the request of its watch was not captured. */
function aboutKind({ apiVersion, kind }: NonNullable<Message['object']>): NamedResource | null {
  if (apiVersion == null || !tellsKind(kind)) return null;
  return { apiGroup: splitApiVersion(apiVersion).apiGroup, resource: resourceOfKind(kind) };
}

/** The API group of a resource; where no message tells it, that of Kubernetes' own resource of the name. */
export function groupOf({ apiGroup, resource = '' }: NamedResource): string {
  return apiGroup ?? builtInResource(resource)?.apiGroup ?? '';
}

function nameOf(about: NamedResource, namespace: NamePart, name: string): LifeName {
  const { resource = '' } = about;
  return { apiGroup: groupOf(about), resource, namespace: namespaceOf(resource, namespace) || null, name };
}

function kindKey(about: NamedResource): string {
  return groupResource(about.resource ?? '', groupOf(about));
}

function keyOf({ apiGroup, resource, namespace, name }: LifeName): string {
  return objectKey(resource, apiGroup, namespace, name);
}

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'apply', 'delete', 'deletecollection']);
/** Written again and again, and nothing is deleted because of them. */
const BY_THE_CLOCK: ReadonlySet<string> = new Set(['leases', 'events']);
const SELECTOR = /[?&](?:field|label)Selector=/;
const CREATED = 201;
const FAILURE = 300;
/** Limit: names of objects whose lives are known: as many as the summary lists. */
const MAX_NAMES = 20_000;
/** Limit: objects that had one name, one after the other. */
const MAX_LIVES = 100;
/** Limit: writes whose events may still come. */
const MAX_OPEN = 10_000;
/** Limit: messages that may lead to a deletion, with the write that began it. */
const MAX_ORIGINS = 50_000;
/** Limit: resources whose kinds are known. */
const MAX_KINDS = 1_000;
