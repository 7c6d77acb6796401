// Tracks the unknown HPACK table entries of one direction of a connection: an entry is always the same field, so that a value inferred
// once holds for each reference (RFC 9113, section 8.3: pseudo-header fields come first).

import { BoundedMap } from '../../../core/collections/bounded.js';
import { fieldValue } from '../../../core/fields.js';
import type { PartialField, RequestHead, ResponseHead } from '../../../http/http-event.js';
import type { InferredRequest } from './inferred-request.js';

/** Which entries a request's pseudo-header fields are; undefined: known, or not certain. */
export interface PseudoSlots {
  readonly method?: number;
  readonly path?: number;
}

/** Conclusions about entries. One that a later one contradicts is never believed again. */
class Learned<Key, T> {
  readonly #known = new BoundedMap<Key, T | null>(MAX_LEARNED, 'header fields that were concluded');

  get(key: Key | undefined): T | undefined {
    return key === undefined ? undefined : (this.#known.get(key) ?? undefined);
  }

  /** @param merge of two conclusions about the same entry; null: they contradict each other. */
  learn(key: Key | undefined, value: T, merge: (before: T, now: T) => T | null): void {
    if (key === undefined) return;
    const before = this.#known.get(key);
    if (before === null) return;
    this.#known.set(key, before === undefined ? value : merge(before, value));
  }
}

export class RequestSlots {
  readonly #authorities = new Set<number>();
  readonly #methods = new Learned<number, string>();
  readonly #paths = new Learned<number, InferredRequest>();
  readonly #heads = new Learned<string, InferredRequest>();

  /** Pseudo-header fields come first: as many of the unknown entries are such as are missing among the known fields. */
  pseudoSlots(head: RequestHead): PseudoSlots {
    const missing: ('authority' | 'method' | 'path' | 'scheme')[] = [];
    if (fieldValue(head.fields, ':authority') === undefined) missing.push('authority');
    if (head.method === null) missing.push('method');
    if (head.target === null) missing.push('path');
    if (fieldValue(head.fields, ':scheme') === undefined) missing.push('scheme');
    const slots = head.partial.slice(0, missing.length).map(slotOf);
    if (missing.length === 1 && missing[0] === 'authority' && slots.length === 1) this.#learnAuthority(slots[0]);
    const authority = slots.findIndex((slot) => slot !== undefined && this.#authorities.has(slot));
    if (authority >= 0 && missing[0] === 'authority') {
      missing.shift();
      slots.splice(authority, 1);
    }
    if (missing.length !== 1 || slots.length !== 1) return NONE;
    if (missing[0] === 'method') return { method: slots[0] };
    return missing[0] === 'path' ? { path: slots[0] } : NONE;
  }

  methodOf(slots: PseudoSlots): string | undefined {
    return this.#methods.get(slots.method);
  }

  /** An earlier request with the same path or with the very same head. */
  inferredBefore(head: RequestHead, slots: PseudoSlots, method: string | null): InferredRequest | undefined {
    if (head.target !== null) return undefined;
    const same = this.#heads.get(signatureOf(head));
    if (same !== undefined) return same;
    const path = this.#paths.get(slots.path);
    return path === undefined ? undefined : onPath(path, method);
  }

  learn(head: RequestHead, slots: PseudoSlots, inferred: InferredRequest): void {
    if (inferred.method !== undefined) this.#methods.learn(slots.method, inferred.method, equal);
    if (head.target !== null || inferred.resource === undefined) return;
    // A created object's name is not in the path.
    const isMade = inferred.method === 'POST' && inferred.subresource === undefined;
    const ofPath = isMade ? { ...inferred, name: undefined } : { ...inferred };
    this.#heads.learn(signatureOf(head), ofPath, merged);
    this.#paths.learn(slots.path, ofPath, mergedPath);
  }

  #learnAuthority(slot: number | undefined): void {
    if (slot !== undefined && this.#authorities.size < MAX_LEARNED) this.#authorities.add(slot);
  }
}

export class ResponseSlots {
  readonly #statuses = new Learned<number, number>();
  #auditSlot: number | null = null;

