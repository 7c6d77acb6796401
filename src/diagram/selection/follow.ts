// From a root along its causes: which messages tell the story of some objects, and why each of the others does not.
// Knows causes and identities; every message gets exactly one fate.

import { type FollowedName, isCustomGroup } from '../../kubernetes/api/kinds.js';
import type { K8sEventInfo, Message } from '../../kubernetes/messages/message.js';
import { placeOf } from '../../kubernetes/network/place-name.js';
import { evictionEvents, firstK8sEvents } from '../k8s-events.js';
import type { MessageIndex } from '../message-index.js';
import { isAsUsual, isGone } from '../notes/failed-requests.js';
import { WRITES } from '../verbs.js';
import { FollowedObjects } from './followed-objects.js';
import { isHandiwork, isPerson, noiseOf } from './noise.js';

export { WRITES } from '../verbs.js';

/** `null`: drawn; else the reason for which it is folded away. */
export type Dispositions = Map<Message, string | null>;

export const FOLDED_DELIVERED = 'delivered without reaction';
export const FOLDED_ELSEWHERE = 'about other objects';
export const FOLDED_WATCHES = 'other watches';
export const FOLDED_READS = 'reads without a cause';

/** What clients of people wrote; where they wrote nothing, what they asked; the picture's roots without `--follow`. */
export function rootsOf(index: MessageIndex): { readonly roots: readonly FollowedName[]; readonly asked: boolean } {
  const roots = new Map<string, FollowedName>();
  const collect = (wanted: (request: Message) => boolean): void => {
    for (const { request, response } of index.exchanges.values()) {
      if (request === undefined || !isPerson(request.from) || !wanted(request)) continue;
      const name = request.name ?? response?.object?.name ?? undefined;
      if (request.resource === undefined || name === undefined) continue;
      if (noiseOf(request, request) !== null && !isHandiwork(request)) continue;
      const root = {
        resource: request.resource,
        group: request.apiGroup ?? null,
        name,
        namespace: request.namespace ?? null,
      };
      roots.set(`${root.resource} ${root.group} ${root.namespace} ${root.name}`, root);
    }
  };
  collect((request) => WRITES.has(request.verb ?? '') && request.subresource !== 'token');
  if (roots.size > 0) return { roots: [...roots.values()], asked: false };
  collect(() => true);
  return { roots: [...roots.values()], asked: true };
}

export interface FollowOptions {
  /** What people sent is drawn whatever it is about: what they wrote or failed at; where they wrote nothing, everything. */
  readonly people: 'nothing' | 'writes' | 'everything';
}

export function follow(index: MessageIndex, roots: readonly FollowedName[], options: FollowOptions): Dispositions {
  const tracked = new FollowedObjects(index, roots);
  const reports: Reports = { first: firstK8sEvents(index), ofEvictions: evictionEvents(index) };
  const fates: Dispositions = new Map();
  const drawExchange = (request: Message): void => {
    const exchange = index.exchangeOf(request);
    fates.set(request, null);
    if (exchange.response !== undefined) fates.set(exchange.response, null);
  };

  /** Requests that are drawn: what the API server asks others for them is drawn too. */
  const drawn = new Set<number>();
  for (const { request, response } of index.exchanges.values()) {
    if (request === undefined) {
      if (response !== undefined && tracked.isAbout(response)) fates.set(response, null);
    } else if (isAskedFor(request, drawn) || isDrawn(request, response, tracked, options, reports)) {
      drawExchange(request);
      drawn.add(request.seq);
    }
  }

  // An event is drawn where somebody acted on it: its receiver sent a request that is drawn.
  const causes = new Set<number>();
  // What Pods become is told in their own story, but it is why a Service's endpoints change; and a claim why a Pod gets a node,
  // a class why a claim gets a volume, what a custom resource refers to why something is done to it, and for its sake.
  const causesElsewhere = new Set<number>();
  for (const [message, fate] of fates) {
    if (fate !== null || message.causedBy === undefined || message.verb === 'watch') continue;
    causes.add(message.causedBy);
    if (message.kind === 'request' && waitsForOthers(message)) causesElsewhere.add(message.causedBy);
  }
  const creates = createsIn(index);
  const telling = new Set<number>();
  for (const message of index.messages) {
    if (message.kind !== 'event' && message.kind !== 'data') continue;
    if (message.kind === 'data') {
      if (fates.get(index.requestOf(message) ?? message) === null) fates.set(message, null);
      continue;
    }
    const heardByPerson = isPerson(message.to) && tracked.isAbout(message) && message.initial !== true;
    const failed =
      message.type === 'ERROR' && (isPerson(message.to) || fates.get(index.requestOf(message) ?? message) === null);
    const acted =
      causes.has(message.seq) &&
      (causesElsewhere.has(message.seq) || tracked.isAbout(message) || tracked.isMissing(message));
    const waits = isActedOnUnseen(message) || isAwaited(message, creates, index);
    if (acted || (waits && tracked.isAbout(message)) || heardByPerson || failed) {
      fates.set(message, null);
      telling.add(message.exchange);
      // A person changed something else, and this one was waiting for that.
      const write = causesElsewhere.has(message.seq) ? index.causeOf(message) : undefined;
      if (write?.kind === 'request' && isPerson(write.from)) drawExchange(write);
    }
  }
  for (const number of telling) {
    const exchange = index.exchanges.get(number);
    if (exchange?.request !== undefined) drawExchange(exchange.request);
    else if (exchange?.response !== undefined) fates.set(exchange.response, null);
  }

  for (const message of index.messages) if (!fates.has(message)) fates.set(message, reasonFor(message, index, tracked));
  return fates;
}

