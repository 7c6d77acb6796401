// Audit logs of GKE, as Cloud Logging has them: published entries, and fixtures' own logs in that form.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/index.js';
import { fixtureCaptures, fixtureKeyLogs } from '../kit/fixture-observations.js';
import { fixtureLines } from '../kit/fixtures.js';
import { type ReadLogs, readLogs } from '../kit/log-reading.js';

interface Entry {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username?: string };
  readonly impersonatedUser?: { readonly username: string };
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: Readonly<
    Partial<Record<'resource' | 'subresource' | 'namespace' | 'name' | 'apiGroup' | 'apiVersion', string>>
  >;
  readonly responseStatus?: { readonly code: number; readonly message?: string };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * The same request as Cloud Logging has it: fields as Google's schema for its MCP server (gke-mcp, k8s_audit_logs.md) and entries in public
 * test data have them, codes as google/rpc/code.proto maps them.
 */
function logEntryOf(entry: Entry): object {
  const { objectRef: ref, requestURI, verb, responseStatus, userAgent, sourceIPs } = entry;
  const path = requestURI.split('?', 1)[0].slice(1);
  const group = ref?.apiGroup ?? 'core';
  const subresource = path.split('/');
  const names =
    ref?.resource === undefined
      ? null
      : [
          ...[group, ref.apiVersion ?? 'v1'],
          ...(ref.namespace === undefined || ref.resource === 'namespaces' ? [] : ['namespaces', ref.namespace]),
          ...[ref.resource, ref.name ?? ''].filter((one) => one !== ''),
          ...(ref.subresource === undefined ? [] : subresource.slice(subresource.indexOf(ref.subresource))),
        ];
  const reversed = group.split('.').reverse();
  const words =
    names === null
      ? ['io', 'k8s', verb]
      : [
          ...(group.includes('.') ? reversed : ['io', 'k8s', group]),
          ...[ref!.apiVersion ?? 'v1', ref!.resource!],
          ...(ref!.subresource === undefined ? [] : [ref!.subresource]),
          verb,
        ];
  const { code = 200, message } = responseStatus ?? {};
  const rpc = CODES[code] ?? (code < 400 ? 0 : 2);
  return {
    insertId: entry.auditID,
    labels: entry.annotations ?? {},
    logName: 'projects/example/logs/cloudaudit.googleapis.com%2Fdata_access',
    operation: { first: true, id: entry.auditID, last: true, producer: 'k8s.io' },
    protoPayload: {
      '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
      authenticationInfo: { principalEmail: entry.impersonatedUser?.username ?? entry.user.username },
      methodName: words.join('.'),
      requestMetadata: { callerIp: sourceIPs?.at(-1), callerSuppliedUserAgent: userAgent },
      resourceName: names?.join('/') ?? path,
      serviceName: 'k8s.io',
      status: rpc === 0 ? {} : { code: rpc, message: message ?? 'failed' },
    },
    receiveTimestamp: entry.stageTimestamp,
    resource: { type: 'k8s_cluster', labels: { cluster_name: 'c', location: 'l', project_id: 'example' } },
    timestamp: entry.stageTimestamp,
  };
}

/** google.rpc.Code by HTTP status. */
const CODES: Readonly<Record<number, number>> = { 400: 3, 401: 16, 403: 7, 404: 5, 409: 6, 429: 8, 500: 13, 503: 14 };

const read = (files: readonly Uint8Array[], keyLogs?: readonly string[], bodies?: boolean): Promise<ReadLogs> =>
  readLogs(files, 9_973, keyLogs, bodies);

const linesOf = (records: readonly object[]): Uint8Array =>
  Buffer.from(records.map((one) => `${JSON.stringify(one)}\n`).join(''));
/** As `gcloud logging read --format=json` prints it. */
const arrayOf = (records: readonly object[]): Uint8Array => Buffer.from(`${JSON.stringify(records, null, 2)}\n`);

/** Ends of requests, in the order in which they ended. */
function entriesOf(name: string): Entry[] {
  const ends = fixtureLines<Entry>(`${name}/audit.jsonl`).filter(({ stage }) => stage === 'ResponseComplete');
  return ends.sort((a, b) => (a.stageTimestamp < b.stageTimestamp ? -1 : 1));
}

const LOGS = ['run-nginx-tls', 'errors-http1', 'clients-tls', 'deployment-tls', 'throttle-tls', 'running-cluster-tls'];

