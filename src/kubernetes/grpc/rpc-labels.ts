// The words of a remote call on an arrow (contract: `[RPC] Service/Method key-or-id`, `[RPC-RESP] OK, revision 712`), and the
// status that they begin with. Knows gRPC's header fields, no family.

import { fieldValue } from '../../core/fields.js';
import type { Exchange } from '../../http/exchange-event.js';
import { shownNames, shownPlainWord } from '../../redaction/names.js';
import { type Shown, sentence } from '../../redaction/shown.js';
import { statusCode, statusName } from './status.js';

interface NamedField {
  readonly service: string;
  readonly method: string;
}

/** @param words what it is about; empty where there is nothing to say. */
export function requestLabel({ service, method }: NamedField, words: string): Shown {
  const short = shownPlainWord(service.slice(service.lastIndexOf('.') + 1));
  const line = sentence`[RPC] ${short}/${shownPlainWord(method)}`;
  return words === '' ? line : sentence`${line} ${shownNames(words)}`;
}

/** @param details what the answer says, beginning with `, ` or ` (`. */
export function outcome({ response }: Exchange, status: number | undefined, ended: boolean, details: string): Shown {
  return shownNames(outcomeText(response, status, ended, details));
}

function outcomeText(
  response: Exchange['response'],
  status: number | undefined,
  ended: boolean,
  details: string,
): string {
  if (status !== undefined) return `${statusName(status)}${details}`;
  if (response?.status != null && response.status !== 200) return `HTTP ${response.status}`;
  if (!ended) return '(cut off)';
  return details === '' ? '(status not captured)' : details.replace(/^(?:, | )/, '');
}

export function statusOf(exchange: Exchange): number | undefined {
  return statusCode(fieldValue(exchange.trailers ?? [], 'grpc-status')) ?? statusInHead(exchange);
}

/** A call that fails at once has its status among the fields of its head. */
export function statusInHead({ response }: Exchange): number | undefined {
  return statusCode(response === null ? undefined : fieldValue(response.fields, 'grpc-status'));
}

/**
 * Why a call failed, where the text names but what is missing or not known; others may repeat what was sent.
 * @param isPublic its caller tells everybody anyway.
 */
export function safeReason({ response, trailers }: Exchange, status: number, isPublic: boolean): string | undefined {
  const why = fieldValue(trailers ?? [], 'grpc-message') ?? fieldValue(response?.fields ?? [], 'grpc-message');
  if (why === undefined || why === '') return undefined;
  const text = percentDecoded(why);
  return isPublic || TELLABLE.has(status) || ETCDS_OWN.test(text) ? text : undefined;
}

/** grpc-message is percent-encoded UTF-8 (PROTOCOL-HTTP2.md). */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** etcd's errors are constants (api/v3rpc/rpctypes/error.go): `etcdserver: leader changed`. */
const ETCDS_OWN = /^etcdserver: [a-z ,:-]{1,120}$/;
/** NOT_FOUND, UNIMPLEMENTED */
const TELLABLE = new Set([5, 12]);