/** Requests. */
interface Reports {
  readonly first: ReadonlySet<Message>;
  readonly ofEvictions: ReadonlySet<Message>;
}

/** A webhook, an aggregated API server: asked because of a request that is drawn. */
function isAskedFor({ to, causedBy }: Message, drawn: ReadonlySet<number>): boolean {
  return to.tier === 'extensions' && causedBy !== undefined && drawn.has(causedBy);
}

function isDrawn(
  request: Message,
  response: Message | undefined,
  tracked: FollowedObjects,
  options: FollowOptions,
  reports: Reports,
): boolean {
  const failed =
    response === undefined ||
    (response.status ?? 0) >= 400 ||
    // A webhook that could not convert something says so with 200.
    (request.object?.kind === 'ConversionReview' && response.statusMessage !== undefined) ||
    ((response.grpcStatus ?? 0) > 0 && !isGone(request, response));
  if (options.people !== 'nothing' && isHandiwork(request)) return true;
  // A report is noise unless it tells what went wrong, for the first time.
  const k8sEvent = request.k8sEvent ?? response?.k8sEvent;
  if (k8sEvent !== undefined && !reports.first.has(request)) return false;
  if (tracked.isLackingIn(request) || tracked.isLackingIn(response)) return true;
  if (k8sEvent !== undefined)
    return tracked.isReportedBy(k8sEvent) && (isTelling(k8sEvent) || reports.ofEvictions.has(request));
  if (response?.problems !== undefined && tracked.isAbout(request)) return true;
  const isNoise = isAsUsual(request, response);
  if (isPerson(request.from) && request.resource !== undefined) {
    if (options.people === 'everything' && !isNoise) return true;
    const wanted = failed || WRITES.has(request.verb ?? '');
    if (options.people === 'writes' && wanted && !isNoise) return true;
  } else if (isPerson(request.from) && failed && options.people !== 'nothing' && response !== undefined) {
    return !isNoise;
  }
  // Who asks for the layer of the Pod network wants to see it.
  if (request.resource === undefined && options.people !== 'nothing' && isBetweenPlaces(request)) return !isNoise;
  if (tracked.isCauseOf(request, response)) return true;
  // What was missing is made, what kept a Namespace is taken away: why it goes on.
  if (WRITES.has(request.verb ?? '')) {
    if (tracked.isMissing(request) || (isPerson(request.from) && tracked.isInGoing(request))) return true;
  }
  if (!tracked.isAbout(request)) return false;
  if (request.verb === 'watch') return isPerson(request.from) || (failed && response !== undefined);
  if (failed || isPerson(request.from)) return true;
  if (noiseOf(request, request) !== null) {
    if (!WRITES.has(request.verb ?? '') || request.subresource === 'token') return false;
    // Who changed something of a node, or needs one, did not ask for its heartbeats; who asks for the node did.
    if ((options.people !== 'nothing' || !tracked.hasHeartbeats) && isRoutine(request)) return false;
  }
  // Behind the API server's door every call that is no noise is an act: keeping it, running it.
  if (request.protocol !== 'kubernetes') return true;
  return WRITES.has(request.verb ?? '') || request.causedBy !== undefined;
}

