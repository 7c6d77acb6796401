// Names the object that each message is about, of a Kubernetes Event the object that it reports on: a page and a summary count by it.

import { builtInResource } from '../core/api-resources.js';
import { RecentMap } from '../core/collections/bounded.js';
import { resourceOfKind } from '../kubernetes/api/kinds.js';
import { namespaceOf } from '../kubernetes/api/object-ref.js';
import { requestOf } from '../kubernetes/emitted/exchange-requests.js';
import type { Message } from '../kubernetes/messages/message.js';
import { aboutKind, Deletions, type LifeName, type NamedResource, type ObjectLife } from './deletions.js';

export interface AboutObject {
  /** Empty: the core group, or a group that no message tells. */
  readonly apiGroup: string;
  readonly resource: string;
  /** null: cluster-scoped, or of all namespaces. */
  readonly namespace: string | null;
  /** null: a list or a watch of several objects, or a request to create one whose name the API server chooses. */
  readonly name: string | null;
  /** null: not known. */
  readonly life: ObjectLife | null;
}

type Named = { readonly namespace?: string | null; readonly name?: string | null };

/** Follows all messages of a capture, in the order of time. */
export class MessageObjects {
  readonly #deletions = new Deletions();
  readonly #kinds = new RecentMap<string, NamedResource>(MAX_KINDS, 'kinds of objects');

  /**
   * A request and its response are about one object, which the response alone may name: of a create the API server may choose the name, and
   * who repeats a Kubernetes Event sends only how often.
   * @returns null if the message is about no object: a call of another program, a health check.
   */
  feed(message: Message): AboutObject | null {
    const request = requestOf(message);
    const life = this.#deletions.feed(message);
    const { kind, object } = message;
    const k8sEvent = message.k8sEvent ?? (kind === 'event' ? undefined : request?.k8sEvent);
    if (k8sEvent !== undefined && k8sEvent.name !== '') {
      const known = this.#deletions.withUid(k8sEvent.uid);
      const about = known ?? this.#kinds.get(k8sEvent.kind) ?? { resource: resourceOfKind(k8sEvent.kind) };
      return aboutObject(about, k8sEvent, known ?? null);
    }
    const asked = request?.resource === undefined ? message : request;
    const about =
      asked.resource !== undefined ? asked : kind === 'event' && object !== undefined ? aboutKind(object) : null;
    if (about === null) return null;
    if (object !== undefined && asked.subresource === undefined) this.#kinds.set(object.kind, about);
    return aboutObject(about, namedIn(message, request), life);
  }

  /** The objects that had a name, in order. @param apiGroup undefined: of any. */
  livesOf(name: Omit<LifeName, 'apiGroup'>, apiGroup?: string): readonly ObjectLife[] {
    return this.#deletions.livesOf(name, apiGroup);
  }
}

function namedIn(message: Message, request: Message | undefined): Named {
  const { kind, object, namespace, name } = message;
  if (kind === 'event')
    return object?.row ?? (object?.name == null ? { namespace: namespace ?? request?.namespace, name } : object);
  const asked = request ?? message;
  const isCreated = kind === 'response' && asked.verb === 'create' && object?.name != null && object.kind !== 'Status';
  return asked.name === undefined && isCreated ? object : asked;
}

function aboutObject(
  { apiGroup, resource = '' }: NamedResource,
  { namespace, name }: Named,
  life: ObjectLife | null,
): AboutObject {
  return {
    apiGroup: apiGroup ?? builtInResource(resource)?.apiGroup ?? '',
    resource,
    namespace: namespaceOf(resource, namespace) || null,
    name: name || null,
    life,
  };
}

/** Limit: kinds whose resources are known. */
const MAX_KINDS = 1_000;
