// Captures that are small and want to become large, or many where there should be few. Each names what bounds it. Knows
// what attackers send; the limits themselves are docs/limits.md's.

import { X509Certificate } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  answered,
  type Bomb,
  CHUNKED,
  CLIENT,
  context,
  get,
  http2,
  packet,
  pcapFile,
  repeat,
  SERVER,
  zipped,
} from './bomb-kit.js';
import { BOMBS_INSIDE } from './bombs-inside.js';
import { selfSigned } from './certificates.js';
import { frame, headers, inserts, literals } from './http2-kit.js';
import { be16, ethernet, ip, type Packet, pcapngBlocks, START } from './packetiser.js';
import { certificateMessage, clear, hello } from './tls-peers.js';

export const BOMBS: readonly Bomb[] = [
  {
    name: 'gzip body, 1 MiB to 1 GiB',
    limits: ['MAX_DECODED_BYTES'],
    notice: 'limit.decompressed',
    file: (scale) => context(8080, [get(0), zipped(zeros(Math.ceil(16 * scale), 64))]),
  },
  {
    name: 'gzip in gzip, 4 KiB to 1 GiB',
    limits: ['MAX_DECODED_BYTES', 'MAX_CODINGS'],
    notice: 'limit.decompressed',
    file: (scale) => context(8080, [get(0), zipped(gzipSync(zeros(Math.ceil(16 * scale), 64)), 'gzip, gzip')]),
  },
  {
    name: '1,000 gzip bodies, 10 KiB to 10 MiB each',
    limits: ['MAX_DECODED_BYTES', 'MAX_RATIO'],
    notice: 'limit.decompressed',
    file: (scale) => {
      const body = zeros(1, 10);
      return context(8080, repeat(1000 * scale, (i) => [get(i), zipped(body)]).flat());
    },
  },
  {
    name: 'HPACK, 16 KiB to 64 MiB',
    limits: ['MAX_HEADER_LIST'],
    notice: 'limit.header',
    file: () => http2([headers(1, hpackBomb(), true)]),
  },
  {
    name: '1,000 HPACK bombs on one connection',
    limits: ['MAX_HEADER_LIST'],
    notice: 'limit.header',
    file: (scale) => http2(repeat(1000 * scale, (i) => headers(2 * i + 1, hpackBomb(), true))),
  },
  {
    name: '100,000 CONTINUATION frames',
    limits: ['MAX_BLOCK_FRAMES'],
    notice: 'limit.header',
    file: (scale) => {
      const some = Buffer.concat(repeat(100, () => frame(9, 0, 1, Buffer.of(0x82))));
      return http2([frame(1, 1, 1, Buffer.of(0x82)), ...repeat(1000 * scale, () => some)]);
    },
  },
  {
    name: '1,000,000 requests, each reset at once',
    limits: ['MAX_OPEN_STREAMS', 'CLOSED_MEMORY'],
    notice: null,
    file: (scale) => http2(resets(10_000 * scale, 100)),
  },
  {
    name: '65,536 holes in turn with single bytes',
    limits: ['TCP_LIMITS.outOfOrder'],
    notice: 'limit.out-of-order',
    file: (scale) => pcapFile(holes(65_536 * scale)),
  },
  {
    name: '1,000,000 SYNs from as many addresses',
    limits: ['TCP_LIMITS.connections', 'MAX_ENDPOINTS'],
    notice: 'limit.connections',
    file: (scale) => pcapFile(syns(1_000_000 * scale)),
  },
  {
    name: '100,000 connections with a watch each, in 20 s',
    limits: ['TCP_LIMITS.connections', 'MAX_PARTICIPANTS'],
    notice: 'limit.connections',
    file: (scale) => pcapFile(watches(100_000 * scale)),
  },
  {
    name: '20,000 connections with a watch in gzip each, in the middle of a member',
    limits: ['MAX_MEMBER_READERS'],
    notice: 'limit.connections',
    file: (scale) => {
      const begun = gzipSync(incompressible(3000)).subarray(0, 2000);
      const chunk = Buffer.concat([Buffer.from('fff\r\n'), begun]);
      return pcapFile(watches(20_000 * scale, 'Content-Encoding: gzip\r\n', chunk));
    },
  },
  {
    name: '300,000 IP fragments that never become packets',
    limits: ['DATAGRAMS', 'WAITING_BYTES'],
    notice: 'limit.fragments',
    file: (scale) => pcapFile(fragments(300_000 * scale)),
  },
  {
    name: '1,000,000 chunks of one byte',
    limits: ['MAX_BODY_BYTES'],
    notice: null,
    file: (scale) => {
      const chunks = Buffer.from('1\r\na\r\n'.repeat(10_000));
      return context(8080, [
        get(0),
        { from: 'server', bytes: CHUNKED },
        ...repeat(100 * scale, () => ({ from: 'server' as const, bytes: chunks })),
      ]);
    },
  },
  {
    name: 'JSON nested 4,000,000 deep',
    limits: ['DEPTH_LIMIT'],
    notice: null,
    file: (scale) =>
      context(8080, [get(0), answered(Buffer.from(`{"kind":"Pod","spec":${'['.repeat(4_000_000 * scale)}`))]),
  },
  {
    name: 'a body of 64 MiB',
    limits: ['MAX_BODY_BYTES'],
    notice: 'limit.body',
    file: (scale) => context(8080, [get(0), answered(Buffer.alloc((64 << 20) * scale, '{"a":1},'))]),
  },
  {
    name: 'a watch event of 64 MiB',
    limits: ['MAX_ITEM_BYTES'],
    notice: 'limit.body',
    file: (scale) =>
      context(8080, [
        { from: 'client', bytes: 'GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: a\r\n\r\n' },
        answered(
          Buffer.concat([
            Buffer.from('{"type":"ADDED","object":{"kind":"Pod","x":"'),
            Buffer.alloc((64 << 20) * scale, 'a'),
          ]),
        ),
      ]),
  },
  {
    name: '100,000 requests that nobody answers',
    limits: ['MAX_WAITING', 'MAX_OPEN_STREAMS'],
    notice: null,
    file: (scale) => context(8080, repeat(100_000 * scale, get)),
  },
  {
    name: '20,000 clients with names of their own',
    limits: ['MAX_CACHED_AGENTS', 'MAX_PARTICIPANTS'],
    notice: null,
    file: (scale) =>
      context(
        8080,
        repeat(20_000 * scale, (i) => [
          { from: 'client' as const, bytes: `GET /a HTTP/1.1\r\nUser-Agent: evil${i}/1\r\n\r\n` },
          answered(Buffer.from('{}')),
        ]).flat(),
      ),
  },
  {
    name: '50,000 TLS connections without keys',
    limits: ['SPOOL_LIMIT', 'SPOOL_TOTAL', 'TCP_LIMITS.connections'],
    notice: 'tls.no-secret',
    file: (scale) => pcapFile(hellos(50_000 * scale)),
  },
  {
    name: '20,000 TLS connections that are refused, each with a certificate of its own',
    limits: ['MAX_CERTIFICATES', 'MAX_KINDS', 'TCP_LIMITS.connections'],
    notice: 'tls.refused',
    file: (scale) => pcapFile(refusals(20_000 * scale)),
  },
  {
    name: '1,000,000 interfaces in a pcapng',
    limits: ['INTERFACES'],
    notice: 'capture.damaged',
    file: (scale) => {
      const blocks = pcapngBlocks();
      const some = Buffer.concat(repeat(1000, () => blocks.interface()));
      return [blocks.section(), ...repeat(1000 * scale, () => some)];
    },
  },
  ...BOMBS_INSIDE,
];

