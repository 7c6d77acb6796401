// Which keys requests are sent for, and what adds these keys: by the event handlers of pkg/controller.
import { describe, expect, it } from 'vitest';
import type { ObjectRef } from '../api/object-ref.js';
import { profileOf, workQueueOf } from './controllers.js';
import type { Delivery, Reflector } from './deliveries.js';
import { ObjectStates } from './object-states.js';
import type { TakenTurn, TurnRequest } from './turns.js';
import { turnAnswered } from './turns.js';
import { WorkQueues } from './work-queues.js';
import { WriteCorrelator } from './write-correlation.js';

/** The controller manager: one process, in which each controller is a client. */
const PROCESS = 1;
const OTHER = 2;
const CONTROLLERS = 100;

const SET: ObjectRef = { key: 'replicasets.apps default web', uid: 'set' };
const POD: ObjectRef = { key: 'pods. default web-a', uid: 'a', owners: ['set'] };
const NEW_POD: ObjectRef = { key: 'pods. default ', owners: ['set'] };
const OTHER_SET: ObjectRef = { key: 'replicasets.apps default api', uid: 'other' };

/** A cluster whose controllers started long ago. Times are ms; seq are as the calls come. */
class Cluster {
  readonly #correlator: WriteCorrelator;
  readonly #queues: WorkQueues;
  readonly #writers = new Map<string, number>();
  #seq = 0;

  constructor() {
    const states = new ObjectStates();
    this.#correlator = new WriteCorrelator(states);
    this.#queues = new WorkQueues(states);
  }

  /** The controller manager receives an event. */
  event(object: ObjectRef, time: number, more: Partial<Delivery> = {}): Delivery {
    this.#seq += 1;
    const [resource] = object.key.split('.');
    const delivery: Delivery = { seq: this.#seq, time, writer: OTHER, resource, ...more };
    const isRemoval = delivery.transition === 'removed';
    this.#correlator.observeDelivery(object, PROCESS, delivery);
    this.#queues.delivered(delivery, PROCESS, object.key.split(' ')[1], isRemoval, undefined);
    if (isRemoval || delivery.transition === 'terminating') this.#correlator.observeRemoval(object, PROCESS, delivery);
    return delivery;
  }

  /** A controller sends a request, which is not answered yet. */
  sent(component: string, kind: string, object: ObjectRef, time: number, writer?: number): TakenTurn | null {
    const request = this.#requestOf(writer ?? this.#writerOf(component), kind, time);
    const query = { process: [PROCESS], writer: request.client, ...profileOf(component) };
    return this.#queues.turnOf(object, query, workQueueOf(component)!, request);
  }

  #requestOf(client: number, kind: string, time: number): TurnRequest {
    this.#seq += 1;
    return {
      seq: this.#seq,
      time,
      kind,
      client,
      before: Number.POSITIVE_INFINITY,
      isStarting: false,
      hasStarted: true,
    };
  }

  /** A request that is answered after 1 ms. */
  request(component: string, kind: string, object: ObjectRef, time: number, status = 200): TakenTurn | null {
    const taken = this.sent(component, kind, object, time);
    this.#seq += 1;
    if (taken !== null) turnAnswered(taken.turn, kind, time + 1, status);
    return taken;
  }

  discovery(component: string, time: number): unknown {
    return this.#queues.currentTurnOf(this.#writerOf(component), time);
  }

  lastTurnOf(component: string, object: ObjectRef): unknown {
    return this.#queues.lastTurnOf(object, this.#writerOf(component));
  }

  #writerOf(component: string): number {
    const writer = this.#writers.get(component) ?? CONTROLLERS + this.#writers.size;
    this.#writers.set(component, writer);
    return writer;
  }
}

/** `seq` of all notifications that can have triggered a turn. */
function possible(taken: TakenTurn | null): number[] {
  const trigger = taken?.turn.trigger;
  return trigger === undefined ? [] : [trigger.delivery.seq, ...trigger.others].sort((a, b) => a - b);
}

