// Follows objects from their first request along causes: decides which messages tell their story, and why each of the
// others does not.

import { type FollowedName, isCustomGroup } from '../../kubernetes/api/kinds.js';
import { objectKey } from '../../kubernetes/api/object-ref.js';
import { requestOf } from '../../kubernetes/emitted/message-links.js';
import type { K8sEventInfo, Message } from '../../kubernetes/messages/message.js';
import { placeOf } from '../../kubernetes/participants/place-name.js';
import type { Dispositions, FoldReason } from '../disposition.js';
import { evictionEvents, firstK8sEvents } from '../k8s-events.js';
import { indexMessages, type MessageIndex } from '../message-index.js';
import { isAsUsual, isGone } from '../notes/failed-requests.js';
import type { TrafficFacts } from '../remainder.js';
import { WRITES } from '../verbs.js';
import { FollowedObjects } from './followed-objects.js';
import { isManualChange, isPerson, noiseOf } from './noise.js';

export { WRITES } from '../verbs.js';

/** Objects that are followed, each with the first request for it. */
export class Roots {
  readonly #known = new Set<string>();
  readonly requests = new Map<FollowedName, Message>();

  /** Remembers the object of a request, if one is named; of a create, its response may have the name. */
  add(request: Message, response: Message | undefined): void {
    const name = request.name ?? response?.object?.name ?? undefined;
    if (request.resource === undefined || name === undefined) return;
    const root = {
      resource: request.resource,
      group: request.apiGroup ?? null,
      name,
      namespace: request.namespace ?? null,
    };
    const key = objectKey(root.resource, root.group, root.namespace, root.name);
    if (this.#known.has(key)) return;
    this.#known.add(key);
    this.requests.set(root, request);
  }
}

/** Objects that people wrote, or, if they wrote none, that they read: the roots of a diagram without `--follow`. */
export function rootsOf(index: MessageIndex): {
  readonly roots: readonly FollowedName[];
  /** The first request for each. */
  readonly requests: ReadonlyMap<FollowedName, Message>;
  readonly isReadOnly: boolean;
} {
  const found = new Roots();
  const collect = (wanted: (request: Message) => boolean): void => {
    for (const { request, response } of index.exchanges.values()) {
      if (request === undefined || !isPerson(request.from) || !wanted(request)) continue;
      if (noiseOf(request, request) !== null && !isManualChange(request)) continue;
      found.add(request, response);
    }
  };
  collect((request) => WRITES.has(request.verb ?? '') && request.subresource !== 'token');
  const isReadOnly = found.requests.size === 0;
  if (isReadOnly) collect(() => true);
  return { roots: [...found.requests.keys()], requests: found.requests, isReadOnly };
}

export interface FollowOptions {
  /** Requests of people that are drawn, whatever they are about: writes and failures, or everything if they wrote nothing. */
  readonly people: 'nothing' | 'writes' | 'everything';
}

export function follow(index: MessageIndex, roots: readonly FollowedName[], options: FollowOptions): Dispositions {
  const followed = new FollowedObjects(index, roots);
  const k8sEvents: K8sEvents = { first: index.once(firstK8sEvents), ofEvictions: index.once(evictionEvents) };
  const dispositions: Dispositions = new Map();
  const drawExchange = (request: Message): void => {
    const exchange = index.exchangeOf(request);
    dispositions.set(request, 'drawn');
    if (exchange.response !== undefined) dispositions.set(exchange.response, 'drawn');
  };

  /** `seq` of drawn requests: requests that the API server sends because of them are drawn too. */
  const drawn = new Set<number>();
  for (const { request, response } of index.exchanges.values()) {
    if (request === undefined) {
      if (response !== undefined && followed.isAbout(response)) dispositions.set(response, 'drawn');
    } else if (isSubrequest(request, drawn) || isDrawn(request, response, followed, options, k8sEvents)) {
      drawExchange(request);
      drawn.add(request.seq);
    }
  }

  // An event is drawn if it triggered a request that is drawn.
  const causes = new Set<number>();
  // Events about other objects that explain a request: Pods for the endpoints of a Service, a claim for the binding of a Pod,
  // a class for the volume of a claim, a referenced object for a custom resource.
  const causesElsewhere = new Set<number>();
  for (const [message, disposition] of dispositions) {
    if (disposition !== 'drawn' || message.causedBy === undefined || message.verb === 'watch') continue;
    causes.add(message.causedBy);
    if (message.kind === 'request' && waitsForOthers(message)) causesElsewhere.add(message.causedBy);
  }
  const creates = index.once(createsIn);
  const shownExchanges = new Set<number>();
  for (const message of index.messages) {
    if (message.kind !== 'event' && message.kind !== 'data') continue;
    if (message.kind === 'data') {
      if (dispositions.get(requestOf(message) ?? message) === 'drawn') dispositions.set(message, 'drawn');
      continue;
    }
    const receivedByPerson = isPerson(message.to) && followed.isAbout(message) && message.initial !== true;
    const failed =
      message.type === 'ERROR' && (isPerson(message.to) || dispositions.get(requestOf(message) ?? message) === 'drawn');
    const acted =
      causes.has(message.seq) &&
      (causesElsewhere.has(message.seq) || followed.isAbout(message) || followed.isMissing(message));
    const waits = isActedOnUnseen(message) || isAwaited(message, creates, index);
    if (acted || (waits && followed.isAbout(message)) || receivedByPerson || failed) {
      dispositions.set(message, 'drawn');
      shownExchanges.add(message.exchange);
      // A person's change of another object for which this one waited.
      const write = causesElsewhere.has(message.seq) ? index.causeOf(message) : undefined;
      if (write?.kind === 'request' && isPerson(write.from)) drawExchange(write);
    }
  }
  for (const number of shownExchanges) {
    const exchange = index.exchanges.get(number);
    if (exchange?.request !== undefined) drawExchange(exchange.request);
    else if (exchange?.response !== undefined) dispositions.set(exchange.response, 'drawn');
  }

  for (const message of index.messages)
    if (!dispositions.has(message))
      dispositions.set(
        message,
        reasonFor(message, requestOf(message), () => followed.isAbout(message)),
      );
  return dispositions;
}

interface K8sEvents {
  readonly first: ReadonlySet<Message>;
  readonly ofEvictions: ReadonlySet<Message>;
}

/** Is it a call of a webhook or an aggregated API server because of a drawn request? */
function isSubrequest({ to, causedBy }: Message, drawn: ReadonlySet<number>): boolean {
  return to.tier === 'extensions' && causedBy !== undefined && drawn.has(causedBy);
}

function isDrawn(
  request: Message,
  response: Message | undefined,
  followed: FollowedObjects,
  options: FollowOptions,
  k8sEvents: K8sEvents,
): boolean {
  const failed =
    response === undefined ||
    (response.status ?? 0) >= 400 ||
    // A conversion webhook reports failure with status 200.
    (request.object?.kind === 'ConversionReview' && response.statusMessage !== undefined) ||
    ((response.grpcStatus ?? 0) > 0 && !isGone(request, response));
  if (options.people !== 'nothing' && isManualChange(request)) return true;
  // A Kubernetes Event is noise unless it reports a problem for the first time.
  const k8sEvent = request.k8sEvent ?? response?.k8sEvent;
  if (k8sEvent !== undefined && !k8sEvents.first.has(request)) return false;
  if (followed.reportsMissing(request) || followed.reportsMissing(response)) return true;
  if (k8sEvent !== undefined)
    return followed.isReportedBy(k8sEvent) && (isSignificant(k8sEvent) || k8sEvents.ofEvictions.has(request));
  if (response?.problems !== undefined && followed.isAbout(request)) return true;
  const isNoise = isAsUsual(request, response);
  if (isPerson(request.from) && request.resource !== undefined) {
    if (options.people === 'everything' && !isNoise) return true;
    const wanted = failed || WRITES.has(request.verb ?? '');
    if (options.people === 'writes' && wanted && !isNoise) return true;
  } else if (isPerson(request.from) && failed && options.people !== 'nothing' && response !== undefined) {
    return !isNoise;
  }
  // Traffic between workloads is drawn if its layer is.
  if (request.resource === undefined && options.people !== 'nothing' && isBetweenPlaces(request)) return !isNoise;
  if (followed.isCauseOf(request, response)) return true;
  // Creation of a missing object and deletion of the content of a Namespace explain why the story continues.
  if (WRITES.has(request.verb ?? '')) {
    if (followed.isMissing(request) || (isPerson(request.from) && followed.isInTerminatingNamespace(request)))
      return true;
  }
  if (!followed.isAbout(request)) return false;
  if (request.verb === 'watch') return isPerson(request.from) || (failed && response !== undefined);
  if (failed || isPerson(request.from)) return true;
  if (noiseOf(request, request) !== null) {
    if (!WRITES.has(request.verb ?? '') || request.subresource === 'token') return false;
    // Heartbeats belong to the story of a node only if the user follows the node.
    if ((options.people !== 'nothing' || !followed.hasHeartbeats) && isRoutine(request)) return false;
  }
  // In etcd and container runtimes, every call that is no noise counts as an action.
  if (request.protocol !== 'kubernetes') return true;
  return WRITES.has(request.verb ?? '') || request.causedBy !== undefined;
}

function waitsForOthers({ resource, subresource, apiGroup, appliedFor }: Message): boolean {
  if (appliedFor !== undefined || isCustomGroup(apiGroup ?? '')) return true;
  return BEHIND_SERVICES.has(resource ?? '') || subresource === 'binding' || resource === 'persistentvolumeclaims';
}

/** Is it a write that succeeded? */
export function isCarriedOut(message: Message, index: MessageIndex): boolean {
  if (message.kind !== 'request' || message.dryRun === true || !WRITES.has(message.verb ?? '')) return false;
  return succeeded(index.exchangeOf(message).response);
}

/** A response whose status is unknown counts as success, as most are. */
export function succeeded(response: Message | undefined): boolean {
  return response !== undefined && (response.status ?? 0) < 300;
}

/** Is it a periodic update that shows no problem? */
function isRoutine({ verb, causedBy, problems }: Message): boolean {
  return (verb === 'update' || verb === 'patch') && causedBy === undefined && problems === undefined;
}

function isSignificant({ type, reason }: K8sEventInfo): boolean {
  return type !== 'Normal' || WHY.has(reason);
}

function isBetweenPlaces({ protocol, from, to }: Message): boolean {
  return (protocol === 'http' || protocol === 'grpc') && (placeOf(from) !== null || placeOf(to) !== null);
}

/** kube-proxy reacts by changing rules of its node, which no capture shows. */
function isActedOnUnseen({ to, object, initial }: Message): boolean {
  return to.component === 'kube-proxy' && initial !== true && PROXIED.has(object?.kind ?? '');
}

/** A client that creates an object and watches it by name waits for changes of others: a kubelet for its certificate. */
function isAwaited(event: Message, creates: ReadonlyMap<string, Message>, index: MessageIndex): boolean {
  const create = creates.get(event.object?.uid ?? '');
  if (event.initial === true || create?.from.id !== event.to.id) return false;
  const watch = requestOf(event);
  if (watch?.verb !== 'watch' || watch.name === undefined || watch.seq < create.seq) return false;
  return (index.causeOf(event)?.from.id ?? event.to.id) !== event.to.id;
}

/** uid → request that created the object. */
function createsIn(index: MessageIndex): ReadonlyMap<string, Message> {
  const creates = new Map<string, Message>();
  for (const { request, response } of index.exchanges.values()) {
    const uid = response?.object?.uid;
    if (request?.verb === 'create' && request.subresource === undefined && uid != null) creates.set(uid, request);
  }
  return creates;
}

/** Why a message is not drawn. @param request of its exchange. @param isAbout is it about a followed object? */
export function reasonFor(message: Message, request: Message | undefined, isAbout: () => boolean): FoldReason {
  const noise = noiseOf(message, request);
  if (noise !== null) return noise;
  if (message.kind === 'event') return isAbout() ? 'no-reaction' : 'other-objects';
  if (
    request?.verb === 'watch' ||
    (request === undefined && message.kind === 'response' && message.object === undefined)
  ) {
    return 'other-watches';
  }
  return isAbout() ? 'reads-without-cause' : 'other-objects';
}

/**
 * Events of type Normal that explain a story: a Pod that must leave (pkg/scheduler/framework/preemption,
 * pkg/controller/tainteviction), or its node (karpenter, pkg/controllers/disruption/events); or what is awaited: a volume without
 * a provisioner, an external provisioner or resizer, a Pod that still uses the volume (pkg/controller/volume, external-resizer),
 * a Job that has not ended (pkg/controller/cronjob), a device (dynamicresources), a node of the cluster-autoscaler or karpenter.
 */
const WHY = new Set([
  ...['Preempted', 'TaintManagerEviction', 'DisruptionTerminating'],
  ...['FailedBinding', 'ExternalProvisioning', 'ExternalExpanding', 'FileSystemResizeRequired', 'VolumeDelete'],
  ...['JobAlreadyActive', 'BindingConditionsPending', 'TriggeredScaleUp', 'NotTriggerScaleUp', 'Nominated'],
]);
/** Resources with the Pods of a Service. */
export const BEHIND_SERVICES: ReadonlySet<string> = new Set(['endpointslices', 'endpoints']);
const PROXIED = new Set(['Service', 'EndpointSlice']);

/**
 * @param messages in the order of time; so is the result.
 * @param facts if messages were left out.
 * @returns also the requests of the watches whose events are included: without them, a reader takes the watches for older than
 * the capture.
 */
export function messagesAbout(messages: readonly Message[], followed: FollowedName, facts?: TrafficFacts): Message[] {
  const index = indexMessages(messages, facts);
  const about = new Set(messages.filter(isAboutIn(index, followed, follow(index, [followed], { people: 'nothing' }))));
  for (const message of about) {
    if (message.kind !== 'event') continue;
    const { request, response } = index.exchangeOf(message);
    for (const one of [request, response]) if (one !== undefined) about.add(one);
  }
  return messages.filter((message) => about.has(message));
}

/** @param dispositions of a diagram that follows the object. */
export function isAboutIn(
  index: MessageIndex,
  followed: FollowedName,
  dispositions: Dispositions,
): (message: Message) => boolean {
  const objects = new FollowedObjects(index, [followed]);
  return (message) => {
    const disposition = dispositions.get(message);
    if (disposition === 'drawn' || disposition === 'no-reaction') return true;
    return disposition === 'events' && (objects.isAbout(message) || objects.isReportedBy(k8sEventOf(message, index)));
  };
}

/** The Event is in the request or, where that only repeats it, in the response. */
function k8sEventOf(message: Message, index: MessageIndex): Message['k8sEvent'] {
  if (message.kind !== 'request' && message.kind !== 'response') return message.k8sEvent;
  const { request, response } = index.exchangeOf(message);
  return request?.k8sEvent ?? response?.k8sEvent;
}
