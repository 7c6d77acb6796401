import { expect, it } from 'vitest';
import { hasPrefixOfItsOwn, storedAs } from './keys.js';

it.each([
  ['/registry/pods/default/nginx', 'pods', '', 'default', 'nginx'],
  ['/registry/deployments/shop/web', 'deployments', 'apps', 'shop', 'web'],
  ['/registry/minions/node-1', 'nodes', '', undefined, 'node-1'],
  ['/registry/namespaces/shop', 'namespaces', '', 'shop', 'shop'],
  ['/registry/services/specs/default/kubernetes', 'services', '', 'default', 'kubernetes'],
  ['/registry/services/endpoints/default/kubernetes', 'endpoints', '', 'default', 'kubernetes'],
  ['/registry/ingress/default/web', 'ingresses', 'networking.k8s.io', 'default', 'web'],
  ['/registry/clusterroles/system:node', 'clusterroles', 'rbac.authorization.k8s.io', undefined, 'system:node'],
  ['/registry/resourceslices/node-1-gpu', 'resourceslices', 'resource.k8s.io', undefined, 'node-1-gpu'],
  ['/registry/resourceclaims/default/gpu', 'resourceclaims', 'resource.k8s.io', 'default', 'gpu'],
  ['/registry/podcertificaterequests/shop', 'podcertificaterequests', 'certificates.k8s.io', 'shop', undefined],
  ['/registry/volumeattributesclasses', 'volumeattributesclasses', 'storage.k8s.io', undefined, undefined],
  ['/registry/example.com/widgets/default/one', 'widgets', 'example.com', 'default', 'one'],
  [
    '/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com',
    'customresourcedefinitions',
    'apiextensions.k8s.io',
    undefined,
    'widgets.example.com',
  ],
  [
    '/registry/wardle.example.com/wardle.example.com/flunders/default/one',
    'flunders',
    'wardle.example.com',
    'default',
    'one',
  ],
  ['/registry/events/default/nginx.18e9f', 'events', undefined, 'default', 'nginx.18e9f'],
])('%s', (key, resource, apiGroup, namespace, name) => {
  expect(storedAs(key)).toEqual({ resource, apiGroup, namespace, name });
});

it('the beginning of many keys has no name', () => {
  expect(storedAs('/registry/pods/')).toMatchObject({ resource: 'pods', namespace: undefined, name: undefined });
  expect(storedAs('/registry/pods')).toMatchObject({ resource: 'pods', namespace: undefined, name: undefined });
  expect(storedAs('/registry/pods/default/')).toMatchObject({ namespace: 'default', name: undefined });
  expect(storedAs('/registry/leases/kube-system')).toMatchObject({ namespace: 'kube-system', name: undefined });
});

it.each(['', 'compact_rev_key', '/registry/', '/registry', '/other/pods/default/nginx', '/registry/x.y'])(
  '%j is no object of an API server',
  (key) => expect(storedAs(key)).toBeNull(),
);

it('names that objects of JavaScript have are names like any other', () => {
  expect(storedAs('/registry/constructor/default/x')).toMatchObject({ resource: 'constructor', apiGroup: undefined });
});

it.each([
  ['/registry/wardle.example.com/wardle.example.com/flunders/default/one', true],
  ['/registry/example.com/widgets/default/a.b', false],
  ['/registry/pods/default/a.b', false],
  ['/elsewhere/a.b/c.d', false],
])('%s has a prefix of its own: %s', (key, has) => expect(hasPrefixOfItsOwn(key)).toBe(has));
