import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RULES } from '../../../test/kit/body-rules.js';
import type { ObjectContext } from '../objects.js';
import type { ShownValue } from '../shown.js';
import { parseFieldChoice } from './field-choice.js';
import { showObject } from './show-object.js';

const CANARY = 'canary4711';
const show = (value: unknown, context: ObjectContext = {}, fields: string[] = []): ShownValue | undefined =>
  showObject(value, context, { ...RULES, fields: parseFieldChoice(fields).choice });
const hidden = (_length: number): string => 'REDACTED';
const C = hidden(CANARY.length);

describe('a Pod', () => {
  it('keeps its structure in place of a string', () => {
    const odd = { apiVersion: 'v1', kind: 'Pod', spec: CANARY, status: { phase: { a: [CANARY, 5] }, podIP: [CANARY] } };
    expect(show(odd)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      spec: C,
      status: { phase: { a: [C, 'REDACTED'] }, podIP: [C] },
    });
  });
});

describe('metadata', () => {
  const metadata = (value: object): unknown => {
    const out = show({ apiVersion: 'v1', kind: 'Pod', metadata: value }) as { metadata: unknown };
    return out.metadata;
  };

  it('has annotations of a closed list', () => {
    expect(
      metadata({
        annotations: {
          'deployment.kubernetes.io/revision': '3',
          'kubectl.kubernetes.io/restartedAt': CANARY,
          'kubectl.kubernetes.io/last-applied-configuration': '{"apiVersion":"v1","kind":"Pod"}',
          'objectset.rio.cattle.io/applied': 'H4sIAAAAAAAA',
        },
      }),
    ).toEqual({
      annotations: {
        'deployment.kubernetes.io/revision': '3',
        'kubectl.kubernetes.io/restartedAt': C,
        'kubectl.kubernetes.io/last-applied-configuration': hidden(32),
        'objectset.rio.cattle.io/applied': hidden(12),
      },
    });
  });

  it('has names of fields that programs wrote, without their values', () => {
    const entry = { manager: 'kubectl', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1' };
    const fieldsV1 = {
      'f:spec': {
        'f:containers': { 'k:{"name":"a"}': { '.': {}, 'f:image': {} }, 'k:{"name":"canary4711"}': {} },
        'f:finalizers': { 'v:"canary4711"': {} },
        canary4711: CANARY,
      },
    };
    expect(metadata({ managedFields: [{ ...entry, fieldsV1 }] })).toEqual({
      managedFields: [
        {
          ...entry,
          fieldsV1: {
            'f:spec': {
              'f:containers': { 'k:{…}': { '.': {}, 'f:image': {} }, 'k:{…} 2': {} },
              'f:finalizers': { 'v:…': {} },
              '…': {},
            },
          },
        },
      ],
    });
  });
});

describe('other built-in kinds', () => {
  it('shows permissions', () => {
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user: 'system:node:node-1',
        groups: ['system:nodes'],
        resourceAttributes: { verb: 'get', group: 'apps', resource: 'deployments', namespace: 'default' },
      },
      status: { allowed: true },
    };
    expect(show(review)).toEqual(review);
  });

  it('of a version that the table does not have', () => {
    const old = { apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', spec: { minAvailable: '50%' } };
    expect(show(old)).toEqual(old);
    const options = { apiVersion: 'meta.k8s.io/v1', kind: 'UpdateOptions', fieldManager: 'kubectl' };
    expect(show(options)).toEqual(options);
  });

  it('of the same name in another group are custom', () => {
    expect(
      show({ apiVersion: 'example.com/v1', kind: 'Deployment', spec: { paused: true, strategy: { type: 'X' } } }),
    ).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Deployment',
      spec: { paused: true, strategy: { type: hidden(1) } },
    });
  });

  it('a Status and an Event keep their reason; their message goes through the rule of texts', () => {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'NotFound',
      message: 'pods "web" not found',
      details: {
        name: 'web',
        kind: 'pods',
        causes: [{ reason: 'FieldValueInvalid', field: 'spec.containers[0].image' }],
      },
      code: 404,
    };
    expect(show(status)).toEqual({ ...status, message: '…' });
    const event = {
      kind: 'Event',
      apiVersion: 'v1',
      reason: 'FailedMount',
      message: CANARY,
      involvedObject: { kind: 'Pod', name: 'web', fieldPath: 'spec.containers{app}' },
      source: { component: 'kubelet', host: 'node-1' },
      count: 3,
    };
    expect(show(event)).toEqual({ ...event, message: '…' });
  });

  it('lists, whose items need not hold their kind', () => {
    const list = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '7', continue: CANARY } };
    expect(show({ ...list, items: [{ metadata: { name: 'a' }, spec: { nodeName: 'n', other: CANARY } }] })).toEqual({
      ...list,
      metadata: { resourceVersion: '7', continue: C },
      items: [{ metadata: { name: 'a' }, spec: { nodeName: 'n', other: C } }],
    });
    const any = {
      kind: 'List',
      apiVersion: 'v1',
      items: [{ kind: 'Node', apiVersion: 'v1', metadata: { name: 'n' } }],
    };
    expect(show(any)).toEqual(any);
  });

  it('tables keep their columns and the objects of their rows', () => {
    const table = {
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      columnDefinitions: [{ name: 'Nominated Node', type: 'string', format: 'name', description: CANARY, priority: 0 }],
      rows: [
        {
          cells: ['web', CANARY, 3, '1/1', '5m12s', '3 (2m ago)', '<none>'],
          object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'web' } },
        },
      ],
    };
    expect(show(table)).toEqual({
      ...table,
      columnDefinitions: [{ ...table.columnDefinitions[0], description: C }],
      rows: [{ ...table.rows[0], cells: ['web', '…', 3, '1/1', '5m12s', '3 (2m ago)', '<none>'] }],
    });
  });

  it('an AdmissionReview judges its objects by their kinds, and opens no patch', () => {
    const review = (patch: string, value: string, reason: string): object => ({
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1',
      request: {
        uid: 'u',
        userInfo: { username: 'jane', groups: ['system:authenticated'] },
        object: { kind: 'Deployment', apiVersion: 'apps/v1', spec: { replicas: 3, unknown: value } },
        oldObject: { kind: 'Cache', apiVersion: 'shop.example.com/v1', spec: { size: 3, name: value } },
        options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'kubectl' },
      },
      response: { uid: 'u', allowed: true, patchType: 'JSONPatch', patch, status: { reason } },
    });
    const patch = Buffer.from('[{"op":"add","path":"/spec/a","value":"x"}]').toString('base64');
    expect(show(review(patch, CANARY, 'Invalid'))).toEqual(review(hidden(patch.length), C, 'Invalid'));
  });

  it('a ControllerRevision has a template of Pods', () => {
    const revision = {
      kind: 'ControllerRevision',
      apiVersion: 'apps/v1',
      data: {
        spec: { template: { $patch: 'replace', spec: { containers: [{ name: 'a', image: 'nginx' }], x: 'y' } } },
      },
    };
    expect(show(revision)).toMatchObject({
      data: {
        spec: { template: { $patch: 'replace', spec: { containers: [{ name: 'a', image: 'nginx' }], x: hidden(1) } } },
      },
    });
  });
});

