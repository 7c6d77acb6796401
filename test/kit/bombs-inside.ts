// Bombs in what connections carry: tunnels, bodies, streams of messages, secrets. Each names what bounds it.

import { deflateRawSync, deflateSync, gzipSync, constants as zlib } from 'node:zlib';
import { SPDY_DICTIONARY } from '../../src/http/spdy/header-blocks.js';
import { answered, type Bomb, CHUNKED, CLIENT, context, http2, packet, pcapFile, repeat, SERVER } from './bomb-kit.js';
import { MASK, spdyControl, webSocket } from './channel-kit.js';
import { random } from './fuzz/random.js';
import { data, frame, getRoot, headers, literals, ping } from './http2-kit.js';
import { be32, conversation, type Packet, packets, pcapngBlocks, START, type Turn } from './packetiser.js';

export const BOMBS_INSIDE: readonly Bomb[] = [
  {
    name: '1,000,000 segments of one byte',
    limits: ['MAX_HEAD_BYTES'],
    notice: 'limit.header',
    file: (scale) =>
      pcapFile(
        packets(conversation([{ from: 'client', bytes: 'GET /a HTTP/1.1\r\n'.repeat(58_000 * scale) }], ONE_BYTE)),
      ),
  },
  {
    name: '500,000 segments that come again with other bytes',
    limits: ['RECENT_BYTES'],
    notice: 'tcp.overlap-differs',
    file: (scale) => pcapFile(overlaps(500_000 * scale)),
  },
  {
    name: '500,000 connections on the same four numbers',
    limits: ['TCP_LIMITS.closed'],
    notice: null,
    file: (scale) => pcapFile(again(500_000 * scale)),
  },
  {
    name: '100,000 damaged records with a sound one behind each',
    limits: ['SEARCH_LIMIT', 'DAMAGE_NOTICES'],
    notice: 'capture.damaged',
    file: (scale) => damaged(100_000 * scale),
  },
  {
    name: '100,000 secrets, and 2,000 connections that none of them opens',
    limits: ['SESSION_LIMIT', 'CONNECTION_WORK', 'TOTAL_WORK'],
    notice: 'limit.trials',
    file: (scale) => late(Math.ceil(100_000 * scale), Math.ceil(2000 * scale)),
  },
  {
    name: 'HTTP/2 frames that break 100,000 times',
    limits: ['MAX_TIMES_BROKEN', 'WINDOW'],
    notice: 'http2.malformed',
    file: (scale) => {
      const trap = Buffer.concat([ping, ping, ping, data(0, 'x')]);
      return http2([headers(1, getRoot), ...repeat(1000 * scale, () => Buffer.concat(repeat(100, () => trap)))]);
    },
  },
  {
    name: 'SPDY header blocks, 100,000 of 64 KiB in 100 bytes each',
    limits: ['MAX_HEADER_BLOCKS', 'MAX_HEADER_BLOCK_BYTES'],
    notice: null,
    file: (scale) =>
      context(8080, [...upgraded('SPDY/3.1', []), { from: 'client', bytes: spdyBlocks(100_000 * scale) }]),
  },
  {
    name: '1,000,000 WebSocket frames of nothing',
    limits: [],
    notice: null,
    file: (scale) => {
      const some = Buffer.concat(repeat(1000, () => Buffer.from(webSocket(new Uint8Array(0), { mask: MASK }))));
      return context(8080, [
        ...upgraded('websocket', ['Sec-WebSocket-Protocol: v5.channel.k8s.io']),
        ...repeat(1000 * scale, () => ({ from: 'client' as const, bytes: some })),
      ]);
    },
  },
  {
    name: '1,000,000 watch events of nothing',
    limits: [],
    notice: null,
    file: (scale) => watch(repeat(1000 * scale, () => '{}'.repeat(1000))),
  },
  {
    name: '1,000,000 watch events of nothing in CBOR',
    limits: [],
    notice: 'kubernetes.undecodable',
    file: (scale) =>
      watch(
        repeat(1000 * scale, () => Buffer.from('a10000'.repeat(1000), 'hex')),
        'application/cbor-seq',
      ),
  },
  {
    name: '1,000,000 watch events of nothing over a WebSocket',
    limits: [],
    notice: 'kubernetes.undecodable',
    file: (scale) =>
      context(8080, [
        ...upgraded('websocket', [], 'GET /api/v1/pods?watch=1'),
        ...repeat(1000 * scale, () => ({
          from: 'server' as const,
          bytes: Buffer.from('81027b7d'.repeat(1000), 'hex'),
        })),
      ]),
  },
  {
    name: '10,000 gzip members of a watch, 1 KiB to 1 MiB each',
    limits: ['FIRST_BYTES', 'MAX_RATIO'],
    notice: 'limit.decompressed',
    file: (scale) => {
      const member = gzipSync(Buffer.alloc(1024 * 1024, ' '));
      return context(8080, watching(repeat(10_000 * scale, () => member)));
    },
  },
  {
    name: '1,000 watches in gzip, each a member of 16 MiB in two pieces',
    limits: ['FIRST_BYTES', 'MAX_RATIO'],
    notice: 'limit.decompressed',
    file: (scale) => {
      const member = gzipSync(Buffer.alloc(16 * 1024 * 1024));
      return context(
        8080,
        repeat(1000 * scale, () => watched([member.subarray(0, 8000), member.subarray(8000)])).flat(),
      );
    },
  },
  {
    name: '100,000,000 watch events of nothing in gzip',
    limits: ['FIRST_ITEMS', 'BYTES_AN_ITEM'],
    notice: 'limit.decompressed',
    file: (scale) => {
      const member = gzipSync('{}'.repeat(100_000));
      return context(8080, watching(repeat(1000 * scale, () => member)));
    },
  },
  {
    name: '2,000 watches of as many events of nothing in gzip as each may have',
    limits: ['FIRST_ITEMS', 'BYTES_AN_ITEM'],
    notice: 'limit.decompressed',
    file: (scale) => {
      const member = gzipSync('{}'.repeat(100));
      return context(8080, repeat(2000 * scale, () => watched([member])).flat());
    },
  },
  {
    name: '200,000 watch events of as many objects',
    limits: ['MAX_OBJECTS', 'MAX_WRITES'],
    notice: null,
    file: (scale) =>
      watch(
        repeat(200 * scale, (i) =>
          repeat(1000, (k) => {
            const metadata = `{"name":"p${i * 1000 + k}","namespace":"a","uid":"u${i * 1000 + k}","resourceVersion":"${i * 1000 + k}"}`;
            return `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":${metadata}}}\n`;
          }).join(''),
        ),
      ),
  },
  {
    name: '500,000 gRPC messages of nothing',
    limits: [],
    notice: null,
    file: (scale) =>
      http2([
        headers(
          1,
          literals(
            ':method',
            'POST',
            ':path',
            '/etcdserverpb.Watch/Watch',
            ':scheme',
            'http',
            'content-type',
            'application/grpc',
          ),
        ),
        ...repeat(500 * scale, () => frame(0, 0, 1, Buffer.alloc(5000))),
      ]),
  },
  {
    name: '1,000 Pods, each with 64 claims whose names have 100,000 characters, in gzip',
    limits: ['MAX_REFERENCE'],
    notice: null,
    file: (scale) =>
      made(1000 * scale, (i) => {
        const claims = repeat(64, (j) => ({ claimName: `c${i}-${j}${'a'.repeat(100_000)}` }));
        const volumes = claims.map((persistentVolumeClaim) => ({ persistentVolumeClaim }));
        return { metadata: { name: `p${i}` }, spec: { volumes } };
      }),
  },
  {
    name: '1,000 Pods whose names have 1,000,000 characters, in gzip',
    limits: ['MAX_NAME'],
    notice: null,
    file: (scale) =>
      made(1000 * scale, (i) => {
        const name = `p${i}${'a'.repeat(1_000_000)}`;
        return { metadata: { name, namespace: 'a', uid: `u${i}`, resourceVersion: `${i}` } };
      }),
  },
  {
    name: '500 YAML bodies that refer to themselves, 32 KiB each',
    limits: ['BYTES_LIMIT', 'MAX_ALIASES'],
    notice: null,
    args: ['--bodies'],
    file: (scale) => bodies(500 * scale, 'application/yaml', Buffer.from(laughs())),
  },
  {
    name: '500 YAML bodies of short words, 32 KiB each',
    limits: ['BYTES_LIMIT', 'MAX_ALIASES'],
    notice: null,
    work: 15,
    args: ['--bodies'],
    file: (scale) => bodies(500 * scale, 'application/yaml', Buffer.from(shortWords())),
  },
  {
    name: '100 JSON bodies of 100,000 fields',
    limits: ['DEPTH_LIMIT'],
    notice: null,
    args: ['--bodies'],
    file: (scale) =>
      bodies(
        100 * scale,
        'application/json',
        Buffer.from(`{"kind":"Pod","metadata":{${repeat(100_000, (i) => `"a${i}":1`).join()}}}`),
      ),
  },
  {
    name: '1,000 custom resources of 64 KiB, full of references',
    limits: ['MAX_REFERENCES'],
    notice: null,
    file: (scale) => bodies(1_000 * scale, 'application/json', Buffer.from(referring())),
  },
  {
    name: '50 protobuf bodies of 500,000 values',
    limits: ['VALUES_LIMIT'],
    notice: null,
    args: ['--bodies'],
    file: (scale) =>
      bodies(
        50 * scale,
        'application/vnd.kubernetes.protobuf',
        Buffer.concat([Buffer.from('6b387300', 'hex'), Buffer.alloc(1_000_000, Buffer.of(0x12, 0))]),
      ),
  },
  {
    name: '50 CBOR bodies of 500,000 values',
    limits: ['VALUES_LIMIT'],
    notice: null,
    args: ['--bodies'],
    file: (scale) =>
      bodies(
        50 * scale,
        'application/cbor',
        Buffer.concat([Buffer.from('d9d9f79a0007a120', 'hex'), Buffer.alloc(500_000, 1)]),
      ),
  },
];

