// What a ConversionReview says: which objects are to be converted to which version, and whether they were. Knows
// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1, which is always JSON; nothing of exchanges.

import { type Picked, pick, textIn, type Wanted } from '../../objects/pick.js';

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
  /** What its author says; may hold anything. */
  readonly message: string;
}

/** @param bytes of a request's body, borrowed. @returns null where it has no request. */
export function conversionOf(bytes: Uint8Array, contentType: string): ConversionReview | null {
  const request = pick(bytes, contentType, { request: [2, { one: REQUEST }] })?.['request'] as Picked | undefined;
  if (request === undefined) return null;
  const [version, group = ''] = textIn(request, 'desiredAPIVersion').split('/').reverse();
  const objects = (request['objects'] ?? []) as readonly Picked[];
  const single = objects.length === 1 ? ((objects[0]['metadata'] ?? {}) as Picked) : {};
  return {
    group,
    version,
    count: objects.length,
    kind: objects.length === 0 ? '' : textIn(objects[0], 'kind'),
    namespace: textIn(single, 'namespace') || undefined,
    name: textIn(single, 'name') || undefined,
  };
}

/** @returns null where the body has no response with a result. */
export function convertedIn(bytes: Uint8Array, contentType: string): Converted | null {
  const response = pick(bytes, contentType, { response: [3, { one: RESPONSE }] })?.['response'] as Picked | undefined;
  const result = response?.['result'] as Picked | undefined;
  if (result === undefined) return null;
  return { converted: textIn(result, 'status') === 'Success', message: textIn(result, 'message') };
}

const OBJECT: Wanted = {
  kind: [1, 'text'],
  metadata: [2, { one: { name: [1, 'text'], namespace: [3, 'text'] } }],
};
const REQUEST: Wanted = { desiredAPIVersion: [2, 'text'], objects: [3, { many: OBJECT }] };
const RESPONSE: Wanted = { result: [3, { one: { status: [1, 'text'], message: [2, 'text'] } }] };
