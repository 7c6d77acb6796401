// Writes a pcapng file (draft-ietf-opsawg-pcapng), little endian, one interface, nanoseconds: what kubeseq records is
// kept as one file with its drops and, where that is asked for, its secrets. Knows blocks; opens no file.

import type { Frame } from './frame.js';
import {
  BYTE_ORDER,
  ENHANCED_PACKET,
  IF_TSRESOL,
  INTERFACE,
  ISB_OSDROP,
  SECRETS,
  SECTION,
  STATISTICS,
  TLS_KEY_LOG,
} from './pcapng-codes.js';

/**
 * First blocks of a file: section, interface and, in front of the packets that need them, secrets.
 *
 * @param keyLog text of an NSS key log; absent: no secrets.
 */
export function pcapngHead(linkType: number, options: { readonly keyLog?: string } = {}): Uint8Array {
  const section = block(SECTION, [u32(BYTE_ORDER), u16(1), u16(0), new Uint8Array(8).fill(0xff)]);
  const resolution = [u16(IF_TSRESOL), u16(1), new Uint8Array([NANOSECONDS, 0, 0, 0]), u32(0)];
  const description = block(INTERFACE, [u16(linkType), u16(0), u32(0), ...resolution]);
  if (options.keyLog === undefined || options.keyLog === '') return joined([section, description]);
  const text = new TextEncoder().encode(options.keyLog);
  return joined([section, description, block(SECRETS, [u32(TLS_KEY_LOG), u32(text.length), text])]);
}

/** One packet. */
export function pcapngPacket({ origin, data, originalLength }: Frame): Uint8Array {
  return block(ENHANCED_PACKET, [u32(0), ...time(origin.time), u32(data.length), u32(originalLength), data]);
}

/**
 * Last block of a file: what the capturing program lost.
 *
 * @param at ns since the epoch: the end of the capture.
 */
export function pcapngDrops(at: bigint, dropped: number): Uint8Array {
  const count = [u16(ISB_OSDROP), u16(8), u32(dropped % 2 ** 32), u32(Math.floor(dropped / 2 ** 32)), u32(0)];
  return block(STATISTICS, [u32(0), ...time(at), ...count]);
}

//   block  [ type 4 | length 4 | body … padded to 4 | length 4 ]
function block(type: number, body: readonly Uint8Array[]): Uint8Array {
  const size = body.reduce((sum, part) => sum + part.length, 0);
  const padding = (4 - (size % 4)) % 4;
  const length = u32(12 + size + padding);
  return joined([u32(type), length, ...body, new Uint8Array(padding), length]);
}

/** The upper half comes first, whatever the byte order. */
function time(ns: bigint): [Uint8Array, Uint8Array] {
  return [u32(Number(ns >> 32n)), u32(Number(ns & 0xffff_ffffn))];
}

function u16(value: number): Uint8Array {
  return new Uint8Array([value & 0xff, value >>> 8]);
}

function u32(value: number): Uint8Array {
  return new Uint8Array([value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** if_tsresol: 10^-9 s. */
const NANOSECONDS = 9;
