// Finds the critical path to a goal: back along causes, from the write that reached it to the request that nothing triggered.

import { indexMessages, type MessageIndex } from '../diagram/message-index.js';
import { requestWords } from '../diagram/verbs.js';
import type { Message } from '../kubernetes/messages/message.js';
import type { Incarnation, ObjectHistory } from '../object-history/model.js';
import { type Goal, type GoalName, goalOf } from './goals.js';
import { legsBetween } from './legs.js';
import type { CriticalPath, PathLeg } from './model.js';

export interface PathRequest {
  /** Messages of the object's story, of which those that are not on the path are counted. */
  readonly story: readonly Message[];
  /** undefined: ready, else gone where the capture lacks the beginning. */
  readonly goal?: GoalName;
}

/**
 * @param messages in the order of time: those of the object's story at least.
 * @param history of the object, from the same messages.
 * @returns one for each incarnation that has such a goal.
 */
export function criticalPaths(
  messages: readonly Message[],
  { resource, namespace, name, incarnations }: ObjectHistory,
  request: PathRequest,
): readonly CriticalPath[] {
  const index = indexMessages(messages);
  return incarnations.flatMap((incarnation): CriticalPath[] => {
    const goal = chosenGoal(incarnation, resource, request);
    if (goal === null) return [];
    const { wish } = goal;
    const led = sinceWish(chainTo(goal, index), wish);
    // What went on by then led to nothing: the goal needed what came later.
    const isWaiting = wish !== null && led[0] !== wish && wish.time < led[0].time;
    const waited = isWaiting ? [waitFor(`${resource}/${name}`, wish, led[0])] : [];
    const legs = [...waited, ...led.slice(1).flatMap((to, i) => legsBetween(led[i], to, index))];
    const onPath = new Set(legs.flatMap(({ from, to }) => [from.seq, to.seq]));
    return [
      {
        resource,
        namespace,
        name,
        goal: goal.words,
        isReached: goal.isReached,
        legs: inOrder(legs),
        duration: goal.end.time - (isWaiting ? wish : led[0]).time,
        beside: request.story.filter(({ seq }) => !onPath.has(seq)).length,
        warnings: warningsIn(incarnation, goal.end.time),
      },
    ];
  });
}

function chosenGoal(incarnation: Incarnation, resource: string, { goal }: Pick<PathRequest, 'goal'>): Goal | null {
  if (goal !== undefined) return goalOf(incarnation, resource, goal);
  const [first] = incarnation.steps.filter((step) => step.kind === 'version');
  const isCreated = first?.happened === 'created';
  const [wanted, other]: readonly GoalName[] = isCreated ? ['ready', 'gone'] : ['gone', 'ready'];
  return goalOf(incarnation, resource, wanted) ?? goalOf(incarnation, resource, other);
}

/** From the wish to the goal. */
function chainTo({ write, end }: Goal, index: MessageIndex): readonly Message[] {
  const chain = end === write || write.time > end.time ? [end] : [end, write];
  const seen = new Set(chain);
  for (let at = index.causeOf(chain[chain.length - 1]); at !== undefined; at = index.causeOf(at)) {
    // Causes come first; clocks of several captures may differ, and a path runs forward.
    if (seen.has(at) || at.time > chain[chain.length - 1].time || chain.length >= MAX_LINKS) break;
    seen.add(at);
    chain.push(at);
  }
  return chain.reverse();
}

/** What was there before the object was asked for is no part of its path. */
function sinceWish(chain: readonly Message[], wish: Message | null): readonly Message[] {
  if (wish === null) return chain;
  const at = chain.indexOf(wish);
  if (at >= 0) return chain.slice(at);
  const later = chain.filter(({ time }) => time >= wish.time);
  return later.length === 0 ? [chain[chain.length - 1]] : later;
}

function waitFor(who: string, wish: Message, to: Message): PathLeg {
  const what = `waits until ${to.from.name} sends ${to.kind === 'request' ? requestWords(to) : to.label}`;
  return { who, what, from: wish, to, duration: to.time - wish.time };
}

/** A leg that ends before it begins, by clocks that differ, takes no time. */
function inOrder(legs: readonly PathLeg[]): readonly PathLeg[] {
  return legs.filter(({ duration }) => duration > 0n);
}

function warningsIn({ steps }: Incarnation, until: bigint): readonly string[] {
  return steps.flatMap((step): string[] => {
    if (step.kind !== 'k8sEvent' || step.message.time > until) return [];
    const { k8sEvent, seq } = step.message;
    return k8sEvent?.type === 'Warning' ? [`${k8sEvent.reason}: ${k8sEvent.message} (message ${seq})`] : [];
  });
}

/** Limit: messages that led to a goal one after the other: a rollout of some steps has twenty for each. */
const MAX_LINKS = 1_000;
