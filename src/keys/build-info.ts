// Reads the Go version that a program was built with (.go.buildinfo; debug/buildinfo/buildinfo.go).

import { latin1, latin1Bytes } from '../core/bytes/bytes.js';
import { type Bytes, type Elf, u64 } from './elf.js';

/** @returns e.g. `go1.24.6`, printable; null if the program does not hold it. */
export function goVersion(elf: Elf): string | null {
  const at = addressOf(elf);
  if (at < 0) return null;
  //   [ "\xff Go buildinf:" 14 | pointer size | flags | … ]  flags: 1 big endian, 2 the texts follow at 32
  const head = elf.bytesAt(at, INLINE_AT + VERSION_LIMIT);
  const flags = head[15] ?? 0;
  const version =
    (flags & INLINE) === 0
      ? pointedText(elf, elf.pointerAt(at + 16))
      : prefixedText(head, Math.min(INLINE_AT, head.length));
  return /^(?:go|devel )[\x20-\x7e]{1,100}$/.test(version) ? version : null;
}

/** Minor number of a Go version: 24 for `go1.24.6`; null if it has none. */
export function goMinor(version: string | null): number | null {
  const match = /\bgo1\.(\d{1,3})(?!\d)/.exec(version ?? '');
  return match === null ? null : Number(match[1]);
}

/** Without a section of its own, the linker puts the build info at the start of the first writable segment. */
function addressOf(elf: Elf): number {
  const section = elf.section('.go.buildinfo');
  const starts =
    section !== null ? [section.address] : elf.segments.filter((one) => one.writable).map((one) => one.address);
  for (const start of starts) {
    for (const at of elf.find(start, SEARCH_LIMIT, Buffer.from(MAGIC))) if (at % ALIGNMENT === 0) return at;
  }
  return -1;
}

/** Go 1.17 and before: a pointer to a Go string, which is a pointer and a length. */
function pointedText(elf: Elf, text: number): string {
  const start = elf.pointerAt(text);
  const length = elf.bytesAt(text + 8, 8);
  if (start === 0 || length.length < 8) return '';
  return elf.bytesAt(start, Math.min(u64(length, 0), VERSION_LIMIT)).toString('latin1');
}

/** Since Go 1.18: a varint of at most two bytes, then the text. */
function prefixedText(bytes: Bytes, at: number): string {
  let [length, next] = [bytes[at] ?? 0, at + 1];
  if (length >= 0x80) {
    length = (length & 0x7f) | ((bytes[next] ?? 0) << 7);
    next += 1;
  }
  return latin1(bytes, next, next + Math.min(length, VERSION_LIMIT));
}

const MAGIC = latin1Bytes('\xff Go buildinf:');
const INLINE = 2;
const INLINE_AT = 32;
const ALIGNMENT = 16;
/** Limit in bytes: a Go version; development builds have some eighty. */
const VERSION_LIMIT = 128;
/** Limit in bytes: part of a segment that is searched for the Go version; kubelet's data has some 5 MiB. */
const SEARCH_LIMIT = 64 * 1024 * 1024;
