// Builds the histories of several objects of one kind at once: each message goes to the objects that it is about.

import { BoundedSet, RecentMap } from '../core/collections/bounded.js';
import { type FollowedName, isClusterScoped, resourceOfKind } from '../kubernetes/api/kinds.js';
import { objectText, qualifiedName } from '../kubernetes/api/object-ref.js';
import { requestOf } from '../kubernetes/emitted/message-links.js';
import type { NamedResource } from '../kubernetes/lives/object-store.js';
import type { Message, ObjectField, ShownValue } from '../kubernetes/messages/message.js';
import { HistoryBuilder } from './history.js';
import type { LabelTest } from './label-selector.js';
import type { ObjectHistory } from './model.js';
import { recordOf } from './revision-collector.js';
import { isInNamespace, isOfResource } from './wanted-objects.js';

export interface WantedObjects {
  /** Plural resource. */
  readonly resource: string;
  /** null: any group. */
  readonly group: string | null;
  /** null: all namespaces. */
  readonly namespace: string | null;
  /** undefined: all. */
  readonly names?: ReadonlySet<string>;
  /** Those whose labels match when their body is first seen. */
  readonly labels?: LabelTest;
  /** Those that this object owns, itself or through others: a Deployment owns the Pods of its ReplicaSets. */
  readonly owner?: FollowedName;
}

export class ObjectHistories {
  readonly #wanted: WantedObjects;
  readonly #builders = new Map<string, HistoryBuilder>();
  /** Wanted objects beyond the limit. */
  readonly #beyond = new BoundedSet<string>(MAX_OBJECTS, 'objects beyond the limit');
  /** By `seq` of a create whose name the API server chooses: the calls of webhooks about it. */
  readonly #unnamed = new RecentMap<number, Message[]>(MAX_OPEN, 'creates without a name');
  /** `Kind namespace/name` of the owner and of what it owns. */
  readonly #owned = new BoundedSet<string>(MAX_OWNED, 'objects of owners');

  constructor(wanted: WantedObjects) {
    this.#wanted = wanted;
  }

  /** Wanted objects that were not looked at, as there were too many. */
  get unlisted(): number {
    return this.#beyond.size;
  }

  /** @returns whether the message is about a wanted object. */
  feed(message: Message): boolean {
    const { protocol, kind, reportsOn } = message;
    if (protocol === 'http') return this.#review(message);
    if (protocol !== 'kubernetes') return this.#isOfRuntime(message);
    this.#learnOwner(message);
    const reported = this.#builderOf(reportsOn, {}, () => undefined);
    reported?.feed(message);
    const isOwn =
      kind === 'request' ? this.#request(message) : (kind === 'response' || kind === 'event') && this.#shown(message);
    return isOwn || reported !== undefined;
  }

