// Divides an observation into stories: one for each object that people wrote, or read, with all that `--follow` draws of it.

import { type FollowedName, isClusterScoped, isCustomGroup } from '../../kubernetes/api/kinds.js';
import { groupResource, objectReference } from '../../kubernetes/api/object-ref.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { drawStory } from '../build.js';
import type { MessageIndex } from '../message-index.js';
import { arrowsOf } from '../model.js';
import { heaviestFirst } from '../problem-kinds.js';
import { Problems, problemText } from '../problems.js';
import { isCarriedOut, Roots, rootsOf } from '../selection/follow.js';
import { noiseOf } from '../selection/noise.js';
import { storyPart } from '../selection/story-part.js';
import { decisionOf } from '../selection/visibility.js';

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

/**
 * @param index of all messages.
 * @returns also objects that controllers wrote, where no person wrote or read any.
 */
export function storiesOf(index: MessageIndex): ObjectStories {
  const { requests } = rootsOf(index);
  const roots = requests.size > 0 ? requests : rootsOfPrograms(index);
  const most = Math.min(
    MAX_FOLLOWED,
    Math.max(MIN_FOLLOWED, Math.floor(MAX_WORK / Math.max(1, index.messages.length))),
  );
  const found = [...roots].slice(0, most).map(([root, request]) => storyOf(index, root, request));
  return { stories: withoutParts(found), unfollowed: Math.max(0, roots.size - most) };
}

/** @returns those with most problems first, then those with most arrows. */
export function heaviestStories(stories: readonly ObjectStory[]): readonly ObjectStory[] {
  return stories.toSorted((a, b) => b.problems.length - a.problems.length || b.arrows - a.arrows);
}

/** What `--follow` needs to draw a story: `caches.shop.example.com/front`, and its namespace. */
export function followArguments({ resource, group, name, namespace }: FollowedName): readonly string[] {
  const kind = groupResource(resource, group !== null && isCustomGroup(group) ? group : null);
  const follow = ['--follow', objectReference(kind, name)];
  if (namespace === 'default' || isClusterScoped(resource, group)) return follow;
  return [...follow, ...(namespace === null ? ['-A'] : ['-n', namespace])];
}

function storyOf(index: MessageIndex, root: FollowedName, request: Message): ObjectStory {
  const options = { follow: root };
  const part = storyPart(index, root);
  const { setUp, story, drawn, repeated } = drawStory(options, part, decisionOf(part, options));
  const messages = arrowsOf([...setUp, ...story]).map(({ message }) => message);
  const problems = new Problems();
  let last = request.time;
  for (const message of messages) {
    problems.add(message);
    if (message.time > last) last = message.time;
  }
  const words = heaviestFirst(problems.result()).map(problemText);
  return { root, request, messages, arrows: drawn.length - repeated, duration: last - request.time, problems: words };
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

/** Objects that programs wrote without a cause in the capture: a job that runs by the clock, a change whose cause is missing. */
function rootsOfPrograms(index: MessageIndex): ReadonlyMap<FollowedName, Message> {
  const roots = new Roots();
  for (const { request, response } of index.exchanges.values()) {
    if (request === undefined || request.causedBy !== undefined || !isCarriedOut(request, index)) continue;
    if (noiseOf(request, request) === null) roots.add(request, response);
  }
  return roots.requests;
}

/** Limit: stories that are told apart: a list of more is not read. */
const MAX_FOLLOWED = 100;
/** Limit: messages times stories: each takes time by its length, which may be that of the capture. */
const MAX_WORK = 3_000_000;
/** Stories that are told apart in a capture of any size. */
const MIN_FOLLOWED = 3;
