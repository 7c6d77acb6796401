import { describe, expect, it } from 'vitest';
import { APISERVER, type Given, KUBECTL, MANAGER, message, SCHEDULER } from '../../test/kit/messages.js';
import { parseFollow } from '../kubernetes/api/kinds.js';
import { ObjectStore } from '../kubernetes/lives/object-store.js';
import type { Details, Message, ShownValue } from '../kubernetes/messages/message.js';
import { HistoryBuilder } from './history.js';
import type { HistoryStep, Revision } from './model.js';

const POD = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web', uid: 'u1' };
const PATH = '/api/v1/namespaces/default/pods';

function body(value: unknown): Details {
  return { fields: () => [], body: () => value as ShownValue, bodyBytes: () => undefined };
}

function pod(version: string, more: object = {}, uid = 'u1') {
  return {
    object: { ...POD, uid, resourceVersion: version },
    details: body({ kind: 'Pod', metadata: { name: 'web', uid, resourceVersion: version }, ...more }),
  };
}

function request(verb: string, given: Given = {}): Message {
  return message({
    verb,
    method: verb,
    resource: 'pods',
    namespace: 'default',
    name: 'web',
    target: `${PATH}/web`,
    ...given,
  });
}

function answer(to: Message, status: number, given: Given = {}): Message {
  return message({ kind: 'response', exchange: to.exchange, status, from: APISERVER, to: to.from, ...given });
}

function watch(target = `${PATH}?watch=true`): Message {
  return message({ verb: 'watch', resource: 'pods', namespace: 'default', target, from: SCHEDULER });
}

function event(of: Message, type: string, given: Given): Message {
  const details = body({ type, object: given.details?.body() });
  return message({ kind: 'event', exchange: of.exchange, type, from: APISERVER, to: of.from, ...given, details });
}

function livesOf(messages: readonly Message[]) {
  const history = new HistoryBuilder(parseFollow('pod/web', 'default')!);
  const objects = new ObjectStore();
  for (const one of messages) history.feed(objects.link(one));
  return history.result().incarnations;
}

function told(steps: readonly HistoryStep[]): unknown[] {
  return steps.map((step) =>
    step.kind === 'version'
      ? [step.resourceVersion, step.happened, step.author?.request.from.name ?? null, step.author?.how ?? null]
      : step.kind === 'attempt'
        ? [step.what, step.request.from.name]
        : ['k8sEvent', step.times],
  );
}

