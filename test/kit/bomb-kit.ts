// What captures that want to become large are made of: files in pieces, conversations, packets of many addresses. Knows
// layouts only; what is in them is for bombs.ts and bombs-inside.ts.

import { PREFACE, settings, settingsAck } from './http2-kit.js';
import { conversation, ethernet, ip, type Packet, packets, type Sent, START, type Turn, tcp } from './packetiser.js';

export interface Bomb {
  readonly name: string;
  /** What of docs/limits.md stops it. */
  readonly limits: readonly string[];
  /** Notice that tells the user; null where everything is read all the same. */
  readonly notice: string | null;
  /** Times as much work as ordinary traffic at most, where it is not ten. */
  readonly work?: number;
  /** Options of `kubeseq messages` without which it would not be met. */
  readonly args?: readonly string[];
  /** @param scale 1: as large as the claim says. Chunks of a capture file. */
  file(scale: number): Iterable<Uint8Array>;
}

/** A classic capture file, in pieces. */
export function* pcapFile(list: Iterable<Packet>): Iterable<Uint8Array> {
  yield Buffer.from('d4c3b2a1020004000000000000000000000004000100000000', 'hex').subarray(0, 24);
  let pieces: Uint8Array[] = [];
  let size = 0;
  for (const { time, bytes } of list) {
    const header = Buffer.alloc(16);
    header.writeUInt32LE(Number(time / 1_000_000_000n), 0);
    header.writeUInt32LE(Number((time % 1_000_000_000n) / 1000n), 4);
    header.writeUInt32LE(bytes.length, 8);
    header.writeUInt32LE(bytes.length, 12);
    pieces.push(header, bytes);
    size += header.length + bytes.length;
    if (size < PIECE) continue;
    yield Buffer.concat(pieces);
    pieces = [];
    size = 0;
  }
  yield Buffer.concat(pieces);
}

export function context(port: number, turns: readonly Turn[]): Iterable<Uint8Array> {
  return pcapFile(
    packets(conversation(turns, { server: { address: '192.0.2.2', port }, segmentSize: 32_000, step: 1000n })),
  );
}

export function http2(client: readonly Uint8Array[]): Iterable<Uint8Array> {
  const opening = Buffer.concat([PREFACE, settings]);
  return context(8080, [
    { from: 'client', bytes: opening },
    { from: 'server', bytes: Buffer.concat([settings, settingsAck]) },
    ...client.map((bytes) => ({ from: 'client' as const, bytes })),
  ]);
}

export const get = (i: number): Turn => ({
  from: 'client',
  bytes: `GET /api/v1/namespaces/a/pods/p${i} HTTP/1.1\r\nHost: a\r\nUser-Agent: kubectl/v1\r\n\r\n`,
});

export function answered(body: Uint8Array, encoding = ''): Turn {
  const coded = encoding === '' ? '' : `Content-Encoding: ${encoding}\r\n`;
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${coded}Content-Length: ${body.length}\r\n\r\n`;
  return { from: 'server', bytes: Buffer.concat([Buffer.from(head), body]) };
}

export const zipped = (body: Uint8Array, encoding = 'gzip'): Turn => answered(body, encoding);

export const CLIENT = (i: number): { address: string; port: number } => ({
  address: `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`,
  port: 1024 + (i % 60_000),
});
export const SERVER = { address: '192.0.2.2', port: 8080 };
export const packet = (sent: Sent): Packet => ({
  time: sent.time ?? START,
  bytes: ethernet(ip(sent.source.address, sent.destination.address, 6, tcp(sent))),
});

export function repeat<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: Math.max(1, Math.floor(count)) }, (_, i) => make(i));
}

export const CHUNKED = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
const PIECE = 1 << 20;