  /** In the order in which they were first seen. */
  results(): readonly ObjectHistory[] {
    return [...this.#builders.values()].map((builder) => builder.result());
  }

  #request(request: Message): boolean {
    const { about, namespace, name, verb, seq, subresource } = request;
    // Its response says which object it made.
    if (name === undefined && verb === 'create' && subresource === undefined) {
      if (!isOfResource(request, this.#wanted)) return false;
      this.#unnamed.set(seq, []);
      return isInNamespace(namespace, this.#wanted);
    }
    const builder = this.#builderOf(about, request, () => request.details?.body());
    builder?.feed(request);
    return builder !== undefined;
  }

  /** A response, or a watch event. */
  #shown(message: Message): boolean {
    const { kind, object, request, about } = message;
    const isEvent = kind === 'event';
    if (!isEvent && request?.verb === 'list' && object?.items !== undefined && isOfResource(request, this.#wanted))
      this.#items(request, message);
    // Of a Table the row names the object, and shows no version of it.
    if (isEvent ? object?.name == null : OF_MANY.has(request?.verb ?? '')) return false;
    const body = (): ShownValue | undefined => {
      const whole = message.details?.body();
      return isEvent ? recordOf(whole)?.['object'] : whole;
    };
    const builder = this.#builderOf(about, message, body);
    const held = request === undefined || isEvent ? undefined : this.#unnamed.get(request.seq);
    if (request !== undefined && held !== undefined) {
      this.#unnamed.delete(request.seq);
      for (const one of [request, ...held]) builder?.feed(one);
    }
    builder?.feed(message);
    return builder !== undefined;
  }

  #items({ resource, apiGroup }: Message, response: Message): void {
    const items = recordOf(response.details?.body())?.['items'];
    if (!Array.isArray(items)) return;
    for (const item of items as readonly ShownValue[]) {
      const metadata = recordOf(recordOf(item)?.['metadata']);
      const [name, namespace] = [metadata?.['name'], metadata?.['namespace']];
      if (typeof name !== 'string') continue;
      const place = typeof namespace === 'string' ? namespace : null;
      const named = { apiGroup, resource, namespace: place, name };
      this.#builderOf(named, { object: { owners: ownersIn(metadata) } }, () => item)?.feedItem(response, item);
    }
  }

  /** A call of a webhook about a write, or its response. */
  #review(message: Message): boolean {
    const { causedBy, resource, namespace, name } = requestOf(message) ?? {};
    if (causedBy === undefined || resource !== this.#wanted.resource) return false;
    const held = this.#unnamed.get(causedBy);
    const builder = name === undefined ? undefined : this.#builders.get(this.#keyOf(namespace, name));
    if (held === undefined) builder?.feed(message);
    else held.push(message);
    return held !== undefined || builder !== undefined;
  }

  /** A call of a container runtime has the Pod's names. */
  #isOfRuntime({ protocol, namespace, name }: Message): boolean {
    return protocol === 'cri' && name !== undefined && this.#builders.has(this.#keyOf(namespace, name));
  }

  /** @returns the object's builder, a new one where the object is wanted; undefined: it is not, or not known to be. */
  #builderOf(
    about: NamedObject | undefined,
    { object }: { readonly object?: { readonly owners?: ObjectField['owners'] } },
    body: () => ShownValue | undefined,
  ): HistoryBuilder | undefined {
    if (about === undefined || !isOfResource(about, this.#wanted)) return undefined;
    const { namespace, name } = about;
    const key = this.#keyOf(namespace, name);
    const known = this.#builders.get(key);
    if (known !== undefined) return known;
    const { resource, group, names, labels, owner } = this.#wanted;
    if (!isInNamespace(namespace, this.#wanted) || names?.has(name) === false) return undefined;
    if (owner !== undefined && !this.#isOwned(namespace, object?.owners)) return undefined;
    if (labels !== undefined && !hasLabels(body(), labels)) return undefined;
    if (this.#builders.size >= MAX_OBJECTS) {
      this.#beyond.add(key);
      return undefined;
    }
    const place = isClusterScoped(resource, group) ? null : (namespace ?? null);
    const builder = new HistoryBuilder({ resource, group, name, namespace: place });
    this.#builders.set(key, builder);
    return builder;
  }

  /** What the owner owns is an owner, too. */
  #learnOwner({ object, resource }: Message): void {
    if (this.#wanted.owner === undefined || object?.name == null || object.owners === undefined) return;
    // What a request carries may be no object of its own.
    const kind = resource ?? resourceOfKind(object.kind);
    if (this.#isOwned(object.namespace, object.owners))
      this.#owned.add(objectText(kind, object.namespace, object.name));
  }

  #isOwned(namespace: string | null | undefined, owners: ObjectField['owners'] = []): boolean {
    const { owner } = this.#wanted;
    return owners.some((one) => {
      const resource = resourceOfKind(one.kind);
      const isOwner = resource === owner?.resource && one.name === owner.name;
      return isOwner || this.#owned.has(objectText(resource, namespace, one.name));
    });
  }

  #keyOf(namespace: string | null | undefined, name: string): string {
    return isClusterScoped(this.#wanted.resource, this.#wanted.group) ? name : qualifiedName(namespace, name);
  }
}

function hasLabels(body: ShownValue | undefined, selector: LabelTest): boolean {
  const labels = recordOf(recordOf(recordOf(body)?.['metadata'])?.['labels']) ?? {};
  const texts = Object.entries(labels).filter(
    (one): one is [string, string & ShownValue] => typeof one[1] === 'string',
  );
  return body !== undefined && selector(new Map(texts));
}

function ownersIn(metadata: Readonly<Record<string, ShownValue>> | undefined): ObjectField['owners'] {
  const owners = metadata?.['ownerReferences'];
  if (!Array.isArray(owners)) return undefined;
  return (owners as readonly ShownValue[]).flatMap((one) => {
    const { kind, name, uid } = recordOf(one) ?? {};
    return typeof kind === 'string' && typeof name === 'string' && typeof uid === 'string' ? { kind, name, uid } : [];
  });
}

type NamedObject = NamedResource & { readonly namespace: string | null; readonly name: string };

const OF_MANY: ReadonlySet<string> = new Set(['list', 'watch']);
/** Limit: objects whose histories are built at once, each with its versions of some 10 KB. */
const MAX_OBJECTS = 1000;
/** Limit: creates whose names are awaited. */
const MAX_OPEN = 10_000;
/** Limit: objects between an owner and what is looked for: the ReplicaSets of a Deployment, the Jobs of a CronJob. */
const MAX_OWNED = 10_000;
