// Fills the messages of an HTTP exchange (requests, responses, watch events, stream data) from its heads and bodies.

import { fieldValue } from '../../core/fields.js';
import type { Body, Exchange } from '../../http/exchange-event.js';
import { sentence } from '../../redaction/shown.js';
import {
  failureReason,
  isDryRun,
  isOptionsKind,
  isSafeToShow,
  plaintextError,
  retryAfter,
  warningsIn,
} from '../api/failure-text.js';
import { eventLabel, requestLabel, responseLabel } from '../api/labels.js';
import { type MissingObject, missingFrom, missingIn } from '../api/missing-objects.js';
import { objectReference } from '../api/object-ref.js';
import type { RequestInfo } from '../api/request-info.js';
import type { WatchEvent } from '../api/watch-event.js';
import type { BodyPart, Draft } from '../messages/draft.js';
import { type ExchangeContext, latencyOf } from '../messages/exchange-context.js';
import { appliedForOf, keepsRelease, releaseOf } from '../objects/applied-by.js';
import { leaseOf } from '../objects/object-facts.js';
import { type BodyObject, objectField } from '../objects/object-info.js';

export type RequestPart = BodyPart & { readonly kind: 'request' };
export type ResponsePart = BodyPart & { readonly kind: 'response' };

/** @param carried object in the request's body; null: none. @param bytes body of the request, borrowed; null: none. */
export function fillRequest(
  message: Draft,
  { exchange, body }: RequestPart,
  context: ExchangeContext,
  carried: BodyObject | null,
  bytes: Uint8Array | null,
): void {
  const { info } = context;
  message.method = exchange.request?.method ?? undefined;
  // An audit log has the verb, which a GET and a HEAD have in common.
  if (exchange.audited !== undefined) message.inferred = exchange.audited.isTargetInferred ? METHOD_AND_TARGET : METHOD;
  message.target = context.target;
  message.userAgent = context.userAgent;
  if (carried !== null && !isOptionsKind(carried.info.kind)) message.object = objectField(carried.info);
  message.claims = carried?.claims;
  if (info === null) return;
  if (bytes !== null && MAKES.has(info.verb) && info.subresource === undefined)
    message.appliedFor = appliedForOf(bytes, body?.contentType ?? '', info.namespace ?? '');
  message.verb = info.verb;
  if (CAN_BE_DRY_RUN.has(info.verb) && isDryRun(context.target ?? '', DELETES.has(info.verb) ? body : null))
    message.dryRun = true;
  message.apiGroup = info.apiGroup;
  message.apiVersion = info.apiVersion;
  message.resource = info.resource;
  message.subresource = info.subresource;
  message.namespace = info.namespace;
  // A create names its object only in its body (k8s.io/apiserver endpoints/handlers/create.go).
  message.name = info.name ?? (info.verb === 'create' ? (carried?.info.name ?? exchange.audited?.name) : undefined);
}

/** @param pod Pod that a stream to a container runtime is about, which its target does not name; undefined: not known. */
export function labelRequest(message: Draft, { info, target }: ExchangeContext, pod: string | undefined): void {
  const { method } = message;
  const nameOutsideTarget = info === null ? pod : info.name === undefined ? message.name : undefined;
  message.label =
    method === undefined || target === undefined
      ? sentence`[REQ] (not captured)`
      : requestLabel(method, target, nameOutsideTarget);
}

/** @param carried object in the response's body; null: none. */
export function fillResponse(
  message: Draft,
  event: ResponsePart,
  context: ExchangeContext,
  carried: BodyObject | null,
): void {
  const { response } = event.exchange;
  const { audited } = event.exchange;
  message.status = response?.status ?? undefined;
  if (audited?.isStatusInferred === true && message.status !== undefined) message.inferred = STATUS;
  message.authorization = audited?.authorization;
  if (context.requestSeq !== undefined && audited?.isUntimed !== true)
    message.latencyMs = latencyOf(context, event.first);
  if (carried !== null) {
    message.object = objectField(carried.info);
    message.claims = carried.claims;
    if (carried.status !== undefined) {
      message.reason = carried.status.reason;
      const failure = failureReason(carried.status, context, event.body);
      if (failure !== undefined) {
        message.statusMessage = failure;
        message.missing = namesOf(missingFrom(failure, context.info));
      }
    }
  }
  message.statusMessage ??= plaintextError(response, context, event.body) ?? retryAfter(response);
  const warnings = warningsIn(response, context);
  if (warnings.length > 0) message.warnings = warnings;
  if (context.role.protocol === 'registry') message.bytes = sizeOf(event.exchange);
}

