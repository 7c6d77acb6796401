// Recognises a ClientHello in the first bytes of a connection, or in those that end it where the first ones are missing.

import { u16be } from '../core/bytes/bytes.js';
import { HANDSHAKE } from '../core/first-bytes.js';
import { CLIENT_HELLO } from './handshake.js';

/**
 * @param bytes of one segment of a client, borrowed. @param isBeginning they are the first of its connection; else others are missing
 *   before them, and the server has sent nothing.
 * @returns what they are part of, in words; null: it is not known.
 */
export function clientHelloWords(bytes: Uint8Array, isBeginning: boolean): string | null {
  const isHello = isBeginning
    ? bytes[0] === HANDSHAKE && bytes[1] === 3 && bytes[5] === CLIENT_HELLO
    : endsHello(bytes);
  return isHello ? 'a TLS ClientHello' : null;
}

/** Whether a key share stands in the bytes, and whole extensions from its end to theirs (RFC 8446, sections 4.2 and 4.2.8). */
//   … [ group:16 | length:16 | key ][ extension:16 | length:16 | content ] …
function endsHello(bytes: Uint8Array): boolean {
  for (let at = 0; at + 4 <= bytes.length; at++) {
    const length = u16be(bytes, at + 2);
    if (KEY_BYTES.get(u16be(bytes, at)) !== length) continue;
    let next = at + 4 + length;
    while (next + 4 <= bytes.length) next += 4 + u16be(bytes, next + 2);
    if (next === bytes.length) return true;
  }
  return false;
}

/** Named group → bytes of its key (RFC 8446, section 4.2.8.2; RFC 7748): secp256r1, secp384r1, secp521r1, x25519, x448. */
const KEY_BYTES: ReadonlyMap<number, number> = new Map([
  [23, 65],
  [24, 97],
  [25, 133],
  [29, 32],
  [30, 56],
]);
