// Makes packets and capture files for tests, from the inside out: segment, IP packet, link frame, file. Checksums are
// right, so that tshark and tcpdump read the files without complaint. Knows wire formats only, nothing of the readers.
//
//   pcap(packets(conversation([{ from: 'client', bytes: 'GET / HTTP/1.1\r\n\r\n' }])))   a file
//   segments(conversation([...]))                                                       what packetDecoder would give

import type { Frame } from '../../src/capture/frame.js';
import { concat, EMPTY_BYTES } from '../../src/core/bytes/bytes.js';
import { ACK, type Endpoint, FIN, type Flow, type Segment, SYN } from '../../src/packet/segment.js';
import type { Side } from '../../src/tcp/stream-event.js';

export const CLIENT: Endpoint = { address: '192.0.2.1', port: 40000 };
export const SERVER: Endpoint = { address: '192.0.2.2', port: 8080 };
/** 2023-11-14T22:13:20Z in ns: where packets without a time begin. */
export const START = 1_700_000_000_000_000_000n;
export const MILLISECOND = 1_000_000n;

/** One TCP segment to be sent. */
export interface Sent {
  /** ns since the epoch. */
  readonly time?: bigint;
  readonly source: Endpoint;
  readonly destination: Endpoint;
  readonly seq?: number;
  readonly ack?: number;
  /** FIN 1, SYN 2, RST 4, PSH 8, ACK 16; ACK if absent. */
  readonly flags?: number;
  readonly payload?: Uint8Array | string;
  /** TCP options, a multiple of 4 bytes. */
  readonly options?: Uint8Array;
}

/** One packet of a capture file. */
export interface Packet {
  readonly time: bigint;
  readonly bytes: Uint8Array;
  /** Length on the wire where the snap length cut the packet; `bytes.length` if absent. */
  readonly originalLength?: number;
}

export interface Turn {
  readonly from: Side;
  readonly bytes: Uint8Array | string;
}

export interface ConversationOptions {
  readonly client?: Endpoint;
  readonly server?: Endpoint;
  /** Payload bytes of a segment, at most. */
  readonly segmentSize?: number;
  readonly start?: bigint;
  /** ns from one segment to the next. */
  readonly step?: bigint;
  readonly clientSeq?: number;
  readonly serverSeq?: number;
  /** false: the capture begins after the handshake. */
  readonly open?: boolean;
  /** false: the capture ends before FIN. */
  readonly close?: boolean;
}

/** A whole TCP connection, SYN to FIN: every turn cut into segments and acknowledged by its peer. */
export function conversation(turns: readonly Turn[], options: ConversationOptions = {}): Sent[] {
  const { segmentSize = 1448, step = MILLISECOND, open = true, close = true } = options;
  const ends = { client: options.client ?? CLIENT, server: options.server ?? SERVER };
  const next = { client: options.clientSeq ?? 1000, server: options.serverSeq ?? 5000 };
  const sent: Sent[] = [];
  let time = options.start ?? START;
  const send = (from: Side, flags: number, payload: Uint8Array = EMPTY_BYTES) => {
    const to: Side = from === 'client' ? 'server' : 'client';
    const ack = (flags & ACK) === 0 ? 0 : next[to];
    sent.push({ time, source: ends[from], destination: ends[to], seq: next[from], ack, flags, payload });
    next[from] = (next[from] + payload.length + (flags & SYN) / SYN + (flags & FIN)) >>> 0;
    time += step;
  };
  if (open) {
    send('client', SYN);
    send('server', SYN | ACK);
    send('client', ACK);
  } else {
    next.client = (next.client + 1) >>> 0;
    next.server = (next.server + 1) >>> 0;
  }
  for (const turn of turns) {
    const bytes = bytesOf(turn.bytes);
    for (let at = 0; at < bytes.length; at += segmentSize) {
      const payload = bytes.subarray(at, at + segmentSize);
      send(turn.from, at + segmentSize >= bytes.length ? PSH | ACK : ACK, payload);
    }
    send(turn.from === 'client' ? 'server' : 'client', ACK);
  }
  if (close) {
    send('client', FIN | ACK);
    send('server', FIN | ACK);
    send('client', ACK);
  }
  return sent;
}

/** The same as `packetDecoder` should give for `packets(sent)`. */
export function segments(sent: readonly Sent[], capture = 0): Segment[] {
  return sent.map((one, index) => ({
    kind: 'segment',
    origin: { capture, frame: index + 1, time: timeOf(one, index) },
    flow: flowOf(one.source, one.destination),
    seq: one.seq ?? 0,
    ack: one.ack ?? 0,
    flags: one.flags ?? ACK,
    payload: bytesOf(one.payload ?? EMPTY_BYTES),
    missing: 0,
    window: 0xffff,
    sack: undefined,
  }));
}

