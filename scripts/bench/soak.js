// npm run soak: ten million packets through `kubeseq messages -`, and what is resident meanwhile. The same hosts come again
// as they do in a cluster, with objects and connections that never were before. No growth: the last quarter's median is not
// above the second's. With `--write` the table goes into docs/performance.md.
//
//   npm run soak [-- --packets N] [--hosts N] [--only plain,tls,etcd] [--kubeseq PATH] [--write]

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CASES, captureOfCase, fixture, ROOT } from './cases.js';
import { captureOf } from './packets.js';
import { machine, median, option, publish, table, thousands } from './page.js';
import { inTurn } from './traffic.js';
import { watched } from './watched.js';

const KUBESEQ = option('kubeseq', join(ROOT, 'bin/kubeseq.js'));
const PACKETS = Number(option('packets', '10000000'));
/** Copies of the fixture's hosts: some 1,500 programs. */
const HOSTS = Number(option('hosts', '100'));
const ONLY = option('only', CASES.map(({ name }) => name).join(',')).split(',');
/** How far the last quarter's median may be above the second's: a collection more or less. */
const SLACK = 1.05;

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-soak-'));
try {
  const about = machine('soak');
  const rows = [];
  for (const one of CASES) if (ONLY.includes(one.name)) rows.push(await rowOf(one));
  const head = [
    'traffic',
    'packets:',
    'MB:',
    's:',
    ...[1, 2, 3, 4].map((n) => `quarter ${n}, MB:`),
    'peak MB:',
    'growth from the second to the last',
  ];
  publish(
    `${about}\nMedians of what was resident in each quarter of the packets.\n\n${table(head, rows)}`,
    'docs/performance.md',
    'soak',
  );
} finally {
  rmSync(folder, { recursive: true });
}

/** @param {import('./cases.js').Case} one */
async function rowOf(one) {
  const capture = captureOfCase(one);
  const keys = join(folder, `${one.name}.keys`);
  if (one.keys) writeFileSync(keys, fixture(`${one.fixture}/keys.log`));
  const command = [
    process.execPath,
    KUBESEQ,
    'messages',
    '-',
    '-o',
    'ndjson',
    '-q',
    ...(one.keys ? ['--keylog', keys] : []),
  ];
  const copies = Math.ceil(PACKETS / captureOf(capture).packets.length);
  const { seconds, peak, samples, packets, bytes } = await watched(
    command,
    inTurn(capture, { copies, hosts: HOSTS, objects: true }),
  );
  const quarters = [0, 1, 2, 3].map((quarter) => {
    const part = samples.filter((sample) => Math.min(3, Math.floor((sample.packets / packets) * 4)) === quarter);
    return part.length === 0 ? Number.NaN : median(part.map(({ rss }) => rss));
  });
  const growth = quarters[3] / quarters[1];
  const verdict = growth <= SLACK ? 'none' : '**growth**';
  return [
    one.title,
    thousands(packets),
    (bytes / 1e6).toFixed(0),
    seconds.toFixed(0),
    ...quarters.map((quarter) => quarter.toFixed(0)),
    peak.toFixed(0),
    `${((growth - 1) * 100).toFixed(0)} %: ${verdict}`,
  ];
}