describe('bodies without a kind', () => {
  it('have the type of their resource', () => {
    const patch = {
      spec: {
        $retainKeys: ['type'],
        '$setElementOrder/containers': [{ name: 'a' }],
        containers: [{ name: 'a', image: 'nginx', $patch: 'delete', other: CANARY }],
      },
      status: { phase: 'Failed', reason: 'Evicted' },
    };
    const shownPatch = JSON.parse(JSON.stringify(patch).replace(CANARY, C)) as unknown;
    expect(show(patch, { resource: 'pods', apiGroup: '', apiVersion: 'v1' })).toEqual(shownPatch);
    expect(show(patch, { resource: 'pods' })).toEqual(shownPatch);
    expect(show({ note: CANARY, reason: 'R' }, { resource: 'events', apiGroup: 'events.k8s.io' })).toEqual({
      note: '…',
      reason: 'R',
    });
    expect(show({ spec: { engine: 'x', size: 3 } }, { resource: 'databases', apiGroup: 'example.com' })).toEqual({
      spec: { engine: hidden(1), size: 3 },
    });
  });

  it('have the type of their subresource', () => {
    const scale = { spec: { replicas: 3 }, status: { selector: 'app=web' } };
    expect(show(scale, { resource: 'deployments', subresource: 'scale' })).toEqual(scale);
  });

  it('are nothing where an application sends them', () => {
    expect(show({ a: CANARY }, { application: 'objects' })).toBeUndefined();
    expect(show({ kind: 'Pod', apiVersion: 'v1' }, { application: 'payload' })).toBeUndefined();
  });

  it('are a server’s report about itself, without a resource', () => {
    const version = { major: '1', minor: '34', gitVersion: 'v1.34.4+k3s1', buildDate: '2026-01-02T03:04:05Z' };
    expect(show({ ...version, other: CANARY, n: 5 })).toEqual({ ...version, other: C, n: 5 });
  });

  it('JSON patches: each value by the place that its path points to', () => {
    const patch = (image: string, note: string, env: unknown): object[] => [
      { op: 'replace', path: '/spec/template/spec/containers/0/image', value: image },
      { op: 'add', path: '/metadata/annotations/example.com~1note', value: note },
      { op: 'add', path: '/metadata/labels', value: { app: image, 'my-password': note } },
      { op: 'add', path: '/spec/template/spec/containers/0/env/-', value: env },
      { op: 'replace', path: '/spec/replicas', value: 3 },
      { op: 'move', path: '/spec/a', from: '/spec/b' },
    ];
    expect(
      show(patch('nginx', CANARY, { name: 'A', value: CANARY }), { resource: 'deployments', apiGroup: 'apps' }),
    ).toEqual(patch('nginx', C, { name: 'A', value: 'REDACTED' }));
    expect(show([{ op: 'add', path: `/spec/${CANARY} x`, value: CANARY }], { resource: 'databases' })).toEqual([
      { op: 'add', path: '/spec/REDACTED', value: C },
    ]);
  });

  it('JSON patches of commands: only the first word is a program', () => {
    const word = (path: string, value: unknown): object => ({ op: 'add', path: `/spec/containers/0/${path}`, value });
    expect(
      show(
        [
          word('command', ['sh', CANARY]),
          word('command/0', 'sh'),
          word('command/1', CANARY),
          word('command/-', CANARY),
          word('args/0', CANARY),
          word('command', ['sh', 5, [CANARY, CANARY]]),
        ],
        { resource: 'pods' },
      ),
    ).toEqual([
      word('command', ['sh', '(1 arguments)']),
      word('command/0', 'sh'),
      word('command/1', '(1 arguments)'),
      word('command/-', '(1 arguments)'),
      word('args/0', '(1 arguments)'),
      word('command', ['(1 arguments)', 5, ['(2 arguments)']]),
    ]);
  });

  it('markers keep the media type of their bytes', () => {
    expect(show({ $bytes: 5, $contentType: 'text/plain; charset=utf-8' })).toEqual({
      $bytes: 5,
      $contentType: 'text/plain; charset=utf-8',
    });
    expect(show({ $bytes: 5, $contentType: CANARY })).toEqual({ $bytes: 5 });
  });
});

