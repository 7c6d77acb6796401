// What of an HTTP exchange becomes a message, and with which fields and words: requests and responses, watch events,
// pieces of streams. Knows API requests and objects; when a message goes is outgoing.ts's, remote calls are rpc/'s.

import { fieldValue } from '../../core/fields.js';
import { notice } from '../../core/notice.js';
import type { Redaction } from '../../redaction/redaction.js';
import { sentence } from '../../redaction/shown.js';
import {
  contentTypeOf,
  failureReason,
  isDryRun,
  isOptions,
  isSafeToShow,
  retryAfter,
  warningsIn,
} from '../api/failure-text.js';
import { eventLabel, requestLabel, responseLabel } from '../api/labels.js';
import { type MissingObject, missingFrom, missingIn, missingName } from '../api/missing-objects.js';
import { plaintextError } from '../api/plaintext-errors.js';
import { watchEvent } from '../api/watch-event.js';
import type { CausalityTracker } from '../causality/causality.js';
import { Watches } from '../causality/watches.js';
import type { PodTermination } from '../causality/writes.js';
import { type ExchangeContext, latencyOf, observeResponse } from '../exchange-context.js';
import type { RpcClientIdentity } from '../grpc/client-identity.js';
import type { Aggregation } from '../hops/aggregation.js';
import { type ImagePulls, sizeOf } from '../hops/image-pulls.js';
import type { Proxies } from '../hops/proxies.js';
import type { RuntimeStreams } from '../hops/runtime-streams.js';
import { StreamingHops } from '../hops/streaming-hops.js';
import type { Webhooks } from '../hops/webhooks/webhooks.js';
import type { ParticipantRegistry } from '../identity/participant-registry.js';
import { UnidentifiedWatcher } from '../identity/unidentified-watchers.js';
import { describeUser, learnUser } from '../identity/users/describe-user.js';
import type { Users } from '../identity/users/users.js';
import type { Inference } from '../inference/inference.js';
import type { ObjectObserver } from '../objects/body-objects.js';
import { listedUids } from '../objects/listed-uids.js';
import { type BodyObject, objectField } from '../objects/object-info.js';
import { describeAppliedFor } from './describe-applied-for.js';
import { describeRelease } from './describe-release.js';
import { describeProgress } from './docker-progress.js';
import type { BodyPart, Draft } from './draft.js';
import type { MessageEmitter } from './message-emitter.js';
import { describePiece } from './stream-data.js';

/** What of the interpreter HTTP exchanges need. */
export interface HttpMessageDependencies {
  readonly emitter: MessageEmitter;
  readonly bodyObjects: ObjectObserver;
  readonly participants: ParticipantRegistry;
  readonly causality: CausalityTracker;
  readonly inference: Inference;
  readonly webhooks: Webhooks;
  readonly aggregation: Aggregation;
  readonly proxies: Proxies;
  readonly runtimeStreams: RuntimeStreams;
  readonly pulls: ImagePulls;
  readonly users: Users;
  readonly clients: RpcClientIdentity;
  /** No message is held for what comes later. */
  readonly live: boolean;
  readonly redaction: Redaction;
}

export class HttpMessageBuilder {
  readonly #host: HttpMessageDependencies;
  readonly #streams: StreamingHops;
  readonly #watches: Watches;
  #toldForgetting = false;

  constructor(host: HttpMessageDependencies) {
    this.#host = host;
    this.#streams = new StreamingHops(host.runtimeStreams);
    this.#watches = new Watches(host.causality.reflectors);
  }

