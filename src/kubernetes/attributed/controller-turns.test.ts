import { describe, expect, it } from 'vitest';
import type { ObjectRef } from '../api/object-ref.js';
import { requestInfo } from '../api/request-info.js';
import type { Draft } from '../messages/draft.js';
import type { ExchangeContext } from '../messages/exchange-context.js';
import type { Participant } from '../messages/message.js';
import type { K8sEventInfo } from '../objects/object-info.js';
import { ControllerTurns } from './controller-turns.js';
import { type ControllerProfile, profileOf } from './controllers.js';
import type { Delivery } from './deliveries.js';
import { ObjectStates } from './object-states.js';
import type { TriggerQuery } from './trigger-query.js';
import type { TakenTurn, Turn } from './turns.js';
import { WorkQueues } from './work-queues.js';
import { WriteCorrelator } from './write-correlation.js';

/** ms since the epoch: a time of which names of Events have the ns in 16 digits. */
const START = Date.parse('2026-01-01T00:00:00Z');
const PROCESS = 1;
const CLIENT = 2;
const OTHER = 3;
const SETS = '/apis/apps/v1/namespaces/default/replicasets';
const STATUS = `${SETS}/web/status`;
const SET: ObjectRef = { key: 'replicasets.apps default web', uid: 'set' };

/** A controller and its requests. Times are ms after `START`. */
class Controller {
  readonly turns: ControllerTurns;
  readonly #correlator: WriteCorrelator;
  readonly #component: string;
  #seq = 0;

  constructor(component = 'replicaset-controller') {
    const states = new ObjectStates();
    this.#correlator = new WriteCorrelator(states);
    this.turns = new ControllerTurns(new WorkQueues(states));
    this.#component = component;
  }

  event(object: ObjectRef, time: number, more: Partial<Delivery> = {}): Delivery {
    this.#seq += 1;
    const delivery: Delivery = {
      seq: this.#seq,
      time: START + time,
      writer: OTHER,
      resource: object.key.split('.')[0],
      ...more,
    };
    this.#correlator.observeDelivery(object, PROCESS, delivery);
    return delivery;
  }

