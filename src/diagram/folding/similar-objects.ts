// Folds objects of one owner whose exchanges are identical: one is drawn, the others are named in the loop title.

import { appendTo } from '../../core/collections/multimap.js';
import { qualifiedName } from '../../kubernetes/api/object-ref.js';
import type { Message } from '../../kubernetes/messages/message.js';
import type { Dispositions } from '../disposition.js';
import { UID } from '../generated-names.js';
import type { Chapters } from '../layout/chapters.js';
import type { MessageIndex } from '../message-index.js';
import { arrowNotes } from '../notes/arrow-notes.js';
import { foldExchange } from './fold-exchange.js';

/** Timelines of several objects, of which one is drawn. */
export interface FoldGroup {
  /** `3 Pods: web-a, web-b, web-c` */
  readonly title: string;
  /** The same as a sentence, for a note instead of a loop. */
  readonly sentence: string;
  readonly times: number;
  /** Requests of the drawn one, in order. */
  readonly requests: readonly Message[];
}

/** Folds exchanges in `dispositions`. @param problems notes on messages: only objects with equal ones are similar. */
export function foldSimilarObjects(
  index: MessageIndex,
  dispositions: Dispositions,
  chapters: Chapters,
  problems: ReadonlyMap<Message, readonly string[]> = new Map(),
): readonly FoldGroup[] {
  const byKey = new Map<string, Timeline[]>();
  for (const timeline of timelinesOf(index, dispositions)) {
    const { object, requests } = timeline;
    if (requests.length < FEWEST_REQUESTS) continue;
    const key = `${object.owner} ${object.kind} ${chapters.of(requests[0])} ${stepsOf(timeline, index, problems)}`;
    appendTo(byKey, key, timeline);
  }
  const groups: FoldGroup[] = [];
  for (const timelines of byKey.values()) {
    if (timelines.length < 2) continue;
    timelines.sort((a, b) => a.requests[0].seq - b.requests[0].seq);
    const title = titleOf(timelines);
    groups.push({
      title,
      sentence: `${title} go this way`,
      times: timelines.length,
      requests: timelines[0].requests,
    });
    for (const { requests } of timelines.slice(1))
      for (const request of requests) foldExchange(request, 'similar-objects', index, dispositions);
  }
  return groups;
}

/** An object of an owner, as messages show it first. */
interface OwnedObject {
  /** Its place in the order in which the messages show them. */
  readonly order: number;
  readonly kind: string;
  readonly name: string;
  /** uid of its first owner. */
  readonly owner: string;
}

interface ObjectTimeline extends OwnedObject {
  readonly requests: Message[];
}

/** One part of an object's history, in one protocol: until its deletion, or from then on. */
interface Timeline {
  readonly object: ObjectTimeline;
  readonly isDeletion: boolean;
  readonly requests: Message[];
}

function titleOf(timelines: readonly Timeline[]): string {
  const names = timelines.map(({ object }) => object.name);
  const nodes = new Set(
    timelines.flatMap(({ requests }) => requests.filter(({ from }) => from.perNode)).map(({ from }) => from.name),
  );
  const more = nodes.size > 1 ? `, with ${[...nodes].sort().join(' and ')}` : '';
  return `${names.length} ${timelines[0].object.kind}s: ${names.join(', ')}${more}`;
}

function timelinesOf(index: MessageIndex, dispositions: Dispositions): Timeline[] {
  const timelines: Timeline[] = [];
  for (const object of objectsOf(index, dispositions)) {
    // Protocols race, so each has a timeline of its own.
    const byProtocol = new Map<string, Message[]>();
    for (const request of object.requests) {
      appendTo(byProtocol, request.protocol, request);
    }
    for (const requests of byProtocol.values()) {
      const end = deletionStart(requests);
      timelines.push({ object, isDeletion: false, requests: requests.slice(0, end) });
      timelines.push({ object, isDeletion: true, requests: requests.slice(end) });
    }
  }
  return timelines;
}