describe('custom resources', () => {
  const database = {
    apiVersion: 'example.com/v1',
    kind: 'Database',
    metadata: { name: 'main', labels: { app: 'shop' } },
    spec: {
      engine: CANARY,
      replicas: 3,
      tls: true,
      adminPassword: CANARY,
      expires: '2026-11-22T04:47:09Z',
      secretRef: { kind: 'Secret', name: 'db', namespace: 'default', key: CANARY },
      hosts: [{ name: CANARY }],
      user: { kind: 'password', name: CANARY },
      template: { spec: { containers: [{ name: 'db', image: 'postgres:17', args: [CANARY] }] } },
    },
    status: {
      phase: 'Ready',
      state: `${CANARY}`,
      health: { status: 'Degraded', message: CANARY },
      conditions: [{ type: 'Ready', status: 'True', reason: 'Up', message: CANARY, observedGeneration: 2 }],
    },
  };
  const expected = {
    ...database,
    spec: {
      ...database.spec,
      engine: C,
      adminPassword: C,
      secretRef: { kind: 'Secret', name: 'db', namespace: 'default', key: C },
      hosts: [{ name: C }],
      user: { kind: hidden(8), name: C },
      template: { spec: { containers: [{ name: 'db', image: 'postgres:17', args: ['(1 arguments)'] }] } },
    },
    status: {
      phase: 'Ready',
      state: C,
      health: { status: 'Degraded', message: C },
      conditions: [{ ...database.status.conditions[0], message: C }],
    },
  };

  it('keep structure, numbers, metadata, references, conditions and templates of Pods', () =>
    expect(show(database)).toEqual(expected));

  it('show the fields that the user names', () => {
    const fields = ['databases.spec.engine', 'Database.spec.hosts.name', 'databases.status.conditions.message'];
    expect(show(database, {}, fields)).toEqual({
      ...expected,
      spec: { ...expected.spec, engine: CANARY, hosts: [{ name: CANARY }] },
      status: { ...expected.status, conditions: database.status.conditions },
    });
    const list = { apiVersion: 'example.com/v1', kind: 'DatabaseList', items: [{ spec: { engine: CANARY } }] };
    expect(show(list, {}, fields)).toEqual(list);
    const patch = [{ op: 'add', path: '/spec/hosts/0', value: { name: CANARY } }];
    expect(show(patch, { resource: 'databases' }, fields)).toEqual(patch);
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { object: list.items[0] } };
    const object = { apiVersion: 'example.com/v1', kind: 'Database', spec: { engine: CANARY } };
    expect(show({ ...review, request: { object } }, {}, fields)).toEqual({ ...review, request: { object } });
    expect(show({ ...object, kind: 'Cache' }, {}, fields)).toEqual({ ...object, kind: 'Cache', spec: { engine: C } });
  });

  it('show nothing that the older rules hide, also where it is named', () => {
    const pod = { apiVersion: 'v1', kind: 'Secret', data: { a: CANARY } };
    expect(show(pod, {}, ['secrets.data.a'])).toEqual({ ...pod, data: { a: 'REDACTED' } });
  });
});

