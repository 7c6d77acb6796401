import { describe, expect, it } from 'vitest';
import { requestInfo } from '../api/request-info.js';
import type { Draft } from '../messages/draft.js';
import type { ExchangeContext } from '../messages/exchange-context.js';
import type { BodyObject } from '../objects/object-info.js';
import { ParticipantRecord } from '../participants/participant-record.js';
import { CausalityTracker } from './causality.js';
import { ControllerRows } from './controllers.js';
import { RelatedObjects } from './related-objects.js';

const MANAGER = program(1, 'kube-controller-manager');
const REPLICASETS = controller(2, 'replicaset-controller');
const DEPLOYER = controller(4, 'deployment-controller');
const API_SERVER = program(9, 'kube-apiserver');
const SCHEDULER = program(5, 'kube-scheduler');
const KUBELET = program(6, 'kubelet');
const KUBECTL = program(3, 'kubectl');

function program(id: number, component: string): ParticipantRecord {
  return new ParticipantRecord(id, component, '192.0.2.10', null);
}

function controller(id: number, component: string): ParticipantRecord {
  const record = program(id, component);
  record.manager = MANAGER;
  return record;
}

const PODS = '/api/v1/namespaces/default/pods';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const SETS = '/apis/apps/v1/namespaces/default/replicasets';

interface TestObject {
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly version?: number;
  /** uid of its owner. */
  readonly owner?: string;
  readonly deletionTimestamp?: string;
}

/** A capture in few words: each call is one message, or a request and its answer. */
class Story {
  readonly relations = new RelatedObjects();
  readonly #causality = new CausalityTracker(this.relations, new ControllerRows());
  #seq = 0;

  /** @returns what caused the request, by seq. @param made the object in its answer. @param sent that in its body. */
  asks(
    client: ParticipantRecord,
    method: string,
    target: string,
    made: TestObject | null,
    sent?: TestObject,
    more: Partial<Draft> = {},
  ): number | undefined {
    const context = { client, server: API_SERVER, info: requestInfo(method, target) } as unknown as ExchangeContext;
    const message = this.#message({ kind: 'request', verb: context.info?.verb, name: context.info?.name, ...more });
    context.requestSeq = message.seq;
    this.#causality.observeRequest(context, message, sent === undefined ? null : carried(sent));
    this.#seq += 1;
    this.#causality.observeResponse(
      context,
      method === 'POST' ? 201 : 200,
      made === null ? null : carried(made),
      true,
      BigInt(this.#seq) * 10_000_000n,
    );
    const cause = this.#causality.causeOf(message, context);
    return cause === null || typeof cause === 'function' ? undefined : cause.seq;
  }

  /** @returns seq of an event that reaches a program. */
  hears(type: string, target: string, told: TestObject, hasEnded = false, client = MANAGER): number {
    const context = { client, info: requestInfo('GET', `${target}?watch=true`) } as unknown as ExchangeContext;
    const message = this.#message({ type, object: carried(told).info });
    this.#causality.observeEvent(message, context, { hasEnded, gracePeriod: undefined }, true);
    return message.seq;
  }

