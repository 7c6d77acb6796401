// A message that is being built.

import type { ExchangeEvent } from '../../http/exchange-event.js';
import { EMPTY, type Shown } from '../../redaction/shown.js';
import type { ExchangeContext } from '../exchange-context.js';
import type { Message, MessageKind, Participant } from './message.js';

/** Its texts are as captured, except those that are built from others and cannot be redacted later. */
export type Draft = { -readonly [K in keyof Message]: K extends Final ? Message[K] : CapturedText<Message[K]> };

type Final =
  | 'patch'
  | 'label'
  | 'target'
  | 'userAgent'
  | 'from'
  | 'to'
  | 'via'
  | 'fromName'
  | 'toName'
  | 'viaNames'
  | 'details';
type CapturedText<T> = T extends Shown
  ? string
  : T extends readonly (infer Element)[]
    ? readonly CapturedText<Element>[]
    : T extends object
      ? { readonly [Key in keyof T]: CapturedText<T[Key]> }
      : T;

/** The events of an exchange that become messages. */
export type BodyPart = Exclude<ExchangeEvent, { kind: 'over' }>;

/** All fields from the start, so that every message has one shape: half the cost of filling them in one by one. */
export function draftMessage(
  seq: number,
  kind: MessageKind,
  event: BodyPart,
  context: ExchangeContext,
  from: Participant,
  to: Participant,
): Draft {
  const { first, last } = event;
  const isOneFile = first.capture === last.capture;
  return {
    seq,
    time: event.at.time,
    started: first.time,
    kind,
    protocol: context.role.protocol,
    from,
    to,
    fromName: undefined,
    toName: undefined,
    label: EMPTY,
    exchange: context.number,
    connection: event.exchange.connection.name,
    stream: event.exchange.stream,
    capture: first.capture,
    lastCapture: isOneFile ? undefined : last.capture,
    // Where segments overtook each other, the first byte may be in a later frame than the last.
    frames: isOneFile
      ? [Math.min(first.frame, last.frame), Math.max(first.frame, last.frame)]
      : [first.frame, last.frame],
    complete: event.complete,
    inferred: undefined,
    causedBy: undefined,
    method: undefined,
    target: undefined,
    userAgent: undefined,
    user: undefined,
    userFrom: undefined,
    verb: undefined,
    apiGroup: undefined,
    apiVersion: undefined,
    resource: undefined,
    subresource: undefined,
    namespace: undefined,
    name: undefined,
    status: undefined,
    auditId: undefined,
    latencyMs: undefined,
    reason: undefined,
    object: undefined,
    type: undefined,
    initial: undefined,
    k8sEvent: undefined,
    dryRun: undefined,
    claims: undefined,
    missing: undefined,
    warnings: undefined,
    problems: undefined,
    appliedFor: undefined,
    release: undefined,
    patch: undefined,
    statusMessage: undefined,
    service: undefined,
    rpcMethod: undefined,
    grpcStatus: undefined,
    key: undefined,
    revision: undefined,
    succeeded: undefined,
    podSandboxId: undefined,
    containerId: undefined,
    image: undefined,
    channel: undefined,
    bytes: undefined,
    exitCode: undefined,
    via: context.via === undefined || from === context.client ? context.via : [...context.via].reverse(),
    viaNames: undefined,
    translated: undefined,
    details: undefined,
  };
}
