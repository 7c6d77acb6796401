// Reads why a request failed, as text that can be shown: reasons, warnings, retry times, without captured values.

import { text } from '../../core/bytes/bytes.js';
import { fieldValue } from '../../core/fields.js';
import type { Body, Exchange } from '../../http/exchange-event.js';
import { isSafeFailureText } from '../../redaction/failures.js';
import { shownFieldPath } from '../../redaction/names.js';
import type { ExchangeContext } from '../messages/exchange-context.js';
import { encodingOf, pick } from '../objects/encoding.js';
import { FieldSet, type FieldValues, message, messages, string, strings } from '../objects/fields.js';
import type { StatusInfo } from '../objects/object-info.js';

/** The Retry-After of an overloaded server (RFC 9110, section 10.2.3), for answers whose body gives no reason. */
export function retryAfter(response: Exchange['response']): string | undefined {
  if (response?.status !== 429 && response?.status !== 503) return undefined;
  const seconds = fieldValue(response.fields, 'retry-after') ?? '';
  return /^\d{1,6}$/.test(seconds) ? `Retry-After: ${seconds}` : undefined;
}

/** Of a watch that was opened before the capture, or over a WebSocket, the events alone show the encoding. */
export function contentTypeOf({ response }: Exchange, item: Uint8Array): string {
  const contentType = response === null ? undefined : fieldValue(response.fields, 'content-type');
  if (contentType !== undefined) return contentType;
  const encoding = encodingOf(item, '');
  return encoding === 'json' || encoding === 'cbor' ? `application/${encoding}` : PROTOBUF_EVENTS;
}

/** Why a request was refused, without secrets. @param body of the answer. */
export function failureReason(status: StatusInfo, context: ExchangeContext, body: Body | null): string | undefined {
  if (isSafeToShow(status, context))
    return body === null ? status.message : `${status.message}${budgetIn(status, body)}`;
  return status.reason === 'Invalid' && body !== null ? faultsIn(body) : undefined;
}

/**
 * The failed checks of an API server, or that it was called without TLS, in plain text; other texts may hold anything.
 * @param body of an answer. @returns undefined: it is none of these.
 */
export function plaintextError(
  response: Exchange['response'],
  context: ExchangeContext,
  body: Body | null,
): string | undefined {
  if (body === null || body.length > MAX_TEXT || (response?.status ?? 0) < 400) return undefined;
  // A request without TLS is answered with one line and no content type.
  if (!(fieldValue(response?.fields ?? [], 'content-type') ?? 'text/plain').startsWith('text/plain')) return undefined;
  const answer = text(body.read().bytes);
  if (answer.startsWith(NO_TLS)) return NO_TLS;
  return context.info?.nonResource == null ? undefined : checksIn(answer);
}

/** k8s.io/apiserver, server/healthz: a line for each check. */
function checksIn(lines: string): string | undefined {
  const failed = [...lines.matchAll(FAILED_CHECK)].map(([, name]) => name);
  if (failed.length === 0) return undefined;
  const more = failed.length > MAX_CHECKS ? ` and ${failed.length - MAX_CHECKS} more` : '';
  return `not ready: ${failed.slice(0, MAX_CHECKS).join(', ')}${more}`;
}

/** Whether the text of a failure cannot hold a secret, given the requested resource. */
export function isSafeToShow(status: StatusInfo, { info }: ExchangeContext): boolean {
  return isSafeFailureText(status, info?.resource);
}

/**
 * Is a write a dry run, by its query or by the options of a delete (k8s.io/apiserver, endpoints/handlers/delete.go)?
 * @param body of the request.
 */
export function isDryRun(target: string, body: Body | null): boolean {
  if (DRY_RUN.test(target)) return true;
  if (body === null || body.length === 0 || body.length > MAX_OPTIONS) return false;
  const { dryRun = [] } = pick(body.read().bytes, body.contentType, DELETE_OPTIONS) ?? {};
  return dryRun.length > 0;
}

