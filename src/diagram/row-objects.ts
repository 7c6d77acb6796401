// Names the object of each row of a page, as a reader filters by it, and who deleted it.

import { addToSet } from '../core/collections/multimap.js';
import { groupResource, namespaceOf, objectKey } from '../kubernetes/api/object-ref.js';
import { deletionWords } from '../kubernetes/lives/deletion-words.js';
import { groupOf, resourceOf } from '../kubernetes/lives/object-store.js';
import type { Message, ObjectLife } from '../kubernetes/messages/message.js';
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

/** @returns the object that a message of the index is about; null: none. */
export function rowObjects(index: MessageIndex): (message: Message) => RowObject | null {
  /** Plural → its API groups. */
  const groups = new Map<string, Set<string>>();
  /** Resource and name → the objects that had the name, in order. */
  const named = new Map<string, Set<ObjectLife>>();
  for (const message of index.messages) {
    const place = aboutOf(message);
    if (place === null) continue;
    addToSet(groups, place.resource, place.apiGroup);
    if (message.about !== undefined) addToSet(named, nameKey(message.about), message.about);
  }
  return (message) => {
    const { response = message } = message.kind === 'request' ? index.exchangeOf(message) : {};
    const place = aboutOf(response);
    if (place === null) return null;
    const { apiGroup, namespace, name } = place;
    const isAlone = groups.get(place.resource)?.size === 1 || place.resource === 'events';
    const resource = groupResource(place.resource, isAlone ? null : apiGroup);
    const lives = [...(named.get(nameKey(place)) ?? [])].filter((life) => isAlone || life.apiGroup === apiGroup);
    const deleted = lives.flatMap(({ deletion }) => (deletion === null ? [] : [deletionWords(deletion)]));
    return { resource, namespace, name, ...(deleted.length === 0 ? null : { deleted }) };
  };
}

/** What a message is about: an object, or a resource; of a Kubernetes Event what it reports on. null: nothing of Kubernetes. */
function aboutOf(message: Message): About | null {
  const life = message.reportsOn ?? message.about;
  if (life !== undefined) return life;
  const about = resourceOf(message);
  if (about === null) return null;
  const { resource = '' } = about;
  const { namespace } = message.request ?? message;
  return { apiGroup: groupOf(about), resource, namespace: namespaceOf(resource, namespace) || null, name: null };
}

type About = Pick<ObjectLife, 'apiGroup' | 'resource' | 'namespace'> & { readonly name: string | null };

function nameKey({ resource, namespace, name }: About): string {
  return objectKey(resource, '', namespace, name);
}
