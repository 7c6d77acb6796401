// npm run bench: how fast kubeseq reads, beside other programs that read the same bytes, and how its time grows with the
// capture. Three fixtures are multiplied to long captures, every program runs on them in turns, and one table of medians is
// printed: with `--write` into docs/performance.md. `saved` is an export beside its capture (saved.js), `diagram` one story in
// captures of up to 4 GB (diagram.js).
//
//   npm run bench [-- --size MB] [--growth N] [--rounds N] [--only plain,tls,etcd,saved,diagram] [--kubeseq PATH] [--write]

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CASES, captureOfCase, fixture, ROOT } from './cases.js';
import { diagramBench } from './diagram.js';
import { multiply } from './multiply.js';
import { isInstalled, machine, median, option, power, publish, table, thousands } from './page.js';
import { run } from './run.js';
import { savedBench } from './saved.js';

const KUBESEQ = option('kubeseq', join(ROOT, 'bin/kubeseq.js'));
const SIZE = Number(option('size', '210')) * 1e6;
/** Of the capture that a diagram is drawn of; then four times as much. */
const STORY_SIZE = Number(option('story-size', '1000')) * 1e6;
const GROWTH = Number(option('growth', '8'));
const ROUNDS = Number(option('rounds', '3'));
const ONLY = option('only', [...CASES.map(({ name }) => name), 'saved', 'diagram'].join(',')).split(',');
/** Power with which time may grow. */
const LIMIT = 1.05;

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-bench-'));
try {
  const cases = CASES.filter(({ name }) => ONLY.includes(name));
  if (cases.length > 0) publish(await throughput(cases), 'docs/performance.md', 'throughput');
} finally {
  rmSync(folder, { recursive: true });
}
if (ONLY.includes('saved'))
  publish(await savedBench({ kubeseq: KUBESEQ, size: SIZE, rounds: ROUNDS }), 'docs/performance.md', 'saved');
if (ONLY.includes('diagram'))
  publish(await diagramBench({ kubeseq: KUBESEQ, size: STORY_SIZE, rounds: ROUNDS }), 'docs/performance.md', 'diagram');

async function throughput(/** @type {readonly import('./cases.js').Case[]} */ cases) {
  const about = machine('bench', ['tshark', 'tcpdump']);
  const measured = [];
  for (const one of cases) measured.push(await measure(one));
  const head = [
    'capture',
    'program',
    's:',
    'CPU s:',
    'MB/s:',
    'packets/s:',
    'µs a message:',
    'peak MB:',
    'beside kubeseq',
  ];
  const text = [
    about,
    `Medians of ${ROUNDS} ${ROUNDS === 1 ? 'run' : 'runs, in turns'}.`,
    '',
    table(head, measured.flatMap(rowsOf)),
    '',
    ...missed(measured.flatMap(missedOf)),
  ];
  return text.join('\n').trimEnd();
}

/** @param {import('./cases.js').Case} one */
async function measure(one) {
  const capture = captureOfCase(one);
  const single = join(folder, `${one.name}-single.pcap`);
  writeFileSync(single, capture);
  const keys = join(folder, `${one.name}.keys`);
  if (one.keys) writeFileSync(keys, fixture(`${one.fixture}/keys.log`));
  const file = join(folder, `${one.name}.pcap`);
  const made = multiply(capture, SIZE, file);
  const long = join(folder, `${one.name}-long.pcap`);
  const more = multiply(capture, SIZE * GROWTH, long);
  const kubeseq = (/** @type {string} */ path) => [
    ...[process.execPath, KUBESEQ, 'messages', '-o', 'ndjson', '-q'],
    ...[...(one.keys ? ['--keylog', keys] : []), path],
  ];
  const script = (/** @type {string} */ name) => [process.execPath, join(ROOT, 'scripts/bench', name)];
  const programs = [
    { name: 'kubeseq messages', of: made, command: kubeseq(file) },
    { name: `kubeseq messages, ${GROWTH} times as much`, of: more, command: kubeseq(long) },
    { name: 'tshark', of: made, command: ['tshark', ...one.tshark(file, keys)] },
    ...(one.gopacket ? [{ name: 'gopacket and net/http', of: made, command: [gopacketProgram(), file] }] : []),
    { name: 'pcap-parser, empty loop', of: made, command: [...script('pcap-loop.js'), file] },
    ...(one.keys
      ? [
          {
            name: 'AES-GCM of its longer records',
            of: made,
            command: [...script('aes.js'), single, keys, String(made.copies)],
            says: true,
          },
        ]
      : []),
    { name: 'tcpdump -w /dev/null', of: made, command: ['tcpdump', '-r', file, '-w', '/dev/null'] },
    { name: 'cat', of: made, command: ['cat', file] },
    { name: 'start', of: made, command: kubeseq(single) },
  ].map((program) => ({
    ...program,
    runs: /** @type {import('./run.js').Run[] | null} */ (isInstalled(program.command[0]) ? [] : null),
  }));
  const messages = { [file]: lines(kubeseq(file)), [long]: lines(kubeseq(long)) };
  for (let round = 0; round < ROUNDS; round++)
    for (const { runs, command, says } of programs) runs?.push(await timed(command, says));
  rmSync(file);
  rmSync(long);
  const results = new Map(programs.map(({ name, of, runs }) => [name, { of, ...mediansOf(runs) }]));
  const [own, grown] = [...results.values()];
  // What the process takes to begin is no cost of the capture.
  const begin = results.get('start')?.seconds ?? 0;
  results.delete('start');
  const cost = (grown.seconds - begin) / (own.seconds - begin);
  return {
    one,
    made,
    results,
    own,
    messages: messages[file],
    grownMessages: messages[long],
    perByte: power(cost, more.bytes / made.bytes),
    perMessage: power(cost, messages[long] / messages[file]),
  };
}

