// Hands the objects of bodies and watch events to the trackers that learn from them: addresses, webhooks, relations.

import { EMPTY_BYTES, flattenString } from '../core/bytes/bytes.js';
import { BoundedSet } from '../core/collections/bounded.js';
import { memo } from '../core/collections/memo.js';
import { notice } from '../core/notice.js';
import type { Decoded } from '../http/exchange/content.js';
import type { Body } from '../http/exchange-event.js';
import { resourceOfKind } from './api/kinds.js';
import { objectReference } from './api/object-ref.js';
import type { RequestInfo } from './api/request-info.js';
import type { WatchEvent } from './api/watch-event.js';
import type { RelatedObjects } from './attributed/related-objects.js';
import type { Webhooks } from './attributed/webhooks/webhooks.js';
import type { MessageEmitter } from './emitted/message-emitter.js';
import type { BodyPart } from './messages/draft.js';
import type { BodyObject, ObjectInfo, ObjectKind } from './objects/object-info.js';
import { carriedObject } from './objects/object-meta.js';
import type { Reference } from './objects/references.js';
import { hasStatusProblems, type StatusProblem, statusProblemsOf } from './objects/status-problems.js';
import { kindOfPlace } from './observed/inference/known-kinds.js';
import type { Addresses } from './placed/network/addresses.js';

/** A request or an answer. */
type BodyEvent = BodyPart & { readonly body: Body | null };

export class ObjectObserver {
  readonly #addresses: Addresses;
  readonly #webhooks: Webhooks;
  readonly #relations: RelatedObjects;
  readonly #emitter: MessageEmitter;
  /** uids of objects whose status can report a problem, and which a response carried. */
  readonly #answered = new BoundedSet<string>(MAX_ANSWERED, 'objects of answers');

  constructor(addresses: Addresses, webhooks: Webhooks, relations: RelatedObjects, emitter: MessageEmitter) {
    this.#addresses = addresses;
    this.#webhooks = webhooks;
    this.#relations = relations;
    this.#emitter = emitter;
  }

  /** A body after content decoding; null: it is empty. Notice: `limit.decompressed`. */
  decoded({ body, exchange, last }: BodyEvent): Decoded | null {
    if (body === null || body.length === 0) return null;
    const decoded = body.read();
    if (decoded.limited === true) {
      const detail = `${body.length} compressed bytes were inflated up to ${decoded.bytes.length}`;
      const where = { origin: last, connection: exchange.connection.name };
      this.#emitter.emitNotice(notice('limit.decompressed', detail, where));
    }
    return decoded;
  }

