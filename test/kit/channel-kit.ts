// Tunnels for tests: frames made by hand, and what a channel reader says of them in few words.
import { constants, createDeflate, type Deflate } from 'node:zlib';
import type { Origin } from '../../src/core/origin.js';
import type { ChannelPiece, ChannelReader, ChannelSink } from '../../src/http/exchange/channel.js';
import { SPDY_DICTIONARY } from '../../src/http/spdy/header-blocks.js';
import type { Side } from '../../src/tcp/stream-event.js';
import { originOf } from './http1-kit.js';

/** [who sends, what]; a number instead of bytes is a gap of so many, null one of unknown length. */
export type Sent = readonly [from: Side, bytes: Uint8Array | number | null];

export class Heard implements ChannelSink {
  readonly pieces: ChannelPiece[] = [];
  readonly troubles: string[] = [];
  readonly tunnelled: Parameters<ChannelSink['onTunnelled']>[0][] = [];
  /** `text 1-2`; ` cut` where it is not complete. */
  readonly items: string[] = [];

  onMessage(bytes: Uint8Array, first: Origin, last: Origin, complete: boolean): boolean {
    const text = Buffer.from(bytes).toString('latin1');
    this.items.push(`${text} ${first.frame}-${last.frame}${complete ? '' : ' cut'}`);
    return true;
  }

  onTooLong(): void {
    this.items.push('too long');
  }

  onPiece(piece: ChannelPiece): void {
    this.pieces.push(piece);
  }

  onTunnelled(item: Parameters<ChannelSink['onTunnelled']>[0]): void {
    this.tunnelled.push(item);
  }

  onError(code: string, detail: string): void {
    this.troubles.push(`${code} ${detail}`);
  }

  /** `< stdout 12 1-2`; ` cut` where it is not complete. */
  get words(): string[] {
    return this.pieces.map(
      ({ from, channel, size, first, last, complete }) =>
        `${from === 'client' ? '>' : '<'} ${channel} ${size} ${first.frame}-${last.frame}${complete ? '' : ' cut'}`,
    );
  }
}

/** Feeds pieces as frames 1, 2, 3 …, overwrites each after it was fed, and ends both sides. */
export function heardOf(reader: ChannelReader, sent: readonly Sent[]): Heard {
  const heard = new Heard();
  sent.forEach(([from, bytes], i) => {
    if (bytes === null || typeof bytes === 'number') reader.gap(from, bytes, originOf(i + 1), heard);
    else {
      const borrowed = Uint8Array.from(bytes);
      reader.feed(from, borrowed, originOf(i + 1), heard);
      borrowed.fill(0xee);
    }
  });
  for (const side of ['client', 'server'] as const) reader.end(side, heard, undefined, originOf(sent.length));
  return heard;
}

/** What was said without the frames: what no cut may change. */
export function sizesOf(heard: Heard): string[] {
  return heard.pieces.map(({ from, channel, size, complete }) => `${from} ${channel} ${size} ${complete}`);
}

export const latin = (text: string): Uint8Array => Buffer.from(text, 'latin1');

/** A WebSocket frame. `mask`: four bytes, as a client must (RFC 6455 section 5.3). */
export function webSocket(
  payload: Uint8Array,
  { opcode = 2, final = true, mask = null as Uint8Array | null, rsv = 0 } = {},
): Uint8Array {
  const { length } = payload;
  const size = length < 126 ? [length] : length < 65536 ? [126, length >> 8, length & 255] : [127, 0, 0, 0, 0];
  if (size[0] === 127) size.push(length >>> 24, (length >> 16) & 255, (length >> 8) & 255, length & 255);
  size[0] |= mask === null ? 0 : 0x80;
  const body = mask === null ? payload : payload.map((byte, i) => byte ^ mask[i & 3]);
  return Buffer.concat([Uint8Array.of((final ? 0x80 : 0) | rsv | opcode, ...size), mask ?? new Uint8Array(0), body]);
}

/** A message of remotedialer (message.go). @param type 1 data, 2 connect, 3 error. */
export function dialerMessage(connection: number, type: number, payload: Uint8Array | string): Uint8Array {
  const deadline = type < 3 ? [15_000] : [];
  const numbers = [2 ** 40 + type, connection, type, ...deadline].flatMap((number) => varint(2 * number));
  return Buffer.concat([Uint8Array.from(numbers), Buffer.from(payload)]);
}

function varint(number: number): number[] {
  return number < 0x80 ? [number] : [(number % 0x80) | 0x80, ...varint(Math.floor(number / 0x80))];
}

export const MASK = Uint8Array.of(0x37, 0xfa, 0x21, 0x3d);

const u32 = (value: number): Uint8Array =>
  Uint8Array.of(value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255);

export function spdyData(stream: number, payload: Uint8Array, flags = 0): Uint8Array {
  return Buffer.concat([u32(stream), Uint8Array.of(flags), u32(payload.length).subarray(1), payload]);
}

export function spdyControl(type: number, body: Uint8Array, flags = 0): Uint8Array {
  return Buffer.concat([Uint8Array.of(0x80, 3, 0, type, flags), u32(body.length).subarray(1), body]);
}

/** The header blocks of one direction, compressed as spdystream does: one zlib stream, a sync flush after each. */
export class SpdyHeaders {
  readonly #deflate: Deflate = createDeflate({ dictionary: SPDY_DICTIONARY });
  #parts: Buffer[] = [];

  constructor() {
    this.#deflate.on('data', (part: Buffer) => this.#parts.push(part));
  }

  async block(fields: Readonly<Record<string, string>>): Promise<Uint8Array> {
    const entries = Object.entries(fields);
    const pairs = entries.flatMap(([name, value]) => [u32(name.length), latin(name), u32(value.length), latin(value)]);
    return this.raw(Buffer.concat([u32(entries.length), ...pairs]));
  }

  async raw(bytes: Uint8Array): Promise<Uint8Array> {
    this.#parts = [];
    this.#deflate.write(bytes);
    await new Promise<void>((done) => this.#deflate.flush(constants.Z_SYNC_FLUSH, done));
    return Buffer.concat(this.#parts);
  }

  /** SYN_STREAM of a stream with a `streamType`. */
  async open(stream: number, streamType: string, flags = 0): Promise<Uint8Array> {
    const block = await this.block({ streamtype: streamType, port: '80', requestid: '0' });
    return spdyControl(1, Buffer.concat([u32(stream), u32(0), Uint8Array.of(0, 0), block]), flags);
  }

  async reply(stream: number): Promise<Uint8Array> {
    return spdyControl(2, Buffer.concat([u32(stream), await this.block({})]));
  }
}
