// Lists what happens to the request of an HTTP exchange until it is emitted, in order: each step says what it needs of the steps before
// it, and what it gives. A request is observed (its body, its fields), attributed (its cause), and then emitted.

import type { Decoded } from '../http/exchange/content.js';
import type { ExchangeContext } from './exchange-context.js';
import { observeUpgrade } from './hops/proxies.js';
import { describeUser } from './identity/users/describe-user.js';
import type { Draft } from './messages/draft.js';
import {
  describeLease,
  describeRelease,
  fillK8sEvent,
  fillRequest,
  labelRequest,
  type RequestPart,
} from './messages/http-messages.js';
import type { BodyObject } from './objects/object-info.js';
import type { Trackers } from './trackers.js';

/** A request on its way. */
export interface RequestWork {
  readonly event: RequestPart;
  readonly context: ExchangeContext;
  readonly message: Draft;
  /** The body after content decoding, and the object in it; null: there is none. */
  decoded: Decoded | null;
  carried: BodyObject | null;
}

/** `fields`: what head, path and body say; `cause`: the request of another exchange, or the event, that it follows from. */
export type RequestFact = 'body' | 'user' | 'fields' | 'report' | 'problems' | 'label' | 'cause' | 'release' | 'lease';

export interface RequestStep {
  readonly step: string;
  readonly needs: readonly RequestFact[];
  /** A later step may change what an earlier one gave: a review tells whose request it judges. */
  readonly gives: readonly RequestFact[];
  run(work: RequestWork, trackers: Trackers): void;
}

export const REQUEST_STEPS: readonly RequestStep[] = [
  step('decode', [], ['body'], (work, { bodyObjects }) => {
    work.decoded = bodyObjects.decoded(work.event);
    work.carried = bodyObjects.of(work.event, work.decoded, null, work.context.info);
  }),
  step('user', [], ['user'], ({ message, context }) => describeUser(message, context)),
  step('fields', ['body'], ['fields'], ({ message, event, context, carried, decoded }) =>
    fillRequest(message, event, context, carried, decoded?.bytes ?? null),
  ),
  step('report', ['body'], ['report'], observeReport),
  step('problems', ['body'], ['problems'], ({ message, event, context, carried }, { bodyObjects }) => {
    message.problems = bodyObjects.statusProblems(event, context.info, carried);
  }),
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

function step(
  name: string,
  needs: readonly RequestFact[],
  gives: readonly RequestFact[],
  run: (work: RequestWork, trackers: Trackers) => void,
): RequestStep {
  return { step: name, needs, gives, run };
}

/** Records what a Kubernetes Event reports about another object, and which objects that one misses. */
export function observeReport(
  { message, context, carried }: Pick<RequestWork, 'message' | 'context' | 'carried'>,
  { causality }: Pick<Trackers, 'causality'>,
): void {
  if (carried?.k8sEvent === undefined) return;
  causality.observeReport(context, carried.k8sEvent, fillK8sEvent(message, carried), message.seq);
}
