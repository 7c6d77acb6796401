// npm run bench:scale: what one node's capture costs to decode and all nodes' messages to merge, measured with the
// commands of deploy/, and the arithmetic of a thousand nodes. With `--write` into docs/scale.md.
//
//   npm run bench:scale [-- --nodes N] [--size MB] [--rounds N] [--write]

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixture, ROOT } from './cases.js';
import { multiply } from './multiply.js';
import { machine, option, publish, table, thousands } from './page.js';
import { run } from './run.js';

const KUBESEQ = option('kubeseq', join(ROOT, 'bin/kubeseq.js'));
const NODES = Number(option('nodes', '8'));
const SIZE = Number(option('size', '25')) * 1e6;
const ROUNDS = Number(option('rounds', '3'));
const DIAGRAM = ['diagram', '--follow', 'deployment/web'];
const QUESTION = `SELECT "from" AS client, verb, resource, count(*) AS requests FROM messages
  WHERE kind = 'request' GROUP BY ALL ORDER BY requests DESC LIMIT 20`;
/** Nodes that the arithmetic is made for. */
const PROJECTED = 1000;

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-scale-'));
try {
  const about = machine('bench:scale');
  const keys = join(folder, 'keys.log');
  writeFileSync(keys, fixture('deployment-tls/keys.log'));
  const capture = fixture('deployment-tls/node-1.pcap');
  const span = spanOf(capture);
  const pcap = join(folder, 'node.pcap');
  let made = { copies: 0, frames: 0, bytes: 0 };

  const maps = [];
  const files = [];
  for (let node = 0; node < NODES; node++) {
    const file = join(folder, `node-${node}.parquet`);
    files.push(file);
    made = multiply(capture, SIZE, pcap, { first: node * made.copies });
    maps.push(
      await run([process.execPath, KUBESEQ, 'messages', pcap, '--keylog', keys, '-o', 'parquet', '-q', '-w', file]),
    );
  }
  const map = medianOf(maps);
  const [{ n: lines }] = JSON.parse(`[${ask(files.slice(0, 1), 'SELECT count(*) AS n FROM messages').trim()}]`);
  const { size } = statSync(files[0]);
  const reduces = [];
  const questions = [];
  for (const count of [1, 2, 4, 8, 16, 32].filter((n) => n <= NODES)) {
    const some = files.slice(0, count);
    reduces.push({ count, ...(await medianRun([...DIAGRAM, ...some, '-q'])) });
    questions.push({ count, ...(await medianRun(['query', ...some, QUESTION])) });
  }

  const what = `${mb(made.bytes)} MB, ${thousands(made.frames)} packets, ${thousands(lines)} messages`;
  const rows = [
    [
      `map: one node's ${what}`,
      map.seconds.toFixed(2),
      map.cpu?.toFixed(2) ?? '',
      map.peak?.toFixed(0) ?? '',
      us(map.seconds / lines),
    ],
    ...[
      ...reduces.map((one) => ({ ...one, step: 'diagram' })),
      ...questions.map((one) => ({ ...one, step: 'SQL' })),
    ].map(({ step, count, seconds, cpu, peak }) => [
      `reduce, ${step}: ${count} ${count === 1 ? 'table' : 'tables'} of ${mb(size)} MB, ${thousands(count * lines)} messages`,
      seconds.toFixed(2),
      cpu?.toFixed(2) ?? '',
      peak?.toFixed(0) ?? '',
      us(seconds / (count * lines)),
    ]),
  ];
  const text = [
    `${about} Medians of ${NODES} nodes, and of ${ROUNDS} reductions.`,
    '',
    table(['step', 's:', 'CPU s:', 'peak MB:', 'a message:'], rows),
    '',
    ...projection(),
  ];
  publish(text.join('\n'), 'docs/scale.md', 'scale');

  /** What follows for many nodes, with the arithmetic. */
  function projection() {
    const cpu = map.cpu ?? map.seconds;
    const rate = capture.length / span;
    const minuteMb = (rate * 60) / 1e6;
    const mapSeconds = (minuteMb * 1e6 * cpu) / made.bytes;
    const messages = (lines / made.bytes) * rate * 60;
    const last = reduces[reduces.length - 1];
    const each = last.seconds / (last.count * lines);
    const most = questions[questions.length - 1];
    const sql = most.seconds / (most.count * lines);
    const line = size / lines;
    const all = messages * PROJECTED;
    return [
      `A node of the fixture speaks ${(rate / 1e3).toFixed(1)} kB and ${(messages / 60).toFixed(1)} messages a second (${thousands(capture.length)} bytes in ${span} s). One minute of ${thousands(PROJECTED)} such nodes, projected:`,
      '',
      table(
        ['', 'arithmetic', 'projected:'],
        [
          [
            'map, each node',
            `${minuteMb.toFixed(2)} MB × ${cpu.toFixed(2)} CPU s / ${mb(made.bytes)} MB`,
            `${mapSeconds.toFixed(2)} s of a core`,
          ],
          [
            'map, all nodes',
            `${thousands(PROJECTED)} × ${mapSeconds.toFixed(2)} s, on as many cores as there are`,
            `${((PROJECTED * mapSeconds) / 60).toFixed(1)} min of a core`,
          ],
          ['messages', `${thousands(PROJECTED)} × ${thousands(messages)}`, thousands(all)],
          ['on disk, between', `${thousands(all)} × ${line.toFixed(0)} bytes`, `${((all * line) / 1e6).toFixed(0)} MB`],
          ['reduce, diagram', `${thousands(all)} × ${us(each)} (${last.count} tables)`, `${(all * each).toFixed(0)} s`],
          ['reduce, SQL', `${thousands(all)} × ${us(sql)} (${last.count} tables)`, `${(all * sql).toFixed(1)} s`],
        ],
      ),
      '',
      `${all * each <= 60 ? 'The diagram keeps up with the cluster: it takes less than the minute that it is about.' : `The diagram takes ${((all * each) / 60).toFixed(1)} times the minute that it is about: split it by time, or select in the map.`}`,
    ];
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** @param {readonly string[]} args */
async function medianRun(args) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await run([process.execPath, KUBESEQ, ...args]));
  return medianOf(rounds);
}

/** @param {readonly string[]} files @param {string} sql */
function ask(files, sql) {
  return execFileSync(process.execPath, [KUBESEQ, 'query', ...files, sql], { encoding: 'utf8' });
}

function spanOf(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = [0xa1b2c3d4, 0xa1b23c4d].includes(view.getUint32(0, true));
  let last = 0;
  for (let at = 24; at + 16 <= bytes.length; at += 16 + view.getUint32(at + 8, little))
    last = view.getUint32(at, little);
  return last - view.getUint32(24, little) + 1;
}

/** @param {readonly import('./run.js').Run[]} runs */
function medianOf(runs) {
  return runs.toSorted((a, b) => a.seconds - b.seconds)[runs.length >> 1];
}

function mb(/** @type {number} */ count) {
  return (count / 1e6).toFixed(count < 1e7 ? 1 : 0);
}

function us(/** @type {number} */ seconds) {
  return `${(seconds * 1e6).toFixed(1)} µs`;
}
