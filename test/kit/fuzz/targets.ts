// What is fuzzed: one row for each parser. A target takes any bytes and throws where something is not as it must be; the
// form is that of jazzer.js and libFuzzer. Seeds are the fixtures'.

import { gzipSync } from 'node:zlib';
import { captureReader } from '../../../src/capture/capture-reader.js';
import { notice } from '../../../src/core/notice.js';
import { httpDetect } from '../../../src/http/detect.js';
import { decodeContent } from '../../../src/http/exchange/content.js';
import { exchanges } from '../../../src/http/exchange/exchanges.js';
import { FIRST_BYTES, GzipItems, MemberReaders } from '../../../src/http/framing/gzip-members.js';
import { hpackDecoder } from '../../../src/http/hpack/decoder.js';
import { PROTOCOLS } from '../../../src/http/protocols.js';
import { bodyFraming } from '../../../src/kubernetes/api/framing.js';
import { requestLabel } from '../../../src/kubernetes/api/labels.js';
import { prefixOf, prefixReader } from '../../../src/kubernetes/api/path-prefix.js';
import { requestInfo } from '../../../src/kubernetes/api/request-info.js';
import { watchEvent } from '../../../src/kubernetes/api/watch-event.js';
import { decodeBody } from '../../../src/kubernetes/objects/decode-body.js';
import { nodeNameOf } from '../../../src/kubernetes/objects/object-facts.js';
import { carriedObject } from '../../../src/kubernetes/objects/object-meta.js';
import { toJson } from '../../../src/kubernetes/objects/to-json.js';
import { etcdRequestOf } from '../../../src/kubernetes/observed/grpc/etcd/etcd-request.js';
import { etcdResponseOf, etcdWatchResponseOf } from '../../../src/kubernetes/observed/grpc/etcd/etcd-response.js';
import { packetDecoder } from '../../../src/packet/packet-decoder.js';
import { decode } from '../../../src/protobuf/decode.js';
import { criTable, etcdTable, kubernetesTable } from '../../../src/protobuf/tables.js';
import { redactionOf } from '../../../src/redaction/redaction.js';
import { escapeMermaid, shorten } from '../../../src/render/escape/mermaid-escape.js';
import { escapeTerminal } from '../../../src/render/escape/terminal-escape.js';
import { savedReader } from '../../../src/saved/read.js';
import { tcpReassembler } from '../../../src/tcp/reassembler.js';
import type { Connection, StreamEvent } from '../../../src/tcp/stream-event.js';
import { clientHello, encryptedExtensions, MessageReader, serverHello } from '../../../src/tls/handshake.js';
import { secretStore } from '../../../src/tls/key-log.js';
import { tlsStage } from '../../../src/tls/tls-stage.js';
import { dialerMessage, MASK, webSocket } from '../channel-kit.js';
import { fixture, fixtureLines } from '../fixtures.js';
import { conversation, packets, pcap } from '../packetiser.js';
import { damagedCapture } from './captures.js';
import { type Conversation, conversations } from './conversations.js';
import { checkCapture, isClean, must } from './whole.js';

export interface Target {
  readonly name: string;
  fuzz(data: Buffer): void;
  seeds(): readonly Uint8Array[];
}

export const TARGETS: readonly Target[] = [
  { name: 'capture', fuzz: fuzzCapture, seeds: () => Array.from({ length: 24 }, (_, i) => damagedCapture(i)) },
  { name: 'packet', fuzz: fuzzPacket, seeds: packetSeeds },
  { name: 'stream', fuzz: fuzzStream, seeds: streamSeeds },
  { name: 'tls', fuzz: fuzzTls, seeds: tlsSeeds },
  { name: 'key-log', fuzz: fuzzKeyLog, seeds: () => [fixture('clients-tls/keys.log').subarray(0, 3000)] },
  { name: 'hpack', fuzz: fuzzHpack, seeds: hpackSeeds },
  {
    name: 'content',
    fuzz: fuzzContent,
    seeds: () => [MEMBER, Buffer.concat([Buffer.of(0), ...[MEMBER, ...halves(MEMBER)].map((one) => sided(1, one))])],
  },
  { name: 'protobuf', fuzz: fuzzProtobuf, seeds: objectSeeds },
  { name: 'object', fuzz: fuzzObject, seeds: objectSeeds },
  { name: 'redaction', fuzz: fuzzRedaction, seeds: objectSeeds },
  { name: 'target', fuzz: fuzzTarget, seeds: targetSeeds },
  { name: 'saved', fuzz: fuzzSaved, seeds: savedSeeds },
  { name: 'escape', fuzz: fuzzEscape, seeds: targetSeeds },
];