function waitsForOthers({ resource, subresource, apiGroup, appliedFor }: Message): boolean {
  if (appliedFor !== undefined || isCustomGroup(apiGroup ?? '')) return true;
  return BEHIND_SERVICES.has(resource ?? '') || subresource === 'binding' || resource === 'persistentvolumeclaims';
}

/** Is it a request that changes something, and was answered, not refused? */
export function isCarriedOut(message: Message, index: MessageIndex): boolean {
  if (message.kind !== 'request' || message.dryRun === true || !WRITES.has(message.verb ?? '')) return false;
  return succeeded(index.exchangeOf(message).response);
}

/** Answered, and not refused. Of an answer whose head could not be read, nobody knows: then as most are. */
export function succeeded(response: Message | undefined): boolean {
  return response !== undefined && (response.status ?? 0) < 300;
}

/** A heartbeat: made by the clock, and it tells of nothing wrong. */
function isRoutine({ verb, causedBy, problems }: Message): boolean {
  return (verb === 'update' || verb === 'patch') && causedBy === undefined && problems === undefined;
}

function isTelling({ type, reason }: K8sEventInfo): boolean {
  return type !== 'Normal' || WHY.has(reason);
}

function isBetweenPlaces({ protocol, from, to }: Message): boolean {
  return (protocol === 'http' || protocol === 'grpc') && (placeOf(from) !== null || placeOf(to) !== null);
}

/** kube-proxy answers with rules of its own node, which no capture shows. */
function isActedOnUnseen({ to, object, initial }: Message): boolean {
  return to.component === 'kube-proxy' && initial !== true && PROXIED.has(object?.kind ?? '');
}

/** Who made an object and then watches it alone waits for what others make of it: a kubelet for its certificate. */
function isAwaited(event: Message, creates: ReadonlyMap<string, Message>, index: MessageIndex): boolean {
  const create = creates.get(event.object?.uid ?? '');
  if (event.initial === true || create?.from.id !== event.to.id) return false;
  const watch = index.requestOf(event);
  if (watch?.verb !== 'watch' || watch.name === undefined || watch.seq < create.seq) return false;
  return (index.causeOf(event)?.from.id ?? event.to.id) !== event.to.id;
}

/** By uid of what they made. */
function createsIn(index: MessageIndex): ReadonlyMap<string, Message> {
  const creates = new Map<string, Message>();
  for (const { request, response } of index.exchanges.values()) {
    const uid = response?.object?.uid;
    if (request?.verb === 'create' && request.subresource === undefined && uid != null) creates.set(uid, request);
  }
  return creates;
}

function reasonFor(message: Message, index: MessageIndex, tracked: FollowedObjects): string {
  const request = index.requestOf(message);
  const noise = noiseOf(message, request);
  if (noise !== null) return noise;
  if (message.kind === 'event') return tracked.isAbout(message) ? FOLDED_DELIVERED : FOLDED_ELSEWHERE;
  if (
    request?.verb === 'watch' ||
    (request === undefined && message.kind === 'response' && message.object === undefined)
  ) {
    return FOLDED_WATCHES;
  }
  return tracked.isAbout(message) ? FOLDED_READS : FOLDED_ELSEWHERE;
}

/**
 * Of type Normal, and all the same why a Pod has to go (pkg/scheduler/framework/preemption, pkg/controller/tainteviction), or its
 * node (karpenter, pkg/controllers/disruption/events), or
 * what is waited for: a volume that nobody makes, an external program that is to make or resize it, a Pod that still has it
 * (pkg/controller/volume, external-resizer), a Job that is not over (pkg/controller/cronjob), a device (dynamicresources), a
 * node that the cluster-autoscaler orders or not, or karpenter.
 */
const WHY = new Set([
  ...['Preempted', 'TaintManagerEviction', 'DisruptionTerminating'],
  ...['FailedBinding', 'ExternalProvisioning', 'ExternalExpanding', 'FileSystemResizeRequired', 'VolumeDelete'],
  ...['JobAlreadyActive', 'BindingConditionsPending', 'TriggeredScaleUp', 'NotTriggerScaleUp', 'Nominated'],
]);
/** Resources that tell which Pods a Service has. */
export const BEHIND_SERVICES: ReadonlySet<string> = new Set(['endpointslices', 'endpoints']);
const PROXIED = new Set(['Service', 'EndpointSlice']);
