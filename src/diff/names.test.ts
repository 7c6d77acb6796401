import { describe, expect, it } from 'vitest';
import { message } from '../../test/kit/messages.js';
import { indexMessages } from '../diagram/message-index.js';
import { normaliser, normaliseText } from './names.js';

const object = (kind: string, name: string, owner?: readonly [string, string]): Parameters<typeof message>[0] => ({
  object: {
    apiVersion: 'v1',
    kind,
    name,
    namespace: 'default',
    uid: name,
    resourceVersion: '1',
    ...(owner === undefined ? null : { owners: [{ kind: owner[0], name: owner[1], uid: owner[1] }] }),
  },
});

describe('generated names', () => {
  const normalise = normaliser(
    indexMessages(
      [
        object('Deployment', 'web'),
        object('ReplicaSet', 'web-64c966cf88', ['Deployment', 'web']),
        object('Pod', 'web-64c966cf88-6c5vr', ['ReplicaSet', 'web-64c966cf88']),
        object('ReplicaSet', 'web-76f957db5c', ['Deployment', 'web']),
        object('Pod', 'web-76f957db5c-qgjct', ['ReplicaSet', 'web-76f957db5c']),
        object('EndpointSlice', 'web-xkcdz', ['Service', 'web']),
        object('ConfigMap', 'web-settings', ['Deployment', 'web']),
      ].map(message),
    ),
  );

  it.each([
    ['[REQ] GET /pods/web-64c966cf88-6c5vr', '[REQ] GET /pods/web-{hash}-{suffix}'],
    ['[RESP-CHUNK] Pod ADDED - web-76f957db5c-qgjct', '[RESP-CHUNK] Pod ADDED - web-{hash2}-{suffix}'],
    ['[REQ] PUT /replicasets/web-64c966cf88/status', '[REQ] PUT /replicasets/web-{hash}/status'],
    ['[RESP-CHUNK] EndpointSlice ADDED - web-xkcdz', '[RESP-CHUNK] EndpointSlice ADDED - web-{slice}'],
    ['- kube-system/web-64c966cf88-6c5vr.17f0a2b3c4d5e6f7', '- kube-system/web-{hash}-{suffix}.{id}'],
  ])('%s', (text, made) => {
    expect(normalise(text)).toBe(made);
  });

  it.each(['web', 'web-settings', '/api/v1/pods', '[RESP] 200 OK', 'kubelet (node-1)', 'kube-root-ca.crt', 'v1.34.4'])(
    'were not made: %s',
    (text) => {
      expect(normalise(text)).toBe(text);
      expect(normaliseText(text)).toBe(text);
    },
  );
});

it.each([
  ['client 192.0.2.7', 'client {address}'],
  ['client 2001:db8::10', 'client {address}'],
  ['198.18.1.9:80', '{address}'],
  ['/pods/b6c0f3a2-1d2e-4f5a-8b9c-0d1e2f3a4b5c', '/pods/{uid}'],
  ['web-64c966cf88-6c5vr', 'web-{hash}-{suffix}'],
  ['nginx.17f0a2b3c4d5e6f7', 'nginx.{id}'],
  ['StartContainer 3f2a1b4c5d6e', 'StartContainer {id}'],
])('from the text alone: %s', (text, made) => {
  expect(normaliseText(text)).toBe(made);
});
