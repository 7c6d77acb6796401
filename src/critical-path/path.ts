// Finds the critical path to a goal: back along causes, from the write that reached it to the request that nothing triggered.

import { lostText } from '../core/lost-time.js';
import type { MessageIndex } from '../diagram/message-index.js';
import { requestWords } from '../diagram/verbs.js';
import { objectReference } from '../kubernetes/api/object-ref.js';
import type { Message } from '../kubernetes/messages/message.js';
import type { Incarnation, ObjectHistory } from '../object-history/model.js';
import { type Goal, type GoalName, goalOf } from './goals.js';
import { legsBetween } from './legs.js';
import type { CriticalPath, PathLeg } from './model.js';
import { indexPaths, type PathIndex } from './path-index.js';

export interface PathRequest {
  /** Messages about the object and what it caused, of which those that are not on the path are counted; undefined: none are. */
  readonly story?: readonly Message[];
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
  history: ObjectHistory,
  request: PathRequest,
): readonly CriticalPath[] {
  return pathsIn(indexPaths(messages), history, request);
}

/** The same, where many objects have one index. */
export function pathsIn(
  index: PathIndex,
  { resource, namespace, name, incarnations }: ObjectHistory,
  request: PathRequest,
): readonly CriticalPath[] {
  return incarnations.flatMap((incarnation): CriticalPath[] => {
    const goal = chosenGoal(incarnation, resource, request);
    if (goal === null) return [];
    const { firstWrite } = goal;
    const chain = sinceWrite(firstWrite, chainTo(goal, index.messages));
    const [begin] = chain;
    // What followed from the first write led to nothing: the goal needed what came later.
    const hasWaited = firstWrite !== null && firstWrite.time < begin.time;
    const waiting = hasWaited ? [waitingLeg(objectReference(resource, name), firstWrite, begin)] : [];
    const legs = [...waiting, ...chain.slice(1).flatMap((to, i) => legsBetween(chain[i], to, index))];
    const first = hasWaited ? firstWrite : begin;
    const onPath = new Set(legs.flatMap(({ from, to }) => [from.seq, to.seq]));
    return [
      {
        resource,
        namespace,
        name,
        goal: goal.words,
        deletion: goal.deletion,
        isReached: goal.isReached,
        stuck: goal.stuck,
        later: goal.later,
        legs: lasting(legs).map((leg) => withLost(leg, index.messages)),
        begin: `${first.from.name}: ${first.kind === 'request' ? requestWords(first) : first.kind}`,
        duration: goal.end.time - first.time,
        beside: request.story?.filter(({ seq }) => !onPath.has(seq)).length ?? null,
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

/** Message by message, each caused by the one before, to the end of the goal. */
function chainTo({ lastWrite, end }: Goal, index: MessageIndex): readonly Message[] {
  const chain = end === lastWrite || lastWrite.time > end.time ? [end] : [end, lastWrite];
  const seen = new Set(chain);
  for (let at = index.causeOf(chain[chain.length - 1]); at !== undefined; at = index.causeOf(at)) {
    // Causes come first; clocks of several captures may differ, and a path runs forward.
    if (seen.has(at) || at.time > chain[chain.length - 1].time || chain.length >= MAX_LINKS) break;
    seen.add(at);
    chain.push(at);
  }
  return chain.reverse();
}

/** What was sent before the object was created, or marked for deletion, is no part of its path. */
function sinceWrite(firstWrite: Message | null, chain: readonly Message[]): readonly Message[] {
  if (firstWrite === null) return chain;
  const at = chain.indexOf(firstWrite);
  if (at >= 0) return chain.slice(at);
  const later = chain.filter(({ time }) => time >= firstWrite.time);
  return later.length === 0 ? [chain[chain.length - 1]] : later;
}

/** Numbers of causes that paths lead back to, and that are not among the messages of the index: a path ends where one is missing. */
export function missingCauses(
  { messages }: PathIndex,
  histories: readonly ObjectHistory[],
  request: PathRequest,
): readonly number[] {
  return histories.flatMap(({ resource, incarnations }) =>
    incarnations.flatMap((incarnation) => {
      const goal = chosenGoal(incarnation, resource, request);
      const { causedBy } = (goal === null ? undefined : chainTo(goal, messages)[0]) ?? {};
      return causedBy === undefined || messages.withSeq(causedBy) !== undefined ? [] : [causedBy];
    }),
  );
}

/** The object itself waits. */
function waitingLeg(who: string, from: Message, to: Message): PathLeg {
  const what = `waits until ${to.from.name} sends ${to.kind === 'request' ? requestWords(to) : to.label}`;
  return { step: 'wait', who, what, from, to, duration: to.time - from.time };
}

/** Without those that take no time. */
function lasting(legs: readonly PathLeg[]): readonly PathLeg[] {
  return legs.filter(({ duration }) => duration > 0n);
}

/** A server's work on a request, with what was lost until it had it. */
function withLost(leg: PathLeg, index: MessageIndex): PathLeg {
  const { from, who, what } = leg;
  if (from.kind !== 'request' || who !== from.to.name) return leg;
  const { times, latencyMs } = index.exchangeOf(from).response ?? {};
  return { ...leg, what: what + lostText(times, latencyMs) };
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
