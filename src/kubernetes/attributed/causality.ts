// Relates requests and watch events to objects: what triggered a request, what it changes, and which write made an event.

import { flattenString } from '../../core/bytes/bytes.js';
import { memo } from '../../core/collections/memo.js';
import { resourceOfKind } from '../api/kinds.js';
import type { MissingObject } from '../api/missing-objects.js';
import { keyOfKind, type ObjectRef, objectKey } from '../api/object-ref.js';
import type { RequestInfo } from '../api/request-info.js';
import type { Draft } from '../messages/draft.js';
import { type ExchangeContext, ExchangeState } from '../messages/exchange-context.js';
import type { Cause, Participant, PendingCause } from '../messages/message.js';
import { type BodyObject, identityOf, type K8sEventInfo, type ObjectField, tellsKind } from '../objects/object-info.js';
import type { ParticipantRecord } from '../participants/participant-record.js';
import type { Tier } from '../participants/tiers.js';
import { ControllerTurns, controllerOf } from './controller-turns.js';
import { ANYTHING, type ControllerProfile, type ControllerRows, LEARNT } from './controllers.js';
import { type Delivery, transitionOf } from './deliveries.js';
import { ObjectStates } from './object-states.js';
import { OpenRequests, storeKeyOf } from './open-requests.js';
import { ReflectorTracker } from './reflectors.js';
import type { RelatedObjects } from './related-objects.js';
import { Traces } from './traces.js';
import { causeByTrigger, type TriggerCause, uncertainCause } from './trigger-cause.js';
import { queryOf } from './trigger-query.js';
import { SETTLED_MS, type Trigger } from './turns.js';
import { untriggeredBy } from './untriggered-requests.js';
import { WorkQueues } from './work-queues.js';
import { STAYS, WriteCorrelator } from './write-correlation.js';
import {
  type DeletionTransition,
  generatedIn,
  isSelective,
  isWrite,
  type PodTermination,
  type Write,
  writeOf,
} from './writes.js';

/** A request that is about an object, until its exchange ends. */
interface ObjectRequest {
  object: ObjectRef;
  /** What it changes; undefined: nothing, as far as is known. */
  write: Write | undefined;
  /** The watch event that triggered it. */
  cause: Cause | PendingCause | null;
  /** ns since the epoch: of a list or watch. */
  started?: bigint;
  /** What its response shows of that, once it came; undefined: nothing is waited for. */
  late?: { cause: Cause | null | undefined };
}

const REQUESTS = new ExchangeState<ObjectRequest>();

/** The participant id of receivers on a program's host that nothing identifies: HTTP/1.1 has a connection for each watch. */
type WatcherBeside = (program: ParticipantRecord) => number | undefined;

export class CausalityTracker {
  readonly reflectors = new ReflectorTracker();
  readonly openRequests = new OpenRequests();
  readonly traces = new Traces();
  /** The event that was observed last, and the write behind it. */
  #event: { readonly message: Draft; readonly cause: Cause | PendingCause | null } | null = null;
  readonly #states = new ObjectStates();
  readonly #causes = new WriteCorrelator(this.#states);
  readonly #queues: WorkQueues;
  readonly #turns: ControllerTurns;
  readonly #isKnown = (key: string): boolean => this.#causes.knows(key);
  readonly #relations: RelatedObjects;
  readonly #rows: ControllerRows;
  readonly #watcherBeside: WatcherBeside;

  constructor(relations: RelatedObjects, rows: ControllerRows, watcherBeside: WatcherBeside = () => undefined) {
    this.#relations = relations;
    this.#queues = new WorkQueues(this.#states, (key) => relations.namesIn(key));
    this.#turns = new ControllerTurns(this.#queues);
    this.#rows = rows;
    this.#watcherBeside = watcherBeside;
  }

  /** Objects whose causes are not followed any more. */
  get forgotten(): number {
    return this.#causes.forgotten;
  }

  causeOf(message: Draft, context: ExchangeContext): Cause | PendingCause | null {
    if (message.kind === 'request') return REQUESTS.of(context)?.cause ?? null;
    return message === this.#event?.message ? this.#event.cause : null;
  }