// --- What is in them ---

/** Members of gzip one behind another, each of `mebibytes` zeros. */
function zeros(members: number, mebibytes: number): Buffer {
  const member = gzipSync(Buffer.alloc(mebibytes << 20), { level: 9 });
  return Buffer.concat(repeat(members, () => member));
}

/** One entry of 4,000 bytes, and 16,000 references to it. */
function hpackBomb(): Buffer {
  const value = Buffer.alloc(3980, 97);
  const entry = Buffer.concat([Buffer.from('4001627f8d1e', 'hex'), value]);
  return Buffer.concat([
    literals(':method', 'GET', ':path', '/', ':scheme', 'http'),
    entry,
    Buffer.alloc(12_000, 0xbe),
  ]);
}

function resets(pieces: number, each: number): Uint8Array[] {
  const block = Buffer.of(0x82, 0x84, 0x86);
  return [
    headers(1, inserts(':authority', 'a'), true),
    ...repeat(pieces, (piece) =>
      Buffer.concat(
        repeat(each, (i) => {
          const stream = 2 * (piece * each + i) + 3;
          return Buffer.concat([headers(stream, block, true), frame(3, 0, stream, Buffer.of(0, 0, 0, 8))]);
        }),
      ),
    ),
  ];
}

function* holes(count: number): Iterable<Packet> {
  const [client, server] = [{ address: '192.0.2.1', port: 40_000 }, SERVER];
  yield packet({ source: client, destination: server, seq: 999, flags: 2 });
  yield packet({ source: server, destination: client, seq: 4999, ack: 1000, flags: 18 });
  for (let i = 0; i < count; i++)
    yield packet({
      source: client,
      destination: server,
      seq: 1001 + 2 * i,
      ack: 5000,
      payload: 'a',
      time: START + BigInt(i) * 1000n,
    });
}

function* syns(count: number): Iterable<Packet> {
  for (let i = 0; i < count; i++)
    yield packet({ source: CLIENT(i), destination: SERVER, seq: i, flags: 2, time: START + BigInt(i) * 10_000n });
}

