// Reads ConversionReviews: which objects are to be converted to which version, and whether they were
// (k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1, always JSON).

import { pick } from '../../objects/encoding.js';
import { FieldSet, message, messages, string } from '../../objects/fields.js';

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

const OBJECT = { kind: string(1), metadata: message(2, { name: string(1), namespace: string(3) }) };
const REQUEST = new FieldSet({ request: message(2, { desiredAPIVersion: string(2), objects: messages(3, OBJECT) }) });
const RESPONSE = new FieldSet({
  response: message(3, { result: message(3, { status: string(1), message: string(2) }) }),
});