/** A fresh flow, not interned. */
export function flowOf(source: Endpoint, destination: Endpoint): Flow {
  const a = `${source.address}:${source.port}`;
  const b = `${destination.address}:${destination.port}`;
  return { key: `${a}-${b}`, reverseKey: `${b}-${a}`, source, destination };
}

/** Ethernet packets of a capture file. */
export function packets(sent: readonly Sent[]): Packet[] {
  return sent.map((one, index) => ({ time: timeOf(one, index), bytes: ethernet(ipOf(one)) }));
}

/** Frames as `captureReader` would give them. */
export function frames(list: readonly Packet[], linkType = 1, capture = 0): Frame[] {
  return list.map(({ time, bytes, originalLength = bytes.length }, index) => ({
    kind: 'frame',
    digits: 9,
    origin: { capture, frame: index + 1, time },
    linkType,
    data: bytes,
    originalLength,
  }));
}

// --- Link, network and transport headers ---

/** An IPv4 or IPv6 packet with one TCP segment. */
export function ipOf(sent: Sent, options: IpOptions = {}): Uint8Array {
  return ip(sent.source.address, sent.destination.address, 6, tcp(sent), options);
}

export function ethernet(payload: Uint8Array, etherType = payload[0] >> 4 === 6 ? 0x86dd : 0x0800): Uint8Array {
  return concat([bytes('0200000000020200000000 01'), be16(etherType), payload]);
}

/** An 802.1Q tag and what follows it; the payload of an Ethernet frame of type 0x8100 (or 0x88a8, 0x9100). */
export function vlan(id: number, etherType: number, payload: Uint8Array): Uint8Array {
  return concat([be16(id), be16(etherType), payload]);
}

export interface IpOptions {
  /** IPv4 header options, a multiple of 4 bytes; IPv6 extension headers with their next-header chain. */
  readonly options?: Uint8Array;
  readonly id?: number;
  /** Byte offset of a fragment, and whether more follow (IPv4). */
  readonly offset?: number;
  readonly more?: boolean;
  /** Overrides the length field. */
  readonly totalLength?: number;
}

/** An IPv4 or IPv6 packet, by the form of the addresses. */
export function ip(source: string, destination: string, protocol: number, payload: Uint8Array, o: IpOptions = {}) {
  const options = o.options ?? EMPTY_BYTES;
  const from = addressBytes(source);
  const to = addressBytes(destination);
  if (from.length === 16) {
    const length = o.totalLength ?? options.length + payload.length;
    return concat([bytes('60000000'), be16(length), Uint8Array.of(protocol, 64), from, to, options, payload]);
  }
  const header = new Uint8Array(20 + options.length);
  const length = o.totalLength ?? header.length + payload.length;
  const fragment = (o.more === true ? 0x2000 : 0) | ((o.offset ?? 0) >> 3);
  header.set(concat([Uint8Array.of(0x40 | (header.length / 4), 0), be16(length), be16(o.id ?? 1), be16(fragment)]));
  header.set([64, protocol], 8);
  header.set(from, 12);
  header.set(to, 16);
  header.set(options, 20);
  header.set(be16(checksum(header)), 10);
  return concat([header, payload]);
}

/** A TCP header and its payload. */
export function tcp(sent: Sent): Uint8Array {
  const options = sent.options ?? EMPTY_BYTES;
  const payload = bytesOf(sent.payload ?? EMPTY_BYTES);
  const segment = concat([
    be16(sent.source.port),
    be16(sent.destination.port),
    be32(sent.seq ?? 0),
    be32(sent.ack ?? 0),
    Uint8Array.of((5 + options.length / 4) << 4, sent.flags ?? ACK, 0xff, 0xff, 0, 0, 0, 0),
    options,
    payload,
  ]);
  const ends = [addressBytes(sent.source.address), addressBytes(sent.destination.address)];
  segment.set(be16(checksum(concat([...ends, be32(6), be32(segment.length), segment]))), 16);
  return segment;
}

/** A UDP header (checksum 0: none) and its payload. */
export function udp(sourcePort: number, destinationPort: number, payload: Uint8Array): Uint8Array {
  return concat([be16(sourcePort), be16(destinationPort), be16(8 + payload.length), be16(0), payload]);
}

// --- Capture files ---

export interface PcapOptions {
  readonly linkType?: number;
  readonly variant?: 'micro' | 'nano' | 'modified';
  readonly bigEndian?: boolean;
  readonly snapLength?: number;
}

/** A classic capture file. */
export function pcap(list: readonly Packet[], options: PcapOptions = {}): Uint8Array {
  const { linkType = 1, variant = 'micro', bigEndian = false, snapLength = 262_144 } = options;
  const u16 = bigEndian ? be16 : le16;
  const u32 = bigEndian ? be32 : le32;
  const magic = { micro: 0xa1b2c3d4, nano: 0xa1b23c4d, modified: 0xa1b2cd34 }[variant];
  const parts = [u32(magic), u16(2), u16(4), u32(0), u32(0), u32(snapLength), u32(linkType)];
  for (const { time, bytes: data, originalLength = data.length } of list) {
    const fraction = time % 1_000_000_000n;
    parts.push(
      u32(Number(time / 1_000_000_000n)),
      u32(Number(variant === 'nano' ? fraction : fraction / 1000n)),
      u32(data.length),
      u32(originalLength),
    );
    if (variant === 'modified') parts.push(new Uint8Array(8));
    parts.push(data);
  }
  return concat(parts);
}