describe.each(LOGS)('the log of %s in the form of Cloud Logging', (name) => {
  const entries = entriesOf(name);
  const converted = entries.map(logEntryOf);

  it('says of each request what the log says, as far as that form holds it', async () => {
    const { messages, notices } = await read([linesOf(converted)]);
    const requests = new Map(messages.filter(({ kind }) => kind === 'request').map((one) => [one.exchange, one]));
    const responses = messages.filter(({ kind }) => kind === 'response');
    expect(requests.size).toBe(entries.length);
    expect(responses).toHaveLength(entries.length);
    for (const response of responses) {
      const request = requests.get(response.exchange)!;
      const entry = entries[response.frames[0] - 1];
      const { objectRef: ref, annotations = {}, responseStatus } = entry;
      const reason = annotations['authorization.k8s.io/reason'] ?? '';
      const decision = annotations['authorization.k8s.io/decision'];
      const code = responseStatus?.code ?? 200;
      expect({
        verb: request.verb,
        user: request.user,
        agent: request.userAgent,
        group: request.apiGroup === '' ? undefined : request.apiGroup,
        resource: request.resource,
        subresource: request.subresource,
        namespace: request.namespace,
        name: request.name,
        hasFailed: response.status !== undefined && response.status >= 400,
        authorization: response.authorization,
        auditId: response.auditId,
        latencyMs: response.latencyMs,
        inferred: request.inferred,
      }).toEqual({
        verb: entry.verb,
        user: entry.impersonatedUser?.username ?? entry.user.username,
        agent: entry.userAgent,
        group: ref?.apiGroup,
        resource: ref?.resource,
        subresource: ref?.subresource,
        namespace: ref?.namespace,
        name: ref?.name,
        hasFailed: code >= 400,
        authorization: reason === '' ? decision : `${decision}: ${reason}`,
        // What that form does not hold.
        auditId: undefined,
        latencyMs: undefined,
        inferred: ['method', 'target'],
      });
      if (CODES[code] !== undefined) expect(response.status).toBe(code);
      if (response.status !== undefined) expect(response.inferred).toEqual(['status']);
    }
    expect(notices.map(({ code }) => code)).toContain('audit.requests-only');
  });

  it('is the same as an array, in whichever order', async () => {
    const { messages } = await read([linesOf(converted)]);
    const shape = ({ kind, label, time, user, from }: Message): string =>
      `${kind} ${label} ${time} ${user} ${from.name}`;
    const expected = messages.map(shape).sort();
    for (const records of [converted, converted.toReversed()]) {
      const other = await read([arrayOf(records)]);
      expect(other.messages.map(shape).sort()).toEqual(expected);
      const times = other.messages.map(({ time }) => time);
      expect(times).toEqual(times.toSorted((a, b) => Number(a - b)));
      // A record's number leads to the entry.
      for (const { frames, time } of other.messages)
        expect((records[frames[0] - 1] as { timestamp: string }).timestamp.slice(0, 19)).toBe(
          new Date(Number(time / 1_000_000n)).toISOString().slice(0, 19),
        );
    }
  });
});

it('is joined with a capture by what is requested, as it has no audit ids', async () => {
  const name = 'run-nginx-tls';
  const captured = await read(fixtureCaptures(name), fixtureKeyLogs(name));
  const log = linesOf(entriesOf(name).map(logEntryOf));
  const joined = await read([...fixtureCaptures(name), log], fixtureKeyLogs(name));
  expect(joined.messages.map(({ label }) => label)).toEqual(captured.messages.map(({ label }) => label));
  expect(joined.notices.map(({ code }) => code)).toContain('audit.joined');
});

/** As elastic/integrations has them in its tests (packages/gcp/data_stream/audit/_dev/test/pipeline/test-audit.log). */
const LIST_OF_NODES = {
  insertId: '94170ac4-6e82-4345-98ad-3c780222d19d',
  labels: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
  logName: 'projects/elastic-siem/logs/cloudaudit.googleapis.com%2Fdata_access',
  operation: { first: true, id: '94170ac4-6e82-4345-98ad-3c780222d19d', last: true, producer: 'k8s.io' },
  protoPayload: {
    '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
    authenticationInfo: { principalEmail: 'xxx@xxx.xxx' },
    authorizationInfo: [{ granted: true, permission: 'io.k8s.core.v1.nodes.list', resource: 'core/v1/nodes' }],
    methodName: 'io.k8s.core.v1.nodes.list',
    requestMetadata: { callerIp: '192.168.1.1', callerSuppliedUserAgent: 'GoogleCloudConsole' },
    resourceName: 'core/v1/nodes',
    serviceName: 'k8s.io',
    status: {},
  },
  receiveTimestamp: '2021-04-23T14:47:31.94822935Z',
  resource: { labels: { cluster_name: 'analysis-cluster', location: 'us-central1-a' }, type: 'k8s_cluster' },
  timestamp: '2021-04-23T14:47:07.535383Z',
};

