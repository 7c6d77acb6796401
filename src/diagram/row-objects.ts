// Names the object of each row of a page, as a reader filters by it, and who deleted it.

import type { Message } from '../kubernetes/messages/message.js';
import { deletionWords } from '../object-history/deletions.js';
import { type AboutObject, MessageObjects } from '../object-history/message-objects.js';
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
  const objects = new MessageObjects();
  const found = new Map<Message, AboutObject>();
  /** Plural → its API groups. */
  const groups = new Map<string, Set<string>>();
  for (const message of index.messages) {
    const about = objects.feed(message);
    if (about === null) continue;
    found.set(message, about);
    const { resource, apiGroup } = about;
    groups.set(resource, (groups.get(resource) ?? new Set()).add(apiGroup));
  }
  return (message) => {
    const { response } = message.kind === 'request' ? index.exchangeOf(message) : {};
    const about = found.get(response ?? message);
    if (about === undefined) return null;
    const { apiGroup, namespace, name } = about;
    const isAlone = groups.get(about.resource)?.size === 1 || about.resource === 'events';
    const resource = isAlone || apiGroup === '' ? about.resource : `${about.resource}.${apiGroup}`;
    const lives = name === null ? [] : objects.livesOf({ ...about, name }, isAlone ? undefined : apiGroup);
    const deleted = lives.flatMap(({ deletion }) => (deletion === null ? [] : [deletionWords(deletion)]));
    return { resource, namespace, name, ...(deleted.length === 0 ? null : { deleted }) };
  };
}
