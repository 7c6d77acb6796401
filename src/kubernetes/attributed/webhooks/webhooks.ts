// Relates calls to webhooks to the write that waits for their verdict, and describes verdicts and conversions. Reads and watches need
// conversions, too, so that a conversion has no cause.

import { fieldValue } from '../../../core/fields.js';
import type { Body } from '../../../http/exchange-event.js';
import type { RequestHead } from '../../../http/http-event.js';
import type { Endpoint } from '../../../packet/segment.js';
import { shownNames } from '../../../redaction/names.js';
import type { Redaction, RequestedResource, ShownValue } from '../../../redaction/redaction.js';
import { EMPTY, sentence } from '../../../redaction/shown.js';
import { resourceOfKind } from '../../api/kinds.js';
import { objectKey } from '../../api/object-ref.js';
import { WEBHOOK } from '../../api/server-roles.js';
import type { Draft } from '../../messages/draft.js';
import type { ExchangeContext } from '../../messages/exchange-context.js';
import type { PendingCause } from '../../messages/message.js';
import type { ObjectInfo } from '../../objects/object-info.js';
import { infer } from '../../observed/inference/concluded.js';
import { addressOf, placeOf } from '../../participants/hosts.js';
import { type ParticipantRecord, proven } from '../../participants/participant-record.js';
import type { ParticipantRegistry } from '../../placed/identity/participant-registry.js';
import type { Users } from '../../placed/identity/users/users.js';
import type { CausalityTracker } from '../causality.js';
import type { Write } from '../writes.js';
import { Configurations, WEBHOOK_CONFIGURATIONS } from './configurations.js';
import { type AdmissionReview, conversionOf, convertedIn, type PatchOperation, reviewOf, verdictOf } from './review.js';

export class Webhooks {
  readonly #configurations = new Configurations();
  readonly #causality: CausalityTracker;
  readonly #users: Users;
  readonly #redaction: Redaction;

  constructor(causality: CausalityTracker, users: Users, redaction: Redaction) {
    this.#causality = causality;
    this.#users = users;
    this.#redaction = redaction;
  }

  /** Learns webhooks from an object in a body or watch event. @param bytes borrowed. */
  learn({ kind }: ObjectInfo, bytes: Uint8Array, contentType: string): void {
    if (WEBHOOK_CONFIGURATIONS.has(kind)) this.#configurations.learn(bytes, contentType);
  }

  /** The participant that answers: named by its configuration, else by its address. */
  server(request: RequestHead, server: Endpoint, participants: ParticipantRegistry, frame: number): ParticipantRecord {
    const host = fieldValue(request.fields, 'host') ?? fieldValue(request.fields, ':authority') ?? '';
    const path = (request.target ?? '').replace(/\?.*$/, '');
    const name = this.#configurations.nameAt(host, path);
    const evidence = proven(`receives admission reviews on ${server.address} port ${server.port}`, frame);
    const shown = this.#redaction.name(name ?? (host === '' ? placeOf(server) : host.replace(/:443$/, '')));
    const place = { key: `${host} ${path}`, name: `${WEBHOOK} ${shown}`, address: addressOf(server) };
    return participants.extension({ component: WEBHOOK, ...place, evidence });
  }

  /** A request of the API server: the message gets the object that is judged, and the write that waits for the verdict. */
  observeRequest(context: ExchangeContext, message: Draft, body: Body | null): void {
    if (!isWebhook(context) || body === null) return;
    if (isConversion(message)) {
      this.#observeConversion(message, body);
      return;
    }
    const review = reviewOf(body.read().bytes, body.contentType);
    if (review === null) return;
    const { resource, group: apiGroup, version: apiVersion } = review;
    const [subresource, namespace, name] = [review.subresource, review.namespace, review.name].map(
      (text) => text || undefined,
    );
    context.reviewed = { resource, subresource, apiGroup, apiVersion, namespace, name };
    Object.assign(message, context.reviewed);
    const what = [review.operation, review.resource, review.name].join(' ').trimEnd();
    message.label = sentence`${message.label} - ${shownNames(what)}`;
    const { user } = review;
    if (user !== '') {
      message.user = user;
      message.userFrom = 'admission review';
    }
    const candidates = this.#candidates(review).filter((write) => mayBeOf(write, review));
    if (candidates.length > 1) context.cause = this.#writeAmong(candidates, review, context, message);
    if (candidates.length !== 1) return;
    const [{ seq, user: writer }] = candidates;
    context.cause = { seq, how: 'webhook', certain: true };
    this.#causality.traces.learn(message.traceparent, seq);
    if (user !== '' && writer != null) this.#users.reviewed(writer, user);
  }

