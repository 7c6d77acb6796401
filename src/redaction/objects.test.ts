import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactObject } from './objects.js';

const R = 'REDACTED';
const META = { name: 's', namespace: 'default', uid: 'u', resourceVersion: '5' };
const pod = (value: string) => ({ spec: { containers: [{ name: 'a', env: [{ name: 'A', value }] }] } });

describe('secrets and config maps', () => {
  it('keep their identity and the names of their data', () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: META,
      type: 'Opaque',
      immutable: true,
      data: { a: 'x', b: '' },
      stringData: { c: 'y' },
    };
    expect(redactObject(secret, {})).toEqual({ ...secret, data: { a: R, b: '' }, stringData: { c: R } });
    const map = { kind: 'ConfigMap', metadata: META, data: { a: 'x' }, binaryData: { b: 'y' } };
    expect(redactObject(map, {})).toEqual({ ...map, data: { a: R }, binaryData: { b: R } });
  });

  it('hide unexpected members', () => {
    expect(redactObject({ kind: 'Secret', metadata: META, extra: { a: ['x', 5, true, null] } }, {})).toMatchObject({
      extra: { a: [R, R, R, null] },
    });
    expect(redactObject({ kind: 'Secret', Data: { a: 'x' }, DATA: 'y' }, {})).toEqual({
      kind: 'Secret',
      Data: { a: R },
      DATA: R,
    });
  });

  it('in lists, whose items need not hold their kind', () => {
    const items = [{ metadata: META, data: { a: 'x' } }];
    for (const kind of ['SecretList', 'ConfigMapList'])
      expect(redactObject({ kind, items }, {})).toEqual({ kind, items: [{ metadata: META, data: { a: R } }] });
  });

  it('are known by the request where the body has no kind: patches', () => {
    expect(redactObject({ data: { a: 'x' }, metadata: { labels: { b: 'c' } } }, { resource: 'secrets' })).toEqual({
      data: { a: R },
      metadata: { labels: { b: 'c' } },
    });
    expect(redactObject({ data: { a: 'x' } }, {})).toEqual({ data: { a: R } });
    const status = { kind: 'Status', status: 'Failure', reason: 'NotFound', message: 'secrets "s" not found' };
    expect(redactObject(status, { resource: 'secrets' })).toEqual(status);
  });

  it('anywhere inside something else', () => {
    const review = {
      kind: 'AdmissionReview',
      request: { object: { kind: 'Secret', metadata: META, data: { a: 'x' } } },
    };
    expect(redactObject(review, {})).toMatchObject({ request: { object: { data: { a: R } } } });
  });

  it('as the template of a generated one, which has no kind', () => {
    const template = { type: 'Opaque', metadata: { labels: { a: 'b' } }, data: { p: 'x' } };
    const shown = { ...template, data: { p: R } };
    // Of Sealed Secrets and the External Secrets Operator.
    expect(redactObject({ kind: 'SealedSecret', spec: { template } }, {})).toMatchObject({ spec: { template: shown } });
    const external = (one: object) => ({ kind: 'ExternalSecret', spec: { target: { template: one } } });
    expect(redactObject(external(template), {})).toEqual(external(shown));
    expect(redactObject([{ op: 'add', path: '/spec/template/data/p', value: 'x' }], {})).toMatchObject([{ value: R }]);
  });

  it('as the changes of a policy', () => {
    // A patch of Kyverno, whose rule names the kind elsewhere.
    const rule = (mutate: object) => ({ kind: 'ClusterPolicy', spec: { rules: [{ name: 'r', mutate }] } });
    const merge = (p: string) => rule({ patchStrategicMerge: { metadata: { labels: { a: 'b' } }, stringData: { p } } });
    expect(redactObject(merge('x'), {})).toEqual(merge(R));
    const json = (value: string) => rule({ patchesJson6902: JSON.stringify([{ op: 'add', path: '/data/p', value }]) });
    expect(redactObject(json('x'), {})).toEqual(json(R));
    const yaml = (text: string) => rule({ patchesJson6902: text });
    expect(redactObject(yaml('- op: add\n  path: "/stringData/p"\n  value: x\n'), {})).toEqual(yaml(R));
    const labels = yaml('- op: add\n  path: /metadata/labels/a\n  value: x\n');
    expect(redactObject(labels, {})).toEqual(labels);
    const generate = (p: string) => rule({ generate: { apiVersion: 'v1', kind: 'Secret', name: 's', data: { p } } });
    expect(redactObject(generate('x'), {})).toEqual(generate(R));
  });

  it('as the values of a store for tests', () => {
    const store = { kind: 'SecretStore', spec: { provider: { fake: { data: [{ key: 'a', value: 'x' }] } } } };
    expect(JSON.stringify(redactObject(store, {}))).not.toContain('"x"');
  });

  it('are not objects that only refer to them', () => {
    const references = {
      kind: 'APIResourceList',
      resources: [{ name: 'secrets', kind: 'Secret', verbs: ['get'], namespaced: true }],
    };
    expect(redactObject(references, {})).toEqual(references);
    const options = { propagationPolicy: 'Background', preconditions: { uid: 'u' } };
    expect(redactObject(options, { resource: 'secrets' })).toEqual(options);
  });
});

