// Notes problems in the status of an object, each once: the message that shows it first is never folded. Containers
// that end in a Pod that is being deleted are no problem.

import { problemWords } from '../../core/status-words.js';
import { objectKey } from '../../kubernetes/api/object-ref.js';
import { requestOf } from '../../kubernetes/emitted/message-links.js';
import type { Message, StatusProblem } from '../../kubernetes/messages/message.js';
import type { MessageIndex } from '../message-index.js';

/** @returns message → notes, for each one that shows a new problem. */
export function statusProblemsIn(index: MessageIndex): ReadonlyMap<Message, readonly string[]> {
  const notes = new Map<Message, readonly string[]>();
  const states = new Map<string, ObjectState>();
  for (const message of index.messages) {
    const isTerminating = deletionIn(message);
    if (isTerminating !== undefined && message.object?.name != null) {
      const resource = requestOf(message)?.resource;
      const { namespace, name } = message.object;
      if (resource !== undefined) stateOf(states, resource, namespace, name).isTerminating = isTerminating;
    }
    if (message.kind === 'response' && message.problems !== undefined && message.object?.name != null) {
      const { resource = '' } = requestOf(message) ?? {};
      addNews(notes, message, stateOf(states, resource, message.object.namespace, message.object.name));
    }
    if (message.kind !== 'request' || message.resource === undefined || message.name === undefined) continue;
    if (message.dryRun === true) continue;
    const isEnd = message.verb === 'delete' || message.subresource === 'eviction';
    const isBegin = message.verb === 'create' && message.subresource === undefined;
    if (message.problems === undefined && !isEnd && !isBegin) continue;
    const { response } = index.exchangeOf(message);
    if ((response?.status ?? 0) >= 300) continue;
    const known = stateOf(states, message.resource, message.namespace, message.name, isBegin);
    if (isEnd && response !== undefined) known.isTerminating = true;
    addNews(notes, message, known);
  }
  return notes;
}

function addNews(notes: Map<Message, readonly string[]>, message: Message, state: ObjectState): void {
  const news = (message.problems ?? []).filter((problem) => isNew(problem, state)).map(problemWords);
  if (news.length > 0) notes.set(message, news);
}

/** true: the object is being deleted; false: it was created; undefined: the message shows neither. */
export function deletionIn({ kind, type, object }: Message): boolean | undefined {
  if (object?.deletionTimestamp !== undefined) return true;
  return kind === 'event' && type === 'ADDED' ? false : undefined;
}

interface ObjectState {
  /** Problems shown so far. */
  readonly shown: Set<string>;
  /** It is being deleted. */
  isTerminating: boolean;
}

/** @param isAnew an object with this name is created. */
function stateOf(
  states: Map<string, ObjectState>,
  resource: string,
  namespace: string | null | undefined,
  name: string,
  isAnew = false,
): ObjectState {
  const key = objectKey(resource, undefined, namespace, name);
  const known = isAnew ? undefined : states.get(key);
  if (known !== undefined) return known;
  const state = { shown: new Set<string>(), isTerminating: false };
  states.set(key, state);
  return state;
}

function isNew(problem: StatusProblem, { shown, isTerminating }: ObjectState): boolean {
  if (isTerminating && problem.state === 'terminated') return false;
  const words = problemWords(problem);
  if (shown.has(words)) return false;
  shown.add(words);
  return true;
}
