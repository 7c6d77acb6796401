// What may be told of what bodies say: whose object it is, why something failed, in words that hold nothing secret. Knows
// bodies and heads; not which message they become.

import { fieldValue } from '../../core/fields.js';
import type { Body, Exchange } from '../../http/exchange-event.js';
import { isSafeFailureText } from '../../redaction/failures.js';
import type { ExchangeContext } from '../exchange-context.js';
import { encodingOf, pick } from '../objects/encoding.js';
import { FieldSet, type FieldValues, message, messages, string, strings } from '../objects/fields.js';
import type { StatusInfo } from '../objects/object-info.js';

/** When a server that is too busy wants to be asked again (RFC 9110, section 10.2.3), where its body does not say why. */
export function retryAfter(response: Exchange['response']): string | undefined {
  if (response?.status !== 429 && response?.status !== 503) return undefined;
  const seconds = fieldValue(response.fields, 'retry-after') ?? '';
  return /^\d{1,6}$/.test(seconds) ? `Retry-After: ${seconds}` : undefined;
}

/** A watch that was opened before the capture, or over a WebSocket, does not say how it is encoded: its events do. */
export function contentTypeOf({ response }: Exchange, item: Uint8Array): string {
  const said = response === null ? undefined : fieldValue(response.fields, 'content-type');
  if (said !== undefined) return said;
  const encoding = encodingOf(item, '');
  return encoding === 'json' || encoding === 'cbor' ? `application/${encoding}` : PROTOBUF_EVENTS;
}

/** Why a request was refused, in words that hold nothing secret. @param body of the answer. */
export function failureReason(status: StatusInfo, context: ExchangeContext, body: Body | null): string | undefined {
  if (isSafeToShow(status, context))
    return body === null ? status.message : `${status.message}${budgetIn(status, body)}`;
  return status.reason === 'Invalid' && body !== null ? faultsIn(body) : undefined;
}

/** Whether the text of a failure can hold nothing secret, for what was asked. */
export function isSafeToShow(status: StatusInfo, { info }: ExchangeContext): boolean {
  return isSafeFailureText(status, info?.resource);
}

/**
 * Is a write to change nothing? A query says so, or the options of a delete (k8s.io/apiserver, endpoints/handlers/delete.go).
 * @param body of the request.
 */
export function isDryRun(target: string, body: Body | null): boolean {
  if (DRY_RUN.test(target)) return true;
  if (body === null || body.length === 0 || body.length > MAX_OPTIONS) return false;
  const { dryRun = [] } = pick(body.read().bytes, body.contentType, DELETE_OPTIONS) ?? {};
  return dryRun.length > 0;
}

/** Texts of Warning fields with the code that the API server gives them (KEP-1693); webhooks have words of their own about Secrets. */
export function warningsIn(response: Exchange['response'], { role, info }: ExchangeContext): readonly string[] {
  if (role.protocol !== 'kubernetes' || info === null || info.resource === 'secrets') return [];
  const { fields = [] } = response ?? {};
  const said: string[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    if (fields[i] !== 'warning' && fields[i].toLowerCase() !== 'warning') continue;
    for (const [, text] of fields[i + 1].matchAll(WARNING))
      if (said.length < MAX_WARNINGS) said.push(text.replace(/\\(.)/g, '$1'));
  }
  return said;
}

/** The bodies of these are options of a request, not its object. */
export function isOptions(kind: string): boolean {
  return OPTION_KINDS.has(kind);
}

/**
 * Which fields the API server found fault with, and why in its own word (`FieldValueForbidden`): validation errors repeat
 * captured values in their texts, but not in these (k8s.io/apimachinery, util/validation/field).
 *
 * @param body of an answer whose reason is `Invalid`. @returns undefined: it does not say.
 */
function faultsIn(body: Body): string | undefined {
  const all = causesIn(body).filter(({ field = '' }) => field !== '');
  const faults = all.slice(0, MAX_FAULTS).map(({ field, reason = '' }) => `${field} (${reason})`);
  const more = all.length > MAX_FAULTS ? [`${all.length - MAX_FAULTS} more`] : [];
  return faults.length === 0 ? undefined : [...faults, ...more].join(', ');
}

/** Which budget does not let a Pod go, and what it needs: names and numbers (pkg/registry/core/pod/storage/eviction.go). */
function budgetIn({ reason }: StatusInfo, body: Body): string {
  if (reason !== 'TooManyRequests') return '';
  const budget = causesIn(body).find((cause) => cause.reason === 'DisruptionBudget');
  return ` ${budget?.message ?? ''}`.trimEnd();
}

function causesIn(body: Body): readonly FieldValues<typeof CAUSE>[] {
  return pick(body.read().bytes, body.contentType, STATUS)?.details?.causes ?? [];
}

/** Its events have no magic: what begins as nothing else is one. */
const PROTOBUF_EVENTS = 'application/vnd.kubernetes.protobuf;stream=watch';
const OPTION_KINDS = new Set(['DeleteOptions', 'CreateOptions', 'UpdateOptions', 'PatchOptions']);
const DRY_RUN = /[?&]dryRun=/;
/** Bytes of DeleteOptions, which have a handful of fields. */
const MAX_OPTIONS = 4096;
const WARNING = /\b299 \S+ "((?:[^"\\]|\\.)*)"/g;
/** Of one answer; the API server gives no more than 4 KiB of them in all (endpoints/filters/warning.go). */
const MAX_WARNINGS = 16;
const DELETE_OPTIONS = new FieldSet({ dryRun: strings(5) });
const CAUSE = { reason: string(1), message: string(2), field: string(3) };
const STATUS = new FieldSet({ details: message(5, { causes: messages(4, CAUSE) }) });
/** Fields that are told of one answer. */
const MAX_FAULTS = 8;