  /** Notices: `kubernetes.undecodable`, `limit.decompressed`, `limit.correlation`. */
  feed(event: BodyPart, context: ExchangeContext): void {
    if (event.kind === 'request') this.#request(event, context);
    else if (event.kind === 'response') this.#response(event, context);
    else if (event.kind === 'item') this.#item(event, context);
    else if (event.kind === 'tunnel') this.#data(event, context, event.bytes.length);
    else if (event.kind === 'channel') describePiece(this.#data(event, context, event.size), event);
  }

  /** Its exchange is over: nothing of it is waited for any more. */
  over(context: ExchangeContext): void {
    this.#streams.over(context);
    this.#watches.over(context);
  }

  #request(event: BodyPart & { kind: 'request' }, context: ExchangeContext): void {
    const { emitter, causality, inference, webhooks, aggregation, proxies } = this.#host;
    const message = emitter.draft('request', event, context, context.client, context.server);
    const { request } = event.exchange;
    const { info } = context;
    const decoded = this.#host.bodyObjects.decoded(event);
    const bodyObjects = this.#host.bodyObjects.of(event, decoded, null, info);
    context.requestSeq = message.seq;
    context.requestEnd = event.last.time;
    message.method = request?.method ?? undefined;
    message.target = context.target;
    message.userAgent = context.userAgent;
    describeUser(message, context);
    if (bodyObjects !== null && !isOptions(bodyObjects.info.kind)) message.object = objectField(bodyObjects.info);
    this.#reports(message, context, bodyObjects);
    message.claims = bodyObjects?.claims;
    message.problems = this.#host.bodyObjects.statusProblems(event, info, bodyObjects);
    if (decoded !== null) describeAppliedFor(message, info, decoded.bytes, event.body?.contentType ?? '');
    if (info !== null) {
      // A create names its object only in its body (k8s.io/apiserver endpoints/handlers/create.go).
      const created = info.verb === 'create' && info.name === undefined ? bodyObjects?.info.name : undefined;
      message.verb = info.verb;
      if (MAY_BE_DRY.has(info.verb) && isDryRun(context.target ?? '', DELETES.has(info.verb) ? event.body : null))
        message.dryRun = true;
      message.apiGroup = info.apiGroup;
      message.apiVersion = info.apiVersion;
      message.resource = info.resource;
      message.subresource = info.subresource;
      message.namespace = info.namespace;
      message.name = info.name ?? created;
    }
    const { method } = message;
    const named = info === null ? context.runtimeStream?.pod : info.name === undefined ? message.name : undefined;
    message.label =
      method === undefined || context.target === undefined
        ? sentence`[REQ] (not captured)`
        : requestLabel(method, context.target, named);
    if (context.late !== null) inference.asked(context, context.late, message, event);
    if (context.forwarded !== undefined) message.causedBy = context.forwarded;
    else if (context.info !== null) {
      causality.asked(context, message, bodyObjects);
      this.#watches.asked(context, message);
      aggregation.asked(context, message, request);
    }
    if (context.role.protocol === 'kubernetes') proxies.asked(context, request);
    this.#streams.asked(context, message, request?.target ?? undefined);
    this.#host.pulls.requested(context, message, request?.target ?? undefined);
    describeRelease(message, event.body);
    webhooks.asked(context, message, event.body);
    this.#push(message, context);
  }

  #response(event: BodyPart & { kind: 'response' }, context: ExchangeContext): void {
    const { emitter, causality, inference, webhooks, participants } = this.#host;
    const message = emitter.draft('response', event, context, context.server, context.client);
    const { request, response } = event.exchange;
    const isUnasked = request === null && event.body === null;
    // What has a length is no watch: it answers a HEAD request, or its body was lost.
    const hasNone = isUnasked && fieldValue(response?.fields ?? [], 'content-length') === undefined;
    const watch = context.info?.verb === 'watch' || hasNone;
    message.status = response?.status ?? undefined;
    const auditId = response === null ? undefined : fieldValue(response.fields, 'audit-id');
    if (auditId !== undefined) message.auditId = auditId;
    if (context.requestSeq !== undefined) {
      message.latencyMs = latencyOf(context, event.first);
      message.causedBy = context.requestSeq;
    }
    // The answer to a delete may still have what is gone.
    const tells = context.role.protocol === 'kubernetes' && !DELETES.has(context.info?.verb ?? '');
    const decoded = this.#host.bodyObjects.decoded(event);
    const frame = tells ? event.last.frame : null;
    const bodyObjects = this.#host.bodyObjects.of(event, decoded, frame, null, context.info?.verb === 'create');
    if (bodyObjects !== null) {
      message.object = objectField(bodyObjects.info);
      message.claims = bodyObjects.claims;
      if (bodyObjects.status !== undefined) {
        message.reason = bodyObjects.status.reason;
        const said = failureReason(bodyObjects.status, context, event.body);
        if (said !== undefined) {
          message.statusMessage = said;
          message.missing = namesOf(missingFrom(said, context.info));
        }
      }
      // Who repeats an Event says only how often.
      if (REPEATS.has(context.info?.verb ?? '')) this.#reports(message, context, bodyObjects);
    }
    if (context.user !== null) learnUser(this.#host.users, context, event.body, bodyObjects, message.status ?? 0);
    describeUser(message, context);
    message.problems = this.#host.bodyObjects.statusProblems(event, context.info, bodyObjects);
    message.statusMessage ??= plaintextError(response, context, event.body) ?? retryAfter(response);
    const warnings = warningsIn(response, context);
    if (warnings.length > 0) message.warnings = warnings;
    const isPartial = context.role.protocol === 'kubernetes' && (response?.partial.length ?? 0) > 0;
    if (context.late !== null || isPartial) inference.answered(context, message, event);
    observeResponse(context, message.status, participants, event.last.frame);
    if (context.late !== null) causality.concluded(context);
    message.label = responseLabel(message.status ?? null, watch || context.info?.watch === true);
    if (context.role.protocol === 'registry') message.bytes = sizeOf(event.exchange);
    webhooks.answered(context, message, event.body);
    // A kubelet answers when the stream to its runtime is open.
    if (context.role.protocol === 'kubelet') this.#host.runtimeStreams.over(context);
    this.#watches.answered(context, message);
    causality.answered(context, message.status ?? null, bodyObjects, decoded?.complete === true);
    if (decoded !== null && context.info?.verb === 'deletecollection')
      causality.swept(context, listedUids(decoded.bytes, event.body?.contentType ?? ''));
    this.#push(message, context);
  }

