import { describe, expect, it } from 'vitest';
import { parseFollow, resourceOfKind, splitApiVersion } from './kinds.js';

it('splits group and version', () => {
  expect(splitApiVersion('v1')).toEqual({ apiGroup: '', version: 'v1' });
  expect(splitApiVersion('apps/v1')).toEqual({ apiGroup: 'apps', version: 'v1' });
});

describe('how people name kinds', () => {
  it.each([
    ['pod', 'pods'],
    ['po', 'pods'],
    ['Pods', 'pods'],
    ['deploy', 'deployments'],
    ['Ingress', 'ingresses'],
    ['ingresses', 'ingresses'],
    ['NetworkPolicy', 'networkpolicies'],
    ['Endpoints', 'endpoints'],
    ['EndpointSlice', 'endpointslices'],
    ['StorageClass', 'storageclasses'],
    ['Gateway', 'gateways'],
    ['svc', 'services'],
    ['crd', 'customresourcedefinitions'],
  ])('%s is %s', (kind, resource) => expect(resourceOfKind(kind)).toBe(resource));

  it('reads KIND/NAME with group and namespace', () => {
    expect(parseFollow('pod/nginx', 'default')).toEqual({
      resource: 'pods',
      group: null,
      name: 'nginx',
      namespace: 'default',
    });
    expect(parseFollow('deployment.apps/web', 'team')).toEqual({
      resource: 'deployments',
      group: 'apps',
      name: 'web',
      namespace: 'team',
    });
    expect(parseFollow('node/node-1', 'default')).toMatchObject({ resource: 'nodes', namespace: null });
    expect(parseFollow('nginx', 'default')).toBeNull();
    expect(parseFollow('pod/', 'default')).toBeNull();
  });
});
