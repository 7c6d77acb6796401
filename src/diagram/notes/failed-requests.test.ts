import { describe, expect, it } from 'vitest';
import {
  APISERVER,
  exchanged,
  type Given,
  KUBECTL,
  MANAGER,
  REPLICASETS,
  SCHEDULER,
} from '../../../test/kit/messages.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { buildSequence } from '../build.js';
import { arrowsOf, notesOf } from '../model.js';
import { wentWrong } from './failed-requests.js';

const LEASE = {
  resource: 'leases',
  namespace: 'kube-system',
  name: 'op',
  target: '/apis/coordination.k8s.io/v1/leases/op',
};
const DISCOVERY = { verb: 'get', target: '/apis/shop.example.com/v1' };

describe('what went wrong', () => {
  it.each<[string, Given, Given, boolean]>([
    ['a forbidden request of a user', { from: KUBECTL, ...DISCOVERY }, { status: 401 }, true],
    ['discovery by a user, of a missing group', { from: KUBECTL, ...DISCOVERY }, { status: 404 }, false],
    ['discovery by a user, of a server that is gone', { from: KUBECTL, ...DISCOVERY }, { status: 503 }, true],
    ["a user's get of a missing object", { from: KUBECTL, verb: 'get', ...LEASE }, { status: 404 }, true],
    ["a user's update with a conflict", { from: KUBECTL, verb: 'update', ...LEASE }, { status: 409 }, true],
    ['a program that looks for what is not there', { from: MANAGER, verb: 'get', ...LEASE }, { status: 404 }, false],
    ['a program that deletes what is not there', { from: MANAGER, verb: 'delete', ...LEASE }, { status: 404 }, true],
    ['a program that loses a race', { from: MANAGER, verb: 'update', ...LEASE }, { status: 409 }, false],
    ['a program that may not', { from: MANAGER, verb: 'update', ...LEASE }, { status: 403 }, true],
    [
      'a runtime that cannot',
      { protocol: 'cri', service: 'runtime.v1.ImageService', rpcMethod: 'ImageStatus' },
      { grpcStatus: 14 },
      true,
    ],
    [
      'a runtime that does not know a poll',
      { protocol: 'cri', service: 'runtime.v1.RuntimeService', rpcMethod: 'RuntimeConfig' },
      { grpcStatus: 12 },
      false,
    ],
    [
      'a runtime that does not know a call',
      { protocol: 'cri', service: 'runtime.v1.RuntimeService', rpcMethod: 'RunPodSandbox' },
      { grpcStatus: 12 },
      true,
    ],
    ['a call that is cancelled', { protocol: 'etcd', rpcMethod: 'Watch' }, { grpcStatus: 1 }, false],
    ['what goes well', { from: MANAGER, verb: 'update', ...LEASE }, { status: 200 }, false],
  ])('%s', (_, asked, answer, isWrong) => {
    const [request, response] = exchanged(asked, answer);
    expect(wentWrong(request, response)).toBe(isWrong);
    expect(wentWrong(request, undefined)).toBe(false);
  });
});

const drawn = (...messages: Message[][]) => {
  const { steps, closing, folded } = buildSequence({ messages: messages.flat(), notices: [] });
  return { labels: arrowsOf(steps).map(({ message }) => message.label), notes: notesOf(steps), closing, folded };
};
const asks = (label: string, given: Given, status: number, answer: Given = {}): Message[] =>
  exchanged({ label, ...given }, { status, label: `${status}`, ...answer });

describe('noise that went wrong is drawn', () => {
  const ok = (): Message[] => asks('health', { from: KUBECTL, verb: 'get', target: '/healthz' }, 200);

  it('where a person met it, be there a story or none', () => {
    const refused = asks('discover', { from: KUBECTL, verb: 'get', target: '/api' }, 401);
    expect(drawn(refused, ok()).labels).toEqual(['discover', '401']);
    const write = asks('write', { from: KUBECTL, verb: 'patch', resource: 'configmaps', name: 'x' }, 200);
    expect(drawn(write, refused, ok()).labels).toEqual(['write', '200', 'discover', '401']);
  });

  it('where only programs did anything', () => {
    const list = { from: MANAGER, verb: 'list', resource: 'widgets', target: '/apis/example.com/v1/widgets' };
    const node = { from: SCHEDULER, verb: 'patch', resource: 'nodes', subresource: 'status', name: 'node-1' };
    const { labels } = drawn(
      asks('list', list, 403),
      asks('list again', list, 200),
      asks('look', { from: MANAGER, verb: 'get', ...LEASE }, 404),
      asks('race', { from: MANAGER, verb: 'update', ...LEASE }, 409),
      asks('renew', { from: MANAGER, verb: 'update', ...LEASE }, 500),
      asks('node', node, 403),
    );
    expect(labels).toEqual(['list', '403', 'renew', '500', 'node', '403']);
  });

  it('again and again alike, once with the number of all; for another reason, too', () => {
    const list = (statusMessage: string): Message[] =>
      asks('list', { from: MANAGER, verb: 'list', resource: 'widgets' }, 403, { statusMessage });
    const renew = (): Message[] => asks('renew', { from: MANAGER, verb: 'update', ...LEASE }, 500);
    const { labels, notes, folded, closing } = drawn(
      ...Array.from({ length: 5 }, () => [...list('who?'), ...renew()]),
      list('no'),
    );
    expect(labels).toEqual(['list', '403', 'renew', '500', 'list', '403']);
    expect(notes.flatMap(({ lines }) => lines)).toContain('5 such requests fail alike: the first is drawn');
    expect(folded).toEqual({ 'with the same error as the one drawn': 16 });
    expect(closing.join()).not.toContain('of what is not drawn,');
  });
});

describe('what a person changes by hand is drawn, whatever it is', () => {
  it.each([
    ['delete', LEASE],
    ['patch', LEASE],
    ['delete', { resource: 'events', namespace: 'default', name: 'web.1' }],
  ])('%s of %o', (verb, what) => {
    expect(drawn(asks('change', { from: KUBECTL, verb, ...what }, 200)).labels).toEqual(['change', '200']);
  });

  it('not what it requests in a review, nor the Leases of a program without a known name', () => {
    const review = { from: KUBECTL, verb: 'create', resource: 'subjectaccessreviews' };
    const renews = { from: { ...KUBECTL, component: 'shop', name: 'shop' }, verb: 'update', ...LEASE };
    expect(drawn(asks('review', review, 201), asks('renew', renews, 200)).labels).toEqual([]);
  });
});

it('what went wrong elsewhere is no part of a story, and counted', () => {
  const write = asks('write', { from: KUBECTL, verb: 'patch', resource: 'configmaps', name: 'x' }, 200);
  const other = { from: REPLICASETS, to: APISERVER, verb: 'create', resource: 'pods', name: 'other' };
  const closingOf = (...more: Message[][]) =>
    drawn(write, ...more).closing.filter((line) => line.startsWith('of what is not drawn'));
  expect(closingOf(asks('make', other, 403))).toEqual(['of what is not drawn, 1 request failed: about other objects']);
  const renew = asks('renew', { from: MANAGER, verb: 'update', ...LEASE }, 500);
  expect(closingOf(asks('make', other, 403), asks('make', other, 403), renew)).toEqual([
    'of what is not drawn, 3 requests failed: 2 about other objects, 1 leases',
  ]);
  expect(closingOf(asks('make', other, 201), asks('look', { ...other, verb: 'get' }, 404))).toEqual([]);
});