function* watches(count: number, fields = '', chunk: Uint8Array = Buffer.alloc(0)): Iterable<Packet> {
  const request = 'GET /api/v1/pods?watch=true HTTP/1.1\r\nHost: a\r\nUser-Agent: kubelet/v1.34.4\r\n\r\n';
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${fields}Transfer-Encoding: chunked\r\n\r\n`;
  const response = Buffer.concat([Buffer.from(head), chunk]);
  for (let i = 0; i < count; i++) {
    const [source, time] = [CLIENT(i), START + BigInt(i) * 200_000n];
    yield packet({ source, destination: SERVER, seq: 999, flags: 2, time });
    yield packet({ source: SERVER, destination: source, seq: 4999, ack: 1000, flags: 18, time });
    yield packet({ source, destination: SERVER, seq: 1000, ack: 5000, payload: request, time });
    yield packet({
      source: SERVER,
      destination: source,
      seq: 5000,
      ack: 1000 + request.length,
      payload: response,
      time,
    });
  }
}

/** Words in an order of their own. */
function incompressible(count: number): string {
  return repeat(count, (i) => ((i * 2_654_435_761) % 4_294_967_296).toString(36)).join(' ');
}

function* fragments(count: number): Iterable<Packet> {
  const piece = Buffer.alloc(1400);
  for (let i = 0; i < count; i++) {
    const from = `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
    yield {
      time: START + BigInt(i) * 1000n,
      bytes: ethernet(ip(from, '192.0.2.2', 6, piece, { id: i & 0xffff, more: true, offset: 1400 })),
    };
  }
}

/** A ClientHello without extensions, and 2 KB that nobody can read. */
/** A connection of its own to an API server, 200 µs after the one before: both SYNs, and where what follows goes. */
function opened(i: number) {
  const [source, time] = [CLIENT(i), START + BigInt(i) * 200_000n];
  const server = { address: '192.0.2.2', port: 6443 };
  const forth = { source, destination: server, time };
  const back = { source: server, destination: source, time };
  const syns = [packet({ ...forth, seq: 999, flags: 2 }), packet({ ...back, seq: 4999, ack: 1000, flags: 18 })];
  return { forth, back, syns };
}

/** In TLS 1.2 certificates are in clear. A name that is exchanged makes another one: nobody looks at signatures. */
function* refusals(count: number): Iterable<Packet> {
  const name = 'evil-0000000';
  const der = Buffer.from(new X509Certificate(selfSigned('ec', name).cert).raw);
  const [subject, issuer] = [der.indexOf(name), der.lastIndexOf(name)];
  const alert = Buffer.of(21, 3, 3, 0, 2, 2, 42);
  for (let i = 0; i < count; i++) {
    const random = Buffer.alloc(32);
    random.writeUInt32BE(i);
    for (const at of [subject, issuer]) der.write(String(i).padStart(7, '0'), at + 5, 'latin1');
    const asks = clear(hello(1, random, Buffer.of(0, 2, 0xc0, 0x2b, 1, 0), []));
    const shows = Buffer.concat([
      clear(hello(2, random, Buffer.of(0xc0, 0x2b, 0), [])),
      clear(certificateMessage(der)),
    ]);
    const { forth, back, syns } = opened(i);
    yield* syns;
    yield packet({ ...forth, seq: 1000, ack: 5000, payload: asks });
    yield packet({ ...back, seq: 5000, ack: 1000 + asks.length, payload: shows });
    yield packet({ ...forth, seq: 1000 + asks.length, ack: 5000 + shows.length, payload: alert });
  }
}

function* hellos(count: number): Iterable<Packet> {
  const noise = Buffer.concat([Buffer.from('1703030800', 'hex'), Buffer.alloc(2048, 0x5a)]);
  for (let i = 0; i < count; i++) {
    const random = Buffer.alloc(32);
    random.writeUInt32BE(i);
    const body = Buffer.concat([be16(0x0303), random, Buffer.from('000002c02f0100', 'hex')]);
    const message = Buffer.concat([Buffer.of(1, 0), be16(body.length), body]);
    const hello = Buffer.concat([Buffer.from('160301', 'hex'), be16(message.length), message]);
    const answer = Buffer.concat([be16(0x0303), random, Buffer.from('00c02f00', 'hex')]);
    const said = Buffer.concat([Buffer.of(2, 0), be16(answer.length), answer]);
    const { forth, back, syns } = opened(i);
    yield* syns;
    yield packet({ ...forth, seq: 1000, ack: 5000, payload: hello });
    yield packet({
      ...back,
      seq: 5000,
      ack: 1000 + hello.length,
      payload: Buffer.concat([
        Buffer.from('160303', 'hex'),
        be16(said.length),
        said,
        Buffer.from('140303000101', 'hex'),
        noise,
      ]),
    });
    yield packet({ ...forth, seq: 1000 + hello.length, ack: 5000, payload: noise });
  }
}
