// Secrets wherever bodies have them: the rows alone hide them, as no row shows such a place.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBodyShown, type ObjectContext } from './objects.js';
import { redactionOf } from './redaction.js';

const X = 'zq8XwKp2Lmx7';
const META = { name: 's', namespace: 'default', uid: 'u', resourceVersion: '5' };
const pod = { spec: { containers: [{ name: 'a', env: [{ name: 'A', value: X }] }] } };

/** The body as it is shown. */
function show(body: unknown, context: ObjectContext = {}, fields: readonly string[] = []): unknown {
  return redactionOf({ fields }).object(body, context);
}

function written(body: unknown, context: ObjectContext = {}, fields: readonly string[] = []): string {
  return JSON.stringify(show(body, context, fields) ?? null);
}

const patch = (path: string, value: unknown) => [{ op: 'add', path, value }];
const policy = (mutate: object) => ({ kind: 'ClusterPolicy', spec: { rules: [{ name: 'r', mutate }] } });
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const annotated = (text: string) => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': text } },
});

describe('a secret is not shown', () => {
  it.each<[string, unknown, ObjectContext?]>([
    ['a Secret', { apiVersion: 'v1', kind: 'Secret', metadata: META, type: 'Opaque', data: { a: X } }],
    ['its texts', { kind: 'Secret', metadata: META, stringData: { a: X } }],
    ['a ConfigMap', { kind: 'ConfigMap', metadata: META, data: { a: X }, binaryData: { b: X } }],
    ['unexpected members', { kind: 'Secret', metadata: META, extra: { a: [X, 5] }, Data: { a: X }, DATA: X }],
    ['SecretList', { kind: 'SecretList', apiVersion: 'v1', items: [{ metadata: META, data: { a: X } }] }],
    ['ConfigMapList', { kind: 'ConfigMapList', items: [{ metadata: META, data: { a: X } }] }],
    ['a patch by its resource', { data: { a: X } }, { resource: 'secrets' }],
    ['a body of unknown type', { data: { a: X } }],
    ['a review', { kind: 'AdmissionReview', request: { object: { kind: 'Secret', metadata: META, data: { a: X } } } }],
    ['a template without kind', { kind: 'SealedSecret', spec: { template: { type: 'Opaque', data: { p: X } } } }],
    ['a merge of a policy', policy({ patchStrategicMerge: { stringData: { p: X } } })],
    ['a patch of a policy', policy({ patchesJson6902: JSON.stringify(patch('/data/p', X)) })],
    ['a patch in YAML', policy({ patchesJson6902: `- op: add\n  path: "/stringData/p"\n  value: ${X}\n` })],
    ['what a policy makes', policy({ generate: { apiVersion: 'v1', kind: 'Secret', name: 's', data: { p: X } } })],
    ['a store for tests', { kind: 'SecretStore', spec: { provider: { fake: { data: [{ key: 'a', value: X }] } } } }],
    ['a variable', pod, { resource: 'pods' }],
    ['a variable of a custom resource', { kind: 'Thing', spec: { env: { A: X }, envs: [{ key: 'A', value: X }] } }],
    ['a variable of docker', { Config: { Env: [`A=${X}=y`] } }, { api: 'docker' }],
    ['a variable as text', { env: `A=${X}` }],
    ...['docker', 'registry'].map((api): [string, unknown, ObjectContext] => [
      `a layer of ${api}`,
      { history: [{ created_by: `ENV PASSWORD=${X} b` }, { CreatedBy: `RUN |1 TOKEN=${X} make` }] },
      { api: api as 'docker' },
    ]),
    ['a patched field', patch('/data/password', X), { resource: 'secrets' }],
    ['a patched map', patch('/data', { a: X }), { resource: 'configmaps' }],
    ['a patched object', patch('', { stringData: { a: X } }), { resource: 'secrets' }],
    ['a patch of an unknown resource', patch('/data/x', X)],
    ['a patched variable', patch('/spec/template/spec/containers/0/env/0/value', X), { resource: 'deployments' }],
    ['an added variable', patch('/spec/containers/0/env/-', { name: 'A', value: X }), { resource: 'pods' }],
    ['a pointer that is none', [{ op: 'copy', path: '/data/a', from: { data: X } }], { resource: 'secrets' }],
    ['a patch in base64', { kind: 'AdmissionReview', response: { uid: 'u', patch: base64(patch('/data/a', X)) } }],
    ['a text that is an object', annotated(JSON.stringify({ kind: 'Secret', data: { a: X } }))],
    ['a text that is cut', annotated(`{"kind":"Secret","data":{"a":"${X}`)],
    ['a text in YAML', { a: `apiVersion: v1\nkind: Secret\nstringData: {a: ${X}}\n` }],
    [
      'a failure that repeats the request',
      { kind: 'Status', apiVersion: 'v1', reason: 'Invalid', message: X, details: { causes: [{ message: X }] } },
    ],
    [
      'a verdict',
      {
        kind: 'AdmissionReview',
        response: { allowed: false, status: { message: X }, warnings: [X], auditAnnotations: { k: X } },
      },
    ],
    [
      'an audit log',
      {
        kind: 'EventList',
        apiVersion: 'audit.k8s.io/v1',
        items: [{ requestObject: { data: { k: X } }, responseStatus: { reason: 'Invalid', message: X } }],
      },
    ],
    ['a swarm', { ID: 'x', JoinTokens: { Worker: X, Manager: X }, UnlockKey: X }, { api: 'docker' }],
    [
      'a Table of Secrets, cut before their kinds',
      { kind: 'Table', apiVersion: 'meta.k8s.io/v1', rows: [{ cells: ['s', 1], object: { data: { k: X } } }] },
      { resource: 'secrets' },
    ],
  ])('of %s', (_, body, context) => {
    expect(JSON.stringify(body)).toMatch(new RegExp(`${X}|patch":"`));
    expect(written(body, context)).not.toContain(X);
    expect(written(body, context)).not.toContain(Buffer.from(X).toString('base64').slice(2, 12));
  });

  it('whatever a user names with --show-field, and its length neither', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: META, data: { a: X, b: 'y'.repeat(100), c: '' } };
    expect(show(secret, {}, ['secrets.data.a'])).toEqual({ ...secret, data: { a: 'REDACTED', b: 'REDACTED', c: '' } });
  });

  it('of a variable, whatever a user names', () => {
    expect(written(pod, { resource: 'pods' }, ['pods.spec.containers.env.value'])).not.toContain(X);
  });

  it('in a webhook’s words about a Secret, whatever their reason', () => {
    const message = 'admission webhook "w" denied the request: container image denied';
    const status = { kind: 'Status', apiVersion: 'v1', reason: 'Forbidden', message };
    expect(written(status, { resource: 'pods' })).toContain('container image denied');
    expect(written(status, { resource: 'secrets' })).not.toContain('container image denied');
  });
});