  #message(more: Partial<Draft>): Draft {
    this.#seq += 1;
    // 10 ms apart.
    const time = BigInt(this.#seq) * 10_000_000n;
    return { seq: this.#seq, time, started: time, ...more } as Draft;
  }
}

function carried({ kind = 'Pod', name, uid, version, owner, deletionTimestamp }: TestObject): BodyObject {
  const owners = owner === undefined ? undefined : [{ kind: 'ReplicaSet', name: owner, uid: owner }];
  const resourceVersion = version === undefined ? undefined : String(version);
  const info = { apiVersion: 'v1', kind, namespace: 'default', name, uid, resourceVersion, owners, deletionTimestamp };
  return { info, status: undefined, k8sEvent: undefined, initialEventsEnd: false };
}

describe('who owns an object', () => {
  const pod: TestObject = { name: 'web-a', uid: 'a', owner: 'rs' };

  it('is nobody any more, if it is told without an owner: what becomes of it is nothing to who owned it', () => {
    const story = new Story();
    const set = story.hears('ADDED', SETS, { kind: 'ReplicaSet', name: 'web', uid: 'rs', version: 10 });
    story.hears('ADDED', PODS, { ...pod, version: 11 });
    story.asks(KUBECTL, 'PATCH', `${PODS}/web-a`, { ...pod, owner: undefined, version: 12 });
    story.asks(KUBECTL, 'DELETE', `${PODS}/web-a`, { ...pod, owner: undefined, version: 12 });
    story.hears('DELETED', PODS, { ...pod, owner: undefined, version: 13 });
    expect(story.asks(REPLICASETS, 'POST', PODS, { name: 'web-b', uid: 'b', owner: 'rs', version: 14 }, pod)).toBe(set);
  });

  it('is still who did before a scale, whose answer has no owners, and a version that is told late', () => {
    const story = new Story();
    const set: TestObject = { kind: 'ReplicaSet', name: 'web', uid: 'rs', owner: 'd' };
    story.hears('ADDED', SETS, { ...set, version: 11 });
    story.asks(KUBECTL, 'PATCH', `${SETS}/web/scale`, { kind: 'Scale', name: 'web', uid: 'rs', version: 13 });
    story.hears('MODIFIED', SETS, { ...set, version: 13 });
    story.hears('MODIFIED', SETS, { ...set, owner: undefined, version: 12 });
    const scaled = story.hears('MODIFIED', DEPLOYMENTS, { kind: 'Deployment', name: 'web', uid: 'd', version: 14 });
    expect(story.asks(DEPLOYER, 'PUT', `${SETS}/web`, { ...set, version: 15 })).toBe(scaled);
  });
});

describe('another one is made', () => {
  const pod: TestObject = { name: 'web-a', uid: 'a', owner: 'rs', version: 11 };
  const going: TestObject = { ...pod, deletionTimestamp: '2026-01-01T00:00:00Z' };

  /** A ReplicaSet that was told long ago, with a Pod, and another one that is gone. */
  function running(): Story {
    const story = new Story();
    story.hears('ADDED', SETS, { kind: 'ReplicaSet', name: 'web', uid: 'rs', version: 10 });
    story.hears('ADDED', PODS, pod);
    story.hears('DELETED', PODS, { ...pod, name: 'web-0', uid: '0', version: 12 });
    return story;
  }

  const another = (story: Story): number | undefined =>
    story.asks(REPLICASETS, 'POST', PODS, { name: 'web-b', uid: 'b', owner: 'rs', version: 90 }, { owner: 'rs' });

  it('because one is evicted: it has its grace period, and no delete was requested', () => {
    const story = running();
    story.asks(KUBECTL, 'POST', `${PODS}/web-a/eviction`, null);
    story.hears('MODIFIED', PODS, { ...pod, version: 20 });
    const evicted = story.hears('MODIFIED', PODS, { ...going, version: 21 });
    story.hears('MODIFIED', PODS, { ...going, version: 22 });
    expect(another(story)).toBe(evicted);
  });

  it('because all its containers have ended, by its status', () => {
    const story = running();
    story.hears('MODIFIED', PODS, { ...pod, version: 20 });
    const failed = story.hears('MODIFIED', PODS, { ...pod, version: 21 }, true);
    story.hears('MODIFIED', PODS, { ...pod, version: 22 });
    expect(another(story)).toBe(failed);
  });

  it('because one was changed so that its controller lets it go', () => {
    const story = running();
    const changed = story.hears('MODIFIED', PODS, { ...pod, version: 20 });
    const freed = { ...pod, owner: undefined, version: 21 };
    expect(story.asks(REPLICASETS, 'PATCH', `${PODS}/web-a`, freed)).toBe(changed);
    expect(another(story)).toBe(changed);
    story.hears('MODIFIED', PODS, freed);
    expect(another(story)).toBe(changed);
  });

  it('because one was deleted', () => {
    const story = running();
    story.asks(KUBECTL, 'PATCH', `${PODS}/web-a`, { ...pod, owner: undefined, version: 20 });
    const taken = story.hears('MODIFIED', PODS, { ...pod, owner: undefined, version: 20 });
    story.hears('MODIFIED', PODS, { ...pod, owner: undefined, version: 21 });
    expect(another(story)).toBe(taken);
  });
});

it('an update is triggered by the event of its version, and no later one', () => {
  const story = new Story();
  const set: TestObject = { kind: 'ReplicaSet', name: 'web', uid: 'rs' };
  const woke = story.hears('ADDED', SETS, { ...set, version: 10 });
  const later = story.hears('MODIFIED', SETS, { ...set, version: 12 });
  const put = (version: number) => story.asks(REPLICASETS, 'PUT', `${SETS}/web/status`, null, { ...set, version });
  expect(put(12)).toBe(later);
  expect(put(10)).toBe(woke);
});

describe('a status that another program writes', () => {
  const pod: TestObject = { name: 'web', uid: 'a' };

  it('triggers a kubelet, for the conditions of readiness gates; its own does not (pkg/kubelet: HandlePodReconcile)', () => {
    const story = new Story();
    const added = story.hears('ADDED', PODS, { ...pod, version: 10 }, false, KUBELET);
    expect(story.asks(KUBELET, 'PATCH', `${PODS}/web/status`, { ...pod, version: 11 })).toBe(added);
    story.hears('MODIFIED', PODS, { ...pod, version: 11 }, false, KUBELET);
    expect(story.asks(KUBELET, 'PATCH', `${PODS}/web/status`, { ...pod, version: 12 })).toBe(added);
    story.asks(KUBECTL, 'PATCH', `${PODS}/web/status`, { ...pod, version: 13 });
    const gated = story.hears('MODIFIED', PODS, { ...pod, version: 13 }, false, KUBELET);
    expect(story.asks(KUBELET, 'PATCH', `${PODS}/web/status`, { ...pod, version: 14 })).toBe(gated);
  });

  it('is no failure where a scheduler announces the node before the binding (schedule_one.go: prepareForBindingCycle)', () => {
    const bindsAfter = (problems: Draft['problems']): [added: number, cause: number | undefined] => {
      const story = new Story();
      const added = story.hears('ADDED', PODS, { ...pod, version: 10 }, false, SCHEDULER);
      const status = { complete: true, problems };
      story.asks(SCHEDULER, 'PATCH', `${PODS}/web/status`, { ...pod, version: 11 }, undefined, status);
      story.hears('MODIFIED', PODS, { ...pod, version: 11 }, false, SCHEDULER);
      const binding = { kind: 'Binding', apiVersion: 'v1', namespace: 'default', name: 'web' };
      const bytes = new TextEncoder().encode('{"kind":"Binding","metadata":{"name":"web"},"target":{"name":"node-1"}}');
      story.relations.observe(binding, bytes, 'application/json', 'client');
      return [added, story.asks(SCHEDULER, 'POST', `${PODS}/web/binding`, null, binding)];
    };
    const [added, announced] = bindsAfter(undefined);
    expect(announced).toBe(added);
    const noNode = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '' };
    expect(bindsAfter([noNode as never])[1]).toBeUndefined();
  });
});