/** Texts of Warning fields with the code that the API server gives them (KEP-1693); webhooks write theirs about Secrets. */
export function warningsIn(response: Exchange['response'], { role, info }: ExchangeContext): readonly string[] {
  if (role.protocol !== 'kubernetes' || info === null || info.resource === 'secrets') return [];
  const { fields = [] } = response ?? {};
  const warnings: string[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    if (fields[i] !== 'warning' && fields[i].toLowerCase() !== 'warning') continue;
    for (const [, warning] of fields[i + 1].matchAll(WARNING))
      if (warnings.length < MAX_WARNINGS) warnings.push(warning.replace(/\\(.)/g, '$1'));
  }
  return warnings;
}

/** Whether a body of this kind has options of its request (DeleteOptions), not the object. */
export function isOptionsKind(kind: string): boolean {
  return OPTION_KINDS.has(kind);
}

/**
 * Fields that are invalid, and the API server's reason (`FieldValueForbidden`): validation errors repeat captured values in
 * their texts, but not in these (k8s.io/apimachinery, util/validation/field).
 *
 * @param body of an answer whose reason is `Invalid`. @returns undefined: it names none.
 */
function faultsIn(body: Body): string | undefined {
  const all = causesIn(body).filter(({ field = '' }) => field !== '');
  const faults = all.slice(0, MAX_FAULTS).map(({ field = '', reason = '' }) => `${shownFieldPath(field)} (${reason})`);
  const more = all.length > MAX_FAULTS ? [`${all.length - MAX_FAULTS} more`] : [];
  return faults.length === 0 ? undefined : [...faults, ...more].join(', ');
}

/** Which disruption budget forbids an eviction, and what it needs: names and numbers (pkg/registry/core/pod/storage/eviction.go). */
function budgetIn({ reason }: StatusInfo, body: Body): string {
  if (reason !== 'TooManyRequests') return '';
  const budget = causesIn(body).find((cause) => cause.reason === 'DisruptionBudget');
  return ` ${budget?.message ?? ''}`.trimEnd();
}

function causesIn(body: Body): readonly FieldValues<typeof CAUSE>[] {
  return pick(body.read().bytes, body.contentType, STATUS)?.details?.causes ?? [];
}

/** Events in protobuf have no magic number, so they are what is no other encoding. */
const PROTOBUF_EVENTS = 'application/vnd.kubernetes.protobuf;stream=watch';
const OPTION_KINDS = new Set(['DeleteOptions', 'CreateOptions', 'UpdateOptions', 'PatchOptions']);
const DRY_RUN = /[?&]dryRun=/;
/** Limit in bytes: DeleteOptions that are read to find a dry run; they have a handful of fields. */
const MAX_OPTIONS = 4096;
const WARNING = /\b299 \S+ "((?:[^"\\]|\\.)*)"/g;
/** Limit: warnings of one response; the API server gives no more than 4 KiB of them in all (endpoints/filters/warning.go). */
const MAX_WARNINGS = 16;
const DELETE_OPTIONS = new FieldSet({ dryRun: strings(5) });
const CAUSE = { reason: string(1), message: string(2), field: string(3) };
const STATUS = new FieldSet({ details: message(5, { causes: messages(4, CAUSE) }) });
/** Limit: invalid fields that are listed of one response; the number of the others is given. */
const MAX_FAULTS = 8;
/** net/http, server.go. */
const NO_TLS = 'Client sent an HTTP request to an HTTPS server.';
const FAILED_CHECK = /^\[-\]([\w./-]{1,100}) failed/gm;
/** Limit: failed checks of an API server that are listed of one response; the number of the others is given. */
const MAX_CHECKS = 6;
/** Limit in bytes: a response in plain text that is searched for what failed: an API server has some 50 checks of 60 characters. */
const MAX_TEXT = 16 * 1024;