function fuzzCapture(data: Buffer): void {
  checkCapture(data, { piece: data.length % 3 === 0 ? 1 + (data.length % 997) : undefined });
}

/** Bytes: link type, then one packet after another, each behind its length in two bytes. */
function fuzzPacket(data: Buffer): void {
  const [decoder, tcp] = [packetDecoder(), tcpReassembler()];
  const linkType = LINK_TYPES[(data[0] ?? 0) % LINK_TYPES.length];
  for (let at = 1, frame = 1; at + 2 <= data.length; frame++) {
    const length = Math.min(data.readUInt16BE(at), data.length - at - 2);
    const packet = data.subarray(at + 2, at + 2 + length);
    at += 2 + length;
    const origin = { capture: 0, frame, time: BigInt(frame) * 1_000_000n };
    for (const segment of decoder.feed({
      kind: 'frame',
      digits: 9,
      origin,
      linkType,
      data: packet,
      originalLength: length,
    }))
      if (segment.kind === 'segment') {
        must(segment.payload.length <= length, 'a segment is not longer than its packet');
        tcp.feed(segment);
      }
  }
  tcp.end();
}

/** Pieces of both sides: a byte with side and kind, a length in two bytes, the piece. */
function piecesOf(data: Buffer, connection: Connection): StreamEvent[] {
  const events: StreamEvent[] = [];
  for (let at = 0, frame = 1; at + 3 <= data.length; frame++) {
    const kind = data[at];
    const length = Math.min(data.readUInt16BE(at + 1), data.length - at - 3);
    const bytes = data.subarray(at + 3, at + 3 + length);
    at += 3 + length;
    const from = (kind & 1) === 0 ? 'client' : 'server';
    const origin = { capture: 0, frame, time: BigInt(frame) * 1_000_000n };
    if ((kind & 0xf0) === 0xf0)
      events.push({ kind: 'gap', connection, from, origin, length: length === 0 ? null : length });
    else if (bytes.length > 0) events.push({ kind: 'data', connection, from, origin, bytes });
  }
  return events;
}

function fuzzStream(data: Buffer): void {
  const connection = { ...CONNECTION, roles: ROLES[(data[0] ?? 0) % 3] };
  const http = httpDetect(PROTOCOLS)(connection);
  const stage = exchanges({ framing: bodyFraming, readHead: prefixReader() });
  const open = new Set<unknown>();
  const dialled = new Set<unknown>();
  const take = (items: ReturnType<typeof stage.feed>): void => {
    for (const item of items) {
      if (item.kind === 'tunnelled') {
        const { kind, connection } = item.item;
        must(kind === 'established' || dialled.has(connection), 'a connection in a tunnel begins first');
        if (kind === 'established') dialled.add(connection);
        if (kind === 'closed' && item.item.from === null) dialled.delete(connection);
      }
      if (!('exchange' in item)) continue;
      if (item.kind === 'exchange-end') open.delete(item.exchange);
      else open.add(item.exchange);
      if ('body' in item) item.body?.read();
    }
  };
  for (const event of piecesOf(data.subarray(1), connection))
    for (const item of http.feed(event)) take(stage.feed(item));
  for (const item of http.end()) take(stage.feed(item));
  take(stage.end());
  must(open.size + dialled.size === 0, 'every exchange, and every connection in a tunnel, is over at the end');
}

function fuzzTls(data: Buffer): void {
  const connection = { ...CONNECTION, roles: ROLES[(data[0] ?? 0) % 3] };
  const secrets = secretStore();
  secrets.add(KEY_LOG(), 'key log');
  const tls = tlsStage(secrets);
  const origin = { capture: 0, frame: 1, time: 0n };
  tls.feed({ kind: 'established', connection, origin });
  for (const event of piecesOf(data.subarray(1), connection)) tls.feed(event);
  tls.feed({ kind: 'closed', connection, from: null, origin, reason: 'fin' });
  Array.from(tls.end());
  const reader = new MessageReader();
  reader.push(data);
  for (let left = 1 + data.length; reader.next(); left--) must(left > 0, 'a message is longer than nothing');
  for (const read of [clientHello, serverHello, encryptedExtensions]) read(data);
}

function fuzzKeyLog(data: Buffer): void {
  const secrets = secretStore();
  secrets.add(data.toString('latin1'), 'key log');
  secrets.end();
}