describe('a program that the table does not know', () => {
  const COPIER = program(20, 'secret-copier');
  const OPERATOR = program(21, 'cache-operator');
  const SECRETS = '/api/v1/namespaces/default/secrets';
  const CACHES = '/apis/demo.example.com/v1/namespaces/default/caches';
  const cache: TestObject = { kind: 'Cache', name: 'shop', uid: 'cache' };

  it('acts on other objects than it watches: because of what it was told just before', () => {
    const story = new Story();
    const secret: TestObject = { kind: 'Secret', name: 'tls', uid: 's', version: 10 };
    story.hears('ADDED', SECRETS, { ...secret, name: 'other', uid: 'o', version: 9 }, false, COPIER);
    const told = story.hears('MODIFIED', SECRETS, secret, false, COPIER);
    const copied = '/api/v1/namespaces/team/secrets/tls';
    expect(story.asks(COPIER, 'PUT', copied, { ...secret, uid: 'c', version: 11 })).toBe(told);
  });

  it('is no person who watches, whose requests no event triggers', () => {
    const story = new Story();
    story.hears('MODIFIED', SECRETS, { kind: 'Secret', name: 'tls', uid: 's', version: 10 }, false, KUBECTL);
    expect(story.asks(KUBECTL, 'PUT', '/api/v1/namespaces/team/secrets/tls', null)).toBeUndefined();
  });

  it('is woken by its own change of the object that it reports on, not by what it only reads', () => {
    const story = new Story();
    story.hears('ADDED', CACHES, { ...cache, version: 10 }, false, OPERATOR);
    story.asks(OPERATOR, 'PUT', `${CACHES}/shop/status`, { ...cache, version: 11 });
    story.asks(KUBECTL, 'PATCH', `${CACHES}/shop`, { ...cache, version: 12 });
    const scaled = story.hears('MODIFIED', CACHES, { ...cache, version: 12 }, false, OPERATOR);
    expect(story.asks(OPERATOR, 'PUT', `${CACHES}/shop`, { ...cache, version: 13 })).toBe(scaled);
    const finalized = story.hears('MODIFIED', CACHES, { ...cache, version: 13 }, false, OPERATOR);
    story.hears('MODIFIED', SECRETS, { kind: 'Secret', name: 'registry', uid: 's', version: 14 }, false, OPERATOR);
    const config: TestObject = { kind: 'ConfigMap', name: 'shop-conf', uid: 'm', version: 15 };
    const target = '/api/v1/namespaces/default/configmaps';
    expect(story.asks(OPERATOR, 'POST', target, config, config, { name: 'shop-conf' })).toBe(finalized);
  });

  it('has its row in the user’s file: what is not in it wakes it no more', () => {
    const rows = new ControllerRows([{ name: 'cache-operator', resource: 'caches', wakesOn: ['secrets'] }]);
    expect(rows.isToLearn('cache-operator')).toBe(false);
    expect([...(rows.profileOf('cache-operator').resources ?? [])]).toEqual(['caches', 'secrets']);
    expect(new ControllerRows([{ name: 'job-controller' }]).isToLearn('job-controller')).toBe(true);
    expect(new ControllerRows().isToLearn('kubelet')).toBe(false);
  });
});
