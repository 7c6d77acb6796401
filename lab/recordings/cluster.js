// Starts etcd and an API server for recordings, in the namespace of the process, and speaks to the latter as the users of a file of tokens.

import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const HOST = '192.0.2.10';
export const NODE = '192.0.2.20';
export const CLIENT = '192.0.2.30';
export const folder = mkdtempSync(join(tmpdir(), 'kubeseq-recording-'));
export const pki = (name) => join(folder, name);
export const started = [];
process.on('exit', () => {
  for (const child of started.reverse()) child.kill('SIGTERM');
});

export function must(command, args) {
  const { status, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
}

function program(name, command, args) {
  const log = openSync(pki(`${name}.log`), 'w');
  const child = spawn(command, args, { stdio: ['ignore', log, log] });
  started.push(child);
  return child;
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Users are tokens of a file: they need no certificates. */
export const TOKENS = {
  admin: ['admin', 'system:masters'],
  operator: ['system:serviceaccount:shop:web-operator', 'system:serviceaccounts'],
  tuner: ['system:serviceaccount:shop:replica-tuner', 'system:serviceaccounts'],
  poller: ['system:serviceaccount:shop:config-poller', 'system:serviceaccounts'],
  auditor: ['auditor', ''],
  node: ['system:node:node-1', 'system:nodes'],
};

/** A client with its own connection; writes the keys of its TLS sessions down. */
export class Client {
  constructor(user, agent) {
    this.user = user;
    this.agent = agent;
    this.connections = new Agent({ keepAlive: true });
    this.connections.on('keylog', (line) => appendFileSync(pki('keys.log'), line));
  }

  send(method, path, body, { type = 'application/json', headers = {}, until } = {}) {
    return new Promise((done, fail) => {
      const sent = request(
        {
          host: HOST,
          port: 6443,
          path,
          method,
          ca: readFileSync(pki('ca.crt')),
          agent: this.connections,
          localAddress: CLIENT,
          headers: {
            'User-Agent': this.agent,
            Authorization: `Bearer ${this.user}-token`,
            Accept: 'application/json',
            ...(body === undefined ? {} : { 'Content-Type': type }),
            ...headers,
          },
        },
        (response) => {
          const parts = [];
          if (until !== undefined) setTimeout(() => sent.destroy(), until);
          response.on('data', (bytes) => parts.push(bytes));
          response.on('close', () => {
            const text = Buffer.concat(parts);
            done({ status: response.statusCode, text, json: () => JSON.parse(text.toString()) });
          });
          response.on('error', () => {});
        },
      );
      this.giveUp = () => sent.destroy(new Error('interrupted'));
      sent.on('upgrade', ({ statusCode }, socket) => {
        this.giveUp = () => socket.destroy();
        socket.on('close', () => done({ status: statusCode, text: '' }));
      });
      sent.on('error', fail);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  async must(method, path, body, options) {
    const answer = await this.send(method, path, body, options);
    if (answer.status >= 400) throw new Error(`${this.agent}: ${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  }
}

export async function startCluster(binaries) {
  for (const args of [
    ['link', 'set', 'lo', 'up'],
    ['addr', 'add', `${HOST}/32`, 'dev', 'lo'],
    ['addr', 'add', `${NODE}/32`, 'dev', 'lo'],
    ['addr', 'add', `${CLIENT}/32`, 'dev', 'lo'],
  ])
    must('ip', args);
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  must('openssl', ['req', '-x509', ...curve, '-keyout', 'ca.key', '-out', 'ca.crt', '-subj', '/CN=ca', '-days', '2']);
  writeFileSync(pki('ext'), `subjectAltName=IP:${HOST},IP:127.0.0.1,IP:10.96.0.1\n`);
  must('openssl', ['req', ...curve, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=kube-apiserver']);
  must('openssl', [
    'x509',
    '-req',
    '-in',
    'server.csr',
    '-CA',
    'ca.crt',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-out',
    'server.crt',
    '-days',
    '2',
    '-extfile',
    'ext',
  ]);
  must('openssl', ['genrsa', '-out', 'sa.key', '2048']);
  must('openssl', ['req', ...curve, '-keyout', 'stub.key', '-out', 'stub.der', '-outform', 'DER', '-subj', '/']);
  const rows = Object.entries(TOKENS).map(
    ([name, [user, group]], i) => `${name}-token,${user},u${i}${group === '' ? '' : `,"${group}"`}`,
  );
  writeFileSync(pki('tokens.csv'), `${rows.join('\n')}\n`);
  writeFileSync(
    pki('policy.json'),
    JSON.stringify({
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      rules: [
        { level: 'None', users: ['system:apiserver', 'system:anonymous'] },
        { level: 'RequestResponse', resources: [{ group: 'apps' }, { group: '', resources: ['pods', 'configmaps'] }] },
        { level: 'Metadata' },
      ],
    }),
  );
  program('etcd', join(binaries, 'etcd'), [
    ...['--data-dir', pki('data'), '--listen-client-urls', 'http://127.0.0.1:2379'],
    ...['--advertise-client-urls', 'http://127.0.0.1:2379', '--listen-peer-urls', 'http://127.0.0.1:2380'],
  ]);
  await sleep(2000);
  program('kube-apiserver', join(binaries, 'kube-apiserver'), [
    ...[
      '--etcd-servers',
      'http://127.0.0.1:2379',
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
      '--token-auth-file',
      pki('tokens.csv'),
    ],
    ...['--service-account-issuer', 'https://issuer.example', '--service-account-key-file', pki('sa.key')],
    ...['--service-account-signing-key-file', pki('sa.key'), '--bind-address', HOST, '--advertise-address', HOST],
    ...[
      '--audit-policy-file',
      pki('policy.json'),
      '--audit-log-path',
      pki('audit.log'),
      '--endpoint-reconciler-type',
      'none',
    ],
    ...[
      '--disable-admission-plugins',
      'ServiceAccount,TaintNodesByCondition',
      '--profiling=false',
      '--kubelet-preferred-address-types',
      'InternalIP',
    ],
    ...[
      '--feature-gates',
      'ShardedListAndWatch=true,ConstrainedImpersonation=true,MutatingAdmissionPolicy=true,PodCertificateRequest=true',
    ],
    ...[
      '--runtime-config',
      'certificates.k8s.io/v1beta1=true,certificates.k8s.io/v1=true,admissionregistration.k8s.io/v1=true',
    ],
  ]);
  const admin = new Client('admin', 'setup/v1');
  for (let i = 0; ; i++) {
    const ready = await admin.send('GET', '/readyz').catch(() => null);
    if (ready?.status === 200) return admin;
    if (i > 300) throw new Error('the API server is not ready');
    await sleep(200);
  }
}
