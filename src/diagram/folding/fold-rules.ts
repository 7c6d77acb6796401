// Folds requests that repeat each other, one rule a kind of repetition: a few of each group are drawn, with a note that gives the
// number of all.

import type { K8sEventInfo, Message } from '../../kubernetes/messages/message.js';
import type { Dispositions, FoldReason } from '../disposition.js';
import type { Chapters } from '../layout/chapters.js';
import type { ExchangeMessages, MessageIndex } from '../message-index.js';
import { wentWrong } from '../notes/failed-requests.js';
import { BEHIND_SERVICES, succeeded } from '../selection/follow.js';
import { isPerson, noiseOf } from '../selection/noise.js';
import { foldExchange } from './fold-exchange.js';

export interface FoldContext {
  readonly index: MessageIndex;
  readonly chapters: Chapters;
  /** Messages whose status shows a new problem; they are drawn. */
  readonly problems: ReadonlyMap<Message, unknown>;
}

export interface FoldRule {
  readonly reason: FoldReason;
  /** Groups with fewer requests are drawn as they are. */
  readonly fewest: number;
  /** Requests with equal keys are a group; null: the rule does not apply. */
  key(request: Message, response: Message | undefined): string | null;
  /** Does a request begin a new group with the same key? */
  splits?(group: readonly Message[], request: Message): boolean;
  /** The requests that are drawn. */
  keep(group: readonly Message[]): readonly Message[];
  /** The note beside the first one. */
  note(group: readonly Message[]): string;
}

/** Folds in `dispositions`. @returns notes beside the requests that are drawn for others. */
export function applyFoldRules(
  rules: readonly ((context: FoldContext) => FoldRule)[],
  context: FoldContext,
  dispositions: Dispositions,
): ReadonlyMap<Message, readonly string[]> {
  const notes = new Map<Message, readonly string[]>();
  for (const rule of rules.map((create) => create(context))) {
    for (const group of groupsOf(rule, context.index, dispositions)) {
      if (group.length < rule.fewest) continue;
      notes.set(group[0], [rule.note(group)]);
      const kept = new Set(rule.keep(group));
      for (const request of group)
        if (!kept.has(request)) foldExchange(request, rule.reason, context.index, dispositions);
    }
  }
  return notes;
}

function groupsOf(rule: FoldRule, index: MessageIndex, dispositions: Dispositions): readonly Message[][] {
  const latest = new Map<string, Message[]>();
  const groups: Message[][] = [];
  for (const request of index.messages) {
    if (request.kind !== 'request' || dispositions.get(request) !== 'drawn') continue;
    const key = rule.key(request, index.exchangeOf(request).response);
    if (key === null) continue;
    const group = latest.get(key);
    if (group !== undefined && rule.splits?.(group, request) !== true) group.push(request);
    else groups.push(latest.set(key, [request]).get(key)!);
  }
  return groups;
}

/** Controllers write the status of an object again and again while others change it. */
export function statusUpdates({ chapters, problems }: FoldContext): FoldRule {
  return {
    reason: 'status-updates',
    fewest: FEWEST,
    key: (request, response) =>
      isUpdateOfProgram(request, response) && !problems.has(request) && isStatusUpdate(request)
        ? `${chapters.of(request)} ${request.from.name} ${request.label}`
        : null,
    keep: (group) => [group[0], group[group.length - 1]],
    note: ({ length }) => `${length} such requests: the first and the last are drawn`,
  };
}

/** An update that changes nothing is answered with a resourceVersion that was shown before. */
export function unchangedWrites({ index, chapters, problems }: FoldContext): FoldRule {
  const unchanged = index.once(requestsWithoutChange);
  return {
    reason: 'unchanged-writes',
    fewest: FEWEST,
    key: (request, response) =>
      isUpdateOfProgram(request, response) &&
      !problems.has(request) &&
      !isStatusUpdate(request) &&
      unchanged.has(request)
        ? `${chapters.of(request)} ${request.from.name} ${request.label}`
        : null,
    keep: ([first]) => [first],
    note: ({ length }) => `${length} of these change nothing: the first is drawn`,
  };
}

