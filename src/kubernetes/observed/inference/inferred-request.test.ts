import { describe, expect, it } from 'vitest';
import { carriedObject } from '../../objects/object-meta.js';
import { type InferredRequest, inferFromBody, inferFromEvent, inferFromResponse } from './inferred-request.js';
import { type Carrying, NO_BODY, shapeOf } from './shapes.js';

const AT = BigInt(Date.parse('2026-11-21T04:41:11Z')) * 1_000_000n;

function json(body: unknown): Carrying {
  const bytes = Buffer.from(JSON.stringify(body));
  return { bytes, contentType: '', carried: carriedObject(bytes, ''), complete: true };
}

function byBody(method: string | null, body: Carrying): InferredRequest {
  return inferFromBody(method, shapeOf(body), body);
}

function byAnswer(
  method: string | null,
  body: Carrying,
  answer: unknown,
  status: number | null = 200,
  manager?: string,
) {
  return inferFromResponse(method, shapeOf(body), body, json(answer), status, AT, manager);
}

function object(apiVersion: string, kind: string, metadata: Record<string, unknown>): Record<string, unknown> {
  return { apiVersion, kind, metadata };
}

const LEASE = { name: 'kube-scheduler', namespace: 'kube-system', uid: 'u', resourceVersion: '7' };
const CREATED = { creationTimestamp: '2026-11-21T04:41:00Z' };
const POD = { name: 'nginx', namespace: 'default', uid: 'u', resourceVersion: '8' };

describe('by the body of a request', () => {
  it('a whole object under a method that is in no static table is an update', () => {
    expect(byBody(null, json(object('coordination.k8s.io/v1', 'Lease', { ...LEASE, ...CREATED })))).toEqual({
      method: 'PUT',
      verb: 'update',
      apiGroup: 'coordination.k8s.io',
      apiVersion: 'v1',
      resource: 'leases',
      namespace: 'kube-system',
      name: 'kube-scheduler',
    });
  });

  it('a POST creates what it carries', () => {
    expect(byBody('POST', json(object('v1', 'Event', { name: 'nginx.1', namespace: 'default' })))).toMatchObject({
      verb: 'create',
      resource: 'events',
      namespace: 'default',
      name: 'nginx.1',
    });
  });

  it('a Binding goes to its Pod', () => {
    expect(byBody('POST', json(object('v1', 'Binding', { name: 'nginx', namespace: 'default' })))).toMatchObject({
      resource: 'pods',
      subresource: 'binding',
      name: 'nginx',
    });
  });

  it('an updated Namespace fills both, a created one only its name', () => {
    const body = object('v1', 'Namespace', { name: 'shop', uid: 'u', resourceVersion: '7', ...CREATED });
    expect(byBody('PUT', json(body))).toMatchObject({ namespace: 'shop', name: 'shop' });
    expect(byBody('POST', json(body)).namespace).toBeUndefined();
  });

  it('a patch and the options of a delete show the method alone', () => {
    expect(byBody(null, json({ status: { phase: 'Running' } }))).toEqual({ method: 'PATCH', verb: 'patch' });
    // delete or deletecollection: the path would tell.
    expect(byBody(null, json({ gracePeriodSeconds: 0 }))).toEqual({ method: 'DELETE' });
  });

  it('of a custom kind everything but the resource', () => {
    expect(byBody('POST', json(object('example.com/v1', 'Sheep', { name: 'dolly', namespace: 'farm' })))).toEqual({
      method: 'POST',
      verb: 'create',
      apiGroup: 'example.com',
      apiVersion: 'v1',
      namespace: 'farm',
      name: 'dolly',
    });
  });

  it('a GET without a body shows nothing', () => {
    expect(byBody('GET', NO_BODY)).toEqual({ method: 'GET' });
  });
});

