// Lists what happens to a request and a response of an HTTP exchange until they are emitted, in order: each step says what it needs of
// the steps before it, and what it gives. A message is observed (its body, its fields), attributed (its cause), and then emitted.

import type { Decoded } from '../http/exchange/content.js';
import type { Draft } from './messages/draft.js';
import type { ExchangeContext } from './messages/exchange-context.js';
import { listedUids } from './objects/object-facts.js';
import type { BodyObject } from './objects/object-info.js';
import {
  describeLease,
  describeRelease,
  fillK8sEvent,
  fillRequest,
  fillResponse,
  labelRequest,
  labelResponse,
  opensWatch,
  type RequestPart,
  type ResponsePart,
} from './observed/http-messages.js';
import { droppedUpgrade, observeUpgrade } from './placed/hops/dropped-upgrades.js';
import { describeUser, learnUser } from './placed/identity/users/describe-user.js';
import type { Trackers } from './trackers.js';

/** A message on its way. @typeParam Part the event that it is made of. */
export interface MessageWork<Part> {
  readonly event: Part;
  readonly context: ExchangeContext;
  readonly message: Draft;
  /** The body after content decoding, and the object in it; null: there is none. */
  decoded: Decoded | null;
  carried: BodyObject | null;
}

/** `fields`: what head, path and body say; `failure`: why it was refused; `cause`: what it follows from. */
export type MessageFact =
  | 'body'
  | 'user'
  | 'fields'
  | 'failure'
  | 'times'
  | 'report'
  | 'problems'
  | 'label'
  | 'cause'
  | 'release'
  | 'lease'
  | 'verdict';

export interface MessageStep<Part> {
  readonly step: string;
  readonly needs: readonly MessageFact[];
  /** A later step may change what an earlier one gave: a review tells whose request it judges. */
  readonly gives: readonly MessageFact[];
  run(work: MessageWork<Part>, trackers: Trackers): void;
}

export const REQUEST_STEPS: readonly MessageStep<RequestPart>[] = [
  step('decode', [], ['body'], (work, { bodyObjects }) => {
    work.decoded = bodyObjects.decoded(work.event);
    work.carried = bodyObjects.of(work.event, work.decoded, null, work.context.info);
  }),
  step('user', [], ['user'], ({ message, context }) => describeUser(message, context)),
  step('fields', ['body'], ['fields'], ({ message, event, context, carried, decoded }) =>
    fillRequest(message, event, context, carried, decoded?.bytes ?? null),
  ),
  step('report', ['body'], ['report'], observeReport),
  step('problems', ['body'], ['problems'], describeProblems),
  step('label', ['fields'], ['label'], ({ message, context }) => labelRequest(message, context, context.stream?.pod)),
  step('infer', ['fields', 'label'], ['fields', 'label'], ({ message, event, context }, { inference }) => {
    if (context.isMidSession) inference.inferFromRequest(context, message, event);
  }),
  step(
    'trigger',
    ['body', 'fields', 'report', 'problems'],
    ['fields', 'cause'],
    ({ message, context, carried }, trackers) => {
      if (context.forwardedFrom !== undefined || context.info === null) return;
      trackers.causality.observeRequest(context, message, carried, trackers.inference.isShared(context));
      trackers.watches.observeRequest(context, message);
    },
  ),
  step('forward', ['fields'], [], ({ message, event: { exchange }, context }, { aggregation, proxies, served }) => {
    if (context.role.protocol !== 'kubernetes') return;
    if (context.forwardedFrom === undefined && context.info !== null)
      aggregation.observeRequest(context, message, exchange.request);
    proxies.observeRequest(context, message, exchange.request);
    observeUpgrade(served, context, message, exchange);
  }),
  step('stream', [], ['fields', 'cause'], ({ message, event: { exchange }, context }, { streams, pulls }) => {
    const target = exchange.request?.target ?? undefined;
    streams.observeRequest(context, message, target);
    pulls.observeRequest(context, message, target);
  }),
  step('release', ['fields'], ['release', 'problems'], ({ message, event }) => describeRelease(message, event.body)),
  step('lease', [], ['lease'], ({ message, event, context: { info } }) => {
    if (info?.verb === 'create' || info?.verb === 'update') describeLease(message, event.body, info);
  }),
  step(
    'review',
    ['fields', 'label'],
    ['fields', 'label', 'user', 'cause'],
    ({ message, event, context }, { webhooks }) => webhooks.observeRequest(context, message, event.body),
  ),
];

