// Recognises a body by its shape, where there is no content type: an object, the options of a delete, a patch. Where two are possible it
// is `unclear`.

import { EMPTY_BYTES } from '../../../core/bytes/bytes.js';
import type { Body } from '../../../http/exchange-event.js';
import { decodeBody } from '../../objects/decode-body.js';
import type { BodyObject } from '../../objects/object-info.js';
import { carriedObject } from '../../objects/object-meta.js';

/** `stored`: an object that a server has given its uid and version, in whole: what an update sends. */
export type BodyShape = 'none' | 'object' | 'stored' | 'delete-options' | 'patch' | 'unclear';

/** A body as conclusions need it. */
export interface Carrying {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** null: no object that names its kind. */
  readonly carried: BodyObject | null;
  /** false: bytes are missing. */
  readonly complete: boolean;
}

export const NO_BODY: Carrying = { bytes: EMPTY_BYTES, contentType: '', carried: null, complete: true };

export function carryingOf(body: Body | null): Carrying {
  if (body === null || body.length === 0) return NO_BODY;
  const { bytes, complete } = body.read();
  const carried = bytes.length === 0 ? null : carriedObject(bytes, body.contentType);
  return { bytes, contentType: body.contentType, carried, complete: complete && body.complete };
}

/** @param contentType of the request where it is known, else empty: it decides what bytes leave open. */
export function shapeOf({ bytes, contentType, carried, complete }: Carrying): BodyShape {
  if (bytes.length === 0) return complete ? 'none' : 'unclear';
  if (contentType.includes('patch')) return 'patch';
  if (!complete) return 'unclear';
  if (carried !== null) {
    if (carried.info.kind === 'DeleteOptions') return 'delete-options';
    if (bytes[0] === PROTOBUF_MAGIC || contentType !== '') return isStored(carried) ? 'stored' : 'object';
    // JSON that names its kind may be a patch too (server-side apply); one that has all that only a server writes is not.
    return isStored(carried) && isJsonStored(bytes, contentType) ? 'stored' : 'object';
  }
  return contentType === '' || contentType.includes('json') ? shapeOfJson(bytes, contentType) : 'unclear';
}

function isStored({ info }: BodyObject): boolean {
  return info.uid !== undefined && info.resourceVersion !== undefined && info.name !== undefined;
}

function isJsonStored(bytes: Uint8Array, contentType: string): boolean {
  const metadata = member(fieldsOf(bytes, contentType), 'metadata');
  return typeof member(metadata, 'creationTimestamp') === 'string';
}

/** JSON without a kind: kubectl's delete options, or a patch, which never names its object anew. */
function shapeOfJson(bytes: Uint8Array, contentType: string): BodyShape {
  const value = fieldsOf(bytes, contentType);
  if (Array.isArray(value)) return value.length > 0 && value.every(isJsonPatchStep) ? 'patch' : 'unclear';
  if (typeof value !== 'object' || value === null) return 'unclear';
  const keys = Object.keys(value);
  if (keys.length === 0) return 'unclear';
  if (keys.every((key) => DELETE_OPTIONS.has(key))) return 'delete-options';
  // A PUT without a name is refused, whatever else it has.
  return contentType === '' && member(member(value, 'metadata'), 'name') === undefined ? 'patch' : 'unclear';
}

function isJsonPatchStep(step: unknown): boolean {
  return typeof member(step, 'op') === 'string' && typeof member(step, 'path') === 'string';
}

/** Decoded fields of a body; null where it is longer than anything worth the time. */
export function fieldsOf(bytes: Uint8Array, contentType: string): unknown {
  return bytes.length > DECODED_LIMIT ? null : decodeBody(bytes, contentType);
}

export function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

const PROTOBUF_MAGIC = 0x6b;

/** meta/v1 DeleteOptions in JSON, as kubectl sends it. */
const DELETE_OPTIONS = new Set([
  'gracePeriodSeconds',
  'propagationPolicy',
  'preconditions',
  'orphanDependents',
  'dryRun',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
]);

/** Limit in bytes: bodies that are decoded whole to conclude what a request was about: etcd takes 1.5 MiB, people write under 64 KiB. */
const DECODED_LIMIT = 256 * 1024;