describe('by the answer', () => {
  it('a GET of one object', () => {
    expect(byAnswer('GET', NO_BODY, object('v1', 'Node', { name: 'node-1', uid: 'u' }))).toMatchObject({
      verb: 'get',
      resource: 'nodes',
      name: 'node-1',
    });
  });

  it('a GET of a list, whose namespace is not certain', () => {
    const inferred = byAnswer('GET', NO_BODY, {
      apiVersion: 'v1',
      kind: 'PodList',
      metadata: {},
      items: [{ metadata: POD }],
    });
    expect(inferred).toEqual({ method: 'GET', verb: 'list', apiGroup: '', apiVersion: 'v1', resource: 'pods' });
  });

  it.each([
    ['discovery', { apiVersion: 'v1', kind: 'APIResourceList', groupVersion: 'v1', resources: [] }],
    ['a Table', { apiVersion: 'meta.k8s.io/v1', kind: 'Table', metadata: {}, rows: [] }],
    ['a Scale', object('autoscaling/v1', 'Scale', { name: 'web', namespace: 'default' })],
  ])('%s shows nothing of its path', (_, answer) => {
    expect(byAnswer('GET', NO_BODY, answer)).toEqual({ method: 'GET' });
  });

  it('NotFound names resource, group and name', () => {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'NotFound',
      details: { name: 'node-1', group: 'coordination.k8s.io', kind: 'leases' },
      code: 404,
    };
    const inferred = { verb: 'get', apiGroup: 'coordination.k8s.io', resource: 'leases', name: 'node-1' };
    expect(byAnswer('GET', NO_BODY, status, 404)).toEqual(inferred);
    // Refused for another reason, the name may be another object's.
    expect(byAnswer('GET', NO_BODY, { ...status, reason: 'Forbidden' }, 403)).toEqual({});
    expect(byAnswer('POST', NO_BODY, status, 404)).toEqual({});
  });

  it('a namespace that is missing was not what a patch inferred for', () => {
    const details = { name: 'shop', kind: 'namespaces' };
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', details, code: 404 };
    expect(byAnswer('PATCH', json({ spec: {} }), status, 404)).toEqual({});
  });

  it('a delete is recognised by the object or by the Status in its response', () => {
    const options = json({ gracePeriodSeconds: 0 });
    expect(byAnswer('DELETE', options, object('v1', 'Pod', POD))).toMatchObject({ verb: 'delete', name: 'nginx' });
    const details = { name: '203.0.113.33', group: 'networking.k8s.io', kind: 'ipaddresses' };
    expect(byAnswer('DELETE', options, { kind: 'Status', apiVersion: 'v1', status: 'Success', details })).toMatchObject(
      {
        verb: 'delete',
        apiGroup: 'networking.k8s.io',
        resource: 'ipaddresses',
      },
    );
    const list = { apiVersion: 'v1', kind: 'PodList', metadata: {}, items: [] };
    expect(byAnswer('DELETE', options, list)).toMatchObject({ verb: 'deletecollection', resource: 'pods' });
  });

  it('what is answered with an object and had no body, under an unknown method, was a delete', () => {
    expect(byAnswer(null, NO_BODY, object('v1', 'Pod', POD))).toMatchObject({ method: 'DELETE', verb: 'delete' });
  });

  it('a created object is named in the answer, its request is not by a generated name', () => {
    const body = json(object('v1', 'Pod', { namespace: 'default' }));
    expect(byAnswer('POST', body, object('v1', 'Pod', POD), 201).name).toBeUndefined();
    expect(byAnswer('POST', body, object('v1', 'Pod', POD), 201).namespace).toBe('default');
  });

  it('a TokenRequest is answered with the service account', () => {
    const body = json(object('authentication.k8s.io/v1', 'TokenRequest', {}));
    const answer = object('authentication.k8s.io/v1', 'TokenRequest', { name: 'default', namespace: 'shop' });
    expect(byAnswer('POST', body, answer, 201)).toMatchObject({
      subresource: 'token',
      namespace: 'shop',
      name: 'default',
    });
  });

  it('the list of managed fields shows which part an update wrote, if one entry alone is new', () => {
    const entry = (manager: string, subresource: string | undefined, time: string) => ({
      manager,
      operation: 'Update',
      subresource,
      time,
    });
    const body = json(object('v1', 'Pod', { ...POD, ...CREATED }));
    const now = '2026-11-21T04:41:11Z';
    const answered = (managedFields: unknown[], manager?: string) =>
      byAnswer('PUT', body, object('v1', 'Pod', { ...POD, resourceVersion: '9', managedFields }), 200, manager)
        .subresource;
    const old = entry('kubectl-run', undefined, '2026-11-21T04:41:00Z');
    expect(answered([old, entry('kubelet', 'status', now)])).toBe('status');
    expect(answered([old, entry('kubelet', undefined, now)])).toBeUndefined();
    expect(answered([old])).toBeUndefined();
    const both = [entry('kube-scheduler', undefined, now), entry('kubelet', 'status', now)];
    expect(answered(both)).toBeUndefined();
    expect(answered(both, 'kubelet')).toBe('status');
    // Nothing was written: the newest entry is somebody else's.
    const same = object('v1', 'Pod', { ...POD, managedFields: [entry('kubelet', 'status', now)] });
    expect(byAnswer('PUT', body, same).subresource).toBeUndefined();
  });

  it('a patch of nothing but the status is one of the subresource', () => {
    const answer = object('v1', 'Pod', POD);
    expect(byAnswer('PATCH', json({ metadata: { uid: 'u' }, status: {} }), answer).subresource).toBe('status');
    expect(byAnswer('PATCH', json({ spec: {}, status: {} }), answer).subresource).toBeUndefined();
  });

  it('server-side apply is a patch', () => {
    const managedFields = [{ manager: 'kubectl', operation: 'Apply', time: '2026-11-21T04:41:11Z' }];
    const applied = json(object('v1', 'Pod', { name: 'nginx' }));
    expect(byAnswer(null, applied, object('v1', 'Pod', { ...POD, managedFields }))).toMatchObject({ verb: 'patch' });
    expect(byAnswer(null, applied, object('v1', 'Pod', POD)).verb).toBeUndefined();
  });

  it('a refusal that carries no object shows nothing', () => {
    expect(inferFromResponse('GET', 'none', NO_BODY, NO_BODY, 403, AT)).toEqual({});
  });
});

describe('by an event', () => {
  it('is a watch of its kind', () => {
    expect(inferFromEvent('apps/v1', 'Deployment')).toEqual({
      verb: 'watch',
      apiGroup: 'apps',
      apiVersion: 'v1',
      resource: 'deployments',
    });
    expect(inferFromEvent('meta.k8s.io/v1', 'PartialObjectMetadata')).toEqual({ verb: 'watch' });
  });
});
