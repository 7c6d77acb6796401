// Names the object that each message is about, as a page filters by it: of a Kubernetes Event the object that it reports on.

import { resourceOfKind } from '../kubernetes/api/kinds.js';
import type { Message } from '../kubernetes/messages/message.js';
import { Deletions, deletionWords } from '../object-history/deletions.js';
import type { MessageIndex } from './message-index.js';

export interface RowObject {
  /** Plural; with its group if other resources of the capture have the same plural: `services.serving.knative.dev`. */
  readonly resource: string;
  /** null: cluster-scoped, or of all namespaces. */
  readonly namespace: string | null;
  /** null: a list or a watch of several objects. */
  readonly name: string | null;
  /** Who deleted it, in words; of several that had its name, in order. */
  readonly deleted?: readonly string[];
}

/** Answers which object a message is about, for all messages of one index. */
export class RowObjects {
  readonly #index: MessageIndex;
  /** Kind → plural resource, from requests and their objects. */
  readonly #resources = new Map<string, string>();
  readonly #deletions = new Deletions();
  /** Plural → its API groups. */
  readonly #groups = new Map<string, Set<string>>();

  constructor(index: MessageIndex) {
    this.#index = index;
    for (const message of index.messages) {
      this.#deletions.feed(message);
      const { resource, apiGroup } = index.requestOf(message) ?? message;
      if (resource === undefined) continue;
      if (message.object != null) this.#resources.set(message.object.kind, resource);
      const groups = this.#groups.get(resource);
      if (groups === undefined) this.#groups.set(resource, new Set([apiGroup ?? '']));
      else groups.add(apiGroup ?? '');
    }
  }

  /** @returns null if the message is about no object: a call of another program, a health check. */
  of(message: Message): RowObject | null {
    const request = this.#index.requestOf(message);
    const k8sEvent = message.k8sEvent ?? (message.kind === 'event' ? undefined : this.#eventOf(message));
    if (k8sEvent !== undefined && k8sEvent.name !== '')
      return this.#withDeletions(
        this.#resources.get(k8sEvent.kind) ?? resourceOfKind(k8sEvent.kind),
        k8sEvent.namespace,
        k8sEvent.name,
      );
    const { resource, apiGroup } = request?.resource === undefined ? message : request;
    if (resource === undefined) return null;
    const name = this.#nameOf(message, request);
    return this.#withDeletions(this.#withGroup(resource, apiGroup ?? ''), name.namespace, name.name);
  }

  #withDeletions(plural: string, namespace: Named['namespace'], name: Named['name']): RowObject {
    const object = rowObject(plural, namespace, name);
    if (object.name === null) return object;
    const [resource, ...group] = plural.split('.');
    const isAlone = (this.#groups.get(resource)?.size ?? 0) < 2;
    const lives = this.#deletions.livesOf(
      { ...object, resource, name: object.name },
      isAlone ? undefined : group.join('.'),
    );
    const deleted = lives.flatMap(({ deletion }) => (deletion === null ? [] : [deletionWords(deletion)]));
    return deleted.length === 0 ? object : { ...object, deleted };
  }

  /** The Event that the other half of the exchange holds: a patch has only its count. */
  #eventOf(message: Message): Message['k8sEvent'] {
    const { request, response } = this.#index.exchangeOf(message);
    return request?.k8sEvent ?? response?.k8sEvent;
  }

  #nameOf(message: Message, request: Message | undefined): Named {
    const { object } = message;
    if (message.kind === 'event') {
      if (object?.row !== undefined) return object.row;
      if (object?.name != null) return object;
      return { namespace: message.namespace ?? request?.namespace, name: message.name };
    }
    const half = request ?? message;
    if (half.name !== undefined) return half;
    // Of a create, the response may have the name.
    const created = half.verb === 'create' ? this.#index.exchangeOf(message).response?.object : undefined;
    const isNamed = created?.name != null && created.kind !== 'Status';
    return isNamed ? created : { namespace: half.namespace, name: undefined };
  }

  #withGroup(resource: string, group: string): string {
    const isAlone = (this.#groups.get(resource)?.size ?? 0) < 2 || resource === 'events';
    return isAlone || group === '' ? resource : `${resource}.${group}`;
  }
}

interface Named {
  readonly namespace?: string | null | undefined;
  readonly name?: string | null | undefined;
}

function rowObject(resource: string, namespace: Named['namespace'], name: Named['name']): RowObject {
  const isClusterWide = resource === 'namespaces' || namespace == null || namespace === '';
  return { resource, namespace: isClusterWide ? null : namespace, name: name ?? null };
}