describe('whatever it is', () => {
  it('is copied, never thrown at, and shown twice as once', () => {
    const kind = fc.constantFrom(
      'Pod',
      'Secret',
      'PodList',
      'List',
      'Table',
      'Database',
      'AdmissionReview',
      '__proto__',
    );
    const context = fc.record(
      {
        resource: fc.constantFrom('pods', 'secrets', 'databases', '__proto__'),
        subresource: fc.constantFrom('scale', 'status'),
        api: fc.constantFrom<'docker' | 'registry' | 'kubelet'>('docker', 'registry', 'kubelet'),
        message: fc.constantFrom('runtime.v1.CreateContainerRequest', 'etcdserverpb.RangeResponse', 'x.y'),
      },
      { requiredKeys: [] },
    );
    const members = [
      'metadata',
      'spec',
      'status',
      'items',
      'data',
      'labels',
      'annotations',
      'containers',
      'command',
      'Cmd',
    ];
    const key = fc.oneof(
      fc.constantFrom(...members),
      fc.constantFrom('__proto__', 'constructor', 'toString'),
      fc.string(),
    );
    const value = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, true, 5, CANARY, '', 'sh'),
        fc.string({ maxLength: 8 }),
        fc.array(tie('tree')),
        fc.dictionary(key, tie('tree')),
      ),
    })).tree;
    fc.assert(
      fc.property(fc.option(kind), value, context, (kind, body, context) => {
        const object = kind === null ? body : { apiVersion: 'v1', kind, metadata: body, spec: body, items: [body] };
        const before = JSON.stringify(object);
        const once = show(object, context);
        expect(JSON.stringify(object)).toBe(before);
        expect(show(once, context)).toEqual(once);
      }),
      { numRuns: 500 },
    );
  });

  it('is not deeper than a hundred levels', () => {
    let deep: unknown = CANARY;
    for (let i = 0; i < 5000; i++) deep = i % 2 === 0 ? { spec: deep } : [deep];
    expect(JSON.stringify(show({ apiVersion: 'example.com/v1', kind: 'A', spec: deep }))).not.toContain(CANARY);
  });
});