describe('environment variables', () => {
  it.each([
    [pod('x'), pod(R)],
    [{ envs: [{ key: 'A', value: 'x' }] }, { envs: [{ key: 'A', value: R }] }],
    [{ Config: { Env: ['A=x=y', 'B'] } }, { Config: { Env: [`A=${R}`, 'B'] } }],
    [{ env: { A: 'x' } }, { env: { A: R } }],
    [{ env: 'A=x' }, { env: R }],
  ])('%j', (value, expected) => expect(redactObject(value, {})).toEqual(expected));

  it('of a Pod keep where a value comes from', () => {
    const env = [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'password' } } }];
    expect(redactObject({ env }, {})).toEqual({ env });
  });

  it('a schema that describes them is none', () => {
    const schema = { properties: { env: { type: 'array', items: { $ref: 'x' } }, password: { type: 'string' } } };
    expect(redactObject(schema, {})).toEqual(schema);
  });
});

describe('JSON patches', () => {
  const patch = (path: string, value: unknown, resource?: string): unknown =>
    (redactObject([{ op: 'add', path, value }], { resource }) as { value: unknown }[])[0].value;

  it.each([
    ['/data/password', 'x', 'secrets', R],
    ['/data', { a: 'x' }, 'configmaps', { a: R }],
    ['', { stringData: { a: 'x' } }, 'secrets', { stringData: { a: R } }],
    ['/metadata/labels/a', 'x', 'secrets', 'x'],
    ['/data/x', 'x', undefined, R],
    ['/spec/template/spec/containers/0/env/0/value', 'x', 'deployments', R],
    ['/spec/containers/0/env/-', { name: 'A', value: 'x' }, 'pods', { name: 'A', value: R }],
    ['/spec/containers/0/env', [{ name: 'A', value: 'x' }], 'pods', [{ name: 'A', value: R }]],
    ['/spec/replicas', 5, 'deployments', 5],
    ['/spec/api~1token', 'x', 'things', 'x'],
    ['/spec/token', 'x', 'things', R],
  ])('%s of %j in %s', (path, value, resource, expected) => expect(patch(path, value, resource)).toEqual(expected));

  it('of an admission response, in base64', () => {
    const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
    const of = (value: string): string => encode([{ op: 'add', path: '/data/a', value }]);
    const review = (patch: string) => ({ kind: 'AdmissionReview', response: { uid: 'u', patch } });
    expect(redactObject(review(of('x')), {})).toEqual(review(of(R)));
    expect(redactObject(review('no base64!'), {})).toEqual(review(R));
  });
});

describe('text that is a document', () => {
  const annotated = (text: string) => ({
    metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': text } },
  });
  it('is redacted inside', () => {
    const inner = JSON.stringify({ kind: 'Secret', metadata: {}, data: { a: R } });
    expect(redactObject(annotated(JSON.stringify({ kind: 'Secret', metadata: {}, data: { a: 'x' } })), {})).toEqual(
      annotated(inner),
    );
  });
  it('stays unchanged if it holds nothing', () => {
    const text = '{ "kind": "Service",  "spec": { "ports": [80] } }\n';
    expect(redactObject(annotated(text), {})).toEqual(annotated(text));
  });
  it('is replaced where it cannot be read', () =>
    expect(redactObject(annotated('{"kind":'), {})).toEqual(annotated(R)));
  it('is replaced where it is a manifest of a Secret in YAML', () =>
    expect(redactObject({ a: 'apiVersion: v1\nkind: Secret\nstringData: {}\n' }, {})).toEqual({ a: R }));
});

describe('failures', () => {
  const status = (reason: string) => ({
    kind: 'Status',
    status: 'Failure',
    reason,
    message: 'said x',
    details: { name: 'n', causes: [{ field: 'f', message: 'x' }] },
  });
  it('lose texts that repeat values of the request', () => {
    expect(redactObject(status('Invalid'), {})).toMatchObject({
      message: R,
      details: { name: 'n', causes: [{ field: 'f', message: R }] },
    });
    expect(redactObject(status('NotFound'), {})).toEqual(status('NotFound'));
  });
});