// --- What is in them ---

/** Pods that are created; the answers have them in gzip. */
function made(count: number, object: (i: number) => object): Iterable<Uint8Array> {
  const pod = { kind: 'Pod', apiVersion: 'v1' };
  return context(
    8080,
    repeat(count, (i) => [
      posted('application/json', Buffer.from(JSON.stringify({ ...pod, metadata: { name: `p${i}` } }))),
      answered(gzipSync(JSON.stringify({ ...pod, ...object(i) })), 'gzip'),
    ]).flat(),
  );
}

/** One object, sent `count` times. */
function bodies(count: number, type: string, body: Buffer): Iterable<Uint8Array> {
  const request = posted(type, body);
  return context(8080, repeat(count, () => [request, answered(Buffer.from('{}'))]).flat());
}

function posted(type: string, body: Buffer): Turn {
  const head = `POST /api/v1/namespaces/a/pods HTTP/1.1\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`;
  return { from: 'client', bytes: Buffer.concat([Buffer.from(head), body]) };
}

function watch(pieces: readonly (string | Buffer)[], type?: string): Iterable<Uint8Array> {
  return context(8080, watching(pieces, type, ''));
}

function watching(pieces: readonly (string | Buffer)[], type = 'application/json', coding = 'gzip'): Turn[] {
  const head = CHUNKED.replace('application/json', `${type}${coding === '' ? '' : `\r\nContent-Encoding: ${coding}`}`);
  return [
    { from: 'client', bytes: 'GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: a\r\nUser-Agent: kubelet/v1\r\n\r\n' },
    { from: 'server', bytes: head },
    ...pieces.map((piece): Turn => {
      const bytes = Buffer.from(piece as string);
      return { from: 'server', bytes: Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, CRLF]) };
    }),
  ];
}

