// What a decoded header block is: a request, a response, trailers; and which of its fields have a place of their own.
// Knows pseudo-header fields (RFC 9113, section 8.3), no streams.

import { FieldGatherer } from '../../core/fields.js';
import type { HeaderBlock } from '../hpack/decoder.js';
import type { Fields, RequestHead, ResponseHead } from '../http-event.js';

/** `unclear`: the first field is not known, or there is none. */
export type BlockRole = 'head' | 'trailers' | 'unclear';

/** Pseudo-header fields come first in a head, and trailers have none (RFC 9113, 8.1 and 8.3). */
export function roleOf(block: HeaderBlock): BlockRole {
  const first = block.firstName;
  if (first === undefined) return block.problem === null ? 'trailers' : 'unclear';
  if (first === null) return 'unclear';
  return first.charCodeAt(0) === COLON ? 'head' : 'trailers';
}

/** `:method` and `:path` become method and target (of a CONNECT, `:authority` does); the other fields stay as they are. */
export function requestHead(block: HeaderBlock): RequestHead {
  const all = block.fields;
  let method: string | null = null;
  let target: string | null = null;
  let authority: string | null = null;
  for (let i = 0; i < all.length; i += 2) {
    const name = all[i];
    if (name.charCodeAt(0) === COLON) {
      if (name === ':method') {
        method = all[i + 1];
        continue;
      }
      if (name === ':path') {
        target = all[i + 1];
        continue;
      }
      if (name === ':authority') authority = all[i + 1];
    }
    GATHERED.add(name, all[i + 1]);
  }
  if (method === 'CONNECT' && target === null) target = authority;
  return { kind: 'request-head', version: '2', method, target, fields: GATHERED.take(), partial: block.partial };
}

/** `:status` becomes status, null where it is not known or no number. */
export function responseHead(block: HeaderBlock): ResponseHead {
  const all = block.fields;
  let status: number | null = null;
  let fields: Fields = all;
  for (let i = 0; i < all.length; i += 2) {
    if (all[i] !== ':status') continue;
    status = statusOf(all[i + 1]);
    fields = i === 0 ? all.slice(2) : [...all.slice(0, i), ...all.slice(i + 2)];
    break;
  }
  return { kind: 'response-head', version: '2', status, fields, partial: block.partial };
}

/** Protocol of the tunnel that a request asks for (CONNECT: RFC 9113, 8.5; extended: RFC 8441), or null. */
export function tunnelOf(head: RequestHead): string | null {
  if (head.method !== 'CONNECT') return null;
  for (let i = 0; i < head.fields.length; i += 2) if (head.fields[i] === ':protocol') return head.fields[i + 1];
  return 'tcp';
}

/** Are the names such as HTTP/2 allows (RFC 9113, 8.2.1 and 8.3)? Bytes that only look like a header block have others. */
export function hasLegalNames(block: HeaderBlock): boolean {
  for (let i = 0; i < block.fields.length; i += 2) if (!LEGAL_NAME.test(block.fields[i])) return false;
  return true;
}

function statusOf(value: string): number | null {
  const status = Number(value);
  return value.length === 3 && Number.isInteger(status) && status >= 100 ? status : null;
}

const GATHERED = new FieldGatherer();

const COLON = 0x3a;

const LEGAL_NAME = /^(?::(?:method|scheme|authority|path|status|protocol)|[a-z0-9!#$%&'*+.^_`|~-]+)$/;