describe('what is no secret stays', () => {
  it.each<[unknown, ObjectContext?]>([
    [{ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', message: 'secrets "s" not found' }],
    [{ kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background', preconditions: { uid: 'u' } }],
    [patch('/metadata/labels/a', 'x'), { resource: 'secrets' }],
    [patch('/spec/replicas', 5), { resource: 'deployments' }],
    [
      {
        kind: 'Pod',
        spec: { containers: [{ env: [{ name: 'A', valueFrom: { secretKeyRef: { key: 'password' } } }] }] },
      },
    ],
  ])('%j', (body, context) => {
    const redaction = redactionOf();
    redaction.observeName('s');
    expect(redaction.object(body, context ?? {})).toEqual(body);
  });
});

describe("an application's bodies", () => {
  it.each([[{ pin: 1 }], [[1]], ['text'], [5], [null]])('%j are not shown', (value) => {
    expect(isBodyShown(value, { application: 'objects' })).toBe(false);
    expect(isBodyShown(value, { application: 'payload' })).toBe(false);
  });
  it('are shown where they are objects of Kubernetes; of a payload only a Status', () => {
    const review = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' };
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Success' };
    expect(isBodyShown(review, { application: 'objects' })).toBe(true);
    expect(isBodyShown(review, { application: 'payload' })).toBe(false);
    expect(isBodyShown(status, { application: 'payload' })).toBe(true);
  });
});

describe('any value', () => {
  it('is copied, never thrown at, and redacted twice as once', () => {
    const key = fc.oneof(
      fc.constantFrom(...'kind data env value items token op path patch response __proto__ message'.split(' ')),
      fc.string(),
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom('Secret', 'Status', 'ConfigMapList', 'AdmissionReview', '{"a":1}'),
        fc.string(),
        fc.integer(),
        fc.constant(null),
        tie('list'),
        tie('record'),
      ),
      list: fc.array(tie('any'), { maxLength: 4 }),
      record: fc.array(fc.tuple(key, tie('any')), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
    })).any;
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 'secrets', 'pods'), (input, resource) => {
        const before = JSON.stringify(input);
        const once = show(input, { resource });
        expect(JSON.stringify(show(once, { resource }))).toBe(JSON.stringify(once));
        expect(JSON.stringify(input)).toBe(before);
      }),
      { numRuns: 3000, examples: [[[{ '': [], path: 0, op: 'x' }], 'secrets']] },
    );
  });

  it('is followed to a depth, not further', () => {
    const deep = JSON.parse(`${'['.repeat(5000)}"x"${']'.repeat(5000)}`) as unknown;
    expect(written(deep).length).toBeLessThan(300);
    expect(written({ a: `${'['.repeat(100_000)}${']'.repeat(100_000)}` }).length).toBeLessThan(400);
  });
});
