// A message that is being built.

import { type Fields, fieldValue } from '../../core/fields.js';
import type { ExchangeEvent } from '../../http/exchange-event.js';
import { EMPTY } from '../../redaction/shown.js';
import type { ExchangeContext } from './exchange-context.js';
import { type Captured, FIELD_ROWS, type FieldFromHeader, type ReadableField } from './fields.js';
import type { MessageBase, MessageKind, Participant } from './message.js';

/** Fields of its own are as they were captured. */
export type Draft = { -readonly [Name in keyof MessageBase]: MessageBase[Name] } & {
  [Name in ReadableField]?: Captured<Name>;
};

/** The events of an exchange that become messages. */
export type BodyPart = Exclude<ExchangeEvent, { kind: 'exchange-end' }>;

/** Where and when a message was captured. */
export type MessageSource = Pick<BodyPart, 'exchange' | 'first' | 'last' | 'at' | 'complete'>;

/** Takes the empty draft and fills in what every message has: a copy gives all messages one shape. */
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
  const draft: Draft = {
    ...EMPTY_DRAFT,
    seq,
    time: event.at.time,
    started: first.time,
    kind,
    protocol: context.role.protocol,
    from,
    to,
    label: EMPTY,
    exchange: context.number,
    connection: exchange.connection.name,
    stream: exchange.stream,
    // Where segments overtook each other, the first byte may be in a later frame than the last.
    frames: isOneFile
      ? [Math.min(first.frame, last.frame), Math.max(first.frame, last.frame)]
      : [first.frame, last.frame],
    capture: first.capture,
    lastCapture: isOneFile ? undefined : last.capture,
    complete: event.complete,
    via: context.via === undefined || from === context.client ? context.via : [...context.via].reverse(),
  };
  if (kind === 'request') readHeaderFields(draft, exchange.request?.fields, REQUEST_HEADERS);
  else if (kind === 'response') readHeaderFields(draft, exchange.response?.fields, RESPONSE_HEADERS);
  return draft;
}

/** Every field without a value, in the order of their rows; the last five have no row. */
export const EMPTY_DRAFT = Object.fromEntries(
  [...FIELD_ROWS.map(([name]) => name), 'request', 'fromName', 'toName', 'viaNames', 'details'].map((name) => [
    name,
    undefined,
  ]),
) as { [Name in keyof Required<Draft>]: undefined };

interface HeaderRow {
  readonly name: FieldFromHeader;
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
    header?.of === of ? [{ name: name as FieldFromHeader, header: header.name }] : [],
  );
}
