// Divides an observation into stories: one for each object that people wrote, or read, with all that `--follow` draws of it.

import { type FollowedName, isClusterScoped, isCustomGroup } from '../../kubernetes/api/kinds.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { buildSequence } from '../build.js';
import { indexMessages, type MessageIndex, type Observation } from '../message-index.js';
import { arrowsOf } from '../model.js';
import { Problems } from '../problems.js';
import { isCarriedOut, rootsOf } from '../selection/follow.js';
import { noiseOf } from '../selection/noise.js';

export interface ObjectStory {
  readonly root: FollowedName;
  /** The first request for the object. */
  readonly request: Message;
  /** The messages that `--follow` draws, in the order of the diagram. */
  readonly messages: readonly Message[];
  /** Arrows that `--follow` draws. */
  readonly arrows: number;
  /** ns between the request and the last of the messages. */
  readonly duration: bigint;
  /** What went wrong, in words with counts. */
  readonly problems: readonly string[];
}

export interface ObjectStories {
  /** In the order of their first requests. */
  readonly stories: readonly ObjectStory[];
  /** Objects beyond what is followed: see `MAX_FOLLOWED` and `MAX_WORK`. */
  readonly unfollowed: number;
}

/** @returns also objects that controllers wrote, where no person wrote or read any. */
export function storiesOf(observation: Observation): ObjectStories {
  const { messages } = observation;
  const index = indexMessages(messages, observation.notices, observation.remainder);
  const { requests } = rootsOf(index);
  const roots = requests.size > 0 ? requests : rootsOfPrograms(index);
  const most = Math.min(MAX_FOLLOWED, Math.max(MIN_FOLLOWED, Math.floor(MAX_WORK / Math.max(1, messages.length))));
  const found = [...roots].slice(0, most).map(([root, request]) => storyOf(observation, root, request));
  return { stories: withoutParts(found), unfollowed: Math.max(0, roots.size - most) };
}

/** What `--follow` needs to draw a story: `caches.shop.example.com/front`, and its namespace. */
export function followArguments({ resource, group, name, namespace }: FollowedName): readonly string[] {
  const kind = group !== null && isCustomGroup(group) ? `${resource}.${group}` : resource;
  const follow = ['--follow', `${kind}/${name}`];
  if (namespace === 'default' || isClusterScoped(resource)) return follow;
  return [...follow, ...(namespace === null ? ['-A'] : ['-n', namespace])];
}

function storyOf(observation: Observation, root: FollowedName, request: Message): ObjectStory {
  const { steps, drawn } = buildSequence(observation, { follow: root });
  const messages = arrowsOf(steps).map(({ message }) => message);
  const problems = new Problems();
  let last = request.time;
  for (const message of messages) {
    problems.add(message);
    if (message.time > last) last = message.time;
  }
  const words = problems.result().map(({ what, count }) => (count === 1 ? what : `${what} (${count} times)`));
  return { root, request, messages, arrows: drawn, duration: last - request.time, problems: words };
}

/** A story whose messages are all in another one is a part of it: a Pod of a Deployment. */
function withoutParts(found: readonly ObjectStory[]): readonly ObjectStory[] {
  const largest = found
    .filter(({ arrows }) => arrows > 0)
    .map((story) => ({ story, seqs: new Set(story.messages.map(({ seq }) => seq)) }))
    .sort((a, b) => b.seqs.size - a.seqs.size);
  const kept: typeof largest = [];
  for (const one of largest) {
    const isPart = kept.some(({ seqs }) => one.story.messages.every(({ seq }) => seqs.has(seq)));
    if (!isPart) kept.push(one);
  }
  return kept.map(({ story }) => story).sort((a, b) => a.request.seq - b.request.seq);
}

/** Objects that programs wrote on no visible occasion: a job that runs by the clock, a change of which the capture lacks the cause. */
function rootsOfPrograms(index: MessageIndex): ReadonlyMap<FollowedName, Message> {
  const roots = new Map<string, readonly [FollowedName, Message]>();
  for (const { request, response } of index.exchanges.values()) {
    if (request === undefined || request.causedBy !== undefined || !isCarriedOut(request, index)) continue;
    const name = request.name ?? response?.object?.name ?? undefined;
    if (request.resource === undefined || name === undefined || noiseOf(request, request) !== null) continue;
    const root = {
      resource: request.resource,
      group: request.apiGroup ?? null,
      name,
      namespace: request.namespace ?? null,
    };
    const key = `${root.resource} ${root.group} ${root.namespace} ${root.name}`;
    if (!roots.has(key)) roots.set(key, [root, request]);
  }
  return new Map(roots.values());
}

/** Limit: stories that are told apart; each is followed through all messages, and a list of more is not read. */
const MAX_FOLLOWED = 100;
/** Limit: messages times stories, some 3 µs each: ten seconds beside the minute in which a million messages are read. */
const MAX_WORK = 3_000_000;
/** ObjectStories that are told apart in a capture of any size. */
const MIN_FOLLOWED = 3;
