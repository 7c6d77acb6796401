// Writes inferred values into a message: into its fields, into the list `inferred`, and into its label, where `…` stands for the part of
// a path that was not captured.

import { shownNames } from '../../../redaction/names.js';
import { EMPTY, type Shown, sentence } from '../../../redaction/shown.js';
import { requestLabel } from '../../api/labels.js';
import { namespaceOf } from '../../api/object-ref.js';
import { type RequestInfo, requestInfo } from '../../api/request-info.js';
import type { Draft } from '../../messages/draft.js';
import type { InferredRequest } from './inferred-request.js';
import type { Carrying } from './shapes.js';

/** Notes that a field of a message was concluded, in the contract's order of fields. */
export function infer(message: Draft, field: string): void {
  const inferred = message.inferred ?? [];
  if (inferred.includes(field)) return;
  message.inferred = [...inferred, field].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
}

/**
 * Fills the fields that a request's head does not tell.
 * @param method as on the wire; null: not known. @param target as on the wire; null: not known.
 * @returns what the request is about, null while its verb or resource is not known.
 */
export function fillRequest(
  message: Draft,
  inferred: InferredRequest,
  method: string | null,
  target: string | null,
): RequestInfo | null {
  if (target !== null) return fillByPath(message, inferred, target);
  for (const field of ASKED) {
    const value = inferred[field];
    if (value === undefined || message[field] !== undefined) continue;
    message[field] = value;
    infer(message, field);
  }
  message.label = concludedLabel(message, inferred.method ?? method);
  if (method === null ? inferred.method !== undefined : message.resource !== undefined) infer(message, 'label');
  if (inferred.verb === undefined || inferred.resource === undefined) return null;
  const { verb, apiGroup, apiVersion, resource, subresource, namespace, name } = inferred;
  const watch = verb === 'watch';
  // A create's name is its body's: the path has none.
  const named = verb === 'create' && subresource === undefined ? undefined : name;
  const query = NO_QUERY;
  return { verb, apiGroup, apiVersion, resource, subresource, namespace, name: named, watch, nonResource: null, query };
}

/** The path was read: only the method was not, and with it the verb. */
function fillByPath(message: Draft, inferred: InferredRequest, target: string): RequestInfo | null {
  const info = requestInfo(inferred.method ?? 'PUT', target);
  if (info === null) return null;
  message.apiGroup = info.apiGroup;
  message.apiVersion = info.apiVersion;
  message.resource = info.resource;
  message.subresource = info.subresource;
  message.namespace = info.namespace;
  message.name = info.name;
  if (inferred.method === undefined) {
    message.label = sentence`[REQ] (method not captured) ${message.target ?? EMPTY}`;
    return null;
  }
  message.verb = info.verb;
  infer(message, 'verb');
  message.label = requestLabel(inferred.method, message.target ?? EMPTY, undefined);
  infer(message, 'label');
  return info;
}

function concludedLabel(message: Draft, method: string | null): Shown {
  if (method === null) return sentence`[REQ] (not captured)`;
  const { resource, subresource, namespace, name, verb } = message;
  if (resource === undefined) return shownNames(`[REQ] ${method} (path not captured)`);
  const inPath = verb === 'create' && subresource === undefined ? undefined : name;
  const own = namespaceOf(resource, namespace);
  const place = own === undefined ? '' : `/namespaces/${own}`;
  const object = `${resource}${inPath === undefined ? '' : `/${inPath}`}${subresource === undefined ? '' : `/${subresource}`}`;
  const query = verb === 'watch' ? '?watch=true' : '';
  const suffix = inPath === undefined && name !== undefined ? ` - ${name}` : '';
  return shownNames(`[REQ] ${method} …${place}/${object}${query}${suffix}`);
}

const ASKED = ['verb', 'apiGroup', 'apiVersion', 'resource', 'subresource', 'namespace', 'name'] as const;
const ORDER = ['from', 'to', 'label', ...ASKED, 'status', 'auditId', 'service', 'rpcMethod'];
const NO_QUERY = requestInfo('GET', '/api/v1/pods')!.query;

// Infers the status of a response whose `:status` stands in an unknown HPACK table entry, from its body; statuses of HPACK's static table
// do not stand in such an entry.
// Source: k8s.io/apiserver/pkg/endpoints/handlers (create.go, response.go)

/**
 * @param verb of the request; undefined: not known. @param requestBody null: not kept.
 * @returns undefined where it is not certain.
 */
export function statusByAnswer(
  verb: string | undefined,
  requestBody: Carrying | null,
  answer: Carrying,
): number | undefined {
  const { carried } = answer;
  if (carried === null || !answer.complete) return undefined;
  if (carried.status !== undefined) {
    const { code } = carried.status;
    return code >= 200 && code <= 599 && !IN_STATIC_TABLE.has(code) ? code : undefined;
  }
  if (verb !== 'create') return undefined;
  const sent = requestBody?.carried?.info.kind;
  return sent === undefined || sent === carried.info.kind ? 201 : undefined;
}

/** RFC 7541, appendix A. */
const IN_STATIC_TABLE = new Set([200, 204, 206, 304, 400, 404, 500]);
