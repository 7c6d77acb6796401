// What a body is whose head is not in the capture, told from its first piece. Pure; a guess only where the bytes prove it.

import type { BodyFraming } from '../exchange-event.js';
import { TAGGED_MAP } from './cbor-sequence.js';
import { prefixProves } from './length-prefixed.js';

/** `whole`: nothing is proven. */
export function sniffFraming(bytes: Uint8Array): BodyFraming {
  if (beginsWith(bytes, JSON_EVENT)) return 'json-documents';
  if (beginsWith(bytes, TAGGED_MAP)) return 'cbor-sequence';
  if (prefixProves(bytes, 5)) return 'grpc';
  return prefixProves(bytes, 4) ? 'length-prefixed' : 'whole';
}

function beginsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  if (bytes.length < start.length) return false;
  for (let i = 0; i < start.length; i++) if (bytes[i] !== start[i]) return false;
  return true;
}

/** How a watch event in JSON begins. */
export const JSON_EVENT = Uint8Array.from(Buffer.from('{"type":"', 'latin1'));
