// Decodes CBOR (RFC 8949), as Kubernetes writes it (KEP-4222), to a plain value.

import { text } from '../../core/bytes/bytes.js';
import { setOwn } from '../../protobuf/decode.js';

/** @returns the value as JSON would have it; byte strings are text (Kubernetes writes strings so); null where none. */
export function cborValue(bytes: Uint8Array): { value: unknown; complete: boolean } {
  const reader: Reader = { bytes, at: 0, ok: true, values: 0 };
  return { value: item(reader, 1), complete: reader.ok };
}

interface Reader {
  readonly bytes: Uint8Array;
  at: number;
  ok: boolean;
  values: number;
}

/** @param endable it may be the end of a container of no stated length: BREAK, nowhere else (RFC 8949, 3.2.1). */
function item(r: Reader, depth: number, endable = false): unknown {
  if (depth > DEPTH_LIMIT || ++r.values > VALUES_LIMIT || r.at >= r.bytes.length) return fail(r);
  const initial = r.bytes[r.at++];
  const major = initial >> 5;
  const info = initial & 31;
  if (initial === 0xff) return endable ? BREAK : fail(r);
  if (major === 7) return simple(r, info);
  const indefinite = info === 31 && major >= 2 && major <= 5;
  const length = indefinite ? Number.POSITIVE_INFINITY : argument(r, info);
  if (!r.ok) return null;
  switch (major) {
    case 0:
      return length;
    case 1:
      return -1 - length;
    case 2:
    case 3:
      return indefinite ? chunks(r, major) : string(r, length);
    case 4:
      return list(r, length, depth);
    case 5:
      return map(r, length, depth);
    default:
      return item(r, depth + 1); // A tag, which changes nothing here.
  }
}

function argument(r: Reader, info: number): number {
  if (info < 24) return info;
  const size = info <= 27 ? 1 << (info - 24) : 0;
  if (size === 0 || r.bytes.length - r.at < size) {
    fail(r);
    return 0;
  }
  let value = 0;
  for (let i = 0; i < size; i++) value = value * 256 + r.bytes[r.at++];
  return value;
}

function string(r: Reader, length: number): string {
  const end = Math.min(r.at + length, r.bytes.length);
  if (end - r.at < length) r.ok = false;
  const value = text(r.bytes, r.at, end);
  r.at = end;
  return value;
}

/** Each is a string of the same kind that states its length (RFC 8949, 3.2.3). */
function chunks(r: Reader, major: number): string {
  const parts: string[] = [];
  while (r.ok) {
    const initial = r.bytes[r.at++];
    if (initial === 0xff) break;
    if (initial >> 5 !== major) fail(r);
    else parts.push(string(r, argument(r, initial & 31)));
  }
  return parts.join('');
}

function list(r: Reader, length: number, depth: number): unknown[] {
  const values: unknown[] = [];
  for (let i = 0; i < length && r.ok; i++) {
    const value = item(r, depth + 1, length === Number.POSITIVE_INFINITY);
    if (value === BREAK) break;
    values.push(value);
  }
  return values;
}

function map(r: Reader, length: number, depth: number): object {
  const values = {};
  for (let i = 0; i < length && r.ok; i++) {
    const key = item(r, depth + 1, length === Number.POSITIVE_INFINITY);
    if (key === BREAK || !r.ok) break;
    setOwn(values, String(key), item(r, depth + 1));
  }
  return values;
}

function simple(r: Reader, info: number): unknown {
  const at = r.at;
  switch (info) {
    case 20:
      return false;
    case 21:
      return true;
    case 22:
    case 23:
      return null;
    case 25:
    case 26:
    case 27: {
      const size = 1 << (info - 24);
      if (r.bytes.length - at < size) return fail(r);
      r.at += size;
      const view = new DataView(r.bytes.buffer, r.bytes.byteOffset + at, size);
      if (size === 8) return view.getFloat64(0);
      return size === 4 ? view.getFloat32(0) : half(view.getUint16(0));
    }
    default:
      return fail(r);
  }
}

/** RFC 8949, appendix D. */
function half(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const mantissa = bits & 1023;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  if (exponent === 31) return mantissa === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (mantissa + 1024) * 2 ** (exponent - 25);
}

function fail(r: Reader): null {
  r.ok = false;
  r.at = r.bytes.length;
  return null;
}

const BREAK = Symbol('break');

/** Limit: nesting: Kubernetes' own decoder stops at 64. */
const DEPTH_LIMIT = 64;

/** Limit: values of one document: one takes one byte on the wire and some 16 to 60 in memory, so 60 MB at most. */
const VALUES_LIMIT = 1_000_000;
