// Reads AdmissionReviews: which write is judged, and the verdict (k8s.io/api/admission/v1; v1beta1 has the same fields).

import { API_VERSION } from '../../../core/api-resources.js';
import { base64Bytes, text } from '../../../core/bytes/bytes.js';
import { decodeBody } from '../../objects/decode-body.js';
import { pick } from '../../objects/encoding.js';
import { FieldSet, message, messages, string } from '../../objects/fields.js';
import { listOf, record, textOf } from '../../objects/value-cursor.js';

/** `request` of an AdmissionReview. */
export interface AdmissionReview {
  /** `CREATE`, `UPDATE`, `DELETE`, `CONNECT`. */
  readonly operation: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty where the server is to choose it. */
  readonly name: string;
  /** Of the judged object: the prefix of the name that it is to get, and the uids of its owners. */
  readonly generateName: string;
  readonly owners: readonly string[];
  /** The user of the write; empty where the review has none. */
  readonly user: string;
}

/** `response` of an AdmissionReview. */
export interface ReviewVerdict {
  readonly allowed: boolean;
  /** It changes the object. */
  readonly patches: boolean;
  /** The operations with which it does; null: none, or not readable. */
  readonly operations: readonly PatchOperation[] | null;
  /** The webhook's own words; they may hold anything. */
  readonly message: string;
}

/** @param bytes of a request's body, borrowed. @returns null where it is no AdmissionReview with a request. */
export function reviewOf(bytes: Uint8Array, contentType: string): AdmissionReview | null {
  const request = record(member(bytes, contentType, 'request'));
  // The resource that the client requested, where the API server converted it for the webhook.
  const resource = record(request['requestResource'] ?? request['resource']);
  if (textOf(resource['resource']) === '') return null;
  const metadata = record(record(request['object'])['metadata']);
  return {
    operation: textOf(request['operation']),
    group: textOf(resource['group']),
    version: textOf(resource['version']),
    resource: textOf(resource['resource']),
    subresource: textOf(request['requestSubResource'] ?? request['subResource']),
    namespace: textOf(request['namespace']),
    name: textOf(request['name']),
    generateName: textOf(metadata['generateName']),
    owners: listOf(metadata['ownerReferences']).map((owner) => textOf(record(owner)['uid'])),
    user: textOf(record(request['userInfo'])['username']),
  };
}

/** @returns null where the body is no AdmissionReview with a response. */
export function verdictOf(bytes: Uint8Array, contentType: string): ReviewVerdict | null {
  const response = record(member(bytes, contentType, 'response'));
  if (typeof response['allowed'] !== 'boolean') return null;
  return {
    allowed: response['allowed'],
    patches: response['patch'] !== undefined,
    operations: operationsIn(textOf(response['patch'])),
    message: textOf(record(response['status'])['message']),
  };
}

function member(bytes: Uint8Array, contentType: string, name: string): unknown {
  const review = record(decodeBody(bytes, contentType));
  return review['kind'] === 'AdmissionReview' ? review[name] : undefined;
}

// Reads ConversionReviews: which objects are to be converted to which version, and whether they were
// (k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1, always JSON).

/** `request` of a ConversionReview. */
export interface ConversionReview {
  /** Of the version that is wanted. */
  readonly group: string;
  readonly version: string;
  readonly count: number;
  /** Of the objects: a review has those of one kind. */
  readonly kind: string;
  /** Of a single object. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** `response` of a ConversionReview. */
export interface Converted {
  readonly converted: boolean;
  /** The webhook's own words; they may hold anything. */
  readonly message: string;
}

/** @param bytes of a request's body, borrowed. @returns null where it has no request. */
export function conversionOf(bytes: Uint8Array, contentType: string): ConversionReview | null {
  const request = pick(bytes, contentType, REQUEST)?.request;
  if (request === undefined) return null;
  const { desiredAPIVersion = '', objects = [] } = request;
  const [version, group = ''] = desiredAPIVersion.split('/').reverse();
  if (!VERSION.test(version)) return null;
  const single = objects.length === 1 ? objects[0].metadata : undefined;
  return {
    group,
    version,
    count: objects.length,
    kind: objects.length === 0 ? '' : (objects[0].kind ?? ''),
    namespace: single?.namespace || undefined,
    name: single?.name || undefined,
  };
}

/** @returns null where the body has no response with a result. */
export function convertedIn(bytes: Uint8Array, contentType: string): Converted | null {
  const result = pick(bytes, contentType, RESPONSE)?.response?.result;
  return result === undefined ? null : { converted: result.status === 'Success', message: result.message ?? '' };
}

const VERSION = new RegExp(`^${API_VERSION}$`);
const OBJECT = { kind: string(1), metadata: message(2, { name: string(1), namespace: string(3) }) };
const REQUEST = new FieldSet({ request: message(2, { desiredAPIVersion: string(2), objects: messages(3, OBJECT) }) });
const RESPONSE = new FieldSet({
  response: message(3, { result: message(3, { status: string(1), message: string(2) }) }),
});

// Reads the JSON patch (RFC 6902) of a mutating webhook's response: base64 of JSON (k8s.io/api/admission/v1).

/** @returns its operations, as they came; null where the text is no such patch. */
export function operationsIn(patch: string): readonly PatchOperation[] | null {
  if (patch === '' || patch.length > MAX_PATCH_CHARACTERS) return null;
  try {
    const value: unknown = JSON.parse(text(base64Bytes(patch)));
    return Array.isArray(value) && value.every(isOperation) ? value : null;
  } catch {
    return null;
  }
}

export interface PatchOperation {
  readonly op: string;
  readonly path: string;
}

function isOperation(value: unknown): value is PatchOperation {
  if (typeof value !== 'object' || value === null) return false;
  const { op, path } = value as Partial<Record<keyof PatchOperation, unknown>>;
  return typeof op === 'string' && typeof path === 'string';
}

/**
 * Limit: characters of a webhook's patch that is decoded, of a larger one only the size is shown; one that adds a container with all it
 * needs has some 10 KB.
 */
const MAX_PATCH_CHARACTERS = 1024 * 1024;
