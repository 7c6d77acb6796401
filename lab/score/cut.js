// Cuts a small recording with the truth about its causes from a large one: whole connections from their handshakes on.
//
//   npm run build && node lab/score/cut.js FOLDER OUTPUT --until SECONDS CONNECTION...
//
// FOLDER has capture.pcap (Linux cooked v2, as `tcpdump -i any` writes it) and the truth files of docs/causes.md, plain or
// with `.gz`; OUTPUT is made. Kept are the packets of the named connections, each a regular expression for the whole of
// `CLIENT:PORT-SERVER:PORT`, that came before SECONDS after the first packet of the capture, the secrets of these
// connections, and the lines of the truth about requests and calls that kubeseq still finds. Lines that the score passes
// over (first lists of reflectors, kubectl) and the audit log are left out.
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { FILE_HEADER, PACKET_HEADER } from '../../scripts/bench/packets.js';
import { callKey, indexMessages } from './capture.js';
import { readRecording } from './score.js';
import { componentOf, readFile, readLines } from './truth.js';

const COOKED_HEADER = 20;
const IPV4 = 0x0800;
/** Ports of servers: API server, etcd, webhook. */
const SERVERS = new Set([6443, 2379, 9443]);
const CLIENT_HELLO_START = Buffer.from([0x16, 0x03, 0x01]);
const CLIENT_HELLO = 1;
const NANOSECONDS = 1_000_000_000n;

const { values, positionals } = parseArgs({ options: { until: { type: 'string' } }, allowPositionals: true });
const [folder, output, ...connections] = positionals;
const kept = new RegExp(`^(?:${connections.join('|')})$`);
const cut = cutCapture(readFile(folder, 'capture.pcap'), Number(values.until));
mkdirSync(output, { recursive: true });
write('capture.pcap', cut.bytes);
const keys = readFile(folder, 'keys.log').toString('utf8').split('\n');
write('keys.log', keys.filter((line) => cut.randoms.has(line.split(' ')[1])).join('\n') + '\n');
await cutTruth();

/** @returns the kept packets, their new frame numbers, the client randoms in them, and the time at which the cut ends. */
function cutCapture(bytes, seconds) {
  const packets = [bytes.subarray(0, FILE_HEADER)];
  const frames = new Map();
  const randoms = new Set();
  let first;
  for (let at = FILE_HEADER, frame = 1; at < bytes.length; frame++) {
    const time = BigInt(bytes.readUInt32LE(at)) * NANOSECONDS + BigInt(bytes.readUInt32LE(at + 4)) * 1000n;
    const end = at + PACKET_HEADER + bytes.readUInt32LE(at + 8);
    first ??= time;
    const packet = bytes.subarray(at + PACKET_HEADER, end);
    if (Number(time - first) < seconds * 1e9 && kept.test(connectionOf(packet))) {
      packets.push(bytes.subarray(at, end));
      frames.set(frame, packets.length - 1);
      const hello = packet.indexOf(CLIENT_HELLO_START);
      if (hello !== -1 && packet[hello + 5] === CLIENT_HELLO)
        randoms.add(packet.subarray(hello + 11, hello + 43).toString('hex'));
    }
    at = end;
  }
  return { bytes: Buffer.concat(packets), frames, randoms, end: first + BigInt(Math.round(seconds * 1e9)) };
}

function connectionOf(packet) {
  const ip = packet.subarray(COOKED_HEADER);
  const isIpv4 = packet.readUInt16BE(0) === IPV4;
  const tcp = isIpv4 ? (ip[0] & 15) * 4 : 40;
  // ARP, say.
  if (ip.length < tcp + 4) return '';
  const [source, target] = isIpv4 ? [ip.subarray(12, 16).join('.'), ip.subarray(16, 20).join('.')] : ['::1', '::1']; // in the recordings IPv6 is only the API server's connection to itself
  const [from, to] = [ip.readUInt16BE(tcp), ip.readUInt16BE(tcp + 2)];
  return SERVERS.has(to) ? `${source}:${from}-${target}:${to}` : `${target}:${to}-${source}:${from}`;
}

async function cutTruth() {
  const { messages } = await readRecording(output);
  const etcd = readLines(folder, 'etcd-causes.jsonl');
  const { requests, exchangeOf, etcdRequests } = indexMessages(messages, etcd);
  const calls = new Map();
  for (const row of messages)
    if (row.kind === 'request') calls.set(row.connection, (calls.get(row.connection) ?? 0) + 1);
  const isScored = (line) => componentOf(line) !== 'kubectl' && line.how !== 'reflector';
  const isFound = ({ auditId }) => requests.has(exchangeOf.get(auditId));
  writeLines(
    'causes.jsonl',
    readLines(folder, 'causes.jsonl').filter((line) => isScored(line) && isFound(line)),
  );
  const isBefore = ({ t }) => BigInt(t) < cut.end;
  writeLines('turns.jsonl', readLines(folder, 'turns.jsonl').filter(isBefore));
  const etcdKept = etcd.filter((line) => etcdRequests.has(callKey(line)) && (line.auditId === null || isFound(line)));
  writeLines(
    'etcd-causes.jsonl',
    etcdKept.map((line) => ({ ...line, frame: cut.frames.get(line.frame) })),
  );
  const isCalled = (line) => line.nth <= (calls.get(line.connection) ?? 0) && isFound(line);
  const webhooks = readLines(folder, 'webhook-causes.jsonl').filter(isCalled);
  if (webhooks.length > 0) writeLines('webhook-causes.jsonl', webhooks);
}

/** Nanoseconds, which were read as texts, become numbers again. */
function writeLines(name, lines) {
  const text = lines.map((line) => JSON.stringify(line).replace(/"(t|itemStart)":"(\d+)"/g, '"$1":$2'));
  write(name, text.join('\n') + '\n');
}

function write(name, data) {
  writeFileSync(`${output}/${name}.gz`, gzipSync(data, { level: 9 }));
}