describe('the key of a request', () => {
  it('is that of the owner: a Pod is created in a turn for its ReplicaSet (replica_set.go: resolveControllerRef)', () => {
    const cluster = new Cluster();
    const set = cluster.event(SET, 0);
    const taken = cluster.sent('replicaset-controller', 'create pods', NEW_POD, 2);
    expect(taken?.turn.trigger?.delivery).toBe(set);
    expect(cluster.lastTurnOf('replicaset-controller', SET)).toBe(taken?.turn);
  });

  it('is not known where the owner was not captured', () => {
    const cluster = new Cluster();
    expect(cluster.sent('replicaset-controller', 'create pods', NEW_POD, 2)).toBeNull();
  });

  it('is that of the Service with the name of the Endpoints (endpoints_controller.go: syncService)', () => {
    const cluster = new Cluster();
    const service = cluster.event({ key: 'services. default web', uid: 's' }, 0);
    const related = { uids: [], keys: ['services. default web'] };
    const endpoints: ObjectRef = { key: 'endpoints. default web', related };
    const taken = cluster.sent('endpoint-controller', 'create endpoints', endpoints, 2);
    expect(taken?.turn.trigger?.delivery).toBe(service);
  });

  it('is the object’s own for the garbage collector (garbagecollector.go: attemptToDeleteItem)', () => {
    const cluster = new Cluster();
    cluster.event(SET, 0);
    cluster.event(POD, 1);
    const gone = cluster.event(SET, 1000, { transition: 'removed' });
    const taken = cluster.sent('generic-garbage-collector', 'delete pods', POD, 1002);
    expect(taken?.turn.trigger?.delivery).toBe(gone);
    expect(cluster.lastTurnOf('generic-garbage-collector', POD)).toBe(taken?.turn);
  });
});

describe('workers', () => {
  it('have one key each: turns for two keys go on at a time, each with a trigger of its own', () => {
    const cluster = new Cluster();
    const web = cluster.event(SET, 0);
    const api = cluster.event(OTHER_SET, 0.1);
    const first = cluster.sent('replicaset-controller', 'create pods', NEW_POD, 2);
    const second = cluster.sent('replicaset-controller', 'create pods', { ...NEW_POD, owners: ['other'] }, 2.1);
    const third = cluster.sent('replicaset-controller', 'create pods', NEW_POD, 2.2);
    expect(first?.turn.trigger?.delivery).toBe(web);
    expect(second?.turn.trigger?.delivery).toBe(api);
    expect(third?.turn).toBe(first?.turn);
  });

  it('of two controllers have queues of their own: each of them is triggered by one event', () => {
    const cluster = new Cluster();
    cluster.event({ key: 'deployments.apps default web', uid: 'd' }, 0);
    const owned = cluster.event({ ...SET, owners: ['d'] }, 1);
    const deployment: ObjectRef = { key: 'deployments.apps default web', uid: 'd' };
    const one = cluster.sent('deployment-controller', 'update deployments/status', deployment, 200);
    const two = cluster.sent('replicaset-controller', 'create pods', NEW_POD, 200.1);
    expect(one?.turn.trigger?.delivery).toBe(owned);
    expect(two?.turn.trigger?.delivery).toBe(owned);
    expect(one?.turn).not.toBe(two?.turn);
  });
});

