// Brothers that go the same way: Pods of one ReplicaSet (or any objects of one owner) about which the same participants
// send the same requests with the same answers, refused for the same reasons, in the same order. One of them is drawn, with
// the number and the names of all. An object's life has two parts, until somebody deletes it and from then on, and each is compared with those that
// begin in the same chapter. Knows identities and labels; what goes another way, or fails, stays drawn.

import type { Message } from '../../kubernetes/messages/message.js';
import { UID } from '../generated-names.js';
import type { Chapters } from '../layout/chapters.js';
import type { MessageIndex } from '../message-index.js';
import { remarksOn } from '../notes/arrow-notes.js';
import type { Dispositions } from '../selection/follow.js';

export const FOLDED_SIMILAR = 'of similar objects, same steps';

/** Several ways that are drawn once. */
export interface FoldGroup {
  /** How many, and who: `3 Pods: web-a, web-b, web-c`. */
  readonly title: string;
  /** The same as a sentence, where it is no loop. */
  readonly sentence: string;
  readonly times: number;
  /** Requests of the one that is drawn, in order. */
  readonly requests: readonly Message[];
}

/** Folds requests and their answers in `fates`. @param problems what is said beside some requests and answers: those who have the same go the same way. */
export function foldSimilarObjects(
  seen: MessageIndex,
  fates: Dispositions,
  chapters: Chapters,
  problems: ReadonlyMap<Message, readonly string[]> = new Map(),
): readonly FoldGroup[] {
  const groups = new Map<string, Timeline[]>();
  for (const way of waysOf(seen, fates)) {
    if (way.requests.length < SHORTEST_WAY) continue;
    const key = `${way.life.owner} ${way.life.kind} ${chapters.of(way.requests[0])} ${stepsOf(way, seen, problems)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [way]);
    else group.push(way);
  }
  const lanes: FoldGroup[] = [];
  for (const ways of groups.values()) {
    if (ways.length < 2) continue;
    ways.sort((a, b) => a.requests[0].seq - b.requests[0].seq);
    const title = titleOf(ways);
    lanes.push({ title, sentence: `${title} go this way`, times: ways.length, requests: ways[0].requests });
    for (const { requests } of ways.slice(1))
      for (const request of requests) foldExchange(request, FOLDED_SIMILAR, seen, fates);
  }
  return lanes;
}

/** A request with its answer and what streams behind it. */
export function foldExchange(request: Message, reason: string, seen: MessageIndex, fates: Dispositions): void {
  fates.set(request, reason);
  const { response, parts } = seen.exchangeOf(request);
  if (response !== undefined) fates.set(response, reason);
  for (const part of parts) if (fates.get(part) === null) fates.set(part, reason);
}

interface ObjectTimeline {
  readonly kind: string;
  readonly name: string;
  readonly owner: string;
  /** Drawn requests about it. */
  readonly requests: Message[];
}

/** One part of a life, through one door. */
interface Timeline {
  readonly life: ObjectTimeline;
  readonly ending: boolean;
  readonly requests: Message[];
}

function titleOf(ways: readonly Timeline[]): string {
  const names = ways.map(({ life }) => life.name);
  const nodes = new Set(
    ways.flatMap(({ requests }) => requests.filter(({ from }) => from.perNode)).map(({ from }) => from.name),
  );
  const more = nodes.size > 1 ? `, with ${[...nodes].sort().join(' and ')}` : '';
  return `${names.length} ${ways[0].life.kind}s: ${names.join(', ')}${more}`;
}

function waysOf(seen: MessageIndex, fates: Dispositions): Timeline[] {
  const ways: Timeline[] = [];
  for (const life of livesOf(seen, fates)) {
    // Layers race: each is a way of its own.
    const doors = new Map<string, Message[]>();
    for (const request of life.requests) {
      const through = doors.get(request.protocol);
      if (through === undefined) doors.set(request.protocol, [request]);
      else through.push(request);
    }
    for (const requests of doors.values()) {
      const end = endingOf(requests);
      ways.push({ life, ending: false, requests: requests.slice(0, end) });
      ways.push({ life, ending: true, requests: requests.slice(end) });
    }
  }
  return ways;
}

/** Where the end of an object begins: at the first delete, or where its sender looked at the object just before. */
function endingOf(requests: readonly Message[]): number {
  const first = requests.findIndex((request) => request.verb === 'delete' || ENDING_CALLS.has(request.rpcMethod ?? ''));
  if (first < 0) return requests.length;
  const before = first > 0 ? requests[first - 1] : undefined;
  return before?.verb === 'get' && before.from.id === requests[first].from.id ? first - 1 : first;
}

function livesOf(seen: MessageIndex, fates: Dispositions): Iterable<ObjectTimeline> {
  const lives = new Map<string, ObjectTimeline>();
  const byName = new Map<string, ObjectTimeline>();
  for (const { object } of seen.messages) {
    if (object?.uid == null || object.name == null || lives.has(object.uid)) continue;
    const owner = object.owners?.[0]?.uid;
    if (owner === undefined) continue;
    const life: ObjectTimeline = { kind: object.kind, name: object.name, owner, requests: [] };
    lives.set(object.uid, life);
    byName.set(`${object.namespace ?? ''}/${object.name}`, life);
  }
  for (const message of seen.messages) {
    if (message.kind !== 'request' || fates.get(message) !== null || message.verb === 'watch') continue;
    const uid = seen.exchangeOf(message).response?.object?.uid ?? message.object?.uid;
    const life =
      (uid == null ? undefined : lives.get(uid)) ??
      (message.name === undefined ? undefined : byName.get(`${message.namespace ?? ''}/${message.name}`));
    life?.requests.push(message);
  }
  return lives.values();
}

/**
 * The way that an object went: who asked what, with which success and what is said of it (one stands for all only where it was
 * refused as all were), without its own name, ids and versions, and because of whose change of what: one that was made because another was gone is no brother of those that somebody wanted. Where an object
 * begins, each node is a way of its own, so that a picture shows every node; the end is the same on all of them.
 */
function stepsOf(
  { life, ending, requests }: Timeline,
  seen: MessageIndex,
  problems: ReadonlyMap<Message, readonly string[]>,
): string {
  const steps = requests
    .map((request) => {
      const exchange = seen.exchangeOf(request);
      const { response } = exchange;
      const status = `${response?.status ?? 'none'} ${response?.grpcStatus ?? ''}`;
      const who = ending ? request.from.component : request.from.name;
      const said = [request, response].flatMap((one) =>
        one === undefined ? [] : [...(problems.get(one) ?? []), ...remarksOn(one, exchange)],
      );
      const ids = request.protocol === 'kubernetes' ? UID : OWN_IDS;
      const [what, why] = [request.label, said.join(' ')].map((text) =>
        text.replaceAll(life.name, '*').replace(ids, '#'),
      );
      return `${who} ${what} ${status} ${why}`;
    })
    .join('\n');
  return `${reasonOf(requests[0], seen)}\n${steps}`;
}

function reasonOf(request: Message, seen: MessageIndex): string {
  const event = seen.causeOf(request);
  const change = event === undefined ? undefined : seen.causeOf(event);
  return `${event?.object?.kind ?? ''} ${change?.from.component ?? ''}`;
}

/** Container and sandbox ids, versions. */
const OWN_IDS = /\b(?:[0-9a-f]{12,64}|\d{2,})\b/g;
const ENDING_CALLS = new Set(['StopContainer', 'StopPodSandbox', 'RemoveContainer', 'RemovePodSandbox']);
/** One request is a line, not a way. */
const SHORTEST_WAY = 2;