export const RESPONSE_STEPS: readonly MessageStep<ResponsePart>[] = [
  step('decode', [], ['body'], (work, { bodyObjects }) => {
    const { event, context } = work;
    const verb = verbOf(context);
    // The response to a delete may still hold what is gone.
    const frame = context.role.protocol === 'kubernetes' && !DELETES.has(verb) ? event.last.frame : null;
    work.decoded = bodyObjects.decoded(event);
    work.carried = bodyObjects.of(event, work.decoded, frame, null, verb === 'create');
  }),
  step('fields', ['body'], ['fields', 'failure'], ({ message, event, context, carried }) =>
    fillResponse(message, event, context, carried),
  ),
  step('times', ['fields'], ['times'], ({ message, event, context }, { lostTimes }) => {
    message.times = lostTimes.take(message.connection, context.requestEnd, event);
  }),
  step('fault', ['fields', 'failure'], ['failure'], ({ message, event, context }, { certificates, served }) => {
    if (context.role.protocol !== 'kubernetes') return;
    const fault =
      certificates.faultOf(event.exchange, message.status, message.time) ??
      droppedUpgrade(served, event.exchange, message.statusMessage) ??
      (event.isEarly === true && (message.status ?? 0) >= 400 ? EARLY : undefined);
    if (fault === undefined) return;
    const said = message.statusMessage?.replace(/\.$/, '');
    message.statusMessage = said === undefined ? fault : `${said}; ${fault}`;
  }),
  // A repeated Event is a patch of its count, so that the whole Event is only in the response.
  step('report', ['body'], ['report'], (work, trackers) => {
    if (REPEATS.has(verbOf(work.context))) observeReport(work, trackers);
  }),
  step('user', ['body', 'fields'], ['user'], ({ message, event, context, carried }, { users }) => {
    if (context.user !== null) learnUser(users, context, event.body, carried, message.status ?? 0);
    describeUser(message, context);
  }),
  step('problems', ['body'], ['problems'], describeProblems),
  step(
    'infer',
    ['fields'],
    ['fields', 'failure'],
    ({ message, event, context }, { inference, nodeEvidence, causality }) => {
      const isPartial = context.role.protocol === 'kubernetes' && (event.exchange.response?.partial.length ?? 0) > 0;
      if (context.isMidSession || isPartial) inference.inferFromResponse(context, message, event);
      nodeEvidence.observeResponse(context, message.status, event.last.frame);
      if (context.isMidSession) causality.observeInferredRequest(context);
    },
  ),
  step('lease', [], ['lease'], ({ message, event, context }) => {
    if (ANSWERED_WITH_LEASE.has(verbOf(context))) describeLease(message, event.body, context.info);
  }),
  step('label', ['fields'], ['label'], ({ message, event, context }) =>
    labelResponse(message, context, opensWatch(event, context)),
  ),
  step('review', ['fields', 'label'], ['label', 'failure', 'verdict'], ({ message, event, context }, { webhooks }) =>
    webhooks.observeResponse(context, message, event.body),
  ),
  step('answer', ['body', 'fields'], [], ({ message, event, context, carried, decoded }, trackers) => {
    const { served, watches, causality } = trackers;
    // A kubelet answers when the stream to its runtime is open.
    if (context.role.protocol === 'kubelet') served.exchangeEnded(context);
    watches.observeVersion(context, message);
    causality.observeResponse(context, message.status ?? null, carried, decoded?.complete === true, message.time);
    if (decoded !== null && verbOf(context) === 'deletecollection')
      causality.observeCollectionDeleted(context, listedUids(decoded.bytes, event.body?.contentType ?? ''));
  }),
];

function step<Part>(
  name: string,
  needs: readonly MessageFact[],
  gives: readonly MessageFact[],
  run: (work: MessageWork<Part>, trackers: Trackers) => void,
): MessageStep<Part> {
  return { step: name, needs, gives, run };
}

function describeProblems(
  { message, event, context, carried }: MessageWork<RequestPart | ResponsePart>,
  { bodyObjects }: Trackers,
): void {
  message.problems = bodyObjects.statusProblems(event, context.info, carried);
}

function verbOf({ info }: ExchangeContext): string {
  return info?.verb ?? '';
}

/** Records what a Kubernetes Event reports about another object, and which objects that one misses. */
function observeReport(
  { message, context, carried }: Pick<MessageWork<unknown>, 'message' | 'context' | 'carried'>,
  { causality }: Pick<Trackers, 'causality'>,
): void {
  if (carried?.k8sEvent === undefined) return;
  causality.observeReport(context, carried.k8sEvent, fillK8sEvent(message, carried), message.seq);
}

/** Of a status from 400 on: the server did not read what it refused. */
const EARLY = "sent before the request's body had ended";
const REPEATS: ReadonlySet<string> = new Set(['patch', 'update']);
const DELETES: ReadonlySet<string> = new Set(['delete', 'deletecollection']);
const ANSWERED_WITH_LEASE: ReadonlySet<string> = new Set(['get', 'patch']);
