// Counts what one request takes: the functions and files of src/ that run for one POST and its 201, from their bytes in http/ to
// the diagram, and do not run for a capture without packets.
//
//   node scripts/count-path.js [--list] [--page] [--most FILES,FUNCTIONS]
//
// `--list` prints the functions by file, `--page` the table of docs/architecture.md. With `--most` the exit status is 1 if there are more.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { platformByName } from './build-browser.js';

/** What stands between the bytes of a connection and a sequence: everything behind http/, and nothing before or after. */
const IS_ON_THE_WAY = /^src\/(?:core|diagram|http|kubernetes|pipeline|protobuf|redaction)\//;
/** Steps of the way, and the folders of each, in the order of the table. */
const STEPS = [
  ['bytes become exchanges', /^http\b/],
  ['stages are joined', /^pipeline\b/],
  ['floors are put together', /^kubernetes$/],
  ['what things are', /^kubernetes\/(?:api|messages|objects|participants)\b/],
  ['what an exchange says', /^kubernetes\/observed\b/],
  ['who speaks', /^kubernetes\/placed\b/],
  ['why', /^kubernetes\/attributed\b/],
  ['messages', /^kubernetes\/emitted\b/],
  ['what may be shown', /^redaction\b/],
  ['a diagram', /^diagram\b/],
  ['used by all', /^(?:core|protobuf)\b/],
];
const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: { list: { type: 'boolean' }, page: { type: 'boolean' }, most: { type: 'string' } },
});
/** Below dist/, so that packages are found. */
mkdirSync(join(root, 'dist'), { recursive: true });
const folder = mkdtempSync(join(root, 'dist/path-'));
try {
  await count();
} finally {
  rmSync(folder, { recursive: true });
}

async function count() {
  await build({
    absWorkingDir: root,
    entryPoints: { 'cli/main': 'src/cli/main.ts' },
    outdir: folder,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    splitting: true,
    sourcemap: 'linked',
    plugins: [platformByName],
  });
  const without = functionsThatRun('empty', []);
  const byFile = new Map();
  for (const name of functionsThatRun('one-post', packets())) {
    if (without.has(name)) continue;
    const [file] = name.split(':');
    if (IS_ON_THE_WAY.test(file)) byFile.set(file, [...(byFile.get(file) ?? []), name]);
  }
  const functions = [...byFile.values()].flat().length;
  if (values.list)
    for (const [file, names] of [...byFile].sort())
      console.log(`${file}\n${names.map((name) => `  ${name.slice(file.length + 1)}`).join('\n')}`);
  if (values.page) console.log(`${table(byFile)}\n`);
  console.log(`${byFile.size} files, ${functions} functions`);
  const [mostFiles, mostFunctions] = (values.most ?? 'Infinity,Infinity').split(',').map(Number);
  if (byFile.size > mostFiles || functions > mostFunctions) process.exitCode = 1;
}

/** A row for each folder, with the file in which most functions run. @param {Map<string, string[]>} byFile */
function table(byFile) {
  const folders = new Map();
  for (const entry of [...byFile].sort()) {
    const folder = dirname(entry[0]).slice('src/'.length);
    folders.set(folder, [...(folders.get(folder) ?? []), entry]);
  }
  const rows = STEPS.flatMap(([step, has]) =>
    [...folders]
      .filter(([folder]) => has.test(folder))
      .map(([folder, files], i) => [i === 0 ? step : '', folder, files]),
  );
  if (rows.length !== folders.size) throw new Error('a folder is on no step, or on two');
  const lines = rows.map(([step, folder, files]) => {
    const [[main]] = files.toSorted(([, one], [, other]) => other.length - one.length);
    const more = files.length === 1 ? '' : ` (of ${files.length})`;
    return `${step === '' ? '|' : `| ${step}`} | \`${folder}/\` | \`${basename(main)}\`${more}: ${headerOf(main)} |`;
  });
  return ['| step | folder | its busiest file |', '| --- | --- | --- |', ...lines].join('\n');
}

/** The first sentence of a file, without its full stop. @param {string} file */
function headerOf(file) {
  const [comment] = /^(?:\/\/ .*\n)+/.exec(readFileSync(join(root, file), 'utf8')) ?? [''];
  const [sentence] = comment
    .replaceAll(/^\/\/ /gm, '')
    .replaceAll('\n', ' ')
    .trim()
    .split(/\.(?: |$)/);
  return sentence.replaceAll('|', '\\|');
}