  /**
   * The object of a body; null: it has none.
   * @param decoded its body. @param frame of the API server's response; null: of a client, or of a deleted object.
   * @param info of a request: its path has the kind where its body does not.
   * @param made of the response to a create.
   */
  of(
    { body, exchange }: BodyEvent,
    decoded: Decoded | null,
    frame: number | null = null,
    info: RequestInfo | null = null,
    made = false,
  ): BodyObject | null {
    if (body === null || decoded === null) return null;
    const { bytes, complete } = decoded;
    if (bytes === EMPTY_BYTES) return null;
    let carried = carriedObject(bytes, body.contentType);
    if (carried === null && info !== null && complete && body.complete)
      carried = withoutKind(bytes, body.contentType, info);
    // An API server whose own handler runs out of time leaves the kind out (endpoints/filters: timeout.go).
    if (carried === null && info === null && (exchange.response?.status ?? 0) >= 400)
      carried = failureOnly(carriedObject(bytes, body.contentType, STATUS));
    if (frame !== null && carried !== null) this.#addresses.learn(bytes, body.contentType, carried.info, false, frame);
    if (carried === null) return null;
    this.#webhooks.learn(carried.info, bytes, body.contentType);
    const isFirst = info === null && this.#isFirst(carried.info);
    const by = info !== null ? 'client' : made || isFirst ? 'first' : 'again';
    const placed = placedIn(info?.namespace, carried.info);
    const claims = claimsOf(carried.info, this.#relations.observe(placed, bytes, body.contentType, by));
    return claims === undefined && !isFirst ? carried : { ...carried, claims, isFirst };
  }

  /**
   * Problems that a status reports: where the status is written, and in the first response that carries the object. undefined: none.
   * @param info of the request; null: its path is not known. @param carried of the body.
   */
  statusProblems(
    { kind, body }: BodyPart & { readonly body: Body | null },
    info: RequestInfo | null,
    carried: BodyObject | null,
  ): readonly StatusProblem[] | undefined {
    if (body === null || body.length === 0 || info?.resource === undefined || !hasStatusProblems(info.resource))
      return undefined;
    const isTold = kind === 'request' ? STATUSES.has(info.subresource ?? '') : carried?.isFirst === true;
    // A new object is not ready yet; a new Pod reports what it waits for (pkg/registry/core/pod: scheduling gates).
    if (!isTold || (kind === 'response' && info.verb === 'create' && info.resource !== 'pods')) return undefined;
    const statusProblems = statusProblemsOf(body.read().bytes, body.contentType, info.resource);
    return statusProblems.length === 0 ? undefined : statusProblems;
  }

  /** A problem from before the capture is reported by the first response with it; later ones by the write. */
  #isFirst({ uid, kind }: ObjectInfo): boolean {
    if (uid === undefined || this.#answered.has(uid) || !hasStatusProblems(RESOURCE(kind))) return false;
    this.#answered.add(flattenString(uid));
    return true;
  }

  /** The object of a watch event. @returns what a new Pod claims. */
  watched({ object, objectBytes, objectContentType, type }: WatchEvent, frame: number): Claims {
    if (object === null) return undefined;
    this.#addresses.learn(objectBytes, objectContentType, object, type === 'DELETED', frame);
    this.#webhooks.learn(object, objectBytes, objectContentType);
    const by = type === 'ADDED' ? 'first' : 'again';
    const references = this.#relations.observe(object, objectBytes, objectContentType, by);
    if (type === 'DELETED') this.#relations.deleted(object, objectBytes, objectContentType);
    return claimsOf(object, references);
  }

  /** Is it a Pod in the first version of which all that it ran has ended? */
  hasEnded(object: ObjectInfo | null): boolean {
    if (object?.kind !== 'Pod' || object.uid === undefined) return false;
    const { uid, resourceVersion } = object;
    return resourceVersion !== undefined && this.#addresses.endedSince(uid) === resourceVersion;
  }
}

/** Objects that a Pod claims, as kubectl writes them: `persistentvolumeclaims/data`. */
function claimsOf({ kind }: ObjectInfo, references: readonly Reference[]): Claims {
  if (kind !== 'Pod' || references.length === 0) return undefined;
  return references.map((one) => objectReference(resourceOfKind(one.kind), one.name));
}

/** A created object is in the namespace of the request: many clients leave it out of the body. */
function placedIn(namespace: string | undefined, info: ObjectInfo): ObjectInfo {
  return namespace === undefined || info.namespace !== undefined ? info : { ...info, namespace };
}

/** Clients in other languages than Go often leave the kind out. What has no name either may be anything, or broken. */
function withoutKind(bytes: Uint8Array, contentType: string, request: RequestInfo): BodyObject | null {
  const kind = kindOfRequest(request);
  if (kind === null) return null;
  const carried = carriedObject(bytes, contentType, kind);
  return carried?.info.name === undefined && carried?.info.generateName === undefined ? null : carried;
}

/** What has a reason and a message; any other object without a kind is none. */
function failureOnly(carried: BodyObject | null): BodyObject | null {
  const { reason = '', message = '' } = carried?.status ?? {};
  return reason === '' || message === '' ? null : carried;
}

/** A patch is no object, and a delete has options. */
function kindOfRequest({ verb, apiGroup, apiVersion, resource, subresource }: RequestInfo): ObjectKind | null {
  if (resource === undefined || apiVersion === undefined || (verb !== 'create' && verb !== 'update')) return null;
  return kindOfPlace(apiGroup ?? '', apiVersion, resource, subresource);
}

const STATUS: ObjectKind = { apiVersion: 'v1', kind: 'Status' };
type Claims = BodyObject['claims'];

/** Subresources that are a status, or a part of one (pkg/registry/certificates/certificates: approval). */
const STATUSES: ReadonlySet<string> = new Set(['status', 'approval']);
/** Of a kind. */
const RESOURCE = memo(resourceOfKind, 1000);
/** Limit: objects whose problems a response has shown, to show older ones once; a forgotten object reports its problems once more. */
const MAX_ANSWERED = 20_000;
