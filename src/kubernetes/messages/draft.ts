// A message that is being built.

import { type Fields, fieldValue } from '../../core/fields.js';
import type { ExchangeEvent } from '../../http/exchange-event.js';
import { EMPTY } from '../../redaction/shown.js';
import type { ExchangeContext } from '../exchange-context.js';
import { type Captured, FIELD_ROWS, type HeaderField, type ReadableField } from './fields.js';
import type { MessageBase, MessageKind, Participant } from './message.js';

/** Fields of its own are as they were captured. */
export type Draft = { -readonly [Name in keyof MessageBase]: MessageBase[Name] } & {
  [Name in ReadableField]?: Captured<Name>;
};

/** The events of an exchange that become messages. */
export type BodyPart = Exclude<ExchangeEvent, { kind: 'exchange-end' }>;

/** Where and when a message was captured. */
export type MessageSource = Pick<BodyPart, 'exchange' | 'first' | 'last' | 'at' | 'complete'>;

/** All fields from the start, so that every message has one shape: half the cost of filling them in one by one. */
export function draftMessage(
  seq: number,
  kind: MessageKind,
  event: MessageSource,
  context: ExchangeContext,
  from: Participant,
  to: Participant,
): Draft {
  const { first, last, exchange } = event;
  const isOneFile = first.capture === last.capture;
  const draft: Draft & Prepared = {
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
    connection: exchange.connection.name,
    stream: exchange.stream,
    capture: first.capture,
    lastCapture: isOneFile ? undefined : last.capture,
    // Where segments overtook each other, the first byte may be in a later frame than the last.
    frames: isOneFile
      ? [Math.min(first.frame, last.frame), Math.max(first.frame, last.frame)]
      : [first.frame, last.frame],
    complete: event.complete,
    inferred: undefined,
    causedBy: undefined,
    cause: undefined,
    method: undefined,
    target: undefined,
    userAgent: undefined,
    user: undefined,
    userFrom: undefined,
    traceparent: undefined,
    verb: undefined,
    apiGroup: undefined,
    apiVersion: undefined,
    resource: undefined,
    subresource: undefined,
    namespace: undefined,
    name: undefined,
    status: undefined,
    latencyMs: undefined,
    times: undefined,
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
    lease: undefined,
    verdict: undefined,
    patch: undefined,
    statusMessage: undefined,
    auditId: undefined,
    authorization: undefined,
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
    cut: undefined,
    via: context.via === undefined || from === context.client ? context.via : [...context.via].reverse(),
    viaNames: undefined,
    translated: undefined,
    details: undefined,
  };
  if (kind === 'request') readHeaderFields(draft, exchange.request?.fields, REQUEST_HEADERS);
  else if (kind === 'response') readHeaderFields(draft, exchange.response?.fields, RESPONSE_HEADERS);
  return draft;
}

type Prepared = { [Name in ReadableField]: Captured<Name> | undefined };

interface HeaderRow {
  readonly name: HeaderField;
  /** In lower case. */
  readonly header: string;
}

function readHeaderFields(draft: Draft, fields: Fields | undefined, rows: readonly HeaderRow[]): void {
  if (fields === undefined) return;
  for (const { name, header } of rows) draft[name] = fieldValue(fields, header);
}

const REQUEST_HEADERS = headerRows('request');
const RESPONSE_HEADERS = headerRows('response');

function headerRows(of: 'request' | 'response'): readonly HeaderRow[] {
  return FIELD_ROWS.flatMap(([name, { header }]) =>
    header?.of === of ? [{ name: name as HeaderField, header: header.name }] : [],
  );
}