describe('ObjectHistory', () => {
  it('shows what was sent and what the API server filled in', () => {
    const post = request('create', {
      name: undefined,
      details: body({ kind: 'Pod', metadata: { generateName: 'w' }, spec: { a: 1 } }),
    });
    const [life] = livesOf([post, answer(post, 201, pod('5', { spec: { a: 1, b: 2 } }))]);
    const [version] = life.steps as Revision[];
    expect(told(life.steps)).toEqual([['5', 'created', 'kubectl', 'answer']]);
    expect(version.sent).toEqual([
      { path: 'metadata.generateName', after: 'w' },
      { path: 'spec.a', after: 1 },
    ]);
    expect(version.changes).toContainEqual({ path: 'spec.b', after: 2 });
  });

  it('shows nothing of an object of that name in another API group, however that is sent', () => {
    const knative = {
      apiVersion: 'serving.knative.dev/v1',
      kind: 'Service',
      namespace: 'default',
      name: 'web',
      uid: 'k',
    };
    const core = { ...knative, apiVersion: 'v1', uid: 'c' };
    const asked = (verb: string, apiGroup: string, more: Given = {}) =>
      request(verb, { resource: 'services', apiGroup, ...more });
    const [make, change, look] = [asked('create', 'serving.knative.dev'), asked('update', ''), asked('get', '')];
    const hear = asked('watch', '', { name: undefined, target: '/api/v1/services?watch=true' });
    const k8sEvent = {
      type: 'Warning',
      reason: 'Bad',
      message: '',
      kind: 'Service',
      namespace: 'default',
      name: 'web',
    };
    const said = (uid: string) =>
      request('create', { resource: 'events', k8sEvent: { ...k8sEvent, uid, component: 'x' } });
    const messages = [
      make,
      answer(make, 201, { object: { ...knative, resourceVersion: '5' } }),
      change,
      answer(change, 200, { object: { ...core, resourceVersion: '6' } }),
      look,
      answer(look, 200, { object: { ...core, kind: 'PartialObjectMetadata', resourceVersion: '7' } }),
      hear,
      answer(hear, 200),
      event(hear, 'MODIFIED', { object: { ...core, resourceVersion: '8' } }),
      event(asked('watch', ''), 'MODIFIED', { object: { ...core, resourceVersion: '9' } }),
      said('c'),
      said('k'),
    ];
    const livesIn = (text: string) => {
      const history = new HistoryBuilder(parseFollow(text, 'default')!);
      const objects = new ObjectStore();
      for (const one of messages) history.feed(objects.link(one));
      return history.result().incarnations.map(({ uid, steps }) => [uid, ...told(steps)]);
    };
    expect(livesIn('service.serving.knative.dev/web')).toEqual([
      ['k', ['5', 'created', 'kubectl', 'answer'], ['k8sEvent', 1]],
    ]);
    expect(livesIn('service/web').map(([uid]) => uid)).toEqual(['k', 'c']);
  });

  it('orders versions by number, whichever message showed them first', () => {
    const list = watch();
    const [life] = livesOf([
      list,
      event(list, 'MODIFIED', pod('10', { spec: { a: 2 } })),
      event(list, 'MODIFIED', pod('9', { spec: { a: 1 } })),
    ]);
    expect(life.steps.map((step) => (step as Revision).resourceVersion)).toEqual(['9', '10']);
    expect((life.steps[1] as Revision).changes).toEqual([{ path: 'spec.a', before: 1, after: 2 }]);
  });

  it('recognises a write that changed nothing: its response has a version that was there before', () => {
    const first = request('patch', { from: MANAGER });
    const first2 = answer(first, 200, pod('7'));
    const second = request('patch');
    const [life] = livesOf([first, first2, second, answer(second, 200, pod('7'))]);
    expect(told(life.steps)).toEqual([
      ['7', 'seen', MANAGER.name, 'answer'],
      ['no change', 'kubectl'],
    ]);
  });

  it('takes nothing that a dry run shows for a version', () => {
    const [real, dry] = [request('patch', { from: MANAGER }), request('patch', { dryRun: true })];
    const [life] = livesOf([
      dry,
      answer(dry, 200, pod('7', { spec: { a: 2 } })),
      real,
      answer(real, 200, pod('8', { spec: { a: 1 } })),
    ]);
    expect(told(life.steps)).toEqual([
      ['dry run', 'kubectl'],
      ['8', 'seen', MANAGER.name, 'answer'],
    ]);
    const erased = request('delete', { dryRun: true });
    expect(told(livesOf([erased, answer(erased, 200)])[0].steps)).toEqual([['dry run', 'kubectl']]);
  });

  it('takes the cause of an event for the author where the answer has no version', () => {
    const open = watch();
    const binding = request('create', { subresource: 'binding', from: SCHEDULER });
    const [life] = livesOf([
      open,
      event(open, 'ADDED', pod('3')),
      binding,
      event(open, 'MODIFIED', { ...pod('4', { spec: { nodeName: 'n' } }), causedBy: binding.seq }),
      answer(binding, 201, { object: { kind: 'Status' } }),
    ]);
    expect(told(life.steps)[1]).toEqual(['4', 'changed', 'kube-scheduler', 'event']);
  });

  it('concludes the author of a version that came while one write was under way, and not while two were', () => {
    const between = (writes: number) => {
      const open = watch();
      const deletions = Array.from({ length: writes }, () => request('delete'));
      return livesOf([
        open,
        event(open, 'ADDED', pod('3')),
        ...deletions,
        event(open, 'MODIFIED', pod('4', { metadata: { uid: 'u1', deletionTimestamp: 't' } })),
        event(open, 'DELETED', pod('5')),
        ...deletions.map((one) => answer(one, 200, pod('5'))),
      ])[0];
    };
    expect(told(between(1).steps)).toEqual([
      ['3', 'seen', null, null],
      ['4', 'marked for deletion', 'kubectl', 'only write under way'],
      ['5', 'deleted', 'kubectl', 'answer'],
    ]);
    expect(told(between(2).steps)[1]).toEqual(['4', 'marked for deletion', null, null]);
  });

  it('does not take leaving the selection of a watch for the end', () => {
    const running = watch(`${PATH}?fieldSelector=status.phase!=Succeeded&watch=true`);
    const [life] = livesOf([
      running,
      event(running, 'ADDED', pod('3')),
      event(running, 'DELETED', pod('4', { status: { phase: 'Succeeded' } })),
    ]);
    expect(told(life.steps)[1]).toEqual(['4', 'changed', null, null]);
  });

  it('distinguishes a later object of the same name', () => {
    const open = watch();
    const lives = livesOf([
      open,
      event(open, 'ADDED', pod('3')),
      event(open, 'DELETED', pod('4')),
      event(open, 'ADDED', pod('8', {}, 'u2')),
    ]);
    expect(lives.map(({ uid, steps }) => [uid, steps.length])).toEqual([
      ['u1', 2],
      ['u2', 1],
    ]);
  });

  it('shows refusals, and finds it in lists', () => {
    const list = request('list', { name: undefined, target: PATH });
    const items = [
      { metadata: { name: 'other', resourceVersion: '1' } },
      { metadata: { name: 'web', namespace: 'default', uid: 'u1', resourceVersion: '2' }, spec: { a: 1 } },
    ];
    const put = request('update');
    const [life] = livesOf([
      list,
      answer(list, 200, { object: { kind: 'PodList', items: 2, resourceVersion: '6' }, details: body({ items }) }),
      put,
      answer(put, 409, { object: { kind: 'Status' }, reason: 'Conflict' }),
    ]);
    expect(told(life.steps)).toEqual([
      ['2', 'seen', null, null],
      ['refused', 'kubectl'],
    ]);
    expect((life.steps[0] as Revision).changes).toEqual([{ path: 'spec.a', after: 1 }]);
  });

  it('names the version that the fields are compared with where a body between was not seen', () => {
    const open = watch();
    const partial = { object: { ...POD, kind: 'PartialObjectMetadata', resourceVersion: '4' } };
    const [life] = livesOf([
      open,
      event(open, 'ADDED', pod('3', { spec: { a: 1 } })),
      event(open, 'MODIFIED', partial),
      event(open, 'MODIFIED', pod('5', { spec: { a: 2 } })),
    ]);
    const [, second, third] = life.steps as Revision[];
    expect([second.changes, third.since]).toEqual([null, '3']);
  });

  it.each<[string, Given]>([
    ['another namespace', { namespace: 'other' }],
    ['another name', { name: 'web2' }],
    ['another resource', { resource: 'podtemplates' }],
    ['a subresource that changes nothing', { subresource: 'exec' }],
  ])('leaves out %s', (_name, given) => {
    const post = request('create', given);
    expect(livesOf([post, answer(post, 409, { object: { kind: 'Status' } })])).toEqual([]);
  });

  it('counts Events about it', () => {
    const k8sEvent = {
      type: 'Normal',
      reason: 'Pulled',
      message: 'm',
      kind: 'Pod',
      namespace: 'default',
      name: 'web',
      uid: 'u1',
      component: 'kubelet',
    };
    const object = {
      apiVersion: 'v1',
      kind: 'Event',
      namespace: 'default',
      name: 'web.1',
      uid: null,
      resourceVersion: null,
    };
    const tell = (verb: string) => message({ verb, resource: 'events', namespace: 'default', object, k8sEvent });
    const [life] = livesOf([tell('create'), tell('patch'), tell('patch')]);
    expect(told(life.steps)).toEqual([['k8sEvent', 3]]);
    expect(KUBECTL.name).toBe('kubectl');
  });
});
