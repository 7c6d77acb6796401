// What may be told of what bodies say: whose object it is, why something failed, in words that hold nothing secret. Knows
// bodies and heads; not which message they become.

import { fieldValue } from '../core/fields.js';
import type { Body, Exchange } from '../http/exchange-event.js';
import { encodingOf } from './objects/meta.js';
import type { StatusInfo } from './objects/object-info.js';
import { type Picked, pick, textIn, type Wanted } from './objects/pick.js';
import type { Talk } from './talk.js';

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
export function whyRefused(status: StatusInfo, talk: Talk, body: Body | null): string | undefined {
  if (isTellable(status, talk)) return status.message;
  return status.reason === 'Invalid' && body !== null ? faultsIn(body) : undefined;
}

/** Whether the text of a failure can hold nothing secret: an admission webhook's own words, but not about Secrets. */
export function isTellable({ reason, message }: StatusInfo, { info }: Talk): boolean {
  if (SAFE_REASONS.has(reason) || (reason === 'BadRequest' && STRICT.test(message))) return true;
  return message.startsWith('admission webhook "') && info !== null && info.resource !== 'secrets';
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
  const details = pick(body.read().bytes, body.contentType, INVALID)?.['details'] as Picked | undefined;
  const causes = (details?.['causes'] ?? []) as readonly Picked[];
  const faults = causes.slice(0, MAX_FAULTS).map((one) => `${textIn(one, 'field')} (${textIn(one, 'reason')})`);
  const more = causes.length > MAX_FAULTS ? [`${causes.length - MAX_FAULTS} more`] : [];
  return faults.length === 0 ? undefined : [...faults, ...more].join(', ');
}

/** Its events have no magic: what begins as nothing else is one. */
const PROTOBUF_EVENTS = 'application/vnd.kubernetes.protobuf;stream=watch';
const OPTION_KINDS = new Set(['DeleteOptions', 'CreateOptions', 'UpdateOptions', 'PatchOptions']);
/** Failures whose text the API server makes of kinds and names alone; validation errors repeat captured values. */
const SAFE_REASONS = new Set([
  'AlreadyExists',
  'Conflict',
  'Expired',
  'Forbidden',
  'Gone',
  'InternalError',
  'NotFound',
  'TooManyRequests',
  'Timeout',
  'ServerTimeout',
  'ServiceUnavailable',
  'Unauthorized',
]);
/** StatusDetails.causes: reason = 1, field = 3. */
const INVALID: Wanted = {
  details: [5, { one: { causes: [4, { many: { reason: [1, 'text'], field: [3, 'text'] } }] } }],
};
/** Fields that are told of one answer. */
const MAX_FAULTS = 8;
/** Fields that no such kind has, or that are there twice: names alone (apimachinery, runtime.NewStrictDecodingError). */
const STRICT =
  /^\w+ in version "\w+" cannot be handled as a \w+: strict decoding error: (?:(?:unknown|duplicate) field "[\w.[\]-]*"(?:, )?)+$/;
