// Derives record keys from secrets: HKDF-Expand-Label of TLS 1.3 (RFC 8446, 7.1, 7.3) and the PRF of TLS 1.2 (RFC 5246, 5 and 6.3).

import { concat, latin1Bytes } from '../core/bytes/bytes.js';
import { hmac } from '../platform/ciphers.js';
import type { Suite } from './suites.js';

/** Keys of one direction. */
export interface RecordKeys {
  readonly key: Uint8Array;
  /** TLS 1.3 and ChaCha20: 12 bytes that are mixed with the sequence number. TLS 1.2 GCM and CCM: 4 bytes of salt. CBC: none. */
  readonly iv: Uint8Array;
  /** HMAC key for CBC, else empty. */
  readonly mac: Uint8Array;
}

/** Keys of a TLS 1.3 traffic secret. */
export function trafficKeys(suite: Suite, secret: Uint8Array): RecordKeys {
  return {
    key: expandLabel(suite.hash, secret, 'key', suite.cipher.keyLength),
    iv: expandLabel(suite.hash, secret, 'iv', 12),
    mac: NO_BYTES,
  };
}

/** The traffic secret after a KeyUpdate (RFC 8446, 7.2). */
export function nextTrafficSecret(suite: Suite, secret: Uint8Array): Uint8Array {
  return expandLabel(suite.hash, secret, 'traffic upd', secret.length);
}

/** Keys of both directions from a TLS 1.2 master secret (RFC 5246, 6.3). */
export function masterKeys(
  suite: Suite,
  master: Uint8Array,
  clientRandom: Uint8Array,
  serverRandom: Uint8Array,
): { readonly client: RecordKeys; readonly server: RecordKeys } {
  const { mode, keyLength, tagLength } = suite.cipher;
  const macLength = mode === 'cbc' ? tagLength : 0;
  const ivLength = mode === 'cbc' ? 0 : mode === 'chacha' ? 12 : 4;
  const seed = concat([latin1Bytes('key expansion'), serverRandom, clientRandom]);
  const block = prf(suite.hash, master, seed, 2 * (macLength + keyLength + ivLength));
  let at = 0;
  const take = (length: number): Uint8Array => {
    at += length;
    return block.subarray(at - length, at);
  };
  const macs = [take(macLength), take(macLength)];
  const keys = [take(keyLength), take(keyLength)];
  const ivs = [take(ivLength), take(ivLength)];
  return {
    client: { key: keys[0], iv: ivs[0], mac: macs[0] },
    server: { key: keys[1], iv: ivs[1], mac: macs[1] },
  };
}

/** HKDF-Expand-Label with an empty context. @param length at most that of the hash, so a single HMAC is enough (RFC 5869, 2.3). */
export function expandLabel(hash: string, secret: Uint8Array, label: string, length: number): Uint8Array {
  const full = `tls13 ${label}`;
  const info = new Uint8Array(2 + 1 + full.length + 1 + 1);
  info[1] = length;
  info[2] = full.length;
  info.set(latin1Bytes(full), 3);
  info[info.length - 1] = 1;
  return hmac(hash, secret, info).subarray(0, length);
}

/** P_hash (RFC 5246, 5). */
function prf(hash: string, secret: Uint8Array, seed: Uint8Array, length: number): Uint8Array {
  const out: Uint8Array[] = [];
  let made = 0;
  let a: Uint8Array = seed;
  while (made < length) {
    a = hmac(hash, secret, a);
    const part = hmac(hash, secret, a, seed);
    out.push(part);
    made += part.length;
  }
  return concat(out).subarray(0, length);
}

const NO_BYTES = new Uint8Array(0);
