// Collects from all messages what concerns one object: writes to it, each revision of it, and Kubernetes Events about
// it.

import { UNCHANGING_SUBRESOURCES } from '../core/api-resources.js';
import { RecentMap } from '../core/collections/bounded.js';
import { isRecord } from '../core/record.js';
import { type FollowedName, resourceOfKind } from '../kubernetes/api/kinds.js';
import { bare } from '../kubernetes/emitted/message-links.js';
import type { Message, ObjectLife, Shown, ShownValue } from '../kubernetes/messages/message.js';
import { hasObject } from '../kubernetes/objects/object-info.js';
import type { PatchedBy } from './mutations.js';
import { isInNamespace, isOfResource } from './wanted-objects.js';

/** A version of the object, as answers, events and lists showed it. */
export interface ObservedRevision {
  readonly uid: string | null;
  readonly resourceVersion: string;
  /** The first message that showed it. */
  readonly first: Message;
  generation: number | undefined;
  /** The whole body as JSON; undefined where only a part of it was captured, or nothing of it may be shown. */
  body: string | undefined;
  apiVersion: string | undefined;
  kind: string | undefined;
  /** Writes whose responses have the version: the one that made it, and those after it that changed nothing. */
  readonly answered: ObservedWrite[];
  /** Numbers of messages that caused its events. */
  readonly causes: Set<number>;
  /** A watch without a selector has DELETED for the version. */
  isDeleted: boolean;
  /** A watch with a selector has DELETED for the version: the object may only have left the selection. */
  isGone: boolean;
  /** An event shows that the object is there. */
  isThere: boolean;
}

/** A write to the object, by name or as it was made. */
export interface ObservedWrite {
  readonly request: Message;
  response: Message | undefined;
  /** What it sent to be created. */
  readonly sent: RevisionFields | undefined;
  /** Webhooks that changed it before it was written. */
  readonly webhooks: PatchedBy[];
}

export type RevisionFields = Readonly<Record<string, ShownValue>>;

export class RevisionCollector {
  /** By uid and resourceVersion, in the order in which they were shown. */
  readonly versions = new Map<string, ObservedRevision>();
  readonly writes: ObservedWrite[] = [];
  /** By the name of the Event object: the first message that holds it, and how many do. */
  readonly k8sEvents = new Map<string, { readonly message: Message; times: number }>();
  /** Namespaces of others that have its name. */
  readonly elsewhere = new Set<string>();
  readonly #wanted: FollowedName;
  /** Writes that are out, by the numbers of their requests. */
  readonly #openWrites = new RecentMap<number, ObservedWrite>(MAX_OPEN, 'writes without a response');
  #isFull = false;

  constructor(wanted: FollowedName) {
    this.#wanted = wanted;
  }

  /** More was there than is kept. */
  get isFull(): boolean {
    return this.#isFull;
  }

  feed(message: Message): void {
    const { protocol, kind, about, reportsOn } = message;
    if (protocol === 'http') this.#review(message);
    if (protocol !== 'kubernetes') return;
    if (this.isWanted(reportsOn)) this.#k8sEvent(message);
    if (kind === 'request') this.#request(message);
    else if (kind === 'response') this.#response(message);
    else if (kind === 'event' && this.isWanted(about)) this.#event(message);
  }

