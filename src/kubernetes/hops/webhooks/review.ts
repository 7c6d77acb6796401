// Reads AdmissionReviews: which write is judged, and the verdict (k8s.io/api/admission/v1; v1beta1 has the same fields).

import { decodeBody } from '../../objects/decode-body.js';
import { listOf, record, textOf } from '../../objects/value-cursor.js';
import { operationsIn, type PatchOperation } from './json-patch.js';

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