/** Blocks, each behind its length in two bytes; the first byte tells whether the table is complete. */
function fuzzHpack(data: Buffer): void {
  const decoder = hpackDecoder({ complete: ((data[0] ?? 0) & 1) === 0 });
  for (let at = 1; at + 2 <= data.length; ) {
    const length = Math.min(data.readUInt16BE(at), data.length - at - 2);
    const { fields } = decoder.decode(data.subarray(at + 2, at + 2 + length), length % 7 === 0);
    must(fields.length % 2 === 0, 'fields are names and values');
    at += 2 + length;
  }
}

function fuzzContent(data: Buffer): void {
  for (const encoding of ['gzip', 'deflate', 'br', 'gzip, gzip', data.subarray(0, 8).toString('latin1')])
    must(decodeContent(data, encoding).bytes.length <= 10 * 1024 * 1024, 'what comes out is bounded');
  const readers = new MemberReaders();
  let became = 0;
  const inside = { feed: (bytes: Uint8Array) => (became += bytes.length), gap: () => {}, end: () => {} };
  const stream = new GzipItems(inside, readers, (data[0] ?? 0) % 2 === 0);
  for (const event of piecesOf(data.subarray(1), CONNECTION)) {
    if (event.kind === 'gap') stream.gap(event.length, event.origin, NO_SINK);
    else if (event.kind === 'data') stream.feed(event.bytes, event.origin, NO_SINK);
  }
  stream.end(NOWHERE, NO_SINK);
  must(became <= FIRST_BYTES + 101 * data.length, 'what comes out of a stream is bounded');
  must(readers.open() !== null && readers.size === 1, 'no reader is left open');
}

const MEMBER = gzipSync('{"type":"ADDED"}');
const halves = (bytes: Uint8Array): Uint8Array[] => [bytes.subarray(0, 15), bytes.subarray(15)];
const NOWHERE = { capture: 0, frame: 1, time: 0n };
const NO_SINK = { onMessage: () => true, onSkipped: () => {}, onTooLong: () => {}, onDecompressionLimit: () => {} };

function fuzzProtobuf(data: Buffer): void {
  for (const [table, names] of PROTOBUF_MESSAGES) for (const name of names) decode(table(), name, data);
  for (const method of ['Txn', 'Range', 'Put', 'DeleteRange', 'Watch', 'LeaseKeepAlive']) {
    etcdRequestOf(method, data);
    etcdResponseOf(method, data);
  }
  etcdWatchResponseOf(data);
}

function fuzzObject(data: Buffer): void {
  for (const type of MEDIA_TYPES) {
    carriedObject(data, type);
    decodeBody(data, type);
    nodeNameOf(data, type);
    watchEvent(data, type);
  }
  toJson(data);
}

function fuzzRedaction(data: Buffer): void {
  const text = data.toString('utf8');
  const redaction = redactionOf();
  redaction.text(text);
  redaction.userAgent(text);
  for (const api of ['kubernetes', 'registry', 'http'] as const) redaction.target(text, api);
  for (const name of ['Authorization', 'WWW-Authenticate', 'Accept']) redaction.field(name, text);
  for (const type of MEDIA_TYPES) {
    const value = decodeBody(data, type);
    for (const context of [{}, { resource: 'secrets' }, { application: 'objects' as const }]) {
      const once = redaction.object(value, context);
      JSON.stringify(redaction.object(once, context));
    }
  }
}

function fuzzTarget(data: Buffer): void {
  const text = data.toString('latin1');
  const head = { kind: 'request-head', version: '1.1', method: 'GET', target: text, fields: [], partial: [] } as const;
  const read = prefixReader()(head);
  must(
    read.prefix === undefined ? read === head : text.replace(read.prefix, '') === read.target,
    'a prefix is a part of its target',
  );
  prefixOf(read.prefix ?? text);
  for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
    requestInfo(method, text);
    requestLabel(method, redactionOf().target(text, 'kubernetes'), undefined);
  }
}

function fuzzSaved(data: Buffer): void {
  let capture = 0;
  const reader = savedReader({ capture: 0, nextCapture: () => ++capture, redaction: redactionOf(), bodies: true });
  for (const part of [data.subarray(0, data.length >> 1), data.subarray(data.length >> 1)]) reader.feed(part);
  reader.end();
}