/** Events with one text about objects of one owner: twenty Pods of a ReplicaSet for which there is no node. */
export function repeatedEvents({ index, chapters }: FoldContext): FoldRule {
  const owners = index.once(ownersIn);
  const k8sEventOf = (request: Message): K8sEventInfo => k8sEventIn(index.exchangeOf(request))!;
  return {
    reason: 'similar-objects',
    fewest: 2,
    key: (request, response) => {
      const k8sEvent = k8sEventIn(index.exchangeOf(request));
      const owner = owners.get(k8sEvent?.uid ?? '');
      if (k8sEvent === undefined || owner === undefined || !succeeded(response)) return null;
      const text = k8sEvent.message.replaceAll(k8sEvent.name, '*');
      return JSON.stringify([request.from.id, owner, k8sEvent.kind, k8sEvent.reason, text, chapters.of(request)]);
    },
    // A second Event about one object belongs to a later occasion.
    splits: (group, request) => group.some((one) => k8sEventOf(one).uid === k8sEventOf(request).uid),
    keep: ([first]) => [first],
    note: (group) =>
      `reported on ${group.length} ${k8sEventOf(group[0]).kind}s: ${namesOf(group.map((one) => k8sEventOf(one).name))}`,
  };
}

/** Programs that get the same error whatever they retry: an informer that may not list, a kubelet that may not write its status. */
export function repeatedErrors({ chapters }: FoldContext): FoldRule {
  return {
    reason: 'repeated-errors',
    fewest: FEWEST,
    key: (request, response) => {
      if (response === undefined || isPerson(request.from)) return null;
      if (noiseOf(request, request) === null || !wentWrong(request, response)) return null;
      const { status, grpcStatus, reason, statusMessage } = response;
      const error = [status, grpcStatus, reason, statusMessage];
      return JSON.stringify([chapters.of(request), request.from.name, request.label, ...error]);
    },
    keep: ([first]) => [first],
    note: ({ length }) => `${length} such requests fail alike: the first is drawn`,
  };
}

function isUpdateOfProgram({ verb, protocol, from }: Message, response: Message | undefined): boolean {
  const isUpdate = protocol === 'kubernetes' && (verb === 'update' || verb === 'patch');
  return isUpdate && !isPerson(from) && succeeded(response);
}

/** The status of an object, or which Pods are ready behind a Service. */
function isStatusUpdate({ resource, subresource }: Message): boolean {
  return subresource === 'status' || (subresource === undefined && BEHIND_SERVICES.has(resource ?? ''));
}

/** Requests that are answered with a version of the object that was shown before they were sent. */
function requestsWithoutChange(index: MessageIndex): ReadonlySet<Message> {
  const versions = new Set<string>();
  const unchanged = new Set<Message>();
  for (const message of index.messages) {
    const shown = versionOf(message);
    if (shown !== null) versions.add(shown);
    if (message.kind !== 'request') continue;
    const answered = versionOf(index.exchangeOf(message).response);
    if (answered !== null && versions.has(answered)) unchanged.add(message);
  }
  return unchanged;
}

function versionOf(message: Message | undefined): string | null {
  const { uid, resourceVersion } = message?.object ?? {};
  return uid == null || resourceVersion == null ? null : `${uid} ${resourceVersion}`;
}

function k8sEventIn({ request, response }: ExchangeMessages): K8sEventInfo | undefined {
  return request?.k8sEvent ?? response?.k8sEvent;
}

/** uid of an object → uid of its first owner. */
function ownersIn({ messages }: MessageIndex): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const { object } of messages) {
    const owner = object?.owners?.[0]?.uid;
    if (object?.uid != null && owner !== undefined) owners.set(object.uid, owner);
  }
  return owners;
}

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(', ');
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
}

/** A smaller group takes less room drawn than explained. */
const FEWEST = 4;
/** Limit: names beside an Event that is reported on many objects, and the number of the others: a note is to stay a few lines. */
const MAX_NAMES = 8;