/** One that is over, so that another can follow on its connection. */
function watched(pieces: readonly Buffer[]): Turn[] {
  return [...watching(pieces), { from: 'server', bytes: '0\r\n\r\n' }];
}

function upgraded(protocol: string, fields: readonly string[], request = EXEC): Turn[] {
  const more = ['Connection: Upgrade', `Upgrade: ${protocol}`, ...fields].join('\r\n');
  return [
    {
      from: 'client',
      bytes: `${request} HTTP/1.1\r\nHost: a\r\n${more}\r\n\r\n`,
    },
    { from: 'server', bytes: `HTTP/1.1 101 Switching Protocols\r\n${more}\r\n\r\n` },
  ];
}

/** SYN_STREAM after SYN_STREAM. All but the first refer to nothing before them, so that each is compressed alone. */
function spdyBlocks(count: number): Buffer {
  const fields = Buffer.concat([be32(1), be32(1), Buffer.from('a'), be32(64_000), Buffer.alloc(64_000, 98)]);
  const options = { finishFlush: zlib.Z_SYNC_FLUSH };
  const first = deflateSync(fields, { ...options, dictionary: SPDY_DICTIONARY });
  const more = deflateRawSync(fields, options);
  return Buffer.concat(
    repeat(count, (i) =>
      Buffer.from(spdyControl(1, Buffer.concat([be32(2 * i + 1), be32(0), Buffer.alloc(2), i === 0 ? first : more]))),
    ),
  );
}

