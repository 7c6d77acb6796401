// What statuses say that went wrong, each thing once for its object: the first that says it is never folded away. Knows
// requests, answers and whose they are; nothing of arrows. How a container of a Pod that is being deleted ends is no problem.

import type { Message, StatusProblem } from '../../kubernetes/messages/message.js';
import type { MessageIndex } from '../message-index.js';

/** @returns what to say beside each request, or answer, that says something new. */
export function statusProblemsIn(seen: MessageIndex): ReadonlyMap<Message, readonly string[]> {
  const said = new Map<Message, readonly string[]>();
  const lives = new Map<string, Life>();
  for (const message of seen.messages) {
    const isGoing = goingIn(message);
    if (isGoing !== undefined && message.object?.name != null) {
      const resource = seen.requestOf(message)?.resource;
      const { namespace, name } = message.object;
      if (resource !== undefined) lifeOf(lives, resource, namespace, name).isGoing = isGoing;
    }
    if (message.kind === 'response' && message.problems !== undefined && message.object?.name != null) {
      const { resource = '' } = seen.requestOf(message) ?? {};
      say(said, message, lifeOf(lives, resource, message.object.namespace, message.object.name));
    }
    if (message.kind !== 'request' || message.resource === undefined || message.name === undefined) continue;
    if (message.dryRun === true) continue;
    const isEnd = message.verb === 'delete' || message.subresource === 'eviction';
    const isBegin = message.verb === 'create' && message.subresource === undefined;
    if (message.problems === undefined && !isEnd && !isBegin) continue;
    const { response } = seen.exchangeOf(message);
    if ((response?.status ?? 0) >= 300) continue;
    const known = lifeOf(lives, message.resource, message.namespace, message.name, isBegin);
    if (isEnd && response !== undefined) known.isGoing = true;
    say(said, message, known);
  }
  return said;
}

function say(said: Map<Message, readonly string[]>, message: Message, life: Life): void {
  const news = (message.problems ?? []).filter((problem) => isNew(problem, life)).map(problemWords);
  if (news.length > 0) said.set(message, news);
}

/** Does a message show that an object is being deleted, or (false) one that is there anew? undefined: neither. */
export function goingIn({ kind, type, object }: Message): boolean | undefined {
  if (object?.deletionTimestamp !== undefined) return true;
  return kind === 'event' && type === 'ADDED' ? false : undefined;
}

/** `container web terminated: OOMKilled, exit code 137`. */
export function problemWords({ of, state, reason, exitCode }: StatusProblem): string {
  const why = [reason, exitCode === undefined ? '' : `exit code ${exitCode}`].filter((word) => word !== '');
  return `${of} ${state}${why.length === 0 ? '' : `: ${why.join(', ')}`}`;
}

interface Life {
  readonly told: Set<string>;
  /** Somebody deletes it, or it says so. */
  isGoing: boolean;
}

/** @param isAnew another one by this name begins. */
function lifeOf(
  lives: Map<string, Life>,
  resource: string,
  namespace: string | null | undefined,
  name: string,
  isAnew = false,
): Life {
  const key = `${resource} ${namespace ?? ''} ${name}`;
  const known = isAnew ? undefined : lives.get(key);
  if (known !== undefined) return known;
  const life = { told: new Set<string>(), isGoing: false };
  lives.set(key, life);
  return life;
}

function isNew(problem: StatusProblem, { told, isGoing }: Life): boolean {
  if (isGoing && problem.state === 'terminated') return false;
  const words = problemWords(problem);
  if (told.has(words)) return false;
  told.add(words);
  return true;
}