function fuzzEscape(data: Buffer): void {
  for (const text of [data.toString('utf8'), data.toString('latin1'), data.toString('utf16le')]) {
    isClean(escapeMermaid(shorten(text)), 'mermaid');
    isClean(escapeTerminal(text), 'terminal');
  }
  notice('capture.damaged', data.toString('latin1'));
}

// --- Seeds ---

function packetSeeds(): Uint8Array[] {
  const seeds: Buffer[] = [];
  for (const name of ['clients-tls/capture.pcap', 'run-nginx-http1/capture.pcap', 'docker-engine-api/capture.pcap']) {
    const reader = captureReader({ capture: 0 });
    let some: Buffer[] = [];
    for (const item of reader.feed(fixture(name).subarray(0, 40_000))) {
      if (item.kind !== 'frame') continue;
      some.push(withLength(item.data));
      if (some.length < 12) continue;
      seeds.push(Buffer.concat([Buffer.of(Math.max(0, LINK_TYPES.indexOf(item.linkType))), ...some]));
      some = [];
    }
  }
  const context = conversation([{ from: 'client', bytes: 'GET / HTTP/1.1\r\n\r\n' }]);
  seeds.push(Buffer.concat([Buffer.of(0), ...packets(context).map(({ bytes }) => withLength(bytes))]));
  seeds.push(Buffer.from(pcap(packets(context))));
  return seeds.slice(0, 40);
}

function streamSeeds(): Uint8Array[] {
  return [...conversations(), TUNNEL].map(({ turns, open }) =>
    Buffer.concat([
      Buffer.of(open ? 0 : 2),
      ...turns.map(({ from, bytes }) => sided(from === 'client' ? 0 : 1, bytes)),
    ]),
  );
}

/** Of remotedialer: a connection that is answered, one that fails, one that is open at the end. */
const TUNNEL: Pick<Conversation, 'turns' | 'open'> = {
  open: true,
  turns: [
    {
      from: 'client',
      bytes: Buffer.from('GET /v1-k3s/connect HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
    },
    {
      from: 'server',
      bytes: Buffer.from('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
    },
    ...[2, 3, 4].map((id) => ({
      from: 'server' as const,
      bytes: webSocket(dialerMessage(id, 2, 'tcp/127.0.0.1:10250')),
    })),
    { from: 'server', bytes: webSocket(dialerMessage(2, 1, 'GET /pods HTTP/1.1\r\n\r\n')) },
    ...['HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', 'EOF'].map((text, i) => ({
      from: 'client' as const,
      bytes: webSocket(dialerMessage(2, i === 0 ? 1 : 3, text), { mask: MASK }),
    })),
    { from: 'client', bytes: webSocket(dialerMessage(3, 3, 'EOF'), { mask: MASK }) },
  ],
};

function tlsSeeds(): Uint8Array[] {
  const events = captureReader({ capture: 0 }).feed(fixture('clients-tls/capture.pcap'));
  const [decoder, tcp] = [packetDecoder(), tcpReassembler()];
  const found = new Map<Connection, Buffer[]>();
  for (const frame of events) {
    if (frame.kind !== 'frame') continue;
    for (const segment of decoder.feed(frame)) {
      if (segment.kind !== 'segment') continue;
      for (const event of tcp.feed(segment)) {
        if (event.kind !== 'data') continue;
        const list = found.get(event.connection) ?? [];
        found.set(event.connection, list);
        if (list.length < 12) list.push(sided(event.from === 'client' ? 0 : 1, event.bytes));
      }
    }
  }
  const seeds = [...found.values()].slice(0, 20).map((list) => Buffer.concat([Buffer.of(0), ...list]));
  const relayed = RELAYED.map((turns) => Buffer.concat(turns.map((hex, i) => sided(i % 2, Buffer.from(hex, 'hex')))));
  return [
    ...seeds,
    ...relayed.flatMap((header) =>
      seeds.slice(0, 3).map((seed) => Buffer.concat([Buffer.of(0), header, seed.subarray(1)])),
    ),
  ];
}

/** What the sides say to a proxy, in turns: SOCKS5 and 4, the PROXY protocol's versions; half ones, and one of 65,535 bytes. */
const RELAYED = [
  ['050100', '0500', '05010001c000020a192b', '05000001000000000000'],
  ['05ff0102'],
  ['0401192bc000020a00', '005a000000000000'],
  ['0d0a0d0a000d0a515549540a2111000cc000021ec0000214dae4192b'],
  ['0d0a0d0a000d0a515549540a2111ffffc000021ec0000214dae4192b'],
  [Buffer.from('PROXY TCP4 192.0.2.30 192.0.2.20 56324 443\r\n').toString('hex')],
];

function hpackSeeds(): Uint8Array[] {
  const blocks = [
    '828684418cf1e3c2e5f23a6ba0ab90f4ff',
    '828684be58086e6f2d6361636865',
    '4803333032580770726976617465',
    '3fe11f20',
    '0f0d0231',
  ];
  return blocks.map((hex) =>
    Buffer.concat([Buffer.of(0), withLength(Buffer.from(hex, 'hex')), withLength(Buffer.from(hex, 'hex'))]),
  );
}

function objectSeeds(): Uint8Array[] {
  const encodings = fixtureLines<Record<string, unknown>>('objects/encodings.jsonl').slice(0, 20);
  const texts = encodings.flatMap((one) =>
    Object.values(one).filter((value): value is string => typeof value === 'string'),
  );
  return texts
    .flatMap((text) => [Buffer.from(text), Buffer.from(text, 'base64')])
    .filter(({ length }) => length > 8)
    .slice(0, 60);
}

function targetSeeds(): Uint8Array[] {
  const truth = fixtureLines<{ target?: string }>('run-nginx-http1/capture.truth.jsonl');
  return [...new Set(truth.flatMap(({ target }) => (target === undefined ? [] : [target])))]
    .slice(0, 60)
    .flatMap((one) => [one, ...PREFIXES.map((prefix) => prefix + one)])
    .map((one) => Buffer.from(one));
}

const PREFIXES = [
  '/k8s/clusters/c-m-abcd1234',
  '/clusters/root:org:team-a',
  '/apis/cluster.karmada.io/v1alpha1/clusters/member1/proxy',
  '/api/v1/namespaces/vcluster/services/https:team-a:443/proxy',
  `/${'p/'.repeat(4096)}`,
  '/search?q=',
];

function savedSeeds(): Uint8Array[] {
  return [Buffer.from(SAVED)];
}

function withLength(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Math.min(bytes.length, 65_535));
  return Buffer.concat([length, bytes.subarray(0, 65_535)]);
}

function sided(kind: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(kind), withLength(bytes)]);
}

