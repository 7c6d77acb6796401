// Bodies as they may be shown: a value is shown because the table of its type has a row that says so, and for no other
// reason. What older rules replace (objects.ts) is gone before the tables are asked: they are the second fence.

import { type ObjectContext, redactObject } from '../objects.js';
import type { ShownValue } from '../shown.js';
import { DOCKER_BY_MEMBER, KUBELET_BY_MEMBER, REGISTRY_BY_MEMBER, SERVER_BY_MEMBER } from './engine-fields.js';
import type { FieldOwner } from './field-choice.js';
import { CUSTOM_ROOT, type FieldPlace } from './field-places.js';
import { placeOfKind, placeOfResource } from './kinds.js';
import { placeOfMessage } from './plans.js';
import { type BodyRules, BodyWalk, isMarker, ownKind, type ShowingObserver, shownMarker } from './walk.js';

export type { BodyRules, ShowingObserver } from './walk.js';

/**
 * @param value a decoded body: of a request, a response, a watch event's object, a call.
 * @param observer is told by which row each string is shown.
 * @returns a copy; undefined where nothing of it may be shown. Showing twice changes nothing more.
 */
export function showObject(
  value: unknown,
  context: ObjectContext,
  rules: BodyRules,
  observer?: ShowingObserver,
): ShownValue | undefined {
  const patch = isRecord(value) && value['kind'] === 'AdmissionReview' ? patchIn(value) : null;
  if (patch !== null) return withPatch(value as ShownReview, patch, context, rules, observer);
  const redacted = redactObject(value, context, (text) => rules.secret(text));
  if (redacted === undefined) return undefined;
  if (isRecord(redacted) && isMarker(redacted)) return shownMarker(redacted);
  const walk = new BodyWalk(rules, ownerOf(redacted, context), observer);
  if (isPatch(redacted)) {
    const root = placeOfResource(context) ?? CUSTOM_ROOT;
    return redacted.map((operation) => walk.operation(operation, root, 1));
  }
  return walk.value(redacted, placeOfBody(redacted, context), undefined, 1);
}

type ShownReview = Readonly<Record<string, unknown>>;

/** The operations that the answer to a review has in place of their base64. */
function patchIn(review: ShownReview): readonly unknown[] | null {
  const { response } = review as { readonly response?: unknown };
  const patch = isRecord(response) ? response['patch'] : undefined;
  return isPatch(patch) ? patch : null;
}

/** They change what is judged: their values stand where they will be. */
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
    const said = ownKind(value);
    if (said !== undefined) return placeOfKind(said.apiVersion, said.kind) ?? CUSTOM_ROOT;
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
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => isRecord(one) && typeof one['op'] === 'string' && typeof one['path'] === 'string')
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** It may be a Secret. */
const UNKNOWN_REVIEWED: ObjectContext = { resource: 'secrets' };
const APIS = { docker: DOCKER_BY_MEMBER, registry: REGISTRY_BY_MEMBER, kubelet: KUBELET_BY_MEMBER };