/** The program in gopacket/, built; without Go or its modules the name of a program that is not installed. */
function gopacketProgram() {
  const program = join(folder, 'gopacket');
  const source = join(ROOT, 'scripts/bench/gopacket');
  const { status } = spawnSync('go', ['build', '-o', program, '.'], { cwd: source, stdio: 'ignore' });
  return status === 0 ? program : 'gopacket';
}

/** Its own word for the time, where a program prepares first. */
async function timed(/** @type {readonly string[]} */ command, /** @type {boolean | undefined} */ says) {
  if (says !== true) return run(command);
  const { seconds } = JSON.parse(execFileSync(command[0], command.slice(1), { encoding: 'utf8' }));
  return { seconds, cpu: seconds, peak: null };
}

/** @param {import('./run.js').Run[] | null} runs */
function mediansOf(runs) {
  const of = (/** @type {'seconds' | 'cpu' | 'peak'} */ field) => {
    const known = (runs ?? []).flatMap((one) => one[field] ?? []);
    return known.length === 0 ? null : median(known);
  };
  return { seconds: of('seconds'), cpu: of('cpu'), peak: of('peak') };
}

/** @param {Awaited<ReturnType<typeof measure>>} measured */
function rowsOf({ one, made, results, own, messages, grownMessages, perByte, perMessage }) {
  const title = `${one.title}: ${megabytes(made.bytes)} MB, ${thousands(made.frames)} packets, ${thousands(messages)} messages`;
  return [...results].map(([name, { of, seconds, cpu, peak }], i) => {
    const first = i === 0 ? title : '';
    if (seconds === null) return [first, name, 'not installed', '', '', '', '', '', ''];
    const isOwn = name.startsWith('kubeseq');
    const isGrown = of !== made;
    const count = isGrown ? grownMessages : messages;
    const beside = isGrown
      ? `power ${perMessage.toFixed(2)} a message, ${perByte.toFixed(2)} a byte; at most ${LIMIT}: ${met(Math.max(perMessage, perByte) <= LIMIT)}`
      : name === 'tshark'
        ? `kubeseq is **${(seconds / own.seconds).toFixed(1)} times** as fast`
        : own.seconds === seconds
          ? ''
          : ratio(own.seconds / seconds);
    return [
      first,
      name,
      seconds.toFixed(2),
      cpu?.toFixed(2) ?? '',
      (of.bytes / 1e6 / seconds).toFixed(0),
      thousands(of.frames / seconds),
      isOwn ? ((seconds / count) * 1e6).toFixed(1) : '',
      peak?.toFixed(0) ?? '',
      beside,
    ];
  });
}

/** Where time grows faster than messages. @param {Awaited<ReturnType<typeof measure>>} measured */
function missedOf({ one, perByte, perMessage }) {
  const power = Math.max(perMessage, perByte);
  return power > LIMIT ? [`- ${one.title}: time grows with the power ${power.toFixed(2)}, not ${LIMIT}.`] : [];
}

function missed(/** @type {readonly string[]} */ said) {
  return said.length === 0 ? [] : ['Missed:', '', ...said];
}

/** Lines that a command prints, counted while it runs: they may be more than fit into one text. */
function lines(/** @type {readonly string[]} */ command) {
  const shell = `${command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')} | wc -l`;
  return Number(execFileSync('sh', ['-c', shell], { encoding: 'utf8' }));
}

/** @param {number} times how long kubeseq takes for each second of it. */
function ratio(times) {
  return times >= 1
    ? `kubeseq takes ${times.toFixed(1)} times as long`
    : `kubeseq takes ${times.toFixed(2)} of its time`;
}

function met(/** @type {boolean} */ is) {
  return is ? 'met' : '**missed**';
}

function megabytes(/** @type {number} */ bytes) {
  return (bytes / 1e6).toFixed(0);
}