/** Index of the first request of the deletion: the delete, or the read of its sender directly before. */
function deletionStart(requests: readonly Message[]): number {
  const first = requests.findIndex(
    (request) => request.verb === 'delete' || DELETING_CALLS.has(request.rpcMethod ?? ''),
  );
  if (first < 0) return requests.length;
  const before = first > 0 ? requests[first - 1] : undefined;
  return before?.verb === 'get' && before.from.id === requests[first].from.id ? first - 1 : first;
}

interface OwnedObjects {
  readonly byUid: ReadonlyMap<string, OwnedObject>;
  /** By `NAMESPACE/NAME`, the last one of that name. */
  readonly byName: ReadonlyMap<string, OwnedObject>;
}

function ownedObjects({ messages }: MessageIndex): OwnedObjects {
  const byUid = new Map<string, OwnedObject>();
  const byName = new Map<string, OwnedObject>();
  for (const { object: found } of messages) {
    if (found?.uid == null || found.name == null || byUid.has(found.uid)) continue;
    const owner = found.owners?.[0]?.uid;
    if (owner === undefined) continue;
    const object = { order: byUid.size, kind: found.kind, name: found.name, owner };
    byUid.set(found.uid, object);
    byName.set(qualifiedName(found.namespace, found.name), object);
  }
  return { byUid, byName };
}

/** In the order in which the messages show them. */
function objectsOf(index: MessageIndex, dispositions: Dispositions): readonly ObjectTimeline[] {
  const { byUid, byName } = index.once(ownedObjects);
  const objects = new Map<OwnedObject, ObjectTimeline>();
  for (const message of index.messages) {
    if (message.kind !== 'request' || dispositions.get(message) !== 'drawn' || message.verb === 'watch') continue;
    const uid = index.exchangeOf(message).response?.object?.uid ?? message.object?.uid;
    const object =
      (uid == null ? undefined : byUid.get(uid)) ??
      (message.name === undefined ? undefined : byName.get(qualifiedName(message.namespace, message.name)));
    if (object === undefined) continue;
    const timeline = objects.get(object);
    if (timeline === undefined) objects.set(object, { ...object, requests: [message] });
    else timeline.requests.push(message);
  }
  return [...objects.values()].sort((a, b) => a.order - b.order);
}

/**
 * The steps of a timeline without the object's own name, ids and versions: senders, labels, statuses, notes, and which component's
 * change triggered the first step (a Pod that replaces another is not similar to one that a user requested). Before the deletion
 * each node counts as a different sender, so that a diagram shows every node.
 */
function stepsOf(
  { object, isDeletion, requests }: Timeline,
  index: MessageIndex,
  problems: ReadonlyMap<Message, readonly string[]>,
): string {
  const steps = requests
    .map((request) => {
      const exchange = index.exchangeOf(request);
      const { response } = exchange;
      const status = `${response?.status ?? 'none'} ${response?.grpcStatus ?? ''}`;
      const who = isDeletion ? request.from.component : request.from.name;
      const notes = [request, response].flatMap((one) =>
        one === undefined ? [] : [...(problems.get(one) ?? []), ...arrowNotes(one, exchange)],
      );
      const ids = request.protocol === 'kubernetes' ? UID : OWN_IDS;
      const [what, why] = [request.label, notes.join(' ')].map((text) =>
        text.replaceAll(object.name, '*').replace(ids, '#'),
      );
      return `${who} ${what} ${status} ${why}`;
    })
    .join('\n');
  return `${reasonOf(requests[0], index)}\n${steps}`;
}

function reasonOf(request: Message, index: MessageIndex): string {
  const event = index.causeOf(request);
  const change = event === undefined ? undefined : index.causeOf(event);
  return `${event?.object?.kind ?? ''} ${change?.from.component ?? ''}`;
}

/** Ids of containers and sandboxes, versions. */
const OWN_IDS = /\b(?:[0-9a-f]{12,64}|\d{2,})\b/g;
const DELETING_CALLS = new Set(['StopContainer', 'StopPodSandbox', 'RemoveContainer', 'RemovePodSandbox']);
const FEWEST_REQUESTS = 2;
