// npm run bench:files: what a folder of 10,000 captures of one packet each costs, with 128 file descriptors, beside one file of
// the same packets. Bounds are said; with `--write` the table goes into docs/performance.md.
//
//   npm run bench:files [-- --files COUNT] [--kubeseq PATH] [--write]

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixture, ROOT } from './cases.js';
import { FILE_HEADER } from './packets.js';
import { machine, option, publish, table, thousands } from './page.js';
import { watched } from './watched.js';

const KUBESEQ = option('kubeseq', join(ROOT, 'bin/kubeseq.js'));
const COUNT = Number(option('files', '10000'));
/** MB. */
const BOUND = 300;
/** As hardened services have it. */
const DESCRIPTORS = 128;

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-files-'));
try {
  const about = machine('bench:files');
  const whole = fixture('run-nginx-http1/capture.pcap');
  const head = whole.subarray(0, FILE_HEADER);
  const packets = packetsOf(whole);
  const many = join(folder, 'many');
  mkdirSync(many);
  packets.forEach((packet, i) => {
    writeFileSync(join(many, nameOf(i)), Buffer.concat([head, packet]));
  });
  const one = join(folder, 'one.pcap');
  writeFileSync(one, Buffer.concat([head, ...packets]));
  const rows = [];
  for (const [name, path, limit] of [
    ['one file', one, ''],
    [`${thousands(COUNT)} files`, many, `ulimit -n ${DESCRIPTORS};`],
  ]) {
    const command = ['sh', '-c', `${limit} exec "$@"`, 'sh', process.execPath, KUBESEQ, 'messages', '-q', path];
    const { seconds, peak } = await watched(command);
    const verdict = peak <= BOUND ? 'met' : '**missed**';
    rows.push([
      name,
      thousands(packets.length),
      seconds.toFixed(1),
      `${thousands(peak)}; at most ${BOUND}: ${verdict}`,
    ]);
  }
  publish(`${about}\n\n${table(['captures', 'packets:', 's:', 'peak MB'], rows)}`, 'docs/performance.md', 'files');
} finally {
  rmSync(folder, { recursive: true });
}

/** The packets of a capture again and again, an hour later each time, until there are enough. */
function packetsOf(/** @type {Buffer} */ capture) {
  const once = [];
  for (let at = FILE_HEADER; at < capture.length; at += 16 + capture.readUInt32LE(at + 8))
    once.push(capture.subarray(at, at + 16 + capture.readUInt32LE(at + 8)));
  return Array.from({ length: COUNT }, (_, i) => {
    const packet = Buffer.from(once[i % once.length]);
    packet.writeUInt32LE(packet.readUInt32LE(0) + Math.floor(i / once.length) * 3600, 0);
    return packet;
  });
}

/** Of no ring: no two are equal but for a number. */
function nameOf(/** @type {number} */ i) {
  const word = ((i * 2_654_435_761) >>> 0).toString(2).replaceAll('0', 'a').replaceAll('1', 'b');
  return `${word}.pcap`;
}
