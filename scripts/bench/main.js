// npm run bench: how fast kubeseq reads what clusters sent, beside other programs that read the same bytes. The recordings of
// fixtures/, none of them twice, are appended to one capture with one key log; folders that are given come after them. One table of
// medians is printed: with `--write` into docs/performance.md.
//
//   npm run bench [-- --rounds N] [--kubeseq PATH] [--before PATH] [--write] [--recordings FOLDER,FOLDER]

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { CASES, captureOfCase, ROOT } from './cases.js';
import { gopacketProgram } from './gopacket.js';
import { multiply } from './multiply.js';
import { isInstalled, machine, median, option, publish, table, thousands } from './page.js';
import { run } from './run.js';

const KUBESEQ = option('kubeseq', join(ROOT, 'bin/kubeseq.js'));
/** Another build, measured in turns with it. */
const BEFORE = option('before', '');
const ROUNDS = Number(option('rounds', '5'));
const GIVEN = option('recordings', '').split(',').filter(Boolean);
/** Distinct clusters and days, largest first. */
const RECORDINGS = [
  ...['connections-tls', 'workloads-tls', 'deployment-tls', 'argocd-tls', 'lacks-tls', 'volumes-tls', 'boot-etcd-tls'],
  ...['not-starting-tls', 'helm-tls', 'autoscaled-tls', 'operator-tls', 'trouble-tls', 'pod-network-tls', 'gitops-tls'],
].map((name) => join(ROOT, 'fixtures', name));

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-bench-'));
try {
  const cases = [plain(), appended('small', RECORDINGS.slice(0, 4)), appended('large', [...RECORDINGS, ...GIVEN])];
  const rows = [];
  for (const one of cases) rows.push(...(await measure(one)));
  const head = ['capture', 'program', 's:', 'CPU s:', 'MB/s:', 'µs a message:', 'peak MB:', 'CPU beside kubeseq'];
  const text = `${machine('bench', ['tshark', 'tcpdump'])}\n${ROUNDS === 1 ? 'One run of each.' : `Medians of ${ROUNDS} runs, in turns.`}\n\n${table(head, rows)}`;
  publish(text, 'docs/performance.md', 'throughput');
} finally {
  rmSync(folder, { recursive: true });
}

/**
 * @typedef {object} Input
 * @property {string} title
 * @property {string} file
 * @property {string | null} keys key log; null: nothing is encrypted.
 * @property {string | null} follow an object in it; null: several recordings have one of each name.
 * @property {readonly (readonly [string, readonly string[]])[]} others names and commands.
 */

/** Real HTTP/1.1 is rare, so that one recording is multiplied. @returns {Input} */
function plain() {
  const [one] = CASES;
  const file = join(folder, 'plain.pcap');
  multiply(captureOfCase(one), 50e6, file);
  const gopacket = gopacketProgram(folder);
  return {
    title: 'HTTP/1.1, multiplied',
    file,
    keys: null,
    follow: 'pod/nginx',
    others: [
      ['tshark', ['tshark', ...one.tshark(file, '')]],
      ['gopacket and net/http', [gopacket, file]],
      ...tcpdump(file),
    ],
  };
}

/** @param {string} name @param {readonly string[]} folders @returns {Input} */
function appended(name, folders) {
  const file = join(folder, `${name}.pcapng`);
  const keys = join(folder, `${name}.keys`);
  const parts = folders.map((one, i) => {
    const part = join(folder, `${name}-${i}.pcap`);
    writeFileSync(part, contentOf(one, /\.pcap(?:ng)?(?:\.gz)?$/));
    return part;
  });
  writeFileSync(keys, folders.map((one) => contentOf(one, /keys?.*\.log(?:\.gz)?$/)).join('\n'));
  execFileSync('mergecap', ['-a', '-w', file, ...parts]);
  for (const part of parts) rmSync(part);
  const fields = ['frame.number', 'http2.headers.method', 'http2.headers.path', 'http2.headers.status'];
  return {
    title: `TLS and etcd, ${folders.length} recordings`,
    file,
    keys,
    follow: 'deployments/web',
    others: [
      [
        'tshark, four fields',
        [
          ...['tshark', '-r', file, '-o', `tls.keylog_file:${keys}`, '-d', 'tcp.port==6443,tls', '-d'],
          ...['tcp.port==2379,tls', '-Y', 'http2.headers', '-T', 'fields', ...fields.flatMap((one) => ['-e', one])],
        ],
      ],
      // tcpdump reads interfaces of one link type only; recordings that are given may have others.
      ...(GIVEN.some((one) => folders.includes(one)) ? [] : tcpdump(file)),
    ],
  };
}

/** @returns {[string, string[]][]} */
function tcpdump(/** @type {string} */ file) {
  return [['tcpdump -w /dev/null', ['tcpdump', '-r', file, '-w', '/dev/null']]];
}

/** @param {string} path of a folder. @param {RegExp} name of a file in it, the first of those that match. */
function contentOf(path, name) {
  const file = readdirSync(path).find((one) => name.test(one));
  if (file === undefined) throw new Error(`${path} has no file ${name}`);
  const bytes = readFileSync(join(path, file));
  return file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

/** @param {Input} input */
async function measure({ title, file, keys, follow, others }) {
  const commandOf = (/** @type {string} */ build, /** @type {readonly string[]} */ words) => [
    ...[process.execPath, build, ...words, '-q', ...(keys === null ? [] : ['--keylog', keys]), file],
  ];
  const messages = ['messages', '-o', 'ndjson'];
  /** @type {(readonly [string, readonly string[]])[]} */
  const programs = [
    ['kubeseq messages', commandOf(KUBESEQ, messages)],
    ...(BEFORE === '' ? [] : [/** @type {const} */ (['kubeseq messages, before', commandOf(BEFORE, messages)])]),
    ['kubeseq', commandOf(KUBESEQ, ['diagram'])],
    ...(follow === null
      ? []
      : [/** @type {const} */ ([`kubeseq --follow ${follow}`, commandOf(KUBESEQ, ['diagram', '--follow', follow])])]),
    ...others,
  ];
  const count = execFileSync(programs[0][1][0], programs[0][1].slice(1), { maxBuffer: 1 << 30 })
    .toString()
    .split('\n').length;
  const present = programs.filter(([, [program]]) => isInstalled(program));
  const runs = present.map(() => /** @type {import('./run.js').Run[]} */ ([]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, [, command]] of present.entries()) runs[i].push(await run(command));
  const bytes = statSync(file).size;
  const medians = runs.map((of) => ({
    seconds: median(of.map((one) => one.seconds)),
    cpu: median(of.map((one) => one.cpu ?? Number.NaN)),
    peak: median(of.map((one) => one.peak ?? Number.NaN)),
  }));
  return present.map(([name], i) => {
    const { seconds, cpu, peak } = medians[i];
    return [
      i === 0 ? `${title}: ${(bytes / 1e6).toFixed(0)} MB, ${thousands(count - 1)} messages` : '',
      name,
      ...[seconds, cpu].map((one) => one.toFixed(2)),
      (bytes / 1e6 / seconds).toFixed(0),
      name.startsWith('kubeseq') ? ((seconds / count) * 1e6).toFixed(0) : '',
      peak.toFixed(0),
      i === 0 ? '' : (cpu / medians[0].cpu).toFixed(2),
    ];
  });
}
