// Infers what a request is about, from its body, its response, and earlier requests. Each rule states what makes it certain; what is not
// certain stays undefined.

import { isCustomGroup, splitApiVersion } from '../../api/kinds.js';
import { isNamespaceResource } from '../../api/object-ref.js';
import { METADATA } from '../../objects/object-info.js';
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
export function inferFromBody(method: string | null, shape: BodyShape, body: Carrying): InferredRequest {
  const inferred: InferredRequest = {};
  const by = method ?? methodOf(shape);
  if (by !== null) inferred.method = by;
  if (by === 'POST') inferred.verb = 'create';
  else if (by === 'PUT') inferred.verb = 'update';
  else if (by === 'PATCH') inferred.verb = 'patch';
  if (by !== 'POST' && by !== 'PUT') return inferred;
  const { carried } = body;
  if (carried === null || (shape !== 'object' && shape !== 'stored')) return inferred;
  const { info } = carried;
  placeOf(inferred, info.apiVersion, info.kind);
  if (info.namespace !== undefined) inferred.namespace = info.namespace;
  if (info.name !== undefined) inferred.name = info.name;
  // A Namespace fills both, but a create's path does not name it.
  if (isNamespaceResource(inferred.resource) && by === 'PUT') inferred.namespace = info.name;
  return inferred;
}

/** Only shapes that one method alone sends. */
function methodOf(shape: BodyShape): string | null {
  if (shape === 'stored') return 'PUT';
  if (shape === 'patch') return 'PATCH';
  return shape === 'delete-options' ? 'DELETE' : null;
}

/**
 * What a response shows besides: whose object it carries, or which one is missing.
 * @param method known or concluded; null: not GET, not POST. @param status null: not known. @param at ns, of the response.
 * @param manager under which name the client writes; undefined: not known.
 */
export function inferFromResponse(
  method: string | null,
  shape: BodyShape,
  requestBody: Carrying,
  answer: Carrying,
  status: number | null,
  at: bigint,
  manager?: string,
): InferredRequest {
  const inferred: InferredRequest = {};
  const { carried } = answer;
  if (carried === null) return inferred;
  const { info } = carried;
  if (carried.status !== undefined) {
    if (method !== 'POST') inferFromStatus(inferred, method, answer);
    return inferred;
  }
  if (status !== null && status >= 300) return inferred;
  // A body is what all methods but DELETE have that are in no static table and are answered with an object.
  const by = method ?? (shape === 'none' && status === 200 ? 'DELETE' : null);
  const isList = info.items !== undefined;
  const kind = isList ? info.kind.replace(/List$/, '') : info.kind;
  const place = placeOfKind(info.apiVersion, kind);
  if (by !== null) inferred.method = by;
  if (by === 'GET') {
    const isKnown = place !== null || isCustom(info.apiVersion) || info.kind === METADATA;
    if (!isKnown) return inferred;
    inferred.verb = isList ? 'list' : 'get';
  } else if (by === 'DELETE') inferred.verb = isList ? 'deletecollection' : 'delete';
  else if (by === null && !isList) {
    const write = managedBy(answer, at);
    if (write?.operation === 'Apply') {
      inferred.method = 'PATCH';
      inferred.verb = 'patch';
    }
  }
  placeOf(inferred, info.apiVersion, kind);
  if (isList) return inferred;
  if (info.namespace !== undefined) inferred.namespace = info.namespace;
  // The name of an object with a generateName is in the response, not in the request.
  if (info.name !== undefined && (by !== 'POST' || inferred.subresource !== undefined)) inferred.name = info.name;
  if (isNamespaceResource(inferred.resource) && by !== 'POST') inferred.namespace = info.name;
  if (inferred.subresource === undefined) {
    const subresource =
      by === 'PUT'
        ? subresourceOf(requestBody, answer, at, manager)
        : by === 'PATCH' && place !== null && isStatusPatch(requestBody)
          ? 'status'
          : '';
    if (subresource !== '') inferred.subresource = subresource;
  }
  return inferred;
}

/** A watch of which only events were seen: what they are events of. */
export function inferFromEvent(apiVersion: string, kind: string): InferredRequest {
  const inferred: InferredRequest = { verb: 'watch' };
  placeOf(inferred, apiVersion, kind);
  return inferred;
}

/** A refusal or a done delete names what it is about: by resource in most cases, by kind in some (api/errors/errors.go). */
function inferFromStatus(inferred: InferredRequest, method: string | null, answer: Carrying): void {
  const { status } = answer.carried!;
  if (status === undefined || status.detailsKind === '' || status.detailsName === '') return;
  const isMissing = status.reason === 'NotFound';
  const isDone = status.status === 'Success' && method === 'DELETE';
  // A missing namespace is reported to requests that would write into it.
  if (!isDone && !(isMissing && (method === 'GET' || !isNamespaceResource(status.detailsKind)))) return;
  if (/^[A-Z]/.test(status.detailsKind)) return;
  if (method === 'GET') inferred.verb = 'get';
  else if (method === 'DELETE') inferred.verb = 'delete';
  inferred.resource = status.detailsKind;
  inferred.name = status.detailsName;
  if (isNamespaceResource(inferred.resource)) inferred.namespace = inferred.name;
  const group = member(member(fieldsOf(answer.bytes, answer.contentType), 'details'), 'group');
  inferred.apiGroup = typeof group === 'string' ? group : '';
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

function placeOf(inferred: InferredRequest, apiVersion: string, kind: string): void {
  const place = placeOfKind(apiVersion, kind);
  if (place !== null) {
    inferred.apiGroup = place.apiGroup;
    inferred.apiVersion = place.apiVersion;
    inferred.resource = place.resource;
    if (place.subresource !== undefined) inferred.subresource = place.subresource;
  } else if (isCustom(apiVersion)) {
    const { apiGroup, version } = splitApiVersion(apiVersion);
    inferred.apiGroup = apiGroup;
    inferred.apiVersion = version;
  }
}

/** Its kinds are objects, but their resource only their definition names. */
function isCustom(apiVersion: string): boolean {
  return isCustomGroup(splitApiVersion(apiVersion).apiGroup);
}