let keyLog: string | undefined;
const KEY_LOG = (): string => {
  keyLog ??= Buffer.from(fixture('clients-tls/keys.log')).toString('latin1');
  return keyLog;
};

const CONNECTION: Connection = {
  id: 1,
  client: { address: '192.0.2.1', port: 40_000 },
  server: { address: '192.0.2.2', port: 6443 },
  name: '192.0.2.1:40000-192.0.2.2:6443',
  roles: 'handshake',
};
const ROLES = ['handshake', 'content', 'port'] as const;
/** Ethernet, both Linux cooked ones, raw IP, BSD loopback, one that nobody knows, NFLOG, PKTAP. */
const LINK_TYPES = [1, 276, 113, 101, 0, 108, 228, 229, 147, 239, 258];
const MEDIA_TYPES = [
  '',
  'application/json',
  'application/yaml',
  'application/cbor',
  'application/vnd.kubernetes.protobuf',
  'application/vnd.kubernetes.protobuf;stream=watch',
  'text/plain',
];
const PROTOBUF_MESSAGES = [
  [kubernetesTable, ['k8s.io.api.core.v1.Pod', 'k8s.io.api.apps.v1.Deployment', 'k8s.io.api.core.v1.SecretList']],
  [etcdTable, ['etcdserverpb.TxnRequest', 'etcdserverpb.RangeResponse', 'etcdserverpb.WatchResponse']],
  [criTable, ['runtime.v1.CreateContainerRequest', 'runtime.v1.PodSandboxStatusResponse']],
] as const;
const SAVED = `{"kubeseq":"0.1.0","format":1}
{"seq":1,"time":"2026-11-21T04:13:34.991066Z","kind":"request","protocol":"kubernetes","from":"kubectl","to":"kube-apiserver","label":"[REQ] GET /api","exchange":1,"connection":"192.0.2.10:54254-192.0.2.10:8080","stream":null,"frames":[1,1],"complete":true,"method":"GET","target":"/api","headers":[["a","b"]],"body":{"kind":"Pod"}}
{"seq":2,"time":"2026-11-21T04:13:34.991067Z","kind":"response","protocol":"kubernetes","from":"kube-apiserver","to":"kubectl","label":"[RESP] 200 OK","exchange":1,"connection":"192.0.2.10:54254-192.0.2.10:8080","stream":null,"frames":[2,2],"complete":true,"status":200}
`;