describe('objects that repeat values of the request', () => {
  it('a verdict, whose object the answer does not name', () => {
    const response = { uid: 'u', allowed: false, status: { code: 403, reason: 'Forbidden', message: 'x' } };
    const review = {
      kind: 'AdmissionReview',
      response: { ...response, warnings: ['x'], auditAnnotations: { k: 'x' } },
    };
    expect(redactObject(review, {})).toEqual({
      kind: 'AdmissionReview',
      response: {
        ...response,
        status: { code: 403, reason: 'Forbidden', message: R },
        warnings: [R],
        auditAnnotations: { k: R },
      },
    });
  });

  it('a webhook’s words about a Secret, whatever their reason', () => {
    const status = { kind: 'Status', reason: 'Forbidden', message: 'admission webhook "w" denied the request: x' };
    expect(redactObject(status, { resource: 'pods' })).toEqual(status);
    expect(redactObject(status, { resource: 'secrets' })).toEqual({ ...status, message: R });
  });

  it('an audit log, whose objects need not hold their kind', () => {
    const event = {
      objectRef: { resource: 'secrets', name: 's' },
      requestObject: { metadata: { name: 's' }, data: { k: 'x' }, stringData: { k: 'x' } },
      responseStatus: { code: 422, reason: 'Invalid', message: 'x' },
    };
    expect(redactObject({ kind: 'EventList', items: [event] }, {})).toMatchObject({
      items: [
        {
          requestObject: { metadata: { name: 's' }, data: { k: R }, stringData: { k: R } },
          responseStatus: { reason: 'Invalid', message: R },
        },
      ],
    });
  });

  it('a patch whose pointers are none', () => {
    const patch = [{ op: 'copy', path: '/data/a', from: { data: 'x' } }];
    expect(redactObject(patch, { resource: 'secrets' })).toEqual([{ ...patch[0], from: { data: R } }]);
  });

  it('the join tokens of a swarm', () => {
    const swarm = { ID: 'x', JoinTokens: { Worker: 'x', Manager: 'x' }, UnlockKey: 'x' };
    expect(redactObject(swarm, {})).toEqual({ ID: 'x', JoinTokens: { Worker: R, Manager: R }, UnlockKey: R });
  });

  it('a Table of Secrets, cut before their kinds', () => {
    const table = { kind: 'Table', rows: [{ cells: ['s', 1], object: { data: { k: 'x' }, metadata: { name: 's' } } }] };
    expect(redactObject(table, { resource: 'secrets' })).toEqual({
      kind: 'Table',
      rows: [{ cells: ['s', 1], object: { data: { k: R }, metadata: { name: 's' } } }],
    });
  });

  it.each([
    ['ENV PASSWORD=a b', `ENV PASSWORD=${R}`],
    ['/bin/sh -c #(nop)  ENV A=x B=y', `/bin/sh -c #(nop)  ENV A=${R}`],
    ['ARG TOKEN=x', `ARG TOKEN=${R}`],
    ['ARG TOKEN', 'ARG TOKEN'],
    ['RUN |2 TOKEN=x USER=me /bin/sh -c make A=1 # buildkit', `RUN |2 TOKEN=${R} /bin/sh -c make A=1 # buildkit`],
    // Values are not quoted.
    ['RUN |1 TOKEN=x y "z /bin/bash -o pipefail -c make', `RUN |1 TOKEN=${R} /bin/bash -o pipefail -c make`],
    ['RUN |1 TOKEN=x y make', `RUN |1 TOKEN=${R}`],
    ['|1 TOKEN=x /bin/sh -c make', `|1 TOKEN=${R} /bin/sh -c make`],
    ['RUN /bin/sh -c a |1 B=1 c', 'RUN /bin/sh -c a |1 B=1 c'],
    ['COPY --from=build /a /b # buildkit', 'COPY --from=build /a /b # buildkit'],
  ])('what made a layer of an image: %s', (step, shown) => {
    expect(redactObject({ history: [{ created_by: step }] }, {})).toEqual({ history: [{ created_by: shown }] });
    expect(redactObject([{ CreatedBy: step }], {})).toEqual([{ CreatedBy: shown }]);
  });
});

describe("an application's bodies", () => {
  it.each([[{ pin: 1 }], [[1]], ['text'], [5], [null]])('%j are not shown', (value) => {
    expect(redactObject(value, { application: 'objects' })).toBe(undefined);
    expect(redactObject(value, { application: 'payload' })).toBe(undefined);
  });
  it('are shown where they are objects of Kubernetes; of a payload only a Status', () => {
    const review = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' };
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Success' };
    expect(redactObject(review, { application: 'objects' })).toEqual(review);
    expect(redactObject(review, { application: 'payload' })).toBe(undefined);
    expect(redactObject(status, { application: 'payload' })).toEqual(status);
  });
});

describe('any value', () => {
  it('is copied, never thrown at, and redacted twice as once', () => {
    const key = fc.oneof(
      fc.constantFrom(
        'kind',
        'data',
        'env',
        'value',
        'items',
        'token',
        'op',
        'path',
        'patch',
        'response',
        '__proto__',
        'message',
      ),
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
        const once = redactObject(input, { resource });
        expect(JSON.stringify(redactObject(once, { resource }))).toBe(JSON.stringify(once));
        expect(JSON.stringify(input)).toBe(before);
      }),
      { numRuns: 3000, examples: [[[{ '': [], path: 0, op: 'x' }], 'secrets']] },
    );
  });

  it('is followed to a depth, not further', () => {
    const deep = JSON.parse(`${'['.repeat(5000)}"x"${']'.repeat(5000)}`) as unknown;
    expect(JSON.stringify(redactObject(deep, {})).length).toBeLessThan(300);
    const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(JSON.stringify(redactObject({ a: text }, {})).length).toBeLessThan(400);
  });
});