/** A pcapng file of one section and one interface. */
export function pcapng(list: readonly Packet[], linkType = 1, bigEndian = false): Uint8Array {
  const b = pcapngBlocks(bigEndian);
  return concat([b.section(), b.interface(linkType), ...list.map((p) => b.enhanced(p))]);
}

/** Builders of pcapng blocks in one byte order; a file is their concatenation. */
export function pcapngBlocks(bigEndian = false) {
  const u16 = bigEndian ? be16 : le16;
  const u32 = bigEndian ? be32 : le32;
  const block = (type: number, ...body: Uint8Array[]): Uint8Array => {
    const whole = padded(concat([EMPTY_BYTES, ...body]));
    const length = u32(whole.length + 12);
    return concat([u32(type), length, whole, length]);
  };
  const option = (code: number, value: Uint8Array): Uint8Array =>
    concat([u16(code), u16(value.length), padded(value), EMPTY_BYTES]);
  const ticks = (time: bigint) => concat([u32(Number(time >> 32n)), u32(Number(time & 0xffffffffn))]);
  return {
    block,
    option,
    u16,
    u32,
    u64: (value: bigint) => {
      const high = u32(Number(value >> 32n));
      const low = u32(Number(value & 0xffffffffn));
      return bigEndian ? concat([high, low]) : concat([low, high]);
    },
    section: (length = 0xffffffffffffffffn) =>
      block(0x0a0d0d0a, u32(0x1a2b3c4d), u16(1), u16(0), u32(Number(length & 0xffffffffn)), u32(Number(length >> 32n))),
    interface: (linkType = 1, snapLength = 0, ...options: Uint8Array[]) =>
      block(1, u16(linkType), u16(0), u32(snapLength), ...options),
    /** `unit`: ns of one tick of the interface, 1000 by default. */
    enhanced: (p: Packet, interfaceId = 0, unit = 1000n, ...options: Uint8Array[]) =>
      block(
        6,
        u32(interfaceId),
        ticks(p.time / unit),
        u32(p.bytes.length),
        u32(p.originalLength ?? p.bytes.length),
        padded(p.bytes),
        ...options,
      ),
    simple: (p: Packet) => block(3, u32(p.originalLength ?? p.bytes.length), p.bytes),
    obsolete: (p: Packet, interfaceId = 0, unit = 1000n) =>
      block(
        2,
        u16(interfaceId),
        u16(0),
        ticks(p.time / unit),
        u32(p.bytes.length),
        u32(p.originalLength ?? p.bytes.length),
        padded(p.bytes),
      ),
    secrets: (type: number, text: string) => block(10, u32(type), u32(text.length), bytesOf(text)),
    statistics: (interfaceId: number, ...options: Uint8Array[]) =>
      block(5, u32(interfaceId), u32(0), u32(0), ...options),
  };
}

// --- Bytes ---

/** UTF-8 bytes of a text; bytes as they are. */
export function bytesOf(data: Uint8Array | string): Uint8Array {
  return typeof data === 'string' ? new Uint8Array(Buffer.from(data)) : data;
}

/** Bytes from hexadecimal digits; white space between them is fine. */
export function bytes(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex.replace(/\s+/g, ''), 'hex'));
}

export function be16(value: number): Uint8Array {
  return Uint8Array.of(value >> 8, value);
}

export function be32(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}

function le16(value: number): Uint8Array {
  return be16(value).reverse();
}

function le32(value: number): Uint8Array {
  return be32(value).reverse();
}

function padded(data: Uint8Array): Uint8Array {
  return data.length % 4 === 0 ? data : concat([data, new Uint8Array(4 - (data.length % 4))]);
}

/** 4 or 16 bytes of an address in text form. */
export function addressBytes(address: string): Uint8Array {
  if (!address.includes(':')) return Uint8Array.from(address.split('.'), Number);
  const [head, tail] = address.split('::');
  const groups = (text: string | undefined) => (text === undefined || text === '' ? [] : text.split(':'));
  const before = groups(head);
  const after = groups(tail);
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  return concat([...before, ...zeros, ...after].map((group) => be16(Number.parseInt(group, 16))));
}

function timeOf(sent: Sent, index: number): bigint {
  return sent.time ?? START + BigInt(index) * MILLISECOND;
}

/** RFC 1071. */
function checksum(data: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < data.length; i += 1) sum += i % 2 === 0 ? data[i] << 8 : data[i];
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 0x10000);
  return ~sum & 0xffff;
}

const PSH = 8;
