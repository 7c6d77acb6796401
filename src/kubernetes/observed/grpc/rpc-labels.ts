// Writes the text on an arrow of a gRPC call (contract: `[RPC] Service/Method key-or-id`, `[RPC-RESP] OK, revision 712`).

import { percentDecoded } from '../../../core/bytes/percent.js';
import { fieldValue } from '../../../core/fields.js';
import type { Exchange } from '../../../http/exchange-event.js';
import { shownNames, shownPlainWord } from '../../../redaction/names.js';
import { type Shown, sentence } from '../../../redaction/shown.js';
import type { Call } from './call.js';

/** @param words of the request's content; may be empty. */
export function requestLabel({ service, method }: Pick<Call, 'service' | 'method'>, words: string): Shown {
  const short = shownPlainWord(service.slice(service.lastIndexOf('.') + 1));
  const line = sentence`[RPC] ${short}/${shownPlainWord(method)}`;
  return words === '' ? line : sentence`${line} ${shownNames(words)}`;
}

/** @param details of the answer's content, beginning with `, ` or ` (`. */
export function outcome({ response }: Exchange, status: number | undefined, ended: boolean, details: string): Shown {
  if (status !== undefined) return shownNames(`${statusName(status)}${details}`);
  if (response?.status != null && response.status !== 200) return shownNames(`HTTP ${response.status}`);
  if (!ended) return shownNames('(cut off)');
  return shownNames(details === '' ? '(status not captured)' : details.replace(/^(?:, | )/, ''));
}

export function statusOf(exchange: Exchange): number | undefined {
  return statusCode(fieldValue(exchange.trailers ?? [], 'grpc-status')) ?? statusInHead(exchange);
}

/** A call that fails at once has its status among the fields of its head. */
export function statusInHead({ response }: Exchange): number | undefined {
  return statusCode(response === null ? undefined : fieldValue(response.fields, 'grpc-status'));
}

export function statusName(status: number): string {
  return STATUS_NAMES[status] ?? `status ${status}`;
}

/** @param value of the `grpc-status` field. @returns undefined where it is no status. */
export function statusCode(value: string | undefined): number | undefined {
  return value !== undefined && DIGITS.test(value) ? Number(value) : undefined;
}

/**
 * Why a call failed, if the text names only what is missing or not known; other texts may repeat the request.
 * @param isPublic its caller repeats the text in public.
 */
export function safeReason({ response, trailers }: Exchange, status: number, isPublic: boolean): string | undefined {
  const why = fieldValue(trailers ?? [], 'grpc-message') ?? fieldValue(response?.fields ?? [], 'grpc-message');
  if (why === undefined || why === '') return undefined;
  // grpc-message is percent-encoded UTF-8 (PROTOCOL-HTTP2.md).
  const text = percentDecoded(why) ?? why;
  return isPublic || SAFE_STATUSES.has(status) || ETCD_ERROR.test(text) ? text : undefined;
}

/** etcd's errors are constants (api/v3rpc/rpctypes/error.go): `etcdserver: leader changed`. */
const ETCD_ERROR = /^etcdserver: [a-z ,:-]{1,120}$/;
/** NOT_FOUND, UNIMPLEMENTED */
const SAFE_STATUSES = new Set([5, 12]);
const DIGITS = /^\d{1,6}$/;
/** Names of gRPC's status codes (grpc/doc/statuscodes.md). */
const STATUS_NAMES = `OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED
  RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS
  UNAUTHENTICATED`.split(/\s+/);
