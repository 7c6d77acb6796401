// Records fixtures/fight-tls, fixtures/release-1.37-tls and fixtures/hanging-exec-tls: clients against a real API server, captured on
// loopback.
//
//   sudo node lab/recordings/main.js --binaries DIR
//
// DIR holds etcd and kube-apiserver (1.37.2 was used). It needs Linux, root, openssl and tcpdump. All of it runs in a network namespace of
// its own. The clients are this script's: programs of a cluster would not do these things on purpose.

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

const { values } = parseArgs({
  options: {
    binaries: { type: 'string' },
    out: { type: 'string', default: fileURLToPath(new URL('../../fixtures', import.meta.url)) },
  },
});
if (values.binaries === undefined) throw new Error('--binaries DIR: where etcd and kube-apiserver are');
if (process.env.KUBESEQ_RECORDING !== 'inside') {
  const { status } = spawnSync('unshare', ['--net', '--', process.execPath, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, KUBESEQ_RECORDING: 'inside' },
  });
  process.exit(status ?? 1);
}

// What it starts belongs into the namespace.
const { NODE, CLIENT, folder, pki, started, sleep, TOKENS, Client, startCluster } = await import('./cluster.js');

/** Captures what `act` does, into the files of a fixture. @param log with the audit log of that time. */
async function record(name, act, log = true) {
  const out = join(values.out, name);
  mkdirSync(out, { recursive: true });
  writeFileSync(pki('keys.log'), '');
  const before = readFileSync(pki('audit.log'), 'utf8').length;
  const capture = spawn(
    'tcpdump',
    ['-i', 'lo', '-U', '-w', pki(`${name}.pcap`), 'tcp', 'and', '(', 'host', CLIENT, 'or', 'host', NODE, ')'],
    { stdio: 'ignore' },
  );
  started.push(capture);
  await sleep(1000);
  await act();
  await sleep(1500);
  capture.kill('SIGINT');
  await new Promise((done) => capture.on('close', done));
  writeFileSync(join(out, 'capture.pcap.gz'), gzipSync(readFileSync(pki(`${name}.pcap`)), { level: 9 }));
  writeFileSync(join(out, 'keys.log.gz'), gzipSync(readFileSync(pki('keys.log'))));
  const logged = readFileSync(pki('audit.log'), 'utf8').slice(before);
  if (log) writeFileSync(join(out, 'audit.jsonl.gz'), gzipSync(logged, { level: 9 }));
}

const meta = (name, more = {}) => ({ metadata: { name, ...more } });
const podOf = (name, cpu = '100m') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  ...meta(name, { labels: { app: name } }),
  spec: {
    nodeName: 'node-1',
    containers: [{ name: 'web', image: 'nginx:1.29', resources: { requests: { cpu }, limits: { cpu } } }],
  },
});

async function prepare(admin) {
  await admin.must('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', ...meta('shop') });
  const roles = {
    'shop-controllers': ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
    'shop-reader': ['get', 'list', 'watch'],
  };
  for (const [name, verbs] of Object.entries(roles))
    await admin.must('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      ...meta(name),
      rules: [
        { apiGroups: [''], resources: ['pods', 'configmaps'], verbs },
        { apiGroups: ['apps'], resources: ['deployments'], verbs },
      ],
    });
  const grants = [
    [
      'shop-controllers',
      'shop-controllers',
      [
        { kind: 'User', name: TOKENS.operator[0] },
        { kind: 'User', name: TOKENS.tuner[0] },
        { kind: 'User', name: TOKENS.poller[0] },
      ],
    ],
    ['jane', 'shop-reader', [{ kind: 'User', name: 'jane' }]],
    ['node', 'system:node', [{ kind: 'Group', name: 'system:nodes' }]],
  ];
  for (const [name, role, subjects] of grants)
    await admin.must('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      ...meta(name),
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: subjects.map((one) => ({ ...one, apiGroup: 'rbac.authorization.k8s.io' })),
    });
  await admin.must('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', ...meta('node-1') });
  const resources = { cpu: '4', memory: '8Gi', pods: '110' };
  await admin.must(
    'PATCH',
    '/api/v1/nodes/node-1/status',
    { status: { capacity: resources, allocatable: resources } },
    { type: 'application/strategic-merge-patch+json' },
  );
  await admin.must('POST', '/apis/apps/v1/namespaces/shop/deployments', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    ...meta('web'),
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx:1.29' }] } },
    },
  });
  await admin.must('POST', '/api/v1/namespaces/shop/configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    ...meta('settings'),
    data: { colour: 'blue' },
  });
}

