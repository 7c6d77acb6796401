// npm run bench:memory: what kubeseq has resident at most while it reads long traffic of the kinds that could fill it: a
// gigabyte, many connections, many watches, one direction only, a pipe. Traffic is made while it is read. Bounds are said,
// missed ones with what grew; with `--write` the table goes into docs/performance.md.
//
//   npm run bench:memory [-- --size MB] [--only NAME,…] [--kubeseq PATH] [--write]

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CASES, captureOfCase, fixture, ROOT } from './cases.js';
import { multiply } from './multiply.js';
import { captureOf, connectionsIn, FILE_HEADER, filtered } from './packets.js';
import { machine, median, option, publish, table, thousands } from './page.js';
import { atOnce, inTurn } from './traffic.js';
import { watched } from './watched.js';

const KUBESEQ = option('kubeseq', join(ROOT, 'bin/kubeseq.js'));
/** Of everything: 1000 is what the bounds are about. */
const SIZE = Number(option('size', '1000'));
const ONLY = option('only', '');
/** MB. */
const BOUND = 250;
const CONNECTIONS = (100_000 * SIZE) / 1000;
const WATCHES = (10_000 * SIZE) / 1000;
/** Watches that the two fixtures leave open (fixtures/run-nginx-…/capture.truth.jsonl.gz: 86, of which two end). */
const OPEN_WATCHES = 84;

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-memory-'));
try {
  const about = machine('bench:memory');
  const rows = [];
  for (const measured of kinds()) {
    if (ONLY !== '' && !ONLY.split(',').includes(measured.name)) continue;
    rows.push(await rowOf(measured));
    process.stderr.write(`${rows[rows.length - 1].join(' | ')}\n`);
  }
  const head = [
    'traffic',
    'MB:',
    'packets:',
    'connections:',
    's:',
    'second quarter, MB:',
    'last, MB:',
    'peak MB:',
    `under ${BOUND}`,
    'given up',
  ];
  publish(
    `${about}\nMedians of what was resident in the second and the last quarter of the time.\n\n${table(head, rows)}`,
    'docs/performance.md',
    'memory',
  );
} finally {
  rmSync(folder, { recursive: true });
}

/** What is run, in turn. */
function* kinds() {
  const [plain, tls] = CASES;
  for (const one of [plain, tls]) {
    const capture = captureOfCase(one);
    const copies = copiesFor(capture, SIZE * 1e6);
    const name = one.name;
    yield { name: `${name}-file`, title: `${one.title}, a file`, one, capture, copies, way: 'file' };
    yield { name: `${name}-pipe`, title: `${one.title}, \`messages -\``, one, capture, copies, way: 'turn' };
    yield {
      name: `${name}-watches`,
      title: `${one.title}, ${thousands(Math.ceil(WATCHES / OPEN_WATCHES) * OPEN_WATCHES)} open watches`,
      one,
      capture,
      copies: Math.ceil(WATCHES / OPEN_WATCHES),
      way: 'once',
    };
    const { port } = one;
    yield {
      name: `${name}-server`,
      title: `${one.title}, only what servers send`,
      one,
      copies,
      way: 'turn',
      capture: filtered(capture, (source) => source === port),
    };
    yield {
      name: `${name}-client`,
      title: `${one.title}, only what clients send`,
      one,
      copies,
      way: 'turn',
      capture: filtered(capture, (_, destination) => destination === port),
    };
  }
  const capture = captureOfCase(plain);
  const each = connectionsIn(capture);
  yield {
    name: 'connections',
    title: `${plain.title}, all connections open at once`,
    one: plain,
    capture,
    copies: Math.ceil(CONNECTIONS / each),
    way: 'once',
  };
}

/** @param {ReturnType<typeof kinds> extends Generator<infer T> ? T : never} measured */
async function rowOf({ title, one, capture, copies, way }) {
  const keys = join(folder, `${one.name}.keys`);
  if (one.keys) writeFileSync(keys, fixture(`${one.fixture}/keys.log`));
  const command = [
    process.execPath,
    KUBESEQ,
    'messages',
    '-o',
    'ndjson',
    '--no-progress',
    ...(one.keys ? ['--keylog', keys] : []),
  ];
  const frames = captureOf(capture).packets.length * copies;
  const file = join(folder, 'long.pcap');
  if (way === 'file') multiply(capture, copies * (capture.length - FILE_HEADER), file);
  const { seconds, peak, samples, said, bytes } =
    way === 'file'
      ? { ...(await watched([...command, file])), bytes: copies * capture.length }
      : await watched([...command, '-'], way === 'once' ? atOnce(capture, { copies }) : inTurn(capture, { copies }));
  rmSync(file, { force: true });
  const quarter = (/** @type {number} */ from) => {
    const part = samples.slice((samples.length * from) / 4, (samples.length * (from + 1)) / 4);
    return part.length === 0 ? '' : median(part.map(({ rss }) => rss)).toFixed(0);
  };
  const limits = [...new Set(said.match(/limit\.[a-z-]+/g) ?? [])];
  return [
    title,
    (bytes / 1e6).toFixed(0),
    thousands(frames),
    thousands(connectionsIn(capture) * copies),
    seconds.toFixed(1),
    quarter(1),
    quarter(3),
    peak.toFixed(0),
    peak < BOUND ? 'met' : '**missed**',
    limits.length === 0 ? 'nothing' : limits.map((code) => `\`${code}\``).join(', '),
  ];
}

function copiesFor(/** @type {Uint8Array} */ capture, /** @type {number} */ bytes) {
  return Math.ceil(bytes / capture.length);
}