/** "Billion laughs": each line is ten of the line before; and then as many anchors as there is room for. */
function laughs(): string {
  const lines = [
    'kind: Pod',
    'a0: &a0 [x]',
    ...repeat(30, (i) => `a${i + 1}: &a${i + 1} [${repeat(10, () => `*a${i}`).join()}]`),
  ];
  return filled(lines.join('\n'), (i) => `b${i}: &b${i} [*a0]`);
}

/** With as many aliases as are looked at. */
function shortWords(): string {
  const lines = [
    'kind: Pod',
    'a0: &a0 [x]',
    ...repeat(4, (i) => `a${i + 1}: &a${i + 1} [${repeat(5, () => `*a${i}`).join()}]`),
  ];
  return filled(lines.join('\n'), (i) => `b${i}: &b${i} [x]`);
}

/** As long as one that is looked through may be, each field an object that may be a reference. */
function referring(): string {
  const labels = '"labels":{"kustomize.toolkit.fluxcd.io/name":"a","kustomize.toolkit.fluxcd.io/namespace":"b"}';
  const head = `{"apiVersion":"a.example.com/v1","kind":"A","metadata":{"name":"a",${labels}},"spec":{`;
  return `${head}${repeat(2_600, (i) => `"${i}Ref":{"kind":"B"}`).join()}}}`.slice(0, 65_536);
}

function filled(text: string, line: (i: number) => string): string {
  let whole = text;
  for (let i = 0; whole.length < 32_000; i++) whole += `\n${line(i)}`;
  return whole.slice(0, 32_000);
}

function* overlaps(count: number): Iterable<Packet> {
  const [client, server] = [CLIENT(1), SERVER];
  yield packet({ source: client, destination: server, seq: 999, flags: 2 });
  yield packet({ source: server, destination: client, seq: 4999, ack: 1000, flags: 18 });
  for (let i = 0; i < count; i++)
    yield packet({
      source: client,
      destination: server,
      seq: 1000,
      ack: 5000,
      payload: String(i).padStart(40),
      time: START + BigInt(i) * 1000n,
    });
}

function* again(count: number): Iterable<Packet> {
  for (let i = 0; i < count; i++)
    yield packet({
      source: CLIENT(1),
      destination: SERVER,
      seq: (i * 100_000) >>> 0,
      flags: 2,
      time: START + BigInt(i) * 1000n,
    });
}

/** A record that says it is longer than it is, then a sound one, and so on. */
function* damaged(count: number): Iterable<Uint8Array> {
  const sound = [...pcapFile([packet({ source: CLIENT(1), destination: SERVER, seq: 1 })])];
  yield sound[0];
  const record = sound[1];
  const broken = Buffer.concat([
    record.subarray(0, 8),
    Buffer.from('ffffffffffffffff', 'hex'),
    Buffer.alloc(150, 0x5a),
  ]);
  const pair = Buffer.concat([broken, record, record]);
  for (let left = count; left > 0; left -= 1000) yield Buffer.concat(repeat(Math.min(left, 1000), () => pair));
}

/** TLS 1.3 records that nobody can read, of connections older than the capture, and secrets of others. */
function* late(secrets: number, connections: number): Iterable<Uint8Array> {
  const dice = random(1);
  const hex = (bytes: number): string => repeat(bytes, () => dice.below(256).toString(16).padStart(2, '0')).join('');
  const blocks = pcapngBlocks();
  yield blocks.section();
  yield blocks.interface(1);
  for (let left = secrets; left > 0; left -= 1000) {
    const lines = repeat(Math.min(left, 1000), () => {
      const of = hex(32);
      return ['CLIENT', 'SERVER'].map((side) => `${side}_TRAFFIC_SECRET_0 ${of} ${hex(32)}\n`).join('');
    });
    yield blocks.secrets(0x544c534b, lines.join(''));
  }
  const server = { address: '192.0.2.2', port: 6443 };
  for (let i = 0; i < connections; i++) {
    const noise = Buffer.concat([Buffer.from('1703030080', 'hex'), Buffer.from(repeat(128, () => dice.below(256)))]);
    const time = START + BigInt(i) * 200_000n;
    const ends = { source: CLIENT(i), destination: server, time };
    yield blocks.enhanced(packet({ ...ends, seq: 1000, ack: 5000, payload: Buffer.concat(repeat(9, () => noise)) }));
  }
}

const CRLF = Buffer.from('\r\n');
const EXEC = 'POST /api/v1/namespaces/a/pods/p/exec?command=ls&stdout=1';
const ONE_BYTE = { segmentSize: 1, step: 1000n };