describe('a key is added by', () => {
  it('events of what the object owns (replica_set.go: addPod, updatePod, deletePod)', () => {
    const cluster = new Cluster();
    cluster.event(SET, 0);
    const pod = cluster.event(POD, 1000);
    const taken = cluster.sent('replicaset-controller', 'update replicasets/status', SET, 1002);
    expect(possible(taken)).toEqual([pod.seq]);
  });

  it('events of the controller’s own resources alone: a shared informer delivers to the process what others watch', () => {
    const cluster = new Cluster();
    const set = cluster.event(SET, 1000);
    cluster.event({ key: 'endpointslices.discovery.k8s.io default web-x', uid: 'e', owners: ['set'] }, 1001);
    const taken = cluster.sent('replicaset-controller', 'update replicasets/status', SET, 1003);
    expect(possible(taken)).toEqual([set.seq]);
  });

  it('a Pod that is gone, where another takes its place (controller_utils.go: IsPodActive)', () => {
    const cluster = new Cluster();
    cluster.event(SET, 0);
    cluster.event(POD, 1);
    cluster.request('replicaset-controller', 'update replicasets/status', SET, 2);
    const gone = cluster.event(POD, 1000, { transition: 'terminating' });
    cluster.event({ key: 'pods. default web-b', uid: 'b', owners: ['set'] }, 1001);
    const taken = cluster.sent('replicaset-controller', 'create pods', NEW_POD, 1003);
    expect(possible(taken)).toEqual([gone.seq]);
  });

  it('anything about its Pods, while Pods cannot be created: each turn tries again (replica_set.go: manageReplicas)', () => {
    const cluster = new Cluster();
    cluster.event(SET, 0);
    cluster.request('replicaset-controller', 'create pods', NEW_POD, 2, 403);
    const pod = cluster.event(POD, 1000);
    const taken = cluster.sent('replicaset-controller', 'create pods', NEW_POD, 1002);
    expect(taken?.turn.trigger).toMatchObject({ delivery: pod, isRequeue: false });
  });

  it('any Node, for every DaemonSet, but not its heartbeats (daemon_controller.go: addNode, updateNode)', () => {
    const cluster = new Cluster();
    const agent: ObjectRef = { key: 'daemonsets.apps default agent', uid: 'd' };
    cluster.event(agent, 0);
    cluster.request('daemon-set-controller', 'update daemonsets/status', agent, 2);
    const node = cluster.event({ key: 'nodes.  n1', uid: 'n' }, 1000);
    cluster.event({ key: 'nodes.  n1', uid: 'n' }, 1000.5, { ofStatus: true });
    const taken = cluster.sent('daemon-set-controller', 'update daemonsets/status', agent, 1002);
    expect(possible(taken)).toEqual([node.seq]);
  });

  it('Endpoints that are gone, but not those that change (endpoints_controller.go: onEndpointsDelete)', () => {
    const cluster = new Cluster();
    const service: ObjectRef = { key: 'services. default web', uid: 's' };
    const endpoints: ObjectRef = {
      key: 'endpoints. default web',
      uid: 'e',
      related: { uids: [], keys: [service.key] },
    };
    cluster.event(service, 0);
    cluster.event(endpoints, 1);
    cluster.request('endpoint-controller', 'update endpoints', endpoints, 2);
    cluster.event(endpoints, 1000);
    const gone = cluster.event(endpoints, 1001, { transition: 'removed' });
    expect(possible(cluster.sent('endpoint-controller', 'create endpoints', endpoints, 1003))).toEqual([gone.seq]);
  });

  it('what is gone from its namespace, for a quota (resource_quota_controller.go: replenishQuota)', () => {
    const cluster = new Cluster();
    const quota: ObjectRef = { key: 'resourcequotas. default few', uid: 'q' };
    cluster.event(quota, 0);
    cluster.request('resourcequota-controller', 'update resourcequotas/status', quota, 2);
    const gone = cluster.event(POD, 1000, { transition: 'removed' });
    cluster.event({ key: 'pods. other web', uid: 'o' }, 1001, { transition: 'removed' });
    cluster.event({ key: 'pods. default new', uid: 'new' }, 1001.5);
    const taken = cluster.sent('resourcequota-controller', 'update resourcequotas/status', quota, 1003);
    expect(possible(taken)).toEqual([gone.seq]);
  });

  it('its owner’s end, and not by what the owner’s status became (graph_builder.go: processGraphChanges)', () => {
    const cluster = new Cluster();
    cluster.event(SET, 0);
    cluster.event(POD, 1);
    cluster.event(SET, 999);
    const terminating = cluster.event(SET, 1000, { transition: 'terminating' });
    const taken = cluster.sent('generic-garbage-collector', 'patch pods', POD, 1002);
    expect(possible(taken)).toEqual([terminating.seq]);
  });

  it('its own creation, where its owner is not in the graph (graph_builder.go: addDependentToOwners)', () => {
    const cluster = new Cluster();
    const orphan = cluster.event(POD, 1000, { transition: 'added' });
    const taken = cluster.request('generic-garbage-collector', 'get pods', POD, 1002);
    expect(taken?.turn.trigger?.delivery).toBe(orphan);
  });

  it('its own creation, where its owner has no namespace and it has one (graph_builder.go: addDependentToOwners)', () => {
    const cluster = new Cluster();
    cluster.event({ key: 'nodes.  n1', uid: 'n' }, 0, { transition: 'added' });
    const lease: ObjectRef = { key: 'leases.coordination.k8s.io kube-node-lease n1', uid: 'l', owners: ['n'] };
    const added = cluster.event(lease, 1000, { transition: 'added' });
    const taken = cluster.request('generic-garbage-collector', 'get leases', lease, 1002);
    expect(taken?.turn.trigger?.delivery).toBe(added);
  });

  it('not its own creation in the namespace of an owner that exists (graph_builder.go: addDependentToOwners)', () => {
    const cluster = new Cluster();
    cluster.event(SET, 0, { transition: 'added' });
    cluster.event(POD, 1000, { transition: 'added' });
    expect(cluster.sent('generic-garbage-collector', 'get pods', POD, 1002)?.turn.trigger).toBeUndefined();
  });

  it('an object that it owns and that came first: the owner is looked up (graph_builder.go: addDependentToOwners)', () => {
    const cluster = new Cluster();
    cluster.event({ key: 'nodes.  n1', uid: 'n' }, 0, { transition: 'added' });
    const driver: ObjectRef = { key: 'csinodes.storage.k8s.io  n1', uid: 'c', owners: ['n'] };
    const added = cluster.event(driver, 1000, { transition: 'added' });
    const taken = cluster.sent('generic-garbage-collector', 'get nodes', { key: 'nodes.  n1', uid: 'n' }, 1002);
    expect(possible(taken)).toEqual([added.seq]);
  });

  it('no event from before a relist: the list replaces what the reflector knew (tools/cache/reflector.go)', () => {
    const cluster = new Cluster();
    const source: Reflector = { relistedAt: 0 };
    cluster.event(SET, 1000, { source });
    source.relistedAt = 100;
    const taken = cluster.sent('replicaset-controller', 'update replicasets/status', SET, 1002);
    expect(taken?.turn.trigger).toBeUndefined();
  });
});