  context(method: string, target: string): ExchangeContext {
    const client = { id: CLIENT, component: this.#component } as Participant;
    return { client, info: requestInfo(method, target) } as unknown as ExchangeContext;
  }

  /** @param had the version that the request is based on. */
  sent(context: ExchangeContext, time: number, object = SET, had?: number): TakenTurn | null {
    const query: TriggerQuery & Pick<ControllerProfile, 'queue'> = {
      process: [PROCESS],
      writer: CLIENT,
      ...profileOf(this.#component),
      had: had === undefined ? undefined : { resource: 'replicasets', version: had },
    };
    const firstAfter = (version: number): number => this.#correlator.firstAfter(object, query, version);
    const draft = this.#draft(time);
    return this.turns.turnOf(context, draft, object, this.#component, query.queue, query, context.info!, firstAfter);
  }

  /** A request that is answered after 1 ms. */
  request(method: string, target: string, time: number, status = 200): TakenTurn | null {
    const context = this.context(method, target);
    const taken = this.sent(context, time);
    this.turns.observeResponse(context, status, at(time + 1));
    return taken;
  }

  discovery(context: ExchangeContext, time: number): Turn | undefined {
    return this.turns.turnOfDiscovery(context, this.#draft(time));
  }

  /** A Kubernetes Event about the ReplicaSet. @param recorded when it was recorded; undefined: its name does not have it. */
  report(verb: string, time: number, recorded?: number): TakenTurn | null {
    const context = this.context('POST', '/api/v1/namespaces/default/events');
    const suffix = recorded === undefined ? 'x' : at(recorded).toString(16);
    return this.turns.turnOfReport(
      context,
      { ...this.#draft(time), name: `web.${suffix}` },
      SET,
      verb,
      profileOf(this.#component).queue,
    );
  }

  #draft(time: number): Draft {
    this.#seq += 1;
    return { seq: this.#seq, started: at(time) } as Draft;
  }
}

function at(time: number): bigint {
  return BigInt(START) * 1_000_000n + BigInt(Math.round(time * 1e6));
}

describe('the turn of a request', () => {
  it('is open until the response: others join it', () => {
    const controller = new Controller();
    controller.event(SET, 0);
    const context = controller.context('PUT', STATUS);
    const first = controller.sent(context, 2);
    controller.event(SET, 3);
    expect(controller.sent(controller.context('PUT', STATUS), 30)?.turn).toBe(first?.turn);
  });

  it('is open until its exchange ends, if the connection breaks before the response', () => {
    const controller = new Controller();
    controller.event(SET, 0);
    const context = controller.context('PUT', STATUS);
    const first = controller.sent(context, 2);
    controller.turns.exchangeEnded(context);
    const later = controller.event(SET, 1000);
    const next = controller.sent(controller.context('PUT', STATUS), 1002);
    expect(next?.turn).not.toBe(first?.turn);
    expect(next?.turn.trigger?.delivery).toBe(later);
  });

  it('is answered once: the end of an exchange after its response ends nothing more', () => {
    const controller = new Controller();
    controller.event(SET, 0);
    const [one, two] = [controller.context('POST', SETS), controller.context('POST', SETS)];
    const first = controller.sent(one, 2);
    controller.sent(two, 2.1);
    controller.turns.observeResponse(one, 201, at(3));
    controller.turns.exchangeEnded(one);
    controller.event(SET, 4);
    // The second request is still open.
    expect(controller.sent(controller.context('PUT', STATUS), 30)?.turn).toBe(first?.turn);
  });

  it('is not triggered by a newer version than the request is based on (optimistic concurrency)', () => {
    const controller = new Controller();
    const had = controller.event(SET, 0, { version: 10 });
    controller.event(SET, 1, { version: 12 });
    const taken = controller.sent(controller.context('PUT', STATUS), 3, SET, 10);
    expect(taken?.turn.trigger).toMatchObject({ delivery: had, others: [] });
  });

  it('of a program without a row in the table is about the object itself', () => {
    const unknown = new Controller('my-operator');
    const event = unknown.event(SET, 0);
    expect(unknown.sent(unknown.context('PUT', STATUS), 2)?.turn.trigger?.delivery).toBe(event);
  });

  it('is not known of evictions, which nodes trigger', () => {
    const controller = new Controller();
    controller.event(SET, 0);
    const evicted = { ...SET, related: { uids: [], keys: [], evictedFrom: 'nodes.  n1' } };
    expect(controller.sent(controller.context('PUT', STATUS), 2, evicted)).toBeNull();
  });

  it('goes on with discovery, as a worker maps a kind to its resource (restmapper)', () => {
    const controller = new Controller();
    controller.event(SET, 0);
    const taken = controller.request('POST', SETS, 2, 201);
    expect(controller.discovery(controller.context('GET', '/apis/apps/v1'), 4)).toBe(taken?.turn);
    expect(controller.discovery(controller.context('GET', '/apis/apps/v1'), 4.5)).toBe(undefined);
  });
});

describe('the first turns of a controller (k8s.io/controller-manager, pkg/clientbuilder)', () => {
  const started = (): Controller => {
    const controller = new Controller();
    controller.turns.tokenRequested('replicaset-controller', START);
    return controller;
  };

  it('follow from the first notifications: these waited with the key for the token', () => {
    const controller = started();
    const first = controller.event(SET, 10);
    controller.event(SET, 300);
    expect(controller.request('PUT', STATUS, 320)?.turn.trigger?.delivery).toBe(first);
  });

  it('are those within 10 ms: later requests do not wait', () => {
    const controller = started();
    controller.event({ key: 'replicasets.apps default api', uid: 'api' }, 10);
    const api = controller.context('PUT', `${SETS}/api/status`);
    controller.sent(api, 320, { key: 'replicasets.apps default api', uid: 'api' });
    controller.event(SET, 20);
    const last = controller.event(SET, 340);
    expect(controller.request('PUT', STATUS, 342)?.turn.trigger?.delivery).toBe(last);
  });

  it('are not those of a controller whose token was requested more than a second before', () => {
    const controller = started();
    controller.event(SET, 10);
    const last = controller.event(SET, 2000);
    expect(controller.request('PUT', STATUS, 2002)?.turn.trigger?.delivery).toBe(last);
  });

  it('are certain, as the queue was empty; those of one that runs since before the capture are not', () => {
    const trigger = (controller: Controller) => {
      controller.event(SET, 2000);
      return controller.request('PUT', STATUS, 2002)?.turn.trigger;
    };
    expect(trigger(started())?.isCertain).toBe(true);
    expect(trigger(new Controller())?.isCertain).toBe(false);
  });
});

describe('a Kubernetes Event', () => {
  const about = (uid: string): K8sEventInfo => ({ uid }) as K8sEventInfo;

  it('is of the turn in which it was recorded: its name has the time in ns (tools/record/event.go: makeEvent)', () => {
    const controller = new Controller();
    controller.event(SET, 0);
    const first = controller.request('PUT', STATUS, 10);
    controller.event(SET, 100);
    const second = controller.request('PUT', STATUS, 110);
    // The recorder sends an Event from a goroutine of its own, after the turn.
    expect(controller.report('create', 115, 10.5)).toMatchObject({ turn: first?.turn, isCertain: false });
    const report = controller.report('create', 116, 110.5);
    expect(report?.turn).toBe(second?.turn);
    expect(report?.isCertain).toBe(true);
  });

  it('is put down to the last turn where its name or its verb does not tell when it was recorded', () => {
    const controller = new Controller();
    controller.event(SET, 0);
    controller.request('PUT', STATUS, 10);
    controller.event(SET, 100);
    const second = controller.request('PUT', STATUS, 110);
    expect(controller.report('create', 115)).toEqual({ turn: second?.turn, isCertain: false });
    // A repeated Event is patched under the name of the first one (events_cache.go: EventCorrelate).
    expect(controller.report('patch', 116, 10.5)).toEqual({ turn: second?.turn, isCertain: false });
  });

  it('has no turn before the first, and none of kubelets, which report between their requests', () => {
    const controller = new Controller();
    controller.event(SET, 0);
    expect(controller.report('create', 1, 0.5)).toBeNull();
    const kubelet = new Controller('kubelet');
    kubelet.event(SET, 0);
    kubelet.request('PUT', STATUS, 2);
    expect(kubelet.report('create', 4, 3)).toBeNull();
    const scheduler = new Controller('kube-scheduler');
    scheduler.event({ ...SET, key: 'pods. default web' }, 0);
    const turn = scheduler.request('PUT', STATUS, 2)?.turn;
    expect(scheduler.report('create', 4, 3)?.turn).toBe(turn);
  });

  it('that is repeated is about the object of the first one: a patch of its count does not carry it', () => {
    const { turns } = new Controller();
    expect(turns.reportedOn('events. default web.x', about('u'))).toBe('u');
    expect(turns.reportedOn('events. default web.x', undefined)).toBe('u');
    expect(turns.reportedOn('events. default web.y', undefined)).toBeUndefined();
  });

  it('is forgotten beyond 4,096 of them', () => {
    const { turns } = new Controller();
    for (let count = 0; count <= 4096; count += 1) turns.reportedOn(`events. default web.${count}`, about(`u${count}`));
    expect(turns.reportedOn('events. default web.0', undefined)).toBeUndefined();
    expect(turns.reportedOn('events. default web.4096', undefined)).toBe('u4096');
  });
});