/** Two controllers set spec.replicas, each to what it wants; a third reads a ConfigMap again and again. */
async function fight() {
  const operator = new Client('operator', 'web-operator/v0.3.1 (linux/amd64) kubernetes/$Format');
  const tuner = new Client('tuner', 'replica-tuner/v1.0.0 (linux/amd64) kubernetes/$Format');
  const poller = new Client('poller', 'config-poller/v2.4.0 (linux/amd64) kubernetes/$Format');
  const deployment = '/apis/apps/v1/namespaces/shop/deployments/web';
  const polling = (async () => {
    for (let i = 0; i < 115; i++) {
      await poller.must('GET', '/api/v1/namespaces/shop/configmaps/settings');
      await sleep(100);
    }
  })();
  for (let i = 0; i < 6; i++) {
    const current = (await operator.must('GET', deployment)).json();
    await operator.must('PUT', deployment, { ...current, spec: { ...current.spec, replicas: 2 } });
    await sleep(1000);
    await tuner.must('PATCH', deployment, { spec: { replicas: 7 } }, { type: 'application/merge-patch+json' });
    await sleep(1000);
  }
  await polling;
}

/** What came with 1.36 and 1.37. */
async function release() {
  const admin = new Client('admin', 'setup/v1');
  const kubectl = new Client('admin', 'kubectl/v1.37.2 (linux/amd64) kubernetes/0123456');
  const auditor = new Client('auditor', 'kubectl/v1.37.2 (linux/amd64) kubernetes/0123456');
  const kubelet = new Client('node', 'kubelet/v1.37.2 (linux/amd64) kubernetes/0123456');
  const half = (from, to) => encodeURIComponent(`shardRange(object.metadata.uid, '${from}', '${to}')`);
  const halves = [half('0x0000000000000000', '0x8000000000000000'), half('0x8000000000000000', '0x10000000000000000')];
  const informers = halves.map((one, i) => {
    const shard = new Client('operator', `shard-${i}/v1.0.0 (linux/amd64) kubernetes/$Format`);
    return shard.send(
      'GET',
      `/api/v1/namespaces/shop/pods?watch=true&allowWatchBookmarks=true&shardSelector=${one}`,
      undefined,
      { until: 9000 },
    );
  });
  // A gzipped watch.
  const zipped = new Client('operator', 'zipped/v1.0.0 (linux/amd64) kubernetes/$Format').send(
    'GET',
    '/api/v1/namespaces/shop/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
    undefined,
    { headers: { 'Accept-Encoding': 'gzip' }, until: 9000 },
  );
  await sleep(500);
  for (const name of ['web-0', 'web-1', 'web-2', 'web-3'])
    await kubectl.must('POST', '/api/v1/namespaces/shop/pods', podOf(name));
  // In-place resize.
  await kubectl.must(
    'PATCH',
    '/api/v1/namespaces/shop/pods/web-0/resize',
    { spec: { containers: [{ name: 'web', resources: { requests: { cpu: '200m' }, limits: { cpu: '200m' } } }] } },
    { type: 'application/strategic-merge-patch+json' },
  );
  // Constrained impersonation: without the verb for the action, then with it.
  const asJane = { headers: { 'Impersonate-User': 'jane' } };
  const results = [await auditor.send('GET', '/api/v1/namespaces/shop/pods', undefined, asJane)];
  await admin.must('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    ...meta('impersonate-jane'),
    rules: [
      {
        apiGroups: ['authentication.k8s.io'],
        resources: ['users'],
        resourceNames: ['jane'],
        verbs: ['impersonate:user-info'],
      },
      { apiGroups: [''], resources: ['pods'], verbs: ['impersonate-on:user-info:list'] },
    ],
  });
  await admin.must('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    ...meta('impersonate-jane'),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'impersonate-jane' },
    subjects: [{ kind: 'User', name: 'auditor', apiGroup: 'rbac.authorization.k8s.io' }],
  });
  await sleep(1500);
  results.push(await auditor.send('GET', '/api/v1/namespaces/shop/pods', undefined, asJane));
  results.push(await auditor.send('GET', '/api/v1/namespaces/shop/secrets', undefined, asJane));
  process.stderr.write(`impersonation: ${results.map(({ status }) => status).join(', ')}\n`);
  // A policy that changes what is created.
  await kubectl.must('POST', '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies', {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicy',
    ...meta('team-label'),
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      },
      failurePolicy: 'Fail',
      reinvocationPolicy: 'Never',
      mutations: [
        {
          patchType: 'ApplyConfiguration',
          applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"team": "web"}}}' },
        },
      ],
    },
  });
  await kubectl.must('POST', '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings', {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicyBinding',
    ...meta('team-label'),
    spec: { policyName: 'team-label' },
  });
  await sleep(2500);
  const made = await kubectl.must('POST', '/api/v1/namespaces/shop/configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    ...meta('colours'),
    data: { a: 'blue' },
  });
  process.stderr.write(`policy: ${JSON.stringify(made.json().metadata.labels)}\n`);
  // A Pod's certificate, as a kubelet asks for it.
  const group = (await kubelet.send('GET', '/apis/certificates.k8s.io/v1')).text.includes('podcertificaterequests')
    ? 'v1'
    : 'v1beta1';
  const asked = await kubelet.send(
    'POST',
    `/apis/certificates.k8s.io/${group}/namespaces/shop/podcertificaterequests`,
    {
      apiVersion: `certificates.k8s.io/${group}`,
      kind: 'PodCertificateRequest',
      ...meta('req-web-0'),
      spec: {
        signerName: 'example.org/signer',
        podName: 'web-0',
        podUID: (await kubelet.send('GET', '/api/v1/namespaces/shop/pods/web-0')).json().metadata.uid,
        serviceAccountName: 'default',
        serviceAccountUID: '1f6b8a51-0000-4000-8000-000000000001',
        nodeName: 'node-1',
        nodeUID: (await kubelet.send('GET', '/api/v1/nodes/node-1')).json().metadata.uid,
        maxExpirationSeconds: 86_400,
        stubPKCS10Request: readFileSync(pki('stub.der')).toString('base64'),
      },
    },
  );
  process.stderr.write(`pod certificate: ${group} ${asked.status} ${asked.status < 300 ? '' : asked.text}\n`);
  await kubectl.must('DELETE', '/api/v1/namespaces/shop/pods/web-3?gracePeriodSeconds=0');
  const closed = await Promise.all([...informers, zipped]);
  process.stderr.write(`watches: ${closed.map(({ status, text }) => `${status} ${text.length}`).join(', ')}\n`);
}