  status(head: ResponseHead): number | undefined {
    return this.#statuses.get(statusSlot(head));
  }

  learnStatus(head: ResponseHead, status: number): void {
    this.#statuses.learn(statusSlot(head), status, equal);
  }

  /**
   * The Audit-Id among fields whose name is not known: every answer has one, never twice the same, so it is never an
   * indexed value but a literal under an indexed name. Go writes header fields in the order of their names, and the other
   * identifiers of the API server (`X-Kubernetes-Pf-…`) come later (net/http2 encodeHeaders).
   */
  auditId(head: ResponseHead): string | undefined {
    let first: PartialField | undefined;
    for (const field of head.partial) {
      if (field.name !== null || field.value === null || !UUID.test(field.value)) continue;
      if (field.slot !== undefined && field.slot === this.#auditSlot) return field.value;
      first ??= field;
    }
    if (first === undefined) return undefined;
    this.#auditSlot = first.slot ?? null;
    return first.value ?? undefined;
  }
}

/** The only pseudo-header field of a response is `:status` (RFC 9113, 8.3.2): where it is not known it is the first unknown one. */
function statusSlot(head: ResponseHead): number | undefined {
  return head.status === null && head.partial.length > 0 ? slotOf(head.partial[0]) : undefined;
}

function slotOf(field: PartialField): number | undefined {
  return field.value === null ? field.slot : undefined;
}

/**
 * Heads of the same unknown entries are the same head, but for what is known of them. undefined: not worth keeping, or a
 * head without a path among its fields: it was lost, and all that were lost are alike.
 */
function signatureOf(head: RequestHead): string | undefined {
  if (head.partial.length > SIGNATURE_FIELDS) return undefined;
  if (!head.partial.some((field) => slotOf(field) !== undefined)) return undefined;
  const slots = head.partial.map((field) => `${field.slot ?? ''}${field.value === null ? '' : `=${field.value}`}`);
  const signature = `${head.method ?? ''} ${slots.sort().join(' ')}`;
  return signature.length > SIGNATURE_LENGTH ? undefined : signature;
}

/** The same path requested with another method. */
function onPath(path: InferredRequest, method: string | null): InferredRequest | undefined {
  if (path.method === method) return path;
  const { apiGroup, apiVersion, resource, subresource, namespace, name } = path;
  const inferred: InferredRequest = { apiGroup, apiVersion, resource, subresource, namespace, name };
  if (name === undefined) return inferred;
  const verb = method === null ? undefined : NAMED_VERBS.get(method);
  return verb === undefined ? inferred : { ...inferred, verb };
}

function equal<T>(before: T, now: T): T | null {
  return before === now ? before : null;
}

/** An undefined part is not known. */
function merged(before: InferredRequest, now: InferredRequest): InferredRequest | null {
  const whole: InferredRequest = { ...before };
  for (const key of Object.keys(now) as (keyof InferredRequest)[]) {
    if (whole[key] !== undefined && now[key] !== undefined && whole[key] !== now[key]) return null;
    whole[key] ??= now[key];
  }
  return whole;
}

/** Requests of several methods have the same path. */
function mergedPath(before: InferredRequest, now: InferredRequest): InferredRequest | null {
  if (before.method === now.method) return merged(before, now);
  return merged({ ...before, method: undefined, verb: undefined }, { ...now, method: undefined, verb: undefined });
}

const NONE: PseudoSlots = {};

const NAMED_VERBS: ReadonlyMap<string, string> = new Map([
  ['GET', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/** RFC 9562, as github.com/google/uuid writes version 4. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Limit: unknown fields of a head that is compared with earlier ones; a Kubernetes client sends some ten. */
const SIGNATURE_FIELDS = 64;
/** Limit: characters of the fields of a head that is compared with earlier ones. */
const SIGNATURE_LENGTH = 2048;

/**
 * Limit: table entries and heads of a mid-session connection about which something was concluded; a table of 64 KiB, more than any
 * Kubernetes client has, holds some 1,000 entries.
 */
const MAX_LEARNED = 4096;
