import { describe, expect, it } from 'vitest';
import { message } from '../../test/messages.js';
import { compileWhere } from './where.js';

const created = message({ kind: 'request', verb: 'create', resource: 'pods', namespace: 'default', name: 'nginx' });
const answer = message({ kind: 'response', status: 409, latencyMs: 7.5, object: { kind: 'Pod', namespace: 'team-a' } });

describe('compileWhere', () => {
  it.each([
    ['verb == "create" && resource == "pods"', true],
    ['namespace == "default"', true],
    ['name == "namespace"', false],
    ['name.startsWith("ng")', true],
    ['status == 409', false],
    ['status == 409 || verb == "create"', true],
    ['from == "kubectl" && to == "kube-apiserver"', true],
    ['frames[0] == 1', true],
    ['object.kind == "Pod"', false],
    ['type(status) == int', false],
    ['kind == "event" && type == "ADDED"', false],
  ])('%s on a request: %s', (expression, expected) => {
    expect(compileWhere(expression)(created, created)).toBe(expected);
  });

  it.each([
    ['rpcMethod == "Txn" && succeeded && revision == "712"', true],
    ['key.startsWith("/registry/pods/")', true],
    ['service == "etcdserverpb.Lease" || grpcStatus != 0', false],
  ])('%s on the answer of a call: %s', (expression, expected) => {
    const call = { protocol: 'etcd', service: 'etcdserverpb.KV', rpcMethod: 'Txn' } as const;
    const asked = message({ ...call, kind: 'request', key: '/registry/pods/default/nginx' });
    const told = message({ ...call, kind: 'response', grpcStatus: 0, revision: '712', succeeded: true });
    expect(compileWhere(expression)(told, asked)).toBe(expected);
  });

  it.each([
    ['status >= 400', true],
    ['verb == "create"', true],
    ['latencyMs > 5', true],
    ['object.namespace == "team-a"', true],
    ['status in [404, 409]', true],
    ['status == 404', false],
  ])('%s on its answer, which sees the request too: %s', (expression, expected) => {
    expect(compileWhere(expression)(answer, created)).toBe(expected);
  });

  it('tells mistakes in one line', () => {
    expect(() => compileWhere('verb ==')).toThrow(/^[^\n]+$/);
    expect(() => compileWhere('namespce == "x"')).toThrow('Unknown variable: namespce');
  });
});