describe('a request for another object than the key’s', () => {
  it('is of the turn that goes on: the collector looks up an owner (garbagecollector.go: getObject)', () => {
    const cluster = new Cluster();
    cluster.event(SET, 0);
    cluster.event(POD, 1, { transition: 'added' });
    cluster.event(SET, 1000, { transition: 'removed' });
    const first = cluster.request('generic-garbage-collector', 'get pods', POD, 1002);
    const owner = cluster.request('generic-garbage-collector', 'get replicasets', SET, 1003.2);
    expect(owner?.turn).toBe(first?.turn);
    // Workers of other keys send such requests, too.
    expect(owner?.isCertain).toBe(false);
  });

  it('is of a turn of its own after a failure: the collector is done with what is gone (attemptToDeleteItem: IsNotFound)', () => {
    const cluster = new Cluster();
    const set = cluster.event(SET, 0, { transition: 'terminating' });
    cluster.event(POD, 1, { transition: 'added' });
    cluster.request('generic-garbage-collector', 'get pods', POD, 1002, 404);
    const gone = cluster.event(POD, 1002.5, { transition: 'removed' });
    const owner = cluster.request('generic-garbage-collector', 'get replicasets', SET, 1003.2);
    expect(owner?.turn.trigger?.delivery).toBe(gone);
    expect(set.seq).toBeLessThan(gone.seq);
  });

  it('is of none where no worker can send it: the last response came long before', () => {
    const cluster = new Cluster();
    cluster.event(SET, 0);
    cluster.event(POD, 1, { transition: 'added' });
    const first = cluster.request('generic-garbage-collector', 'get pods', POD, 1002);
    const owner = cluster.request('generic-garbage-collector', 'get replicasets', SET, 1100);
    expect(owner?.turn).not.toBe(first?.turn);
    expect(cluster.discovery('generic-garbage-collector', 1200)).toBeUndefined();
  });

  it('holds the worker as any: discovery within a turn', () => {
    const cluster = new Cluster();
    cluster.event(SET, 0);
    const first = cluster.request('replicaset-controller', 'create pods', NEW_POD, 2);
    expect(cluster.discovery('replicaset-controller', 3.5)).toBe(first?.turn);
    cluster.event(POD, 4);
    // The discovery is not answered yet.
    expect(cluster.sent('replicaset-controller', 'update replicasets/status', SET, 20)?.turn).toBe(first?.turn);
  });
});

