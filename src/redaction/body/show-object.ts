// Redacts bodies: a value is shown only if a row of its type's table allows it.

import { isRecord } from '../../core/record.js';
import { isBodyShown, isMarker, isPatchOperation, type ObjectContext } from '../objects.js';
import type { ShownValue } from '../shown.js';
import type { FieldOwner } from './field-choice.js';
import { CUSTOM_ROOT, type FieldPlace, placeOfMessage } from './field-places.js';
import { placeOfKind, placeOfResource } from './kinds.js';
import { DOCKER_BY_MEMBER, KUBELET_BY_MEMBER, REGISTRY_BY_MEMBER, SERVER_BY_MEMBER } from './tables.js';
import { type BodyRules, BodyWalk, ownKind, type ShowingObserver, shownMarker } from './walk.js';

export type { BodyRules, ShowingObserver } from './walk.js';

/**
 * @param value a decoded body of a request, a response, a watch event or a call.
 * @param observer receives the row of each shown string.
 * @returns a copy; undefined if nothing of it may be shown. Redacting it again changes nothing.
 */
export function showObject(
  value: unknown,
  context: ObjectContext,
  rules: BodyRules,
  observer?: ShowingObserver,
): ShownValue | undefined {
  const patch = isRecord(value) && value['kind'] === 'AdmissionReview' ? patchIn(value) : null;
  if (patch !== null) return withPatch(value as ShownReview, patch, context, rules, observer);
  if (!isBodyShown(value, context)) return undefined;
  if (isRecord(value) && isMarker(value)) return shownMarker(value);
  const walk = new BodyWalk(rules, ownerOf(value, context), observer);
  if (isPatch(value)) {
    const root = placeOfResource(context) ?? CUSTOM_ROOT;
    return value.map((operation) => walk.operation(operation, root, 1));
  }
  return walk.value(value, placeOfBody(value, context), undefined, 1);
}

type ShownReview = Readonly<Record<string, unknown>>;

/** The decoded operations of a review response's patch. */
function patchIn(review: ShownReview): readonly unknown[] | null {
  const { response } = review as { readonly response?: unknown };
  const patch = isRecord(response) ? response['patch'] : undefined;
  return isPatch(patch) ? patch : null;
}

/** The operations change the reviewed object, so their paths are places in it. */
function withPatch(
  review: ShownReview,
  patch: readonly unknown[],
  context: ObjectContext,
  rules: BodyRules,
  observer?: ShowingObserver,
): ShownValue | undefined {
  const { patch: _, ...response } = review['response'] as ShownReview;
  const shown = showObject({ ...review, response }, context, rules, observer);
  const shownPatch = showObject(patch, context.reviewed ?? UNKNOWN_REVIEWED, rules, observer);
  const inner = (shown as { readonly response?: ShownValue } | undefined)?.response;
  if (shownPatch === undefined || !isRecord(shown) || !isRecord(inner)) return shown;
  return { ...(shown as object), response: { ...(inner as object), patch: shownPatch } };
}

/** The place of a whole body. */
function placeOfBody(value: unknown, context: ObjectContext): FieldPlace {
  if (context.message !== undefined) return placeOfMessage(context.message) ?? CUSTOM_ROOT;
  const kind = isRecord(value) ? value['kind'] : undefined;
  if (isRecord(value) && typeof kind === 'string' && kind !== '') {
    const own = ownKind(value);
    if (own !== undefined) return placeOfKind(own.apiVersion, own.kind) ?? CUSTOM_ROOT;
    return placeOfKind(undefined, kind) ?? CUSTOM_ROOT;
  }
  if (context.api !== undefined) return { at: 'members', rows: APIS[context.api] };
  if (context.resource !== undefined) return placeOfResource(context) ?? CUSTOM_ROOT;
  return { at: 'members', rows: SERVER_BY_MEMBER };
}

function ownerOf(value: unknown, context: ObjectContext): FieldOwner {
  const kind = isRecord(value) && typeof value['kind'] === 'string' ? value['kind'] : undefined;
  return { kind, resource: context.resource };
}

/** A JSON patch (RFC 6902). */
function isPatch(value: unknown): value is readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) && value.length > 0 && value.every(isPatchOperation);
}

/** An unknown object may be a Secret. */
const UNKNOWN_REVIEWED: ObjectContext = { resource: 'secrets' };
const APIS = { docker: DOCKER_BY_MEMBER, registry: REGISTRY_BY_MEMBER, kubelet: KUBELET_BY_MEMBER };
