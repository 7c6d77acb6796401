import { describe, expect, it } from 'vitest';
import type { Protocol } from '../messages/message.js';
import { bodyContext } from './details-context.js';

describe('whose a body is', () => {
  it.each<[Protocol, string, Parameters<typeof bodyContext>[1], 'objects' | 'payload' | undefined]>([
    ['kubernetes', '/api/v1/pods', { verb: 'list', resource: 'pods' }, undefined],
    ['kubernetes', '/api/v1/namespaces/a/pods/b/log', { verb: 'get', resource: 'pods', subresource: 'log' }, 'payload'],
    ['kubernetes', '/readyz', {}, undefined],
    // Its request was before the capture: it may be what a Pod said through a proxy.
    ['kubernetes', '', {}, 'objects'],
    ['kubernetes', '', { verb: 'watch', resource: 'pods' }, undefined],
    ['etcd', '/etcdserverpb.KV/Range', { service: 'etcdserverpb.KV' }, undefined],
    ['etcd', '', { service: 'etcdserverpb.KV' }, undefined],
    ['etcd', '/version', {}, undefined],
    // The gateway of the same port: keys and values in base64 (etcd, api/etcdserverpb/gw).
    ['etcd', '/v3/kv/range', {}, 'objects'],
    ['cri', '/exec/REDACTED', {}, 'objects'],
    ['registry', '/v2/library/nginx/manifests/1', {}, undefined],
    ['registry', '/service/token?service=x', {}, undefined],
    // Harbor manages its robots on the port of its registry.
    ['registry', '/api/v2.0/robots', {}, 'objects'],
    ['http', '/anything', {}, 'objects'],
  ])('%s %s %j: %s', (protocol, target, asked, application) =>
    expect(bodyContext(protocol, asked, target).application).toBe(application),
  );
});