/** Whether a response begins a watch, whose events follow: if the request was not captured, a response without body and length does. */
export function opensWatch({ exchange, body }: ResponsePart, { info }: ExchangeContext): boolean {
  if (info?.verb === 'watch') return true;
  if (exchange.request !== null || body !== null) return false;
  // A response with a length answers a HEAD request, or its body was lost.
  return fieldValue(exchange.response?.fields ?? [], 'content-length') === undefined;
}

export function labelResponse(message: Draft, { info }: ExchangeContext, isWatch: boolean): void {
  message.label = responseLabel(message.status ?? null, isWatch || info?.watch === true);
}

export function fillEvent(message: Draft, event: WatchEvent, context: ExchangeContext): void {
  message.type = event.type;
  if (event.object !== null) message.object = objectField(event.object);
  if (event.k8sEvent !== undefined) message.k8sEvent = event.k8sEvent;
  if (event.status !== undefined) {
    message.reason = event.status.reason;
    if (isSafeToShow(event.status, context)) message.statusMessage = event.status.message;
  }
  if (context.initial) {
    message.initial = true;
    // The bookmark is the last initial event of the watch.
    if (event.initialEventsEnd) context.initial = false;
  }
  message.label = eventLabel(event.type, event.object, event.status?.reason);
}

/** An item of a watch that is not a watch event, or of which bytes are missing. */
export function fillUndecodable(message: Draft): void {
  message.label = sentence`[RESP-CHUNK] (not decoded)`;
  message.complete = false;
}

/** @param bytes number of bytes of a piece of a stream. */
export function fillData(message: Draft, bytes: number): void {
  message.bytes = bytes;
  message.label = sentence`[DATA] ${bytes} bytes`;
}

/** Fills in the Kubernetes Event of a body. @returns objects that do not exist, by the Event's text: a ConfigMap that a Pod mounts. */
export function fillK8sEvent(message: Draft, { k8sEvent }: BodyObject): readonly MissingObject[] {
  const missing = k8sEvent === undefined ? [] : missingIn(k8sEvent.message, k8sEvent.namespace);
  message.k8sEvent = k8sEvent;
  message.missing = namesOf(missing);
  return missing;
}

function namesOf(missing: readonly MissingObject[]): Draft['missing'] {
  return missing.length === 0 ? undefined : missing.map(({ resource, name }) => objectReference(resource, name));
}

const METHOD = ['method'];
const METHOD_AND_TARGET = ['method', 'target'];
const STATUS = ['status'];
const DELETES = new Set(['delete', 'deletecollection']);
const CAN_BE_DRY_RUN = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** @param info of the request. Leases of nodes tell that the node lives, and never change hands (pkg/kubelet/kubelet.go). */
export function describeLease(message: Draft, body: Body | null, info: RequestInfo | null): void {
  if (info?.resource !== 'leases' || info.namespace === NODE_LEASES || body === null || body.length === 0) return;
  message.lease = leaseOf(body.read().bytes, body.contentType);
}

/** k8s.io/api, core/v1: NamespaceNodeLease. */
const NODE_LEASES = 'kube-node-lease';

/** Size of a manifest or blob in bytes, by the Content-Length of the registry's response. */
function sizeOf({ request, response }: Exchange): number | undefined {
  if (request?.method !== 'GET' || response?.status !== 200 || !REPOSITORY.test(request.target ?? '')) return undefined;
  const length = fieldValue(response.fields, 'content-length') ?? '';
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

/** distribution-spec, "Endpoints". */
export const REPOSITORY = /^\/v2\/([^?]+?)\/(?:manifests|blobs|tags|referrers)\//;

/** @param body of the request. That a release failed is a problem. */
export function describeRelease(message: Draft, body: Body | null): void {
  const { resource, name } = message;
  if (body === null || name === undefined || !keepsRelease(resource, name)) return;
  message.release = releaseOf(body.read().bytes, body.contentType, name);
  if (message.release?.status !== 'failed') return;
  const { name: release, revision, status } = message.release;
  message.problems = [{ of: `release ${release}, revision ${revision}`, state: status, reason: '' }];
}

const MAKES = new Set(['create', 'update', 'patch']);
