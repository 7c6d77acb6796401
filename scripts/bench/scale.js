// npm run bench:scale: what one node's capture costs to decode and all nodes' messages to merge, measured with the
// commands of deploy/, and the arithmetic of a thousand nodes. The table of docs/scale.md.
//
//   npm run bench:scale [-- --nodes N] [--size MB]

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { multiply } from './multiply.js';
import { run } from './run.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const KUBESEQ = join(ROOT, 'bin/kubeseq.js');
const option = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
};
const NODES = option('nodes', 8);
const SIZE = option('size', 25) * 1e6;
/** Nodes that the arithmetic is made for. */
const PROJECTED = 1000;

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-scale-'));
try {
  const fixture = (name) => gunzipSync(readFileSync(join(ROOT, 'fixtures/deployment-tls', `${name}.gz`)));
  const keys = join(folder, 'keys.log');
  writeFileSync(keys, fixture('keys.log'));
  const capture = fixture('node-1.pcap');
  const seconds = spanOf(capture);
  const pcap = join(folder, 'node.pcap');
  let made = { copies: 0, frames: 0, bytes: 0 };

  const maps = [];
  const files = [];
  for (let node = 0; node < NODES; node++) {
    const file = join(folder, `node-${node}.ndjson`);
    files.push(file);
    made = multiply(capture, SIZE, pcap, node * made.copies);
    maps.push(
      await run([process.execPath, KUBESEQ, 'messages', pcap, '--keylog', keys, '-o', 'ndjson', '-q', '-w', file]),
    );
  }
  const map = median(maps);
  const lines = Number(execFileSync('sh', ['-c', `wc -l < '${files[0]}'`], { encoding: 'utf8' }));
  const bytes = statSync(files[0]).size;
  const rows = [];
  for (const count of [1, 2, 4, 8, 16].filter((n) => n <= NODES)) {
    const merged = files.slice(0, count);
    const reduce = await run([process.execPath, KUBESEQ, 'messages', ...merged, '-o', 'ndjson', '-q']);
    rows.push({ count, ...reduce });
  }
  const last = rows[rows.length - 1];
  const perMessage = last.seconds / (last.count * lines);

  say(`Node ${process.version}, ${cpus().length} cores (${cpus()[0].model}).`);
  say(`\n| step | measured | a message |\n| --- | ---: | ---: |`);
  say(
    `| map: one node's ${mb(made.bytes)} MB, ${made.frames} packets, ${lines} messages | ${map.seconds.toFixed(2)} s, ${map.peak?.toFixed(0)} MB | ${us(map.seconds / lines)} |`,
  );
  for (const { count, seconds: took, peak } of rows)
    say(
      `| reduce: ${count} ${count === 1 ? 'file' : 'files'} of ${mb(bytes)} MB | ${took.toFixed(2)} s, ${peak?.toFixed(0)} MB | ${us(took / (count * lines))} |`,
    );

  const ratePerNode = capture.length / seconds;
  const messagesPerMinute = (lines / made.bytes) * ratePerNode * 60;
  say(
    `\nA node of the fixture speaks ${(ratePerNode / 1e3).toFixed(1)} kB and ${(messagesPerMinute / 60).toFixed(1)} messages a second. One minute of ${PROJECTED} such nodes:`,
  );
  const mapCpu = (ratePerNode * 60 * map.seconds) / made.bytes;
  const reduceAll = messagesPerMinute * PROJECTED * perMessage;
  say(
    `\n* map: ${((ratePerNode * 60) / 1e6).toFixed(2)} MB each; ${((ratePerNode * 60) / 1e6).toFixed(2)} MB / (${mb(made.bytes)} MB / ${map.seconds.toFixed(2)} s) = ${mapCpu.toFixed(2)} s of one core each, ${((mapCpu * PROJECTED) / 60).toFixed(1)} minutes of one core for all, on as many cores as there are;`,
  );
  say(
    `* reduce: ${PROJECTED} × ${messagesPerMinute.toFixed(0)} messages × ${us(perMessage)} = ${reduceAll.toFixed(0)} s on one core;`,
  );
  say(
    `* on disk: ${PROJECTED} × ${((messagesPerMinute * bytes) / lines / 1e6).toFixed(2)} MB = ${((PROJECTED * messagesPerMinute * bytes) / lines / 1e6).toFixed(0)} MB of messages.`,
  );
} finally {
  rmSync(folder, { recursive: true });
}

function spanOf(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = [0xa1b2c3d4, 0xa1b23c4d].includes(view.getUint32(0, true));
  let last = 0;
  for (let at = 24; at + 16 <= bytes.length; at += 16 + view.getUint32(at + 8, little))
    last = view.getUint32(at, little);
  return last - view.getUint32(24, little) + 1;
}

function median(runs) {
  return runs.toSorted((a, b) => a.seconds - b.seconds)[runs.length >> 1];
}

function mb(count) {
  return (count / 1e6).toFixed(count < 1e7 ? 1 : 0);
}

function us(seconds) {
  return `${(seconds * 1e6).toFixed(1)} µs`;
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
