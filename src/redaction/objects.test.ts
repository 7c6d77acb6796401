// What no option shows, what stays, and any value: the planted corpus (test/kit/planted) has secrets wherever bodies have them.

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
describe('a secret is not shown', () => {
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