const entryOf = (payload: object, more: object = {}): object => ({
  ...LIST_OF_NODES,
  ...more,
  protoPayload: { ...LIST_OF_NODES.protoPayload, ...payload },
});

describe('published entries', () => {
  it('are read: a list of nodes', async () => {
    const { messages } = await read([linesOf([LIST_OF_NODES])]);
    expect(messages.map(({ label, from }) => `${from.name} ${label}`)).toEqual([
      'GoogleCloudConsole [REQ] GET /api/v1/nodes',
      'kube-apiserver [RESP] 200 OK',
    ]);
    expect(messages[0]).toMatchObject({
      user: 'xxx@xxx.xxx',
      verb: 'list',
      connection: '192.168.1.1:0-0.0.0.0:0',
      time: 1_619_189_227_535_383_000n,
    });
    expect(messages[1]).toMatchObject({ authorization: 'allow' });
  });

  it.each([
    // elastic/integrations, as above.
    ['io.k8s.get', 'readyz', 'GET /readyz'],
    ['io.k8s.get', 'api/v1', 'GET /api/v1'],
    [
      'io.k8s.authorization.v1beta1.subjectaccessreviews.create',
      'authorization.k8s.io/v1beta1/subjectaccessreviews',
      'POST /apis/authorization.k8s.io/v1beta1/subjectaccessreviews',
    ],
    [
      'io.k8s.extensions.v1beta1.ingresses.list',
      'extensions/v1beta1/namespaces/cos-auditd/ingresses',
      'GET /apis/extensions/v1beta1/namespaces/cos-auditd/ingresses',
    ],
    // GoogleCloudPlatform/khi (googlecloudlogk8saudit/contract/extractor_test.go).
    ['io.k8s.core.v1.nodes.status.patch', 'core/v1/nodes/gke-p0-n02c/status', 'PATCH /api/v1/nodes/gke-p0-n02c/status'],
    [
      'io.k8s.core.v1.pods.create',
      'core/v1/namespaces/default/pods/nginx',
      'POST /api/v1/namespaces/default/pods - nginx',
    ],
    ['io.k8s.core.v1.namespaces.delete', 'core/v1/namespaces/test-ns', 'DELETE /api/v1/namespaces/test-ns'],
    [
      'io.k8s.apps.v1.deployments.scale.update',
      'apps/v1/namespaces/kube-system/deployments/coredns/scale',
      'PUT /apis/apps/v1/namespaces/kube-system/deployments/coredns/scale',
    ],
    [
      'io.k8s.core.v1.pods.watch',
      'core/v1/namespaces/003-disks/pods',
      'GET /api/v1/namespaces/003-disks/pods?watch=true',
    ],
    // panther-labs/panther (gcplogs), SEKOIA-IO/documentation (google_cloud_audit), liggitt/audit2rbac#18.
    [
      'io.k8s.core.v1.nodes.proxy.get',
      'core/v1/nodes/gke-adx-jgln/proxy/metrics/cadvisor',
      'GET /api/v1/nodes/gke-adx-jgln/proxy/metrics/cadvisor',
    ],
    [
      'io.k8s.coordination.v1.leases.update',
      'coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler',
      'PUT /apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler',
    ],
    [
      'com.coreos.database.etcd.v1beta2.etcdbackups.create',
      'etcd.database.coreos.com/v1beta2/namespaces/test-ns/etcdbackups',
      'POST /apis/etcd.database.coreos.com/v1beta2/namespaces/test-ns/etcdbackups',
    ],
    [
      'io.k8s.authorization.rbac.v1.clusterroles.delete',
      'rbac.authorization.k8s.io/v1/clusterroles/system:x',
      'DELETE /apis/rbac.authorization.k8s.io/v1/clusterroles/system:x',
    ],
  ])('are read: %s on %s', async (methodName, resourceName, label) => {
    const { messages } = await read([linesOf([entryOf({ methodName, resourceName })])]);
    expect(messages[0].label).toBe(`[REQ] ${label}`);
  });

  it('are read: a Pod that Binary Authorization forbids', async () => {
    // GoogleCloudPlatform/gke-binary-auth-demo and its like: the answer has Kubernetes' status, the entry has Google's.
    const denied = entryOf(
      {
        authenticationInfo: { principalEmail: 'amandak@clsecteam.com' },
        methodName: 'io.k8s.core.v1.pods.create',
        resourceName: 'core/v1/namespaces/default/pods/image-without-attestation',
        request: {
          '@type': 'core.k8s.io/v1.Pod',
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'image-without-attestation', namespace: 'default' },
          spec: { containers: [{ image: 'gcr.io/x/hello-world', name: 'image-without-attestation' }] },
        },
        response: {
          '@type': 'core.k8s.io/v1.Status',
          apiVersion: 'v1',
          code: 403,
          details: { kind: 'pods', name: 'image-without-attestation' },
          kind: 'Status',
          message:
            'pods "image-without-attestation" is forbidden: image policy webhook backend denied one or more images',
          metadata: {},
          reason: 'Forbidden',
          status: 'Failure',
        },
        status: { code: 7, message: 'Forbidden' },
      },
      { timestamp: '2019-02-15T11:43:23.897797Z' },
    );
    const { messages } = await read([linesOf([denied])], [], true);
    expect(messages[0]).toMatchObject({ name: 'image-without-attestation', object: { kind: 'Pod' } });
    expect(messages[1]).toMatchObject({ status: 403, reason: 'Forbidden' });
    expect(messages[1].inferred).toBeUndefined();
    expect(messages[1].statusMessage).toContain('image policy webhook backend denied');
    expect(JSON.stringify(messages.map(({ details }) => details?.body()))).not.toContain('@type');
  });

  it('have a status that is concluded where no answer is in them', async () => {
    const statusOf = async (payload: object): Promise<number | undefined> =>
      (await read([linesOf([entryOf(payload)])])).messages[1].status;
    const create = { methodName: 'io.k8s.core.v1.pods.create', resourceName: 'core/v1/namespaces/default/pods/a' };
    const exec = { methodName: 'io.k8s.core.v1.pods.exec.create', resourceName: 'core/v1/namespaces/a/pods/a/exec' };
    expect(await statusOf({ status: { code: 0 } })).toBe(200);
    expect(await statusOf(create)).toBe(201);
    // 101 or 200.
    expect(await statusOf(exec)).toBeUndefined();
    expect(await statusOf({ ...create, status: { code: 10, message: 'ABORTED' } })).toBe(409);
    expect(await statusOf({ ...create, status: { code: 16 } })).toBe(401);
    expect(await statusOf({ ...create, status: { code: 99 } })).toBeUndefined();
  });
});

