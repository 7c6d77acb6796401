// Formats the blocks of a pcapng file (draft-ietf-opsawg-pcapng): little endian, one interface, nanoseconds.

import { concat } from '../core/bytes/bytes.js';
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
} from './pcapng.js';

/**
 * The first blocks of a file: section, interface and, before the packets that need them, secrets.
 * @param options `keyLog`: text of an NSS key log.
 */
export function pcapngHead(linkType: number, options: { readonly keyLog?: string } = {}): Uint8Array {
  const section = block(SECTION, [u32(BYTE_ORDER), u16(1), u16(0), new Uint8Array(8).fill(0xff)]);
  const resolution = [u16(IF_TSRESOL), u16(1), new Uint8Array([NANOSECONDS, 0, 0, 0]), u32(0)];
  const description = block(INTERFACE, [u16(linkType), u16(0), u32(0), ...resolution]);
  if (options.keyLog === undefined || options.keyLog === '') return concat([section, description]);
  const text = new TextEncoder().encode(options.keyLog);
  return concat([section, description, block(SECRETS, [u32(TLS_KEY_LOG), u32(text.length), text])]);
}

export function pcapngPacket(frame: Frame): Uint8Array {
  return annotatedPacket(frame, []);
}

/** @param comments one option each. */
export function annotatedPacket({ origin, data, originalLength }: Frame, comments: readonly string[]): Uint8Array {
  const fields = [u32(0), ...time(origin.time), u32(data.length), u32(originalLength), data];
  if (comments.length === 0) return block(ENHANCED_PACKET, fields);
  const padding = new Uint8Array((4 - (data.length % 4)) % 4);
  return block(ENHANCED_PACKET, [...fields, padding, commentOptions(comments, false, true)]);
}

/**
 * Options of a block, one comment each.
 *
 * @param isLast no other options follow.
 */
export function commentOptions(comments: readonly string[], isBigEndian: boolean, isLast: boolean): Uint8Array {
  const encoder = new TextEncoder();
  const parts = comments.flatMap((comment) => {
    const text = encoder.encode(comment).subarray(0, MAX_COMMENT);
    const head = new Uint8Array(4);
    const view = new DataView(head.buffer);
    view.setUint16(0, OPT_COMMENT, !isBigEndian);
    view.setUint16(2, text.length, !isBigEndian);
    return [head, text, new Uint8Array((4 - (text.length % 4)) % 4)];
  });
  return concat(isLast ? [...parts, new Uint8Array(4)] : parts);
}

/** The last block of a file: the packets that the capturing program lost. @param at end of the capture, ns since the epoch. */
export function pcapngDrops(at: bigint, dropped: number): Uint8Array {
  const count = [u16(ISB_OSDROP), u16(8), u32(dropped % 2 ** 32), u32(Math.floor(dropped / 2 ** 32)), u32(0)];
  return block(STATISTICS, [u32(0), ...time(at), ...count]);
}

//   block  [ type 4 | length 4 | body … padded to 4 | length 4 ]
function block(type: number, body: readonly Uint8Array[]): Uint8Array {
  const size = body.reduce((sum, part) => sum + part.length, 0);
  const padding = (4 - (size % 4)) % 4;
  const length = u32(12 + size + padding);
  return concat([u32(type), length, ...body, new Uint8Array(padding), length]);
}

/** The upper half comes first in both byte orders. */
function time(ns: bigint): [Uint8Array, Uint8Array] {
  return [u32(Number(ns >> 32n)), u32(Number(ns & 0xffff_ffffn))];
}

function u16(value: number): Uint8Array {
  return new Uint8Array([value & 0xff, value >>> 8]);
}

function u32(value: number): Uint8Array {
  return new Uint8Array([value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24]);
}

const OPT_COMMENT = 1;
/** Limit in bytes: one comment, whose length has 16 bits. */
const MAX_COMMENT = 65_535;
/** if_tsresol: 10^-9 s. */
const NANOSECONDS = 9;
