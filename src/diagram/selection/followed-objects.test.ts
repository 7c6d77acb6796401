import { describe, expect, it } from 'vitest';
import { APISERVER, type Given, KUBECTL, message, REPLICASETS } from '../../../test/kit/messages.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { indexMessages } from '../message-index.js';
import { FollowedObjects } from './followed-objects.js';

const APP = { kind: 'App', namespace: 'default', name: 'shop', uid: 'u-1' };
const PART = { kind: 'ConfigMap', namespace: 'default', name: 'part', uid: 'u-2' };

/** An object is told of, and its controller writes another one, which nobody owns. */
function told(request: Given, status: number): { tracked: FollowedObjects; written: Message } {
  const watch = message({ verb: 'watch', resource: 'apps', from: REPLICASETS, to: APISERVER });
  const { exchange } = watch;
  const event = message({ kind: 'event', type: 'ADDED', exchange, from: APISERVER, to: REPLICASETS, object: APP });
  const written = message({
    ...{ resource: 'configmaps', namespace: 'default', name: 'part', from: REPLICASETS, to: APISERVER },
    ...{ causedBy: event.seq, ...request },
  });
  const answered = { kind: 'response', exchange: written.exchange, from: APISERVER, to: REPLICASETS, status } as const;
  const messages = [watch, event, written, message({ ...answered, object: PART })];
  const roots = [{ resource: 'apps', group: null, name: 'shop', namespace: 'default' }];
  return { tracked: new FollowedObjects(indexMessages(messages), roots), written };
}

describe('what is made because of a followed object, and not owned by it', () => {
  it.each([
    ['a create', { verb: 'create' }, 201, true],
    ['an apply that makes it', { verb: 'patch' }, 201, true],
    ['an apply of what is there', { verb: 'patch' }, 200, false],
    ['a dry run', { verb: 'patch', dryRun: true }, 201, false],
    ['an Event', { verb: 'create', resource: 'events' }, 201, false],
    ['a status', { verb: 'patch', subresource: 'status' }, 200, false],
  ])('%s', (_, request, status, isFollowed) => {
    const { tracked, written } = told(request, status);
    expect(tracked.isAbout(written)).toBe(isFollowed);
  });
});

describe('an object of the same name in another API group', () => {
  const KNATIVE = 'serving.knative.dev';
  const made = (apiGroup: string, uid: string): Message[] => {
    const request = message({ verb: 'update', resource: 'services', apiGroup, namespace: 'default', name: 'web' });
    const object = { kind: 'Service', namespace: 'default', name: 'web', uid };
    return [request, message({ kind: 'response', exchange: request.exchange, status: 200, object })];
  };
  const report = { type: 'Warning', reason: 'Bad', message: '', kind: 'Service', namespace: 'default', name: 'web' };
  const said = message({ verb: 'create', resource: 'events', k8sEvent: { ...report, uid: 'core', component: 'x' } });
  const messages = [...made(KNATIVE, 'knative'), ...made('', 'core'), said];

  it.each([
    ['is not followed', KNATIVE, [true, true, false, false], false],
    ['is, where no group was given', null, [true, true, true, true], true],
  ])('%s', (_, group, isFollowed, isReported) => {
    const tracked = new FollowedObjects(indexMessages(messages), [
      { resource: 'services', group, name: 'web', namespace: 'default' },
    ]);
    expect(messages.slice(0, 4).map((one) => tracked.isAbout(one))).toEqual(isFollowed);
    expect(tracked.isReportedBy(said.k8sEvent)).toBe(isReported);
  });
});

describe('what kubectl get --watch receives', () => {
  const row = { namespace: 'default', name: 'web', uid: 'p-1' };
  const table = { kind: 'Table', namespace: null, name: null, uid: null, resourceVersion: '11', rows: 1 };

  it.each([
    ['a row of it', {}, { ...table, row }, true],
    ['a row of another one', {}, { ...table, row: { ...row, name: 'api', uid: 'p-2' } }, false],
    ['a row of one of that name elsewhere', {}, { ...table, row: { ...row, namespace: 'team', uid: 'p-3' } }, false],
    ['rows without objects, where its name is watched', { name: 'web' }, table, true],
    ['the same of another name', { name: 'api' }, table, false],
    ['rows without objects', {}, table, false],
  ])('%s', (_, asked, object, isFollowed) => {
    const watch = message({ verb: 'watch', resource: 'pods', namespace: 'default', ...asked });
    const told = { kind: 'event', type: 'MODIFIED', exchange: watch.exchange, from: APISERVER, to: KUBECTL } as const;
    const event = message({ ...told, object });
    const roots = [{ resource: 'pods', group: null, name: 'web', namespace: 'default' }];
    expect(new FollowedObjects(indexMessages([watch, event]), roots).isAbout(event)).toBe(isFollowed);
  });
});

describe('a Pod for which a node is made', () => {
  const POD = { kind: 'Pod', namespace: 'default', name: 'web', uid: 'p-1' };
  const report = { type: 'Normal', reason: 'Nominated', kind: 'Pod', namespace: 'default', component: 'karpenter' };

  it.each([
    ['of it', 'web', 'p-1', 'Pod should schedule on: nodeclaim/pool-x1', true],
    ['of it, with a node', 'web', 'p-1', 'Pod should schedule on: nodeclaim/pool-x1, node/n1', true],
    ['of another one', 'api', 'p-2', 'Pod should schedule on: nodeclaim/pool-x1', false],
    ['of it, about a node that is there', 'web', 'p-1', 'Pod should schedule on: node/n1', false],
  ])('has its story, as an Event reports %s', (_, name, uid, text, isFollowed) => {
    const made = message({ verb: 'create', resource: 'pods', namespace: 'default', name: 'web' });
    const answered = message({ kind: 'response', exchange: made.exchange, status: 201, object: POD });
    const said = message({ verb: 'create', resource: 'events', k8sEvent: { ...report, name, uid, message: text } });
    const claim = message({ verb: 'patch', resource: 'nodeclaims', name: 'pool-x1', subresource: 'status' });
    const roots = [{ resource: 'pods', group: null, name: 'web', namespace: 'default' }];
    const tracked = new FollowedObjects(indexMessages([made, answered, said, claim]), roots);
    expect(tracked.isAbout(claim)).toBe(isFollowed);
  });
});

describe('what is applied for a followed object, and not owned by it', () => {
  it.each([
    ['is followed', 'shop', true],
    ['is not, where it is for another one', 'other', false],
  ])('%s', (_, name, isFollowed) => {
    const root = { resource: 'kustomizations', group: null, name: 'shop', namespace: 'flux-system' };
    const appliedFor = {
      resource: 'kustomizations',
      apiGroup: 'kustomize.toolkit.fluxcd.io',
      namespace: 'flux-system',
      name,
    };
    const applied = message({
      verb: 'patch',
      resource: 'configmaps',
      namespace: 'default',
      name: 'part',
      appliedFor,
    });
    const answered = message({ kind: 'response', exchange: applied.exchange, status: 200, object: PART });
    expect(new FollowedObjects(indexMessages([applied, answered]), [root]).isAbout(applied)).toBe(isFollowed);
  });
});
