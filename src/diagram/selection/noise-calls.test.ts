import { expect, it } from 'vitest';
import { type Given, message } from '../../../test/kit/messages.js';
import { noiseOf } from './noise.js';

const cri = { protocol: 'cri', service: 'runtime.v1.RuntimeService' } as const;
const etcd = { protocol: 'etcd', service: 'etcdserverpb.KV' } as const;

it.each<[string | null, Given]>([
  ['runtime-polls', { ...cri, rpcMethod: 'ListContainers' }],
  ['runtime-polls', { ...cri, rpcMethod: 'ContainerStatus', resource: 'pods', name: 'nginx' }],
  [null, { ...cri, rpcMethod: 'RunPodSandbox', resource: 'pods', name: 'nginx' }],
  [null, { ...cri, service: 'runtime.v1.ImageService', rpcMethod: 'PullImage' }],
  ['etcd-reads', { ...etcd, rpcMethod: 'Range', resource: 'pods' }],
  [null, { ...etcd, rpcMethod: 'Txn', resource: 'pods', name: 'nginx' }],
  ['leases', { ...etcd, rpcMethod: 'Txn', resource: 'leases', name: 'node-1' }],
  ['leases', { ...etcd, rpcMethod: 'Txn', resource: 'masterleases', name: '192.0.2.10' }],
  ['leases', { protocol: 'etcd', service: 'etcdserverpb.Lease', rpcMethod: 'LeaseGrant' }],
  ['events', { ...etcd, rpcMethod: 'Txn', resource: 'events', name: 'nginx.18e9' }],
  ['etcd-housekeeping', { ...etcd, rpcMethod: 'Txn', key: 'compact_rev_key' }],
  ['etcd-housekeeping', { ...etcd, rpcMethod: 'Compact' }],
  ['etcd-housekeeping', { protocol: 'etcd', service: 'etcdserverpb.Maintenance', rpcMethod: 'Status' }],
])('%s: %j', (noise, given) => {
  const request = message(given);
  expect(noiseOf(request, request)).toBe(noise);
  const response = message({
    protocol: given.protocol,
    service: given.service,
    rpcMethod: given.rpcMethod,
    kind: 'response',
  });
  expect(noiseOf(response, request)).toBe(noise);
});