/** `kubectl exec` into a Pod whose kubelet takes the connection and says nothing. */
async function hangingExec(admin) {
  const silent = createServer(() => {}).listen(10250, NODE);
  await admin.must('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', ...meta('node-2') });
  await admin.must(
    'PATCH',
    '/api/v1/nodes/node-2/status',
    {
      status: {
        addresses: [{ type: 'InternalIP', address: NODE }],
        daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      },
    },
    { type: 'application/strategic-merge-patch+json' },
  );
  const pod = podOf('stuck');
  await admin.must('POST', '/api/v1/namespaces/shop/pods', { ...pod, spec: { ...pod.spec, nodeName: 'node-2' } });
  const kubectl = new Client('admin', 'kubectl/v1.37.2 (linux/amd64) kubernetes/0123456');
  await record(
    'hanging-exec-tls',
    async () => {
      await kubectl.must('GET', '/api/v1/namespaces/shop/pods/stuck');

      const asked = kubectl.send(
        'GET',
        '/api/v1/namespaces/shop/pods/stuck/exec?command=ls&container=web&stdout=true&stderr=true',
        undefined,
        {
          headers: {
            Connection: 'Upgrade',
            Upgrade: 'websocket',
            'Sec-WebSocket-Version': '13',
            'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
            'Sec-WebSocket-Protocol': 'v5.channel.k8s.io',
          },
        },
      );
      // kubectl waits for ever; the one who typed it does not.
      const gone = asked.then(
        ({ status, text }) => `${status} ${text}`,
        (error) => String(error),
      );
      await sleep(12_000);
      kubectl.giveUp();
      process.stderr.write(`exec: ${await gone}\n`);
    },
    false,
  );
  silent.close();
}

const admin = await startCluster(values.binaries);
await prepare(admin);
await record('fight-tls', fight);
await record('release-1.37-tls', release);
await hangingExec(admin);
rmSync(folder, { recursive: true });
process.exit(0);