  /** Whether an object has the name that is asked for. */
  isWanted(life: ObjectLife | undefined): boolean {
    if (life?.name !== this.#wanted.name || !isOfResource(life, this.#wanted)) return false;
    return isInNamespace(life.namespace, this.#wanted);
  }

  #request(request: Message): void {
    const { about, namespace, name, verb = '', subresource } = request;
    const isNamesake = about?.name === this.#wanted.name && isOfResource(about, this.#wanted) && !this.isWanted(about);
    if (isNamesake && about.namespace !== null && this.elsewhere.size < MAX_ELSEWHERE)
      this.elsewhere.add(about.namespace);
    const isMade =
      verb === 'create' &&
      name === undefined &&
      isOfResource(request, this.#wanted) &&
      isInNamespace(namespace, this.#wanted);
    if (!WRITES.has(verb) || UNCHANGING_SUBRESOURCES.has(subresource ?? '')) return;
    if (!isMade && !this.isWanted(about)) return;
    const sent = verb === 'create' && subresource === undefined ? recordOf(request.details?.body()) : undefined;
    const isPlain = sent !== undefined && textOf(sent) !== undefined;
    const write = { request: bare(request), response: undefined, sent: isPlain ? sent : undefined, webhooks: [] };
    if (!isMade) this.#write(write);
    this.#openWrites.set(request.seq, write);
  }

  /** The response of a webhook about a write to the object, with a patch. */
  #review(response: Message): void {
    const { kind, request, patch } = response;
    if (kind !== 'response' || request?.resource !== this.#wanted.resource || patch === undefined) return;
    const write = request.causedBy === undefined ? undefined : this.#openWrites.get(request.causedBy);
    if (write === undefined || write.webhooks.length >= MAX_WEBHOOKS) return;
    const review = recordOf(recordOf(request.details?.body())?.['request']);
    write.webhooks.push({ request: bare(request), response: bare(response), object: review?.['object'] });
  }

  #response(response: Message): void {
    const { object, request, about } = response;
    // The events of a watch are still to come.
    if (request?.verb === 'watch') return;
    const write = (request && this.#openWrites.get(request.seq)) ?? null;
    if (write !== null) {
      this.#openWrites.delete(write.request.seq);
      write.response = bare(response);
      if (write.request.name === undefined && this.isWanted(about)) this.#write(write);
    }
    // What a dry run shows is no version of anything.
    if (request?.dryRun === true || !hasObject(object)) return;
    if (object.items !== undefined) {
      if (request !== undefined && isOfResource(request, this.#wanted)) this.#list(response);
    } else if (this.isWanted(about)) this.#show(response, () => response.details?.body(), write);
  }

  #event(event: Message): void {
    const { object, type, request } = event;
    if (!hasObject(object) || !SHOWING.has(type ?? '')) return;
    const revision = this.#show(event, () => recordOf(event.details?.body())?.['object'], null);
    if (revision === null) return;
    if (event.causedBy !== undefined) revision.causes.add(event.causedBy);
    if (type !== 'DELETED') revision.isThere = true;
    else if (request?.resource !== undefined && !SELECTOR.test(request.target ?? '')) revision.isDeleted = true;
    else revision.isGone = true;
  }

  #list(response: Message): void {
    const items = recordOf(response.details?.body())?.['items'];
    if (!Array.isArray(items)) return;
    const kind = kindOfItems(response.object!.kind);
    for (const item of items as readonly ShownValue[]) {
      const metadata = recordOf(recordOf(item)?.['metadata']);
      if (metadata?.['name'] !== this.#wanted.name || !isInNamespace(metadata['namespace'], this.#wanted)) continue;
      this.#item(response, kind, metadata, item);
    }
  }

  /** The object in a list, which the caller found. @param response with the list. */
  showItem(response: Message, item: ShownValue): void {
    const metadata = recordOf(recordOf(item)?.['metadata']);
    if (metadata !== undefined) this.#item(response, kindOfItems(response.object!.kind), metadata, item);
  }

  #item(response: Message, kind: Shown, metadata: RevisionFields, item: ShownValue): void {
    const { uid, resourceVersion, generation } = metadata;
    if (typeof resourceVersion !== 'string') return;
    const object = {
      kind,
      uid: typeof uid === 'string' ? uid : null,
      resourceVersion,
      generation: typeof generation === 'number' ? generation : undefined,
    };
    this.#show({ ...response, object }, () => item, null);
  }

  #show(message: Message, body: () => ShownValue | undefined, write: ObservedWrite | null): ObservedRevision | null {
    const { apiVersion, kind, uid = null, resourceVersion, generation } = message.object!;
    if (resourceVersion == null) return null;
    const key = `${uid} ${resourceVersion}`;
    let revision = this.versions.get(key);
    if (revision === undefined) {
      if (this.versions.size >= MAX_VERSIONS) {
        this.#isFull = true;
        return null;
      }
      revision = {
        uid,
        resourceVersion,
        first: bare(message),
        generation: undefined,
        body: undefined,
        apiVersion: undefined,
        kind: undefined,
        answered: [],
        causes: new Set(),
        isDeleted: false,
        isGone: false,
        isThere: false,
      };
      this.versions.set(key, revision);
    }
    revision.generation ??= generation;
    if (write !== null) revision.answered.push(write);
    if (this.#isKind(kind)) {
      revision.kind ??= kind;
      revision.apiVersion ??= apiVersion;
      if (revision.body === undefined) {
        const full = recordOf(body());
        if (full !== undefined && !('$bytes' in full)) revision.body = textOf(full);
      }
    }
    return revision;
  }

  #k8sEvent(message: Message): void {
    const { k8sEvent, object } = message;
    if (k8sEvent === undefined) return;
    // Without its own name it is one of its own.
    const key = object?.name ?? `${message.seq}`;
    const known = this.k8sEvents.get(key);
    if (known === undefined) {
      if (this.k8sEvents.size < MAX_K8S_EVENTS) this.k8sEvents.set(key, { message: bare(message), times: 1 });
      else this.#isFull = true;
    } else if ((message.kind === 'event') === (known.message.kind === 'event')) known.times += 1;
  }

  #write(write: ObservedWrite): void {
    if (this.writes.length < MAX_WRITES) this.writes.push(write);
    else this.#isFull = true;
  }

  #isKind(kind: string): boolean {
    return resourceOfKind(kind) === this.#wanted.resource;
  }
}

export function recordOf(value: ShownValue | undefined): RevisionFields | undefined {
  return isRecord(value) ? (value as RevisionFields) : undefined;
}

/** Kinds are names: a part of one is one. */
function kindOfItems(kind: NonNullable<Message['object']>['kind']): NonNullable<Message['object']>['kind'] {
  return kind.replace(/List$/, '') as typeof kind;
}

/** undefined: nested deeper than a stack goes, which no real object is. */
function textOf(value: RevisionFields): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

const WRITES = new Set(['create', 'update', 'patch', 'delete']);
const SELECTOR = /[?&](?:field|label)Selector=/;
const SHOWING = new Set(['ADDED', 'MODIFIED', 'DELETED']);
/** Limit: writes to the object whose responses are awaited. */
const MAX_OPEN = 10_000;
/** Limit: namespaces that have another object of the name, which are listed for a user who asked in another; no reader needs more. */
const MAX_ELSEWHERE = 100;
/** Limit: versions of one object, some 10 KB each: those of a node that reports every ten seconds for a day. */
const MAX_VERSIONS = 10_000;
/** Limit: writes to the object: of each version one, and those that were refused. */
const MAX_WRITES = 100_000;
/** Limit: webhooks that change one write of the object: the API server calls each once or twice (reinvocation). */
const MAX_WEBHOOKS = 100;
/** Limit: different Events about one object. */
const MAX_K8S_EVENTS = 10_000;
