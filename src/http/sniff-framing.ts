// What a body is whose head is not in the capture, told from its first piece. Pure; a guess only where the bytes prove it.

import type { BodyFraming } from './exchange-event.js';
import { prefixProves } from './length-prefixed.js';

/** `whole`: nothing is proven. */
export function sniffFraming(bytes: Uint8Array): BodyFraming {
  if (beginsWith(bytes, WATCH_EVENT)) return 'json-documents';
  if (beginsWith(bytes, CBOR_EVENT)) return 'cbor-sequence';
  if (prefixProves(bytes, 5)) return 'grpc';
  return prefixProves(bytes, 4) ? 'length-prefixed' : 'whole';
}

function beginsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  if (bytes.length < start.length) return false;
  for (let i = 0; i < start.length; i++) if (bytes[i] !== start[i]) return false;
  return true;
}

/** Tagged as CBOR (RFC 8949, 3.4.6), a map of two members, as a watch event is. */
const CBOR_EVENT = Uint8Array.of(0xd9, 0xd9, 0xf7, 0xa2);
const WATCH_EVENT = Uint8Array.from(Buffer.from('{"type":"', 'latin1'));
