// Bytes from which messages of other protocols are put together: numbers in both orders, lengths before what they count,
// turns of a conversation.

import { concat } from '../../../src/core/bytes/bytes.js';
import { bytesOf, type Turn } from '../packetiser.js';

/** A protocol that is not HTTP, and a conversation in it as its specification says. */
export interface Spoken {
  readonly name: string;
  /** The server's usual port. */
  readonly port: number;
  readonly turns: readonly Turn[];
}

export type Part = Uint8Array | string;

export const join = (...parts: Part[]): Uint8Array => concat([new Uint8Array(0), ...parts.map(bytesOf)]);
export const client = (...parts: Part[]): Turn => ({ from: 'client', bytes: join(...parts) });
export const server = (...parts: Part[]): Turn => ({ from: 'server', bytes: join(...parts) });

/** `build(0)`, `build(1)` … as one conversation. */
export function times(count: number, build: (index: number) => readonly Turn[]): Turn[] {
  return Array.from({ length: count }, (_, index) => build(index)).flat();
}

function buffer(length: number, write: (buffer: Buffer) => void): Uint8Array {
  const bytes = Buffer.alloc(length);
  write(bytes);
  return bytes;
}

export const u8 = (...values: number[]): Uint8Array => Uint8Array.from(values);
export const u16 = (value: number): Uint8Array => buffer(2, (b) => b.writeUInt16BE(value));
export const u24 = (value: number): Uint8Array => buffer(3, (b) => b.writeUIntBE(value, 0, 3));
export const u32 = (value: number): Uint8Array => buffer(4, (b) => b.writeUInt32BE(value >>> 0));
export const u64 = (value: number): Uint8Array => buffer(8, (b) => b.writeBigUInt64BE(BigInt(value)));
export const le16 = (value: number): Uint8Array => buffer(2, (b) => b.writeUInt16LE(value));
export const le24 = (value: number): Uint8Array => buffer(3, (b) => b.writeUIntLE(value, 0, 3));
export const le32 = (value: number): Uint8Array => buffer(4, (b) => b.writeUInt32LE(value >>> 0));
export const le64 = (value: number): Uint8Array => buffer(8, (b) => b.writeBigUInt64LE(BigInt(value)));
export const f32 = (value: number): Uint8Array => buffer(4, (b) => b.writeFloatBE(value));
export const zeros = (length: number): Uint8Array => new Uint8Array(length);
export const hex = (digits: string): Uint8Array => Buffer.from(digits.replace(/\s+/g, ''), 'hex');
export const utf16 = (text: string): Uint8Array => Buffer.from(text, 'utf16le');

/** What `size` makes of the length of the parts, and the parts. */
export function counted(size: (length: number) => Uint8Array, ...parts: Part[]): Uint8Array {
  const body = join(...parts);
  return join(size(body.length), body);
}

export const s8 = (...parts: Part[]): Uint8Array => counted(u8, ...parts);
export const s16 = (...parts: Part[]): Uint8Array => counted(u16, ...parts);
export const s32 = (...parts: Part[]): Uint8Array => counted(u32, ...parts);

/** The same bytes for the same seed (Lehmer's generator). */
export function noise(length: number, seed: number): Uint8Array {
  let state = (seed % 0x7fff_fffe) + 1;
  return Uint8Array.from({ length }, () => {
    state = (state * 48_271) % 0x7fff_ffff;
    return state >> 16;
  });
}

/** BER: a tag, the length of what follows in the short or long form (X.690, 8.1.3). */
export function tlv(tag: number, ...parts: Part[]): Uint8Array {
  const body = join(...parts);
  const length = body.length < 0x80 ? u8(body.length) : join(u8(0x82), u16(body.length));
  return join(u8(tag), length, body);
}

/** Seven bits a byte, least first: protobuf, MQTT, Bitcoin's sizes below 253. */
export function varint(value: number): Uint8Array {
  const out: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    out.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return u8(...out, rest);
}
