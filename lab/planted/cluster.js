// Starts a control plane inside the network namespace of this process: etcd, API server, controller manager and `kubectl proxy`,
// which serves the API without TLS. Between API server and etcd is a relay that can drop connections, so that a capture has
// them from their beginnings.

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

export const HOST = '10.0.0.10';
export const NODE = '10.0.0.11';
export const API = `http://${HOST}:8080`;

/** Every command that was run, with what came of it: for `--keep`. */
export const RAN = [];
const started = [];

/** Starts a program; it is ended with this process. */
export function program(folder, name, command, args, env = {}) {
  const log = openSync(join(folder, `${name}.log`), 'w');
  const child = spawn(command, args, { stdio: ['ignore', log, log], env: { ...process.env, ...env } });
  started.push(child);
  return child;
}

export function endPrograms() {
  for (const child of started.reverse()) child.kill('SIGTERM');
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

export async function until(what, check, seconds = 60) {
  for (let i = 0; i < seconds * 5; i++) {
    if (await check()) return;
    await sleep(200);
  }
  throw new Error(`${what}: not in ${seconds} s`);
}

/** Runs a command to its end. @param input for its stdin. */
export function run(command, args, { input, env } = {}) {
  return new Promise((done) => {
    const child = spawn(command, args, { env: { ...process.env, ...env } });
    const out = [];
    const err = [];
    child.stdout.on('data', (bytes) => out.push(bytes));
    child.stderr.on('data', (bytes) => err.push(bytes));
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
    child.on('close', (status) => {
      clearTimeout(timer);
      const ran = { status, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
      RAN.push({ command: [command, ...args].join(' '), ...ran });
      done(ran);
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
  });
}

/** A CA, and a certificate for all servers and clients. */
export function certificates(folder) {
  const openssl = (...args) => {
    const { status, stderr } = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };
  openssl('req', '-x509', ...CURVE, '-nodes', '-keyout', 'ca.key', '-out', 'ca.crt', '-subj', '/CN=ca', '-days', '2');
  const names = ['127.0.0.1', '10.0.0.1', HOST, NODE, '10.0.0.20'].map((address) => `IP:${address}`).join(',');
  writeFileSync(join(folder, 'ext'), `subjectAltName=${names}\nextendedKeyUsage=serverAuth,clientAuth\n`);
  for (const [name, subject] of [
    ['server', '/CN=kube-apiserver'],
    ['admin', '/O=system:masters/CN=kubernetes-admin'],
  ]) {
    openssl('req', ...CURVE, '-nodes', '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', subject);
    openssl(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial'],
      ...['-out', `${name}.crt`, '-days', '2', '-extfile', 'ext'],
    );
  }
  openssl('genrsa', '-out', 'sa.key', '2048');
}

/** Small certificates: of connections with keys they are all that does not compress. */
const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];

function kubeconfig(folder, name, server, user) {
  const file = join(folder, name);
  writeFileSync(
    file,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: server }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  );
  return file;
}

/** @returns ways to use the cluster that was started. */
export async function startCluster(folder, binaries) {
  mkdirSync(folder, { recursive: true });
  certificates(folder);
  const pki = (name) => join(folder, name);
  const binary = (name) => join(binaries, name);
  program(folder, 'etcd', binary('etcd'), [
    ...['--data-dir', join(folder, 'data'), '--listen-client-urls', `http://${HOST}:2378`],
    ...['--advertise-client-urls', `http://${HOST}:2378`, '--listen-peer-urls', 'http://127.0.0.1:2380'],
  ]);
  const relay = etcdRelay();
  await until('etcd', async () => (await run('curl', ['-sf', `http://${HOST}:2378/health`])).status === 0);
  program(folder, 'kube-apiserver', binary('kube-apiserver'), [
    ...[
      '--etcd-servers',
      `http://${HOST}:2379`,
      '--service-cluster-ip-range',
      '10.96.0.0/16',
      '--authorization-mode',
      'RBAC',
    ],
    ...[
      '--tls-cert-file',
      pki('server.crt'),
      '--tls-private-key-file',
      pki('server.key'),
      '--client-ca-file',
      pki('ca.crt'),
    ],
    ...['--service-account-issuer', 'https://issuer.example', '--service-account-key-file', pki('sa.key')],
    ...['--service-account-signing-key-file', pki('sa.key'), '--bind-address', HOST, '--advertise-address', HOST],
    ...['--kubelet-client-certificate', pki('admin.crt'), '--kubelet-client-key', pki('admin.key')],
    ...['--kubelet-preferred-address-types', 'InternalIP', '--endpoint-reconciler-type', 'none'],
    ...[
      '--disable-admission-plugins',
      'ServiceAccount,TaintNodesByCondition',
      '--allow-privileged',
      '--profiling=false',
    ],
    ...['--proxy-client-cert-file', pki('admin.crt'), '--proxy-client-key-file', pki('admin.key')],
    ...['--requestheader-client-ca-file', pki('ca.crt'), '--requestheader-extra-headers-prefix', 'X-Remote-Extra-'],
    ...['--requestheader-group-headers', 'X-Remote-Group', '--requestheader-username-headers', 'X-Remote-User'],
    '--event-ttl=1h',
  ]);
  await until('API server', async () => (await run('curl', ['-skf', `https://${HOST}:6443/readyz`])).status === 0);
  const direct = kubeconfig(
    folder,
    'direct.conf',
    { server: `https://${HOST}:6443`, 'certificate-authority': pki('ca.crt') },
    { 'client-certificate': pki('admin.crt'), 'client-key': pki('admin.key') },
  );
  const plain = kubeconfig(folder, 'plain.conf', { server: API }, {});
  program(folder, 'proxy', binary('kubectl'), [
    ...['--kubeconfig', direct, 'proxy', '--address', HOST, '--port', '8080', '--disable-filter'],
  ]);
  await until('kubectl proxy', async () => (await run('curl', ['-sf', `${API}/readyz`])).status === 0);
  const cache = ['--cache-dir', join(folder, 'cache')];
  return {
    pki,
    relay,
    kubectl: (args, input) => run(binary('kubectl'), ['--kubeconfig', plain, ...cache, ...args], { input }),
    startControllers: () =>
      program(folder, 'kcm', binary('kube-controller-manager'), [
        ...['--kubeconfig', plain, '--leader-elect=false', '--root-ca-file', pki('ca.crt')],
        ...[
          '--controllers',
          'deployment-controller,replicaset-controller,job-controller,statefulset-controller,daemonset-controller',
        ],
        '--kube-api-content-type=application/vnd.kubernetes.protobuf',
      ]),
  };
}

/** From 2379 to 2378. */
function etcdRelay() {
  const open = new Set();
  const server = createServer((client) => {
    const upstream = connect(2378, HOST);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ]) {
      open.add(one);
      one.pipe(other);
      one.on('error', () => {});
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(2379, HOST);
  return {
    drop: () => {
      for (const socket of open) socket.destroy();
    },
  };
}
