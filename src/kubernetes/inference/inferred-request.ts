// Infers what a request asks for, from its body, its response, and earlier requests. Each rule states what makes it certain; what is not
// certain stays undefined.

import { isCustomGroup, splitApiVersion } from '../api/kinds.js';
import { placeOfKind } from './known-kinds.js';
import { managedBy } from './managed-by.js';
import { type BodyShape, type Carrying, fieldsOf, member } from './shapes.js';

/** The fields of a request message that can be concluded, and its method, which no message shows. */
export interface InferredRequest {
  method?: string;
  verb?: string;
  apiGroup?: string;
  apiVersion?: string;
  resource?: string;
  subresource?: string;
  namespace?: string;
  name?: string;
}

/**
 * What a request's method and body tell of it.
 * @param method known, or concluded before; null: one that is in no static table: not GET, not POST.
 */
export function askedByBody(method: string | null, shape: BodyShape, body: Carrying): InferredRequest {
  const asked: InferredRequest = {};
  const by = method ?? methodOf(shape);
  if (by !== null) asked.method = by;
  if (by === 'POST') asked.verb = 'create';
  else if (by === 'PUT') asked.verb = 'update';
  else if (by === 'PATCH') asked.verb = 'patch';
  if (by !== 'POST' && by !== 'PUT') return asked;
  const { carried } = body;
  if (carried === null || (shape !== 'object' && shape !== 'stored')) return asked;
  const { info } = carried;
  placeOf(asked, info.apiVersion, info.kind);
  if (info.namespace !== undefined) asked.namespace = info.namespace;
  if (info.name !== undefined) asked.name = info.name;
  // A Namespace fills both, but a create's path does not name it.
  if (asked.resource === 'namespaces' && by === 'PUT') asked.namespace = info.name;
  return asked;
}

/** Only shapes that one method alone sends. */
function methodOf(shape: BodyShape): string | null {
  if (shape === 'stored') return 'PUT';
  if (shape === 'patch') return 'PATCH';
  return shape === 'delete-options' ? 'DELETE' : null;
}

/**
 * What an answer tells besides: whose object it carries, or which one it says is missing.
 * @param method known or concluded; null: not GET, not POST. @param status null: not known. @param at ns, when it was answered.
 * @param manager under which name the client writes; undefined: not known.
 */
export function askedByAnswer(
  method: string | null,
  shape: BodyShape,
  requestBody: Carrying,
  answer: Carrying,
  status: number | null,
  at: bigint,
  manager?: string,
): InferredRequest {
  const asked: InferredRequest = {};
  const { carried } = answer;
  if (carried === null) return asked;
  const { info } = carried;
  if (carried.status !== undefined) {
    if (method !== 'POST') askedByStatus(asked, method, answer);
    return asked;
  }
  if (status !== null && status >= 300) return asked;
  // A body is what all methods but DELETE have that are in no static table and are answered with an object.
  const by = method ?? (shape === 'none' && status === 200 ? 'DELETE' : null);
  const isList = info.items !== undefined;
  const kind = isList ? info.kind.replace(/List$/, '') : info.kind;
  const place = placeOfKind(info.apiVersion, kind);
  if (by !== null) asked.method = by;
  if (by === 'GET') {
    const isKnown = place !== null || isCustom(info.apiVersion) || info.kind === 'PartialObjectMetadata';
    if (!isKnown) return asked;
    asked.verb = isList ? 'list' : 'get';
  } else if (by === 'DELETE') asked.verb = isList ? 'deletecollection' : 'delete';
  else if (by === null && !isList) {
    const write = managedBy(answer, at);
    if (write?.operation === 'Apply') {
      asked.method = 'PATCH';
      asked.verb = 'patch';
    }
  }
  placeOf(asked, info.apiVersion, kind);
  if (isList) return asked;
  if (info.namespace !== undefined) asked.namespace = info.namespace;
  // The name of an object with a generateName is in the response, not in the request.
  if (info.name !== undefined && (by !== 'POST' || asked.subresource !== undefined)) asked.name = info.name;
  if (asked.resource === 'namespaces' && by !== 'POST') asked.namespace = info.name;
  if (asked.subresource === undefined) {
    const subresource =
      by === 'PUT'
        ? subresourceOf(requestBody, answer, at, manager)
        : by === 'PATCH' && place !== null && isStatusPatch(requestBody)
          ? 'status'
          : '';
    if (subresource !== '') asked.subresource = subresource;
  }
  return asked;
}

/** A watch of which only events were seen: what they are events of. */
export function askedByEvent(apiVersion: string, kind: string): InferredRequest {
  const asked: InferredRequest = { verb: 'watch' };
  placeOf(asked, apiVersion, kind);
  return asked;
}

/** A refusal or a done delete names what it is about: by resource in most cases, by kind in some (api/errors/errors.go). */
function askedByStatus(asked: InferredRequest, method: string | null, answer: Carrying): void {
  const { status } = answer.carried!;
  if (status === undefined || status.detailsKind === '' || status.detailsName === '') return;
  const isMissing = status.reason === 'NotFound';
  const isDone = status.status === 'Success' && method === 'DELETE';
  // A missing namespace is reported to requests that would write into it.
  if (!isDone && !(isMissing && (method === 'GET' || status.detailsKind !== 'namespaces'))) return;
  if (/^[A-Z]/.test(status.detailsKind)) return;
  if (method === 'GET') asked.verb = 'get';
  else if (method === 'DELETE') asked.verb = 'delete';
  asked.resource = status.detailsKind;
  asked.name = status.detailsName;
  if (asked.resource === 'namespaces') asked.namespace = asked.name;
  const group = member(member(fieldsOf(answer.bytes, answer.contentType), 'details'), 'group');
  asked.apiGroup = typeof group === 'string' ? group : '';
}

/** Which subresource a successful update wrote, by managedFields; '' where that is not certain. */
function subresourceOf(requestBody: Carrying, answer: Carrying, at: bigint, manager: string | undefined): string {
  const before = requestBody.carried?.info.resourceVersion;
  const after = answer.carried?.info.resourceVersion;
  if (before === undefined || before === after) return '';
  return managedBy(answer, at, manager)?.subresource ?? '';
}

/** Of a patch of the object itself the API server drops the status: who patches nothing else means the subresource. */
function isStatusPatch({ bytes, contentType }: Carrying): boolean {
  const patch = fieldsOf(bytes, contentType);
  if (member(patch, 'status') === undefined) return false;
  return Object.keys(patch as object).every((key) => key === 'status' || key === 'metadata');
}

function placeOf(asked: InferredRequest, apiVersion: string, kind: string): void {
  const place = placeOfKind(apiVersion, kind);
  if (place !== null) {
    asked.apiGroup = place.apiGroup;
    asked.apiVersion = place.apiVersion;
    asked.resource = place.resource;
    if (place.subresource !== undefined) asked.subresource = place.subresource;
  } else if (isCustom(apiVersion)) {
    const { apiGroup, version } = splitApiVersion(apiVersion);
    asked.apiGroup = apiGroup;
    asked.apiVersion = version;
  }
}

/** Its kinds are objects, but their resource only their definition names. */
function isCustom(apiVersion: string): boolean {
  return isCustomGroup(splitApiVersion(apiVersion).apiGroup);
}
