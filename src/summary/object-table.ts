// Counts the messages about each object of API servers, with who created it, who deleted it, and its problems.

import { resourceOfKind } from '../kubernetes/api/kinds.js';
import type { Message, Participant } from '../kubernetes/messages/message.js';
import { aboutKind, Deletions, type DeletionWrite, type ObjectLife } from '../object-history/deletions.js';
import type { AnsweredRequest } from './answered-request.js';

export interface ObjectSummary {
  readonly apiGroup: string;
  readonly resource: string;
  /** null: cluster-scoped. */
  readonly namespace: string | null;
  readonly name: string;
  /** The write that created it; absent: it was there before, or the write was not captured. */
  readonly created?: ObjectWrite;
  /** The first request by which it was to be deleted: its own, an eviction, or one to delete a collection. */
  readonly deleted?: ObjectWrite;
  /** A later request that took what the deletion waited for: a finalizer, a grace period. */
  readonly finished?: ObjectWrite;
  /** Messages that show a problem of it. */
  readonly problems: number;
  /** Requests for it, their responses, and watch events of it. */
  readonly messages: number;
}

export interface ObjectWrite {
  /** The participant that sent it. */
  readonly by: string;
  /** `seq` of the request. */
  readonly message: number;
}

interface CountedObject {
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string | null;
  readonly name: string;
  created: SentWrite | undefined;
  /** From the creation of one object to its deletion: a later object of that name has another. */
  life: ObjectLife | undefined;
  problems: number;
  messages: number;
}

interface SentWrite {
  readonly by: Participant;
  readonly message: number;
}

export class ObjectTable {
  /** In the order of their first messages; an object that was created again has a row for each time. */
  readonly #rows: CountedObject[] = [];
  /** The latest row of each name. */
  readonly #byName = new Map<string, CountedObject>();
  /** API groups in which a resource was seen: a Kubernetes Event has only the kind. */
  readonly #groups = new Map<string, Set<string>>();
  readonly #deletions = new Deletions();
  readonly #ofLife = new Map<ObjectLife, CountedObject>();
  /** Messages about objects beyond the limit. */
  uncounted = 0;

  request(message: Message, request: AnsweredRequest): void {
    this.#deletions.feed(message);
    if (request.name !== undefined) this.#count(request, request.namespace, request.name);
  }

  response(response: Message, request: AnsweredRequest): void {
    const { status = 0, object } = response;
    const life = this.#deletions.feed(response) ?? undefined;
    const isDone = status >= 200 && status < 300 && !request.isDryRun;
    // The API server may choose the name.
    const name = request.name ?? (isPlainCreate(request) ? (object?.name ?? undefined) : undefined);
    if (name === undefined) return;
    const namespace = request.namespace ?? object?.namespace ?? undefined;
    let row = this.#count(request, namespace, name);
    if (row === undefined) return;
    if (!isDone || !isCreation(request, status)) {
      this.#rowOfLife(row, life, RESPONSE);
      return;
    }
    const write = { by: request.client, message: request.seq };
    // Its request named nothing, and was not counted.
    if (request.name === undefined) row.messages += 1;
    if (life !== undefined) row = this.#rowOfLife(row, life, REQUEST_AND_RESPONSE);
    // The name was used before: this is another object.
    else if (row.created !== undefined || row.life?.deletion != null) row = this.#rowOfNext(row, REQUEST_AND_RESPONSE);
    if (row !== undefined) row.created ??= write;
  }

  /** @param request of the watch; undefined: it was sent before the capture. */
  event(event: Message, request: AnsweredRequest | undefined): void {
    const life = this.#deletions.feed(event) ?? undefined;
    const { object } = event;
    // A row of a table (`kubectl get -w`) has the name.
    const named = object?.row ?? object;
    if (object === undefined || named?.name == null) return;
    const about = request?.resource === undefined ? aboutKind(object) : request;
    if (about === null) return;
    const row = this.#count(about, named.namespace ?? undefined, named.name);
    if (row !== undefined) this.#rowOfLife(row, life, EVENT);
  }

  /** A message shows a problem of an object: the one that a Kubernetes Event is about, else its own. */
  problem({ k8sEvent, object }: Message, request: AnsweredRequest | undefined): void {
    if (k8sEvent !== undefined) {
      const resource = resourceOfKind(k8sEvent.kind);
      const groups = this.#groups.get(resource);
      if (groups?.size !== 1) return;
      const [apiGroup] = groups;
      const row = this.#rowOf({ apiGroup, resource }, k8sEvent.namespace || undefined, k8sEvent.name);
      if (row !== undefined) row.problems += 1;
      return;
    }
    const name = request?.name ?? object?.name;
    if (request === undefined || name == null) return;
    const row = this.#rowOf(request, request.namespace ?? object?.namespace ?? undefined, name);
    if (row !== undefined) row.problems += 1;
  }