  #item(event: BodyPart & { kind: 'item' }, context: ExchangeContext): void {
    const { emitter, inference } = this.#host;
    const contentType = contentTypeOf(event.exchange, event.bytes);
    const decoded = event.complete ? watchEvent(event.bytes, contentType) : null;
    if (event.from === 'client' || (decoded === null && context.role.protocol !== 'kubernetes')) {
      const message = this.#data(event, context, event.bytes.length);
      if (context.role.protocol === 'docker' && event.complete)
        describeProgress(message, event.bytes, this.#host.redaction);
      return;
    }
    const message = emitter.draft('event', event, context, context.server, context.client);
    if (decoded === null) {
      message.label = sentence`[RESP-CHUNK] (not decoded)`;
      message.complete = false;
      const where = { origin: event.last, connection: message.connection };
      const why = event.complete ? 'bytes of a watch event that are none' : 'a watch event of which bytes are missing';
      this.#push(message, context);
      emitter.emitNotice(notice('kubernetes.undecodable', `${why} (${event.bytes.length} bytes)`, where));
      return;
    }
    message.type = decoded.type;
    if (decoded.object !== null) message.object = objectField(decoded.object);
    message.claims = this.#host.bodyObjects.watched(decoded, event.last.frame);
    if (decoded.k8sEvent !== undefined) message.k8sEvent = decoded.k8sEvent;
    if (decoded.status !== undefined) {
      message.reason = decoded.status.reason;
      if (isSafeToShow(decoded.status, context)) message.statusMessage = decoded.status.message;
    }
    if (context.initial) {
      message.initial = true;
      if (decoded.initialEventsEnd) context.initial = false;
    }
    message.label = eventLabel(decoded.type, decoded.object, decoded.status?.reason);
    if (context.pendingInference !== null) inference.streamed(context, decoded);
    if (decoded.object !== null && context.client instanceof UnidentifiedWatcher)
      context.client.receives(decoded.object.kind);
    this.#host.clients.heard(message, context);
    this.#watches.answered(context, message);
    const hasEnded = decoded.type === 'MODIFIED' && this.#host.bodyObjects.hasEnded(decoded.object);
    this.#hear(message, context, { hasEnded, gracePeriod: decoded.object?.deletionGracePeriodSeconds });
  }

  /** @param settle tries to complete the message; null: nothing more is to come. What was concluded of it is told when it goes. */
  #push(message: Draft, context: ExchangeContext, settle: ((final: boolean) => boolean) | null = null): void {
    const { emitter, inference } = this.#host;
    emitter.emit(message, context.isAnonymous ? inference.hold(message, context, settle) : settle);
  }

  /** An event waits, within bounds, for the answer that tells which write made it. */
  #hear(message: Draft, context: ExchangeContext, ending: PodTermination): void {
    const { causality, live, emitter } = this.#host;
    const settle = causality.delivered(message, context, ending, live);
    this.#push(message, context, settle);
    if (causality.forgotten > 0 && !this.#toldForgetting) {
      this.#toldForgetting = true;
      const detail = 'causes of the objects seen longest ago are not followed any more';
      emitter.emitNotice(notice('limit.correlation', detail));
    }
  }

  #data(event: BodyPart & { from: 'client' | 'server' }, context: ExchangeContext, bytes: number): Draft {
    const fromClient = event.from === 'client';
    const message = this.#host.emitter.draft(
      'data',
      event,
      context,
      fromClient ? context.client : context.server,
      fromClient ? context.server : context.client,
    );
    message.bytes = bytes;
    message.label = sentence`[DATA] ${bytes} bytes`;
    message.causedBy = context.requestSeq;
    this.#push(message, context);
    return message;
  }

  /** What an Event says of another object, and that it lacks others. */
  #reports(message: Draft, context: ExchangeContext, bodyObjects: BodyObject | null): void {
    if (bodyObjects?.k8sEvent === undefined) return;
    const { k8sEvent } = bodyObjects;
    const missing = missingIn(k8sEvent.message, k8sEvent.namespace);
    message.k8sEvent = k8sEvent;
    message.missing = namesOf(missing);
    this.#host.causality.reports(context, k8sEvent, missing, message.seq);
  }
}

function namesOf(missing: readonly MissingObject[]): Draft['missing'] {
  return missing.length === 0 ? undefined : missing.map(missingName);
}

const REPEATS = new Set(['patch', 'update']);
const DELETES = new Set(['delete', 'deletecollection']);
const MAY_BE_DRY = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