it('reads what lasts from two entries, and leaves out other services', async () => {
  const payload = { methodName: 'io.k8s.core.v1.pods.watch', resourceName: 'core/v1/pods' };
  const at = (second: number, operation: object): object =>
    entryOf(payload, { timestamp: `2021-04-23T14:47:0${second}Z`, operation: { id: 'a', ...operation } });
  const cluster = entryOf({
    serviceName: 'container.googleapis.com',
    methodName: 'google.container.v1.ClusterManager.CreateCluster',
  });
  const { messages, notices } = await read([linesOf([at(1, { first: true }), at(5, { last: true }), cluster])]);
  expect(messages.map(({ kind, frames }) => [kind, frames[0]])).toEqual([
    ['request', 1],
    ['response', 1],
  ]);
  expect(notices.map(({ detail }) => detail)).toEqual(['2 events of an audit log; 1 of other services left out']);
});

it('says which record of an array is cut', async () => {
  const whole = arrayOf([LIST_OF_NODES, LIST_OF_NODES]);
  const { messages, notices } = await read([whole.subarray(0, whole.length - 40)]);
  expect(messages).toHaveLength(2);
  expect(notices.map(({ detail }) => detail)).toContain(
    'record 2 of the audit log is no event, or is too long; left out',
  );
});

it('bears any entry', async () => {
  const values = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.constantFrom('a/b/c', 'io.k8s.', '\ud800'));
  const payload = fc.dictionary(
    fc.constantFrom(...Object.keys(LIST_OF_NODES.protoPayload), 'request', 'response'),
    values,
  );
  const fields = fc.dictionary(fc.constantFrom(...Object.keys(LIST_OF_NODES)), values);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(payload, fields), { maxLength: 4 }), fc.boolean(), async (records, isArray) => {
      const entries = [
        LIST_OF_NODES,
        ...records.flatMap(([inside, outside]) => [entryOf(inside), { ...LIST_OF_NODES, ...outside }]),
      ];
      const { messages } = await read([isArray ? arrayOf(entries) : linesOf(entries)], [], true);
      expect(messages.length).toBeGreaterThanOrEqual(2);
    }),
    { numRuns: 300 },
  );
});
