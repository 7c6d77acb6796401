// Records fixtures/planted: hundreds of secrets where real clusters carry them, by real clients against a real control plane.
//
//   sudo node lab/planted/main.js --binaries DIR [--out fixtures/planted]
//
// DIR (or the variable KUBESEQ_CONTROL_PLANE) holds etcd, kube-apiserver, kube-controller-manager and kubectl; 1.34.4 was used. It
// needs Linux, root, curl, openssl, tcpdump and the docker client. All of it runs in a network namespace of its own and leaves
// nothing behind. Secrets are the same each time; times, UIDs and the order of packets are not.

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { API, endPrograms, HOST, NODE, RAN, run, sleep, startCluster, until } from './cluster.js';
import { admissionAndOthers } from './families/admission-and-aggregated.js';
import { applications } from './families/applications.js';
import { commands } from './families/commands.js';
import { customResources } from './families/custom-resources.js';
import { dockerEngine } from './families/docker-engine.js';
import { etcdStore } from './families/etcd-store.js';
import { eventsAndStatuses } from './families/events-and-statuses.js';
import { headerFields } from './families/header-fields.js';
import { kubeletApi } from './families/kubelet-api.js';
import { nestedEncodings } from './families/nested-encodings.js';
import { paths } from './families/paths.js';
import { podSpecs } from './families/pod-specs.js';
import { prepare } from './families/prepare.js';
import { queries } from './families/queries.js';
import { registries } from './families/registries.js';
import { runtime } from './families/runtime.js';
import { secretsAndConfigMaps } from './families/secrets-and-config-maps.js';
import { tokensAndCertificates } from './families/tokens-and-certificates.js';
import { PLANTED } from './secrets.js';
import { curl, grpcClient, grpcServer, plainServer, tlsServer } from './servers.js';

const { values } = parseArgs({
  options: {
    binaries: { type: 'string', default: process.env.KUBESEQ_CONTROL_PLANE },
    out: { type: 'string', default: fileURLToPath(new URL('../../fixtures/planted', import.meta.url)) },
    keep: { type: 'boolean', default: false },
  },
});
if (values.binaries === undefined)
  throw new Error('--binaries DIR: where etcd, kube-apiserver, kube-controller-manager and kubectl are');

if (process.env.KUBESEQ_PLANTED !== 'inside') {
  const { status } = spawnSync('unshare', ['--net', '--', process.execPath, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, KUBESEQ_PLANTED: 'inside' },
  });
  process.exit(status ?? 1);
}

process.on('exit', endPrograms);
const folder = mkdtempSync(join(tmpdir(), 'kubeseq-planted-'));
const PORTS = [8080, 2375, 2379, 3500, 5000, 8200, 9443, 10250];
const POD = '10.0.0.21';

try {
  for (const args of [
    ['link', 'set', 'lo', 'up'],
    ...['10.0.0.1', HOST, NODE, '10.0.0.20', POD, '10.0.0.30', '10.0.0.40'].map((address) => [
      'addr',
      'add',
      `${address}/24`,
      'dev',
      'lo',
    ]),
  ])
    spawnSync('ip', args);
  const cluster = await startCluster(folder, values.binaries);
  const tools = { ...servers(cluster), kubectl: cluster.kubectl, run, ca: readFileSync(cluster.pki('ca.crt'), 'utf8') };
  await prepare(tools);
  // What kubectl asks once and keeps: discovery.
  await sleep(2000);
  await cluster.kubectl(['api-resources']);

  const capture = join(folder, 'capture.pcap');
  const filter = PORTS.map((port) => `tcp port ${port}`).join(' or ');
  const sniffer = spawn('tcpdump', ['-i', 'lo', '-s', '0', '-B', '65536', '-U', '-w', capture, filter], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  process.on('exit', () => sniffer.kill('SIGTERM'));
  await new Promise((done) => sniffer.stderr.once('data', done));
  await sleep(500);
  cluster.relay.drop();
  await until('API server', async () => (await run('curl', ['-skf', `https://${HOST}:6443/readyz`])).status === 0);
  cluster.startControllers();
  await sleep(3000);

  for (const family of [
    commands,
    secretsAndConfigMaps,
    customResources,
    podSpecs,
    eventsAndStatuses,
    tokensAndCertificates,
    admissionAndOthers,
    nestedEncodings,
    queries,
    headerFields,
    paths,
    dockerEngine,
    registries,
    etcdStore,
    runtime,
    kubeletApi,
    applications,
  ]) {
    const before = PLANTED.length;
    await family(tools);
    console.error(`${family.name}: ${PLANTED.length - before}`);
  }
  await sleep(2000);
  sniffer.kill('SIGTERM');
  await new Promise((done) => sniffer.once('close', done));
  mkdirSync(values.out, { recursive: true });
  const packed = gzipSync(readFileSync(capture), { level: 9 });
  writeFileSync(join(values.out, 'capture.pcap.gz'), packed);
  writeFileSync(join(values.out, 'keys.log.gz'), gzipSync(readFileSync(join(folder, 'keys.log')), { level: 9 }));
  writeFileSync(join(values.out, 'secrets.json'), `[\n${PLANTED.map((one) => JSON.stringify(one)).join(',\n')}\n]\n`);
  console.error(
    `${PLANTED.length} secrets in ${new Set(PLANTED.map((one) => one.family)).size} families, ${packed.length} bytes`,
  );
} finally {
  endPrograms();
  await sleep(1500);
  if (values.keep) {
    console.error(folder);
    writeFileSync(join(folder, 'commands.jsonl'), RAN.map((one) => `${JSON.stringify(one)}\n`).join(''));
  }
  if (!values.keep) rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

/** Servers that are none of the control plane, and how to ask them. */
function servers(cluster) {
  const keyLog = join(folder, 'keys.log');
  writeFileSync(keyLog, '');
  const hook = { answer: () => ({ allowed: true }) };
  const judge = (request, body) => {
    const review = JSON.parse(body || '{"request":{}}');
    const response = hook.answer(review.request, request.url);
    return { body: JSON.stringify({ apiVersion: review.apiVersion, kind: review.kind, response }) };
  };
  tlsServer('10.0.0.20', 9443, cluster.pki, keyLog, judge);
  const refused = () => ({ status: 500, type: 'text/plain', body: 'container is not running' });
  const kubelet = tlsServer(NODE, 10250, cluster.pki, keyLog, refused, (_, socket) =>
    socket.end(
      'HTTP/1.1 500 Internal Server Error\r\nContent-Type: text/plain\r\nContent-Length: 24\r\n\r\ncontainer is not running',
    ),
  );
  return {
    hook,
    kubelet,
    api: (asked) => curl(API, asked),
    app: plainServer(POD, 8080),
    docker: plainServer(NODE, 2375),
    registry: plainServer('10.0.0.30', 5000),
    vault: plainServer('10.0.0.40', 8200),
    cri: grpcServer(NODE, 3500),
    etcd: grpcClient(HOST, 2379),
    gateway: (asked) => curl(`http://${HOST}:2379`, asked),
  };
}
