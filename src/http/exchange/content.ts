// Decodes content codings (RFC 9110 section 8.4) and transfer codings (RFC 9112 section 7.2): gzip, deflate, br. Cut or broken input
// yields as much as can be decoded, and the output is limited while it is produced.

import { EMPTY_BYTES } from '../../core/bytes/bytes.js';
import { fieldValue } from '../../core/fields.js';
import { gunzip, type Inflater, inflate, inflateRaw, unbrotli } from '../../platform/compression.js';

/** Limit in bytes: what a compressed body may become: a list of some thousand Pods; Suricata stops at 1 MiB, Envoy at a ratio. */
export const MAX_DECODED_BYTES = 10 * 1024 * 1024;
/** Limit: decoded bytes per encoded byte of a body, but 1 MiB always: lists of nearly equal objects reach 30 to 50, zeros a thousand. */
export const MAX_RATIO = 100;
/** Decoded bytes that are always allowed, however short the body is. */
const ALWAYS = 1024 * 1024;
/** Limit: codings of one body on top of each other; in practice there is one. */
export const MAX_CODINGS = 2;

export interface Decoded {
  readonly bytes: Uint8Array;
  /** False if the coding was cut, broken or unknown, or the limit was reached. */
  readonly complete: boolean;
  /** The output would exceed MAX_DECODED_BYTES or MAX_RATIO. */
  readonly limited?: boolean;
}

/**
 * @param encoding value of Content-Encoding: codings in the order in which they were applied.
 * @returns no bytes for an unknown coding, because encoded bytes would be taken for content.
 */
export function decodeContent(bytes: Uint8Array, encoding: string): Decoded {
  if (isIdentity(encoding)) return { bytes, complete: true };
  const codings = encoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => !isIdentity(coding));
  if (codings.length > MAX_CODINGS) return { bytes: EMPTY_BYTES, complete: false };
  let decoded: Decoded = { bytes, complete: true };
  for (const coding of codings.reverse()) {
    const next = decodeOne(decoded.bytes, coding);
    const limited = decoded.limited === true || next.limited === true;
    decoded = { bytes: next.bytes, complete: decoded.complete && next.complete, ...(limited ? { limited } : null) };
  }
  return decoded;
}

/** The codings of a body whose chunks were joined, for `decodeContent`. */
export function codingsOf(fields: readonly string[]): string {
  const content = fieldValue(fields, 'content-encoding') ?? '';
  const transfer = fieldValue(fields, 'transfer-encoding');
  if (transfer === undefined || transfer === 'chunked') return content;
  const codings = [content];
  // Several lines are one list (RFC 9110, section 5.3). Parameters follow a semicolon, and no coding has any.
  for (let i = 0; i + 1 < fields.length; i += 2)
    if (fields[i].toLowerCase() === 'transfer-encoding')
      for (const coding of fields[i + 1].split(',')) codings.push(coding.split(';', 1)[0].trim().toLowerCase());
  return codings.filter((coding) => !isIdentity(coding) && coding !== 'chunked').join(', ');
}

export function isIdentity(encoding: string): boolean {
  return encoding === '' || encoding === 'identity';
}

export function isGzip(encoding: string): boolean {
  return encoding === 'gzip' || /^(?:x-)?gzip$/i.test(encoding);
}

function decodeOne(bytes: Uint8Array, coding: string): Decoded {
  if (bytes.length === 0) return { bytes: EMPTY_BYTES, complete: false };
  if (isGzip(coding)) return decodedBy(gunzip, bytes);
  switch (coding) {
    case 'deflate':
      // "deflate" implies a zlib header, which some senders omit (RFC 9110 section 8.4.1.2, note).
      return (bytes[0] & 0x0f) === DEFLATE_METHOD && ((bytes[0] << 8) | bytes[1]) % 31 === 0
        ? decodedBy(inflate, bytes)
        : decodedBy(inflateRaw, bytes);
    case 'br':
      return decodedBy(unbrotli, bytes);
    default:
      return { bytes: EMPTY_BYTES, complete: false };
  }
}

function decodedBy(inflater: Inflater, bytes: Uint8Array): Decoded {
  const maxBytes = Math.min(MAX_DECODED_BYTES, Math.max(ALWAYS, MAX_RATIO * bytes.length));
  const whole = inflater(bytes, { maxBytes });
  if (whole instanceof Uint8Array) return { bytes: whole, complete: true };
  const limited = whole === 'too large';
  const part = limited ? whole : inflater(bytes, { maxBytes, mayBeCut: true });
  if (part instanceof Uint8Array) return { bytes: part, complete: false };
  // For input that is too large or broken, bisection finds a long prefix that decodes. Each attempt is limited by `maxBytes`, so
  // all of them take at most TRIES times the work of the limit. Of a bomb any prefix is enough.
  let good = 0;
  let bad = limited ? Math.ceil(maxBytes / LARGEST_RATIO) * 2 : bytes.length;
  let best: Uint8Array = EMPTY_BYTES;
  for (let i = 0; i < TRIES && bad - good > 1; i++) {
    if (limited && good > 0) break;
    const middle = (good + bad) >> 1;
    const tried = inflater(bytes.subarray(0, middle), { maxBytes, mayBeCut: true });
    if (tried instanceof Uint8Array) {
      good = middle;
      best = tried;
    } else bad = middle;
  }
  if (!limited) return { bytes: best, complete: false };
  // Extrapolates the prefix that just fits, if the ratio stays the same.
  const more = Math.floor((good * maxBytes * 0.9) / Math.max(1, best.length));
  const tried = more > good ? inflater(bytes.subarray(0, more), { maxBytes, mayBeCut: true }) : null;
  return { bytes: tried instanceof Uint8Array ? tried : best, complete: false, limited };
}

const DEFLATE_METHOD = 8;
const TRIES = 8;
/** The largest ratio of deflate: 258 bytes in 2 bits. */
const LARGEST_RATIO = 1032;