  /**
   * Relates a Kubernetes request to its object: what triggered it, and what it will change.
   * @param isShared whether requests of several programs come over its connection, so that no event can be named as the trigger.
   */
  observeRequest(context: ExchangeContext, message: Draft, carried: BodyObject | null, isShared = false): void {
    const { info } = context;
    if (info?.resource === undefined) {
      const turn = this.#turns.turnOfDiscovery(context, message);
      if (turn !== undefined)
        REQUESTS.set(context, {
          object: NAMELESS,
          write: undefined,
          cause: causeByTrigger(turn.trigger, false)?.cause ?? null,
        });
      return;
    }
    const name = message.name ?? '';
    if (info.resource === 'serviceaccounts' && context.client.component === 'kube-controller-manager')
      this.#turns.tokenRequested(name, Number(message.started) / 1e6);
    const k8sEvent = message.k8sEvent;
    const owners = carried === null ? undefined : ownersOf(carried.info, false);
    const key = objectKey(info.resource, info.apiGroup ?? '', info.namespace, name);
    this.traces.learn(message.traceparent, message.seq);
    this.openRequests.opened(context, storeKeyOf(info, name), message.seq, isWrite(info));
    const isOwnBody = carried !== null && info.subresource === undefined && carried.info.name === name;
    const { tier } = context.client;
    const component = controllerOf(context.client, info, k8sEvent, carried?.info.owners?.[0]?.kind);
    if (message.appliedFor !== undefined)
      message.appliedFor = this.#relations.isFor(key, component, message.appliedFor);
    const related = this.#relations.of(component, info, { key, name }, this.#isKnown);
    const object: ObjectRef = { key, uid: isOwnBody ? carried.info.uid : undefined, owners, related };
    const request: ObjectRequest = { object, write: undefined, cause: null };
    if (info.verb === 'list' || info.verb === 'watch') request.started = message.started;
    REQUESTS.set(context, request);
    // A Kubernetes Event is about the object that it reports on.
    const reportedOn = info.resource === 'events' ? this.#turns.reportedOn(key, k8sEvent) : undefined;
    const isReport = reportedOn !== undefined;
    const subject: ObjectRef = isReport
      ? { key: '', uid: reportedOn, related: this.#relations.ofReport(component, k8sEvent) }
      : object;
    const profile = this.#rows.isToLearn(component) ? LEARNT : this.#rows.profileOf(component);
    const outcome = component === 'kube-scheduler' ? this.#schedulingOutcome(info, object, message) : null;
    const untriggered = untriggeredBy({
      component,
      info,
      k8sEvent,
      // A person decides what to request next, whatever the program received; of a program that is not known, events that it answers tell.
      isPerson:
        tier === 'people' &&
        !(this.#rows.isOperator(component) && this.#queues.programs.hasReceived(context.client.process.ids)),
      isProxy: tier === 'proxies',
      isShared,
      isNameless: name === '' && !makesNode(info) && owners === undefined && related === undefined && !isReport,
      isPreempted: outcome === 'preempted',
    });
    const found =
      untriggered === undefined
        ? this.#triggerOf(context, message, info, component, subject, carried, isReport, profile)
        : undefined;
    request.cause = found?.cause ?? null;
    if (found === undefined && this.#turns.isUndecided(context)) request.cause = causeByResponse(request);
    const trigger = found?.delivery;
    if (outcome === 'unschedulable' && info.verb !== 'get') this.#causes.noteUnschedulable(object, message.seq);
    if (!isWrite(info) || k8sEvent !== undefined || message.dryRun === true) return;
    const write = writeOf(context, info, message.seq, trigger, generatedIn(carried));
    request.write = write;
    if (info.verb === 'deletecollection') this.#causes.collectionDeleteRequested(key, write, !isSelective(info));
    else if (name !== '') this.#causes.observeWrite(object, write);
    else this.#causes.observeNamelessWrite(key, write);
  }

  /** What triggered a request. @param object that it is about, or that its Kubernetes Event reports on. */
  #triggerOf(
    context: ExchangeContext,
    message: Draft,
    info: RequestInfo,
    controller: string,
    object: ObjectRef,
    carried: BodyObject | null,
    isReport: boolean,
    profile: ControllerProfile,
  ): TriggerCause | undefined {
    const { client } = context;
    if (makesNode(info)) return uncertainCause(this.#causes.causeOfNodeClaim(client.process.id));
    // A learnt row tells of keys alone, and a report may be about anything.
    const isAny = isReport && profile.queue.isLearnt === true;
    const own = isReport ? queryOf(client, isAny ? ANYTHING : profile) : queryOf(client, profile, info, carried);
    const { queue } = isReport && controller !== client.component ? this.#rows.profileOf(client.component) : profile;
    // What a program is known to watch reached it, though nothing shows over which of its host's connections.
    const beside = own.resources === null ? undefined : this.#watcherBeside(client.process);
    const query = beside === undefined ? own : { ...own, process: [...own.process, beside] };
    const causeOf = (trigger: Trigger | undefined, at: number, isCertain: boolean): TriggerCause | undefined => {
      const isReceived = beside === undefined || trigger?.delivery.receiver !== beside;
      if (trigger === undefined || (isReceived && client.tier !== 'people')) return causeByTrigger(trigger, isCertain);
      // Of what is not known to have reached it, or where it may be a person, only what would wake an idle worker at once.
      const { writer, time: deliveredAt } = trigger.delivery;
      const isOwn = writer === client.id && queue.isLearnt !== true;
      return isOwn || at - deliveredAt > SETTLED_MS ? undefined : causeByTrigger(trigger, false);
    };
    const reported = isReport ? this.#turns.turnOfReport(context, message, object, info.verb, queue) : null;
    // What an operator reports may be about anything.
    const isOfOperator = isReport && queue.isLearnt === true;
    const taken =
      reported !== null || isOfOperator
        ? reported
        : this.#turns.turnOf(context, message, object, controller, queue, query, info, (had) =>
            this.#causes.firstAfter(object, query, had),
          );
    if (taken !== null) {
      const { trigger, beganAt } = taken.turn;
      return causeOf(trigger, beganAt, taken.isCertain && controller === client.component);
    }
    const node = object.related?.evictedFrom;
    return node == null ? undefined : uncertainCause(this.#queues.changeOfDrained(node, query));
  }

  /** A program reports that an object depends on missing objects, or that no node fits a Pod. @param seq number of the message. */
  observeReport(
    { client }: ExchangeContext,
    { uid, reason }: K8sEventInfo,
    missing: readonly MissingObject[],
    seq: number,
  ): void {
    if (uid === '') return;
    if (client.component === 'kube-scheduler' && reason === 'FailedScheduling')
      this.#causes.noteUnschedulable({ key: '', uid }, seq);
    for (const { resource, apiGroup, namespace, name } of missing)
      this.#causes.observeMissing(
        uid,
        client.process.id,
        flattenString(objectKey(resource, apiGroup, namespace, name)),
      );
  }

  /** The response shows what a request changes. A forwarded request is the write of its first hop. */
  observeInferredRequest(context: ExchangeContext): void {
    const { info, requestSeq } = context;
    if (REQUESTS.of(context)?.write !== undefined || context.forwardedFrom !== undefined) return;
    if (info?.resource === undefined || info.name === undefined) return;
    if (requestSeq === undefined || !isWrite(info)) return;
    const object: ObjectRef = { key: objectKey(info.resource, info.apiGroup ?? '', info.namespace, info.name) };
    const write = writeOf(context, info, requestSeq);
    REQUESTS.set(context, { object, write, cause: null });
    this.#causes.observeWrite(object, write);
  }

  /**
   * What a scheduler's update of a Pod's status reports: a bound Pod is preempted; for another Pod no node fits, or its node is
   * announced before the binding, which is no problem (pkg/scheduler/schedule_one.go: handleSchedulingFailure, prepareForBindingCycle).
   */
  #schedulingOutcome(
    { resource, subresource }: RequestInfo,
    object: ObjectRef,
    { complete, problems }: Pick<Draft, 'complete' | 'problems'>,
  ): 'preempted' | 'unschedulable' | null {
    if (resource !== 'pods' || subresource !== 'status') return null;
    if (this.#causes.isBound(object)) return 'preempted';
    return complete && problems === undefined ? null : 'unschedulable';
  }

  /** A response to a write: the resourceVersion that the write made, or its failure. @param isWhole whether the body was captured whole. */
  observeResponse(
    context: ExchangeContext,
    status: number | null,
    carried: BodyObject | null,
    isWhole: boolean,
    at: bigint,
  ): void {
    const { info } = context;
    this.openRequests.closed(context);
    const ok = status !== null && status < 300;
    const { object, write, late, started } = REQUESTS.of(context) ?? NO_REQUEST;
    if (started !== undefined) this.#queues.programs.listed(context.client.id, Number(started) / 1e6, Number(at) / 1e6);
    // An object that is older than the capture: who owns it.
    if (ok && object !== undefined && write === undefined && info?.verb === 'get' && carried?.info.uid !== undefined)
      this.#states.of({ ...object, uid: carried.info.uid, owners: ownersOf(carried.info, isWhole && hasOwners(info)) });
    if (late !== undefined) late.cause = causeByTrigger(this.#turns.decide(context)?.trigger, false)?.cause ?? null;
    this.#turns.observeResponse(context, status ?? 0, at);
    if (object === undefined || write === undefined || info?.resource === undefined) return;
    if (ok && info.subresource === 'binding') this.#causes.observeBinding(object);
    write.creates = status === 201 && info.subresource === undefined;
    const made = carried === null || carried.info.kind === 'Status' ? undefined : carried.info;
    const version = made?.resourceVersion;
    const ref: ObjectRef | undefined =
      made === undefined || version === undefined || made.uid === undefined
        ? undefined
        : {
            key: object.key,
            uid: made.uid,
            resourceVersion: version,
            owners: ownersOf(made, isWhole && hasOwners(info)),
          };
    // The name of an object created with generateName is in the response.
    if (object.key.endsWith(' ') && made?.name !== undefined && write.deletes === false) {
      const named = objectKey(info.resource, info.apiGroup ?? '', info.namespace, made.name);
      write.chosenName = made.name;
      this.#causes.observeWrite({ ...object, key: named, uid: made.uid }, write);
      this.#causes.observeResponse({ ...object, key: named }, write, ok, ref);
    } else this.#causes.observeResponse(object, write, ok, ref);
  }

  exchangeEnded(context: ExchangeContext): void {
    this.openRequests.closed(context);
    this.#turns.exchangeEnded(context);
    const late = REQUESTS.of(context)?.late;
    if (late !== undefined) late.cause ??= null;
  }

  /** The response to a deletecollection lists the objects that it deletes. @param uids uids of the deleted objects. */
  observeCollectionDeleted(context: ExchangeContext, uids: readonly string[]): void {
    const write = REQUESTS.of(context)?.write;
    if (write?.state === 'done') this.#causes.collectionDeleted(write, uids);
  }

  /** Writes that the API server may be carrying out when it changes an object in its store. */
  pendingWrites(object: ObjectRef, creates: boolean): readonly Write[] {
    return this.#causes.carriedOut(object, creates);
  }

  /** The last event about an object that was delivered to a participant. */
  triggerOf(uid: string, participant: ParticipantRecord): Cause | null {
    const profile = this.#rows.profileOf(participant.component);
    const newest = this.#queues.newest({ key: '', uid }, queryOf(participant, profile), profile.queue);
    return uncertainCause(newest)?.cause ?? null;
  }

  /**
   * A watch event was delivered.
   * @param termination whether the Pod has terminated, and its grace period.
   * @param isFinal true: no later response will be waited for, so the write is decided now (live output).
   */
  observeEvent(message: Draft, context: ExchangeContext, termination: PodTermination, isFinal: boolean): void {
    this.#event = null;
    const info = message.object;
    const identity = info && identityOf(info);
    if (info == null || identity?.name == null || message.type === 'BOOKMARK' || message.type === 'ERROR') return;
    const object: ObjectRef = {
      key: keyOfEvent(context, { ...info, namespace: identity.namespace ?? null }, identity.name),
      uid: identity.uid ?? undefined,
      resourceVersion: info.resourceVersion ?? undefined,
      // A Table has its row's version and no owners.
      owners: ownersOf(info, info.row === undefined),
    };
    const resource = flatResource(context.info?.resource ?? resourceOfKind(info.kind));
    const version = Number(info.resourceVersion ?? 0);
    const deletion =
      info.deletionTimestamp === undefined ? STAYS : this.#causes.terminating(object, termination.gracePeriod === 0);
    const delivery: Delivery = {
      seq: message.seq,
      time: Number(message.time) / 1e6,
      receiver: context.client.process.id,
      writer: undefined,
      ofStatus: undefined,
      ofDelete: undefined,
      resource,
      version,
      transition: transitionOf(message.type, deletion.requested),
      source: this.reflectors.of(context),
    };
    const receiver = context.client.process;
    const resolve = (deadlinePassed: boolean) => this.#writeBehind(message, object, deletion, delivery, deadlinePassed);
    const cause = resolve(isFinal);
    this.#causes.observeDelivery(object, receiver.id, delivery, this.#relations.selecting(object.key));
    const isRemoval = message.type === 'DELETED' || termination.hasEnded;
    const keyForOperator = this.#rows.isOperator(receiver.component) ? flattenString(object.key) : undefined;
    this.#queues.delivered(delivery, receiver.id, identity.namespace ?? undefined, isRemoval, keyForOperator);
    if (message.type === 'DELETED' || (message.type === 'MODIFIED' && (deletion.requested || termination.hasEnded)))
      this.#childRemoved(object, receiver, delivery);
    if (message.type === 'DELETED') {
      const node = receiver.tier === 'scheduler' ? this.#relations.nodeOf(object.key) : undefined;
      if (node !== undefined) this.#causes.podLeftNode(node, receiver.id, delivery);
    }
    this.#event = { message, cause: cause === undefined ? resolve : cause };
  }

  /**
   * @returns the write that made the event; null: none; undefined: not decided yet, because a pending write's response may still have
   * this resourceVersion.
   */
  #writeBehind(
    message: Draft,
    object: ObjectRef,
    deletion: DeletionTransition,
    delivery: Delivery,
    isFinal: boolean,
  ): Cause | null | undefined {
    // The initial events of a streaming list are state: no write is behind them.
    if (message.initial === true) return null;
    const isGone = message.type === 'DELETED';
    const cause = this.#causes.causeOfEvent(object, isGone, message.seq, deletion);
    if (cause === 'waits' && !isFinal) return undefined;
    const write = cause === 'waits' ? this.#causes.onlyPending(object, isGone, message.seq) : cause?.write;
    // Where clocks or packets are out of order, an event precedes its write: then it has no cause.
    if (write === undefined || write.seq > message.seq) return null;
    const isOnly = cause !== 'waits' && cause?.isOnly === true;
    const certain = isOnly || (write.resourceVersion === object.resourceVersion && write.isGuessed !== true);
    if (write.resourceVersion === undefined && cause !== 'waits') {
      write.resourceVersion = object.resourceVersion;
      write.isGuessed = !isOnly;
    }
    delivery.writer = write.writer;
    delivery.ofStatus = write.ofStatus;
    delivery.ofDelete = (write.deletes || (deletion.requested && write.evicts === true)) && !isGone;
    return { seq: write.seq, how: 'write', certain };
  }

  /**
   * A controller replaces a child that was deleted or has ended (pkg/controller: IsPodActive). Kubelets and schedulers receive the
   * event too, but create nothing.
   */
  #childRemoved(object: ObjectRef, { id, tier }: Participant, delivery: Delivery): void {
    if (MAKERS.has(tier)) this.#causes.observeRemoval(object, id, delivery);
  }
}

/** The cause that the response to a request shows: the request is about an object whose owners are not known before that. */
function causeByResponse(request: ObjectRequest): PendingCause {
  const late: NonNullable<ObjectRequest['late']> = { cause: undefined };
  request.late = late;
  return (deadlinePassed) => (deadlinePassed ? (late.cause ?? null) : late.cause);
}

/** @param isComplete whether the body lists all owners. */
function ownersOf({ owners }: Pick<ObjectField, 'owners'>, isComplete: boolean): readonly string[] | undefined {
  return owners === undefined && isComplete ? NOBODY : owners?.map(({ uid }) => uid);
}

/** Whether a response is the object itself. A Scale has its uid and version, and no owners (pkg/registry/apps: scaleFromDeployment). */
function hasOwners({ subresource }: RequestInfo): boolean {
  return subresource === undefined || subresource === 'status';
}

/** Whether a request creates a NodeClaim, which becomes a node (karpenter.sh). */
function makesNode({ verb, resource, apiGroup }: RequestInfo): boolean {
  return verb === 'create' && resource === 'nodeclaims' && apiGroup === 'karpenter.sh';
}

/** A watch from before the capture is known by the kinds of its objects, where these come with their kind. */
function keyOfEvent({ info }: ExchangeContext, object: ObjectField, name: string): string {
  const namespace = object.namespace ?? undefined;
  if (info?.resource !== undefined) return objectKey(info.resource, info.apiGroup ?? '', namespace, name);
  return tellsKind(object.kind) ? keyOfKind(object.apiVersion ?? '', object.kind, namespace, name) : '';
}

/** Of a request for what is no object: discovery. */
const NAMELESS: ObjectRef = { key: '' };
const NO_REQUEST: Partial<ObjectRequest> = {};
const NOBODY: readonly string[] = [];
/** One text for all deliveries of a resource. */
const flatResource = memo(flattenString, 1000);
const MAKERS: ReadonlySet<Tier> = new Set(['controllers', 'others']);
