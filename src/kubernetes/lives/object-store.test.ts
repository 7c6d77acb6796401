import { beforeEach, describe, expect, it } from 'vitest';
import { APISERVER, type Given, KUBECTL, MANAGER, message } from '../../../test/kit/messages.js';
import type { Message } from '../messages/message.js';
import { ObjectStore } from './object-store.js';

const WEB = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web' };
let store = new ObjectStore();

function request(verb: string, given: Given = {}): Message {
  return store.link(message({ verb, resource: 'pods', apiGroup: '', namespace: 'default', name: 'web', ...given }));
}

function answer(to: Message, status: number, given: Given = {}): Message {
  return store.link(
    message({ kind: 'response', exchange: to.exchange, status, from: APISERVER, to: to.from, ...given }),
  );
}

function event(watch: Message, type: string, given: Given): Message {
  return store.link(
    message({ kind: 'event', exchange: watch.exchange, type, from: APISERVER, to: watch.from, ...given }),
  );
}

function watch(given: Given = {}): Message {
  return request('watch', { name: undefined, target: '/api/v1/pods?watch=true', from: MANAGER, ...given });
}

beforeEach(() => {
  store = new ObjectStore();
});

describe('what a message is about', () => {
  it('is one object in a request, its response and an event', () => {
    const create = request('create', { name: undefined });
    expect(create.about).toBeUndefined();
    const created = answer(create, 201, { object: { ...WEB, uid: 'u1' } });
    const shown = event(watch(), 'ADDED', { object: { ...WEB, uid: 'u1' } });
    const read = request('get');
    expect(created.about).toMatchObject({
      apiGroup: '',
      resource: 'pods',
      namespace: 'default',
      name: 'web',
      uid: 'u1',
    });
    for (const one of [create, shown, read]) expect(one.about).toBe(created.about);
    expect(created.about?.created).toMatchObject({ seq: create.seq, from: KUBECTL });
  });

  it('is another object when a later one has the name', () => {
    const first = answer(request('get'), 200, { object: { ...WEB, uid: 'u1' } });
    const create = request('create', { name: 'web' });
    const second = answer(create, 201, { object: { ...WEB, uid: 'u2' } });
    expect(second.about).not.toBe(first.about);
    expect(create.about).toBe(second.about);
    expect(request('get').about?.uid).toBe('u2');
  });

  it('is another object also where no body shows a uid, as in an audit log without bodies', () => {
    const first = answer(request('create'), 201);
    answer(request('delete'), 200);
    const second = answer(request('create'), 201);
    expect(first.about?.deletion?.askedBy).not.toBeNull();
    expect(second.about).not.toBe(first.about);
    expect(second.about?.deletion).toBeNull();
  });

  it('is the object of the row in a Table', () => {
    const known = answer(request('get'), 200, { object: { ...WEB, uid: 'u1' } });
    const table = { kind: 'Table', row: { namespace: 'default', name: 'web' } };
    expect(event(watch(), 'MODIFIED', { object: table }).about).toBe(known.about);
  });

  it('is a Namespace in no namespace, though its request names it twice', () => {
    const read = request('get', { resource: 'namespaces', namespace: 'shop', name: 'shop' });
    const object = { apiVersion: 'v1', kind: 'Namespace', name: 'shop', uid: 'n1' };
    const shown = event(watch({ resource: 'namespaces', namespace: undefined }), 'ADDED', { object });
    expect(read.about).toMatchObject({ resource: 'namespaces', namespace: null, name: 'shop', uid: 'n1' });
    expect(shown.about).toBe(read.about);
  });

  it('is the object in a response whose request was not captured', () => {
    const alone = store.link(
      message({ kind: 'response', exchange: 9_999_999, status: 200, object: { ...WEB, uid: 'u1' } }),
    );
    expect(alone.about).toMatchObject({ resource: 'pods', name: 'web', uid: 'u1' });
  });

  it('is nothing in a list or a watch of several objects', () => {
    const list = request('list', { name: undefined });
    const answered = answer(list, 200, { object: { kind: 'PodList', items: 2 } });
    expect([list.about, answered.about]).toEqual([undefined, undefined]);
  });
});

it('a Kubernetes Event reports on the object with its uid, also in the answer to who repeats it', () => {
  const old = answer(request('create'), 201, { object: { ...WEB, uid: 'u1' } });
  answer(request('create'), 201, { object: { ...WEB, uid: 'u2' } });
  const k8sEvent = {
    kind: 'Pod',
    namespace: 'default',
    name: 'web',
    uid: 'u1',
    reason: 'Killing',
  } as Message['k8sEvent'];
  const report = request('create', { resource: 'events', name: undefined, k8sEvent });
  expect(report.reportsOn).toBe(old.about);
  expect(answer(report, 201).reportsOn).toBe(old.about);
});

describe('the end of a life', () => {
  it('is asked for by the first delete that succeeds, and finished by the write that its last event follows from', () => {
    const life = answer(request('create'), 201, { object: { ...WEB, uid: 'u1' } }).about!;
    answer(request('delete', { from: MANAGER }), 403);
    expect(life.deletion).toBeNull();
    const asked = request('delete');
    answer(asked, 200, { object: { ...WEB, uid: 'u1', deletionTimestamp: '2026-01-01T00:00:00Z' } });
    const finish = request('delete', { from: MANAGER });
    event(watch(), 'DELETED', { object: { ...WEB, uid: 'u1' }, causedBy: finish.seq });
    expect(life.deletion?.askedBy?.request.seq).toBe(asked.seq);
    expect(life.deletion?.finishedBy?.request.seq).toBe(finish.seq);
  });

  it('is not that an object left what a watch selects', () => {
    const selected = watch({ target: '/api/v1/pods?labelSelector=app%3Dweb&watch=true' });
    const left = event(selected, 'DELETED', { object: { ...WEB, uid: 'u1' } });
    expect(left.about?.deletion).toBeNull();
  });
});