  #observeConversion(message: Draft, body: Body): void {
    const conversion = conversionOf(body.read().bytes, body.contentType);
    if (conversion === null) return;
    message.apiGroup = conversion.group;
    message.apiVersion = conversion.version;
    const { kind } = conversion;
    // A review has only the kind.
    if (kind !== '') {
      message.resource = resourceOfKind(kind);
      infer(message, 'resource');
    }
    message.namespace = conversion.namespace;
    message.name = conversion.name;
    const what = conversion.count === 1 ? [kind, message.name ?? ''] : [`${conversion.count}`, kind];
    const words = ['CONVERT', ...what, 'to', conversion.version].filter((word) => word !== '').join(' ');
    message.label = sentence`${message.label} - ${shownNames(words)}`;
  }

  /** The verdict: allowed or not, converted or not, and why. */
  observeResponse(context: ExchangeContext, message: Draft, body: Body | null): void {
    if (!isWebhook(context) || body === null) return;
    if (isConversion(message)) {
      this.#converts(message, body);
      return;
    }
    const verdict = verdictOf(body.read().bytes, body.contentType);
    if (verdict === null) return;
    // The verdict may quote the judged object, of which the kind may not be known.
    const { reviewed } = context;
    const judged = reviewed?.resource ?? 'secrets';
    message.verdict = verdict.allowed ? (verdict.patches ? 'allowed with changes' : 'allowed') : 'denied';
    const what = verdict.allowed
      ? verdict.patches
        ? sentence`allowed, with changes`
        : sentence`allowed`
      : sentence`denied`;
    const why =
      verdict.message === '' || judged === 'secrets' ? EMPTY : sentence`: ${this.#redaction.text(verdict.message)}`;
    if (verdict.operations !== null) message.patch = shownPatch(verdict.operations, reviewed, this.#redaction);
    message.label = sentence`${message.label}, ${what}${why}`;
  }

  #converts(message: Draft, body: Body): void {
    const done = convertedIn(body.read().bytes, body.contentType);
    if (done === null) return;
    message.verdict = done.converted ? 'converted' : 'not converted';
    if (!done.converted) message.statusMessage = done.message;
    const why = done.message === '' ? EMPTY : sentence`: ${this.#redaction.text(done.message)}`;
    message.label = done.converted
      ? sentence`${message.label}, converted`
      : sentence`${message.label}, not converted${why}`;
  }

  /**
   * The write that waits for a verdict, where several like it do: the one with the review's trace, the one whose object got the
   * name in the review, else the first that this webhook was not called for.
   */
  #writeAmong(
    candidates: readonly Write[],
    { name }: AdmissionReview,
    { server }: ExchangeContext,
    { traceparent }: Draft,
  ): PendingCause {
    const next = candidates.find(({ reviewedBy }) => reviewedBy?.includes(server.id) !== true) ?? candidates[0];
    next.reviewedBy = [...(next.reviewedBy ?? []), server.id];
    const { traces } = this.#causality;
    const others = candidates.filter((one) => one !== next).map(({ seq }) => seq);
    return (deadlinePassed) => {
      const traced = traces.requestOf(traceparent);
      if (traced !== undefined) return { ...traced, how: 'webhook' };
      const named = name === '' ? undefined : candidates.find(({ chosenName }) => chosenName === name);
      if (named !== undefined) {
        traces.learn(traceparent, named.seq);
        return { seq: named.seq, how: 'webhook', certain: true };
      }
      const isDecided = traceparent === undefined && name === '';
      return isDecided || deadlinePassed ? { seq: next.seq, how: 'webhook', certain: false, others } : undefined;
    };
  }

  #candidates({ operation, resource, group, namespace, name }: AdmissionReview): readonly Write[] {
    const key = objectKey(resource, group, namespace, name);
    const found = this.#causality.pendingWrites({ key }, operation === 'CREATE');
    return found.filter((write) => write.deletes === (operation === 'DELETE'));
  }
}

/** A patch as bodies are shown: each value by the place that its path points to. */
function shownPatch(
  operations: readonly PatchOperation[],
  reviewed: RequestedResource | undefined,
  redaction: Redaction,
): readonly ShownValue[] | undefined {
  const shown = redaction.object(operations, reviewed ?? { resource: 'secrets' });
  return Array.isArray(shown) ? (shown as readonly ShownValue[]) : undefined;
}

/** Whether a review may be of a write, as far as user, name and owners of both are known. */
function mayBeOf({ user, generated }: Write, review: AdmissionReview): boolean {
  if (review.user !== '' && user?.known != null && user.known.name !== review.user) return false;
  if (generated === undefined || review.generateName === '') return true;
  return generated.generateName === review.generateName && generated.owners.join() === review.owners.join();
}

function isConversion({ object }: Draft): boolean {
  return object?.kind === 'ConversionReview';
}

export function isWebhook({ role }: Pick<ExchangeContext, 'role'>): boolean {
  return role.component === WEBHOOK;
}