describe('beyond the limits', () => {
  it('of 256 clients that act on one object, turns begin anew', () => {
    const cluster = new Cluster();
    const set = cluster.event(SET, 0, { transition: 'added' });
    const sent = (client: number, time: number): TakenTurn | null =>
      cluster.sent('replicaset-controller', 'update replicasets/status', SET, time, client);
    const first = sent(1000, 2);
    expect(sent(1000, 2.5)?.turn).toBe(first?.turn);
    for (let client = 1001; client <= 1256; client += 1) sent(client, 3);
    const anew = sent(1000, 4);
    expect(anew?.turn).not.toBe(first?.turn);
    expect(anew?.turn.trigger?.delivery).toBe(set);
  });

  it('of 32 turns of one controller, requests about other objects are of later turns', () => {
    const cluster = new Cluster();
    const owned = (at: number): ObjectRef => ({ key: `pods. default web-${at}`, uid: `p${at}`, owners: ['set'] });
    cluster.event(SET, 0);
    for (let at = 0; at <= 32; at += 1) cluster.event(owned(at), 1, { transition: 'added' });
    const related = (pod: ObjectRef): ObjectRef => ({
      key: 'persistentvolumeclaims. default data',
      related: { uids: [], keys: [pod.key] },
    });
    cluster.event({ key: 'persistentvolumeclaims. default data', uid: 'claim' }, 2);
    const turns = Array.from({ length: 33 }, (_, at) =>
      cluster.request('generic-garbage-collector', 'get pods', owned(at), 1002),
    );
    const sent = (pod: ObjectRef): TakenTurn | null =>
      cluster.sent('generic-garbage-collector', 'get persistentvolumeclaims', related(pod), 1003.5);
    expect(sent(owned(1))?.turn).toBe(turns[1]?.turn);
    expect(sent(owned(0))?.turn).not.toBe(turns[0]?.turn);
  });

  it('of 1,000 namespaces in which something is gone, quotas are counted for what is gone since', () => {
    const cluster = new Cluster();
    const quota: ObjectRef = { key: 'resourcequotas. default few', uid: 'q' };
    cluster.event(quota, 0);
    cluster.request('resourcequota-controller', 'update resourcequotas/status', quota, 2);
    cluster.event(POD, 1000, { transition: 'removed' });
    for (let at = 0; at < 1000; at += 1)
      cluster.event({ key: `pods. n-${at} web`, uid: `u${at}` }, 1000, { transition: 'removed' });
    const taken = cluster.sent('resourcequota-controller', 'update resourcequotas/status', quota, 1003);
    expect(taken?.turn.trigger?.isRequeue).toBe(true);
  });
});
