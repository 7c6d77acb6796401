// npm run bench: how fast kubeseq reads, beside other programs that read the same bytes. Multiplies two fixtures to long
// captures (plaintext, and TLS with its keys), runs every program on them in turns, and prints tables of medians. A second
// size shows whether time grows linearly and memory does not.
//
//   npm run bench [-- --size MB] [--rounds N] [--only plain|tls] [--factor N] [--kubeseq PATH]

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { multiply } from './multiply.js';
import { run } from './run.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const option = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : process.argv[at + 1];
};
const KUBESEQ = option('kubeseq', join(ROOT, 'bin/kubeseq.js'));
const SIZE = Number(option('size', '210')) * 1e6;
const ROUNDS = Number(option('rounds', '3'));
const FACTOR = Number(option('factor', '4'));
const ONLY = option('only', '');

const CASES = [
  {
    name: 'plain',
    title: 'HTTP/1.1 in plaintext',
    fixture: 'run-nginx-http1',
    keys: false,
    tshark: (file) => [
      '-r',
      file,
      '-d',
      'tcp.port==8080,http',
      '-Y',
      'http.request',
      '-T',
      'fields',
      '-e',
      'http.request.uri',
    ],
  },
  {
    name: 'tls',
    title: 'TLS and HTTP/2',
    fixture: 'run-nginx-tls',
    keys: true,
    tshark: (file, keys) => [
      ...['-r', file, '-o', `tls.keylog_file:${keys}`, '-d', 'tcp.port==6443,tls', '-Y', 'http2.header'],
      ...['-T', 'fields', '-e', 'http2.headers.path'],
    ],
  },
];

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-bench-'));
try {
  say(versions());
  for (const one of CASES) if (ONLY === '' || ONLY === one.name) await measure(one);
} finally {
  rmSync(folder, { recursive: true });
}

async function measure({ title, fixture, keys, tshark, name }) {
  const capture = gunzipSync(readFileSync(join(ROOT, 'fixtures', fixture, 'capture.pcap.gz')));
  const keyLog = join(folder, `${name}.keys`);
  if (keys) writeFileSync(keyLog, gunzipSync(readFileSync(join(ROOT, 'fixtures', fixture, 'keys.log.gz'))));
  const file = join(folder, `${name}.pcap`);
  const made = multiply(capture, SIZE, file);
  const own = ['messages', '-o', 'ndjson', '-q', ...(keys ? ['--keylog', keyLog] : [])];
  const kubeseq = (path) => [process.execPath, KUBESEQ, ...own, path];
  const messages = lines(kubeseq(file));

  const programs = [
    { name: 'kubeseq messages', command: kubeseq(file) },
    { name: 'tshark', command: ['tshark', ...tshark(file, keyLog)] },
    { name: 'pcap-parser, empty loop', command: [process.execPath, join(ROOT, 'scripts/bench/pcap-loop.js'), file] },
    { name: 'tcpdump -w /dev/null', command: ['tcpdump', '-r', file, '-w', '/dev/null'] },
    { name: 'cat', command: ['cat', file] },
  ];
  const installed = programs.filter(({ command }) => isInstalled(command[0]));
  const runs = new Map(installed.map((program) => [program, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const program of installed) runs.get(program).push(await run(program.command).catch(failed));

  say(
    `\n${title}: ${megabytes(made.bytes)} MB, ${made.frames} packets, ${messages} messages; medians of ${ROUNDS} runs\n`,
  );
  say('| program | s | CPU s | MB/s | packets/s | messages/s | peak MB | kubeseq is |');
  say('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
  const reference = median(runs.get(installed[0]), 'seconds');
  for (const program of programs) {
    const done = runs.get(program);
    if (done === undefined) {
      say(`| ${program.name} | not installed | | | | | | |`);
      continue;
    }
    if (done.includes(null)) {
      say(`| ${program.name} | cannot read it | | | | | | |`);
      continue;
    }
    const seconds = median(done, 'seconds');
    const isOwn = program === installed[0];
    const cells = [
      program.name,
      seconds.toFixed(2),
      median(done, 'cpu')?.toFixed(2) ?? '',
      (made.bytes / 1e6 / seconds).toFixed(0),
      thousands(made.frames / seconds),
      isOwn ? thousands(messages / seconds) : '',
      median(done, 'peak')?.toFixed(0) ?? '',
      isOwn ? '' : ratio(seconds / reference),
    ];
    say(`| ${cells.join(' | ')} |`);
  }

  const large = join(folder, `${name}-large.pcap`);
  const more = multiply(capture, SIZE * FACTOR, large);
  const long = [];
  for (let round = 0; round < ROUNDS; round++) long.push(await run(kubeseq(large)));
  const seconds = median(long, 'seconds');
  const exponent = Math.log(seconds / reference) / Math.log(more.bytes / made.bytes);
  const peaks = [median(runs.get(installed[0]), 'peak'), median(long, 'peak')].map((peak) => peak?.toFixed(0) ?? '?');
  say(
    `\n${megabytes(more.bytes)} MB, ${(more.bytes / made.bytes).toFixed(1)} times as much: ${seconds.toFixed(2)} s, ` +
      `time grows with the power ${exponent.toFixed(2)}; peak ${peaks[1]} MB instead of ${peaks[0]} MB`,
  );
  rmSync(large);
  rmSync(file);
}

/** Lines that a command prints, counted while it runs: they may be more than fit into one text. */
function lines(command) {
  const shell = `${command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')} | wc -l`;
  return Number(execFileSync('sh', ['-c', shell], { encoding: 'utf8' }));
}

/** What a program cannot do ends no benchmark (pcap-parser refuses captures with nanoseconds); kubeseq must. */
function failed(error) {
  if (error.message.includes(KUBESEQ)) throw error;
  return null;
}

function median(runs, field) {
  const sorted = runs.map((one) => one[field]).filter((value) => value !== null);
  sorted.sort((a, b) => a - b);
  return sorted.length === 0 ? undefined : sorted[Math.floor(sorted.length / 2)];
}

function ratio(times) {
  return times >= 1 ? `${times.toFixed(1)} times faster` : `${(1 / times).toFixed(1)} times slower`;
}

function megabytes(bytes) {
  return (bytes / 1e6).toFixed(0);
}

function thousands(value) {
  return Math.round(value).toLocaleString('en-US');
}

function isInstalled(program) {
  try {
    execFileSync('sh', ['-c', `command -v '${program}'`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function versions() {
  const first = (command) => {
    try {
      return execFileSync(command[0], command.slice(1), {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).split('\n')[0];
    } catch {
      return `${command[0]} not installed`;
    }
  };
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return [
    `kubeseq ${version} on Node ${process.version}, ${process.platform} ${arch()}, ${availableParallelism()} cores (${cpus()[0]?.model.trim()})`,
    first(['tshark', '--version']),
    first(['tcpdump', '--version']),
  ].join('\n');
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