  result(): readonly ObjectSummary[] {
    return this.#rows.map(({ apiGroup, resource, namespace, name, created, life, problems, messages }) => ({
      apiGroup,
      resource,
      namespace,
      name,
      ...(created === undefined ? null : { created: { by: created.by.name, message: created.message } }),
      ...deletedOf(life),
      problems,
      messages,
    }));
  }

  #count(about: ResourceName, namespace: string | undefined, name: string): CountedObject | undefined {
    const { resource } = about;
    // A Kubernetes Event is told of as a problem of its object.
    if (resource === undefined || resource === 'events') return undefined;
    let row = this.#rowOf(about, namespace, name);
    row ??= this.#add(about.apiGroup ?? '', resource, placeOf(resource, namespace), name);
    if (row === undefined) this.uncounted += 1;
    else row.messages += 1;
    return row;
  }

  #rowOf(
    { apiGroup = '', resource = '' }: ResourceName,
    namespace: string | undefined,
    name: string,
  ): CountedObject | undefined {
    return this.#byName.get(keyOf(apiGroup, resource, placeOf(resource, namespace), name));
  }

  /** The row of an object that has the name of `row`. @param messages of it that `row` counted. */
  #rowOfLife(row: CountedObject, life: ObjectLife | undefined, messages: number): CountedObject | undefined {
    const known = life === undefined ? row : this.#ofLife.get(life);
    if (known !== undefined || life === undefined) return known;
    const own = row.life === undefined ? row : this.#rowOfNext(row, messages);
    if (own !== undefined) {
      own.life = life;
      this.#ofLife.set(life, own);
    }
    return own;
  }

  /** Another object has the name. @param messages of it that the old row counted. */
  #rowOfNext(old: CountedObject, messages: number): CountedObject | undefined {
    const row = this.#add(old.apiGroup, old.resource, old.namespace, old.name);
    if (row === undefined) return undefined;
    old.messages -= messages;
    row.messages += messages;
    return row;
  }

  #add(apiGroup: string, resource: string, namespace: string | null, name: string): CountedObject | undefined {
    if (this.#rows.length >= MAX_OBJECTS) return undefined;
    const row = {
      ...{ apiGroup, resource, namespace, name },
      created: undefined,
      life: undefined,
      problems: 0,
      messages: 0,
    };
    this.#rows.push(row);
    this.#byName.set(keyOf(apiGroup, resource, namespace, name), row);
    const groups = this.#groups.get(resource);
    if (groups === undefined) this.#groups.set(resource, new Set([apiGroup]));
    else groups.add(apiGroup);
    return row;
  }
}

interface ResourceName {
  readonly apiGroup?: string;
  readonly resource?: string;
}

function isPlainCreate({ verb, subresource }: AnsweredRequest): boolean {
  return verb === 'create' && subresource === undefined;
}

/** An update or an apply may create, too; 201 says that it did. */
function isCreation({ subresource }: AnsweredRequest, status: number): boolean {
  return status === CREATED && subresource === undefined;
}

function deletedOf(life: ObjectLife | undefined): Pick<ObjectSummary, 'deleted' | 'finished'> {
  const { askedBy = null, finishedBy = null } = life?.deletion ?? {};
  const write = ({ request: { from, seq } }: DeletionWrite): ObjectWrite => ({ by: from.name, message: seq });
  return {
    ...(askedBy === null ? null : { deleted: write(askedBy) }),
    ...(finishedBy === null ? null : { finished: write(finishedBy) }),
  };
}

/** A Namespace is in none, but requests for it fill both fields. */
function placeOf(resource: string, namespace: string | undefined): string | null {
  return resource === 'namespaces' || namespace === undefined || namespace === '' ? null : namespace;
}

function keyOf(apiGroup: string, resource: string, namespace: string | null, name: string): string {
  return `${apiGroup} ${resource} ${namespace ?? ''} ${name}`;
}

const CREATED = 201;
/** Messages that were counted for a name before its object was known. */
const [EVENT, RESPONSE, REQUEST_AND_RESPONSE] = [1, 1, 2];
/** Limit: objects that the summary lists, some 200 bytes each; more are a page that nobody reads, and `messages` has them. */
const MAX_OBJECTS = 20_000;