/** @param {string} name of the capture. @param {Buffer[]} frames @returns {Set<string>} `file:line name` of each function of src/. */
function functionsThatRun(name, frames) {
  const capture = join(folder, `${name}.pcap`);
  writeFileSync(capture, pcap(frames));
  const coverage = join(folder, name);
  const main = JSON.stringify(pathToFileURL(join(folder, 'cli/main.js')).href);
  const args = JSON.stringify([process.execPath, 'kubeseq', 'diagram', '--all', capture]);
  execFileSync(
    process.execPath,
    ['--input-type=module', '-e', `await (await import(${main})).main(${args}, () => {})`],
    {
      env: { ...process.env, NODE_V8_COVERAGE: coverage, SSLKEYLOGFILE: '' },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const found = new Set();
  for (const report of readdirSync(coverage))
    for (const { url, functions } of JSON.parse(readFileSync(join(coverage, report), 'utf8')).result)
      if (url.startsWith(pathToFileURL(folder).href)) for (const one of namesOf(url, functions)) found.add(one);
  return found;
}

function* namesOf(url, functions) {
  const path = fileURLToPath(url);
  const text = readFileSync(path, 'utf8');
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  for (const { functionName, ranges } of functions) {
    const [{ startOffset, endOffset, count }] = ranges;
    if (count === 0 || endOffset - startOffset === text.length) continue;
    let line = lineStarts.length - 1;
    while (lineStarts[line] > startOffset) line -= 1;
    const { originalSource, originalLine } = map.findEntry(line, startOffset - lineStarts[line]);
    if (originalSource === undefined) continue;
    const file = relative(root, join(path, '..', originalSource));
    yield `${file}:${originalLine + 1} ${functionName}`;
  }
}

/** A connection from its SYN to its FINs, with one request and its response. @returns {Buffer[]} IPv4 packets. */
function packets() {
  const body = (kind, more) =>
    JSON.stringify({ kind, apiVersion: 'v1', metadata: { name: 'a', namespace: 'default', ...more } });
  const asked = body('ConfigMap', {});
  const answered = body('ConfigMap', { uid: '7c9a3f9e-6f0c-4c8e-9b1d-0d8a4f4b6a01', resourceVersion: '42' });
  const request = [
    'POST /api/v1/namespaces/default/configmaps HTTP/1.1',
    'Host: 192.0.2.1:8080',
    'User-Agent: kubectl/v1.34.0 (linux/amd64) kubernetes/1234567',
    'Content-Type: application/json',
    `Content-Length: ${asked.length}`,
    '',
    asked,
  ].join('\r\n');
  const response = [
    'HTTP/1.1 201 Created',
    'Content-Type: application/json',
    `Content-Length: ${answered.length}`,
    '',
    answered,
  ].join('\r\n');
  const [SYN, ACK, FIN] = [0x02, 0x10, 0x01];
  const [c, s] = [1001 + request.length, 5001 + response.length];
  return [
    packet(true, 1000, 0, SYN),
    packet(false, 5000, 1001, SYN | ACK),
    packet(true, 1001, 5001, ACK),
    packet(true, 1001, 5001, ACK, request),
    packet(false, 5001, c, ACK, response),
    packet(true, c, s, ACK),
    packet(true, c, s, FIN | ACK),
    packet(false, s, c + 1, FIN | ACK),
    packet(true, c + 1, s + 1, ACK),
  ];
}

function packet(fromClient, sequence, acknowledgement, flags, text = '') {
  const [client, server] = [
    { address: [192, 0, 2, 7], port: 40_000 },
    { address: [192, 0, 2, 1], port: 8080 },
  ];
  const [source, destination] = fromClient ? [client, server] : [server, client];
  const bytes = Buffer.alloc(40 + text.length);
  bytes[0] = 0x45;
  bytes.writeUInt16BE(bytes.length, 2);
  bytes.set([64, 6], 8);
  bytes.set([...source.address, ...destination.address], 12);
  bytes.writeUInt16BE(checksum(bytes.subarray(0, 20)), 10);
  bytes.writeUInt16BE(source.port, 20);
  bytes.writeUInt16BE(destination.port, 22);
  bytes.writeUInt32BE(sequence, 24);
  bytes.writeUInt32BE(acknowledgement, 28);
  bytes.set([0x50, flags, 0xff, 0xff], 32);
  bytes.write(text, 40, 'latin1');
  const pseudoHeader = Buffer.from([...bytes.subarray(12, 20), 0, 6, 0, 0]);
  pseudoHeader.writeUInt16BE(20 + text.length, 10);
  bytes.writeUInt16BE(checksum(Buffer.concat([pseudoHeader, bytes.subarray(20)])), 36);
  return bytes;
}

/** RFC 1071. */
function checksum(bytes) {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) sum += (bytes[at] << 8) | (bytes[at + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return ~sum & 0xffff;
}

/** A classic pcap of raw IP, a packet a millisecond. */
function pcap(frames) {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4, 0);
  header.set([2, 0, 4, 0], 4);
  header.writeUInt32LE(262_144, 16);
  header.writeUInt32LE(101, 20);
  const records = frames.flatMap((frame, index) => {
    const record = Buffer.alloc(16);
    record.writeUInt32LE(1_760_000_000, 0);
    record.writeUInt32LE(index * 1000, 4);
    record.writeUInt32LE(frame.length, 8);
    record.writeUInt32LE(frame.length, 12);
    return [record, frame];
  });
  return Buffer.concat([header, ...records]);
}
