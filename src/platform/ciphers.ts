// Decrypts, and computes HMACs, by node:crypto.

import { type CipherGCMTypes, createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';

/** AES on blocks of 16 bytes, each by itself. */
export interface BlockCipher {
  /** @param blocks whole ones. @returns as many, in their own memory. */
  update(blocks: Uint8Array): Uint8Array;
}

/** An authenticated cipher of TLS records. */
export interface SealedCipher {
  /** OpenSSL's name: `aes-128-gcm`, `chacha20-poly1305`. */
  readonly name: string;
  readonly mode: string;
  /** Bytes. */
  readonly tagLength: number;
}

/**
 * Limit in bytes: longest ciphertext of GCM that is opened by its tables, without a cipher of node:crypto for each record, because that
 * is faster.
 */
export const SHORT_CIPHERTEXT = 256;

/** @param key 16 or 32 bytes. */
export function aesEncryptor(key: Uint8Array): BlockCipher {
  return createCipheriv(blockCipher(key), key, null).setAutoPadding(false);
}

/** @param key 16 or 32 bytes. */
export function aesDecryptor(key: Uint8Array): BlockCipher {
  return createDecipheriv(blockCipher(key), key, null).setAutoPadding(false);
}

/**
 * @param key not kept, nor are `nonce` and `aad`. @param sealed ciphertext from `start` to `end`, and the tag after it, which is its end.
 * @returns plaintext in its own memory; null if the tag is wrong.
 */
export function openSealed(
  { name, mode, tagLength }: SealedCipher,
  key: Uint8Array,
  nonce: Uint8Array,
  aad: Uint8Array,
  sealed: Uint8Array,
  start: number,
  end: number,
): Uint8Array | null {
  try {
    const decipher = createDecipheriv(name as CipherGCMTypes, key, nonce, { authTagLength: tagLength });
    decipher.setAuthTag(sealed.subarray(end));
    if (mode === 'ccm') decipher.setAAD(aad, { plaintextLength: end - start });
    else decipher.setAAD(aad);
    const plain = decipher.update(sealed.subarray(start, end));
    decipher.final();
    return plain;
  } catch {
    // node:crypto throws if the tag is wrong.
    return null;
  }
}

/** AES-CBC. @param encrypted whole blocks. @returns the plaintext with its padding. */
export function cbcDecrypted(key: Uint8Array, iv: Uint8Array, encrypted: Uint8Array): Uint8Array {
  const decipher = createDecipheriv(key.length === 16 ? 'aes-128-cbc' : 'aes-256-cbc', key, iv);
  decipher.setAutoPadding(false);
  return decipher.update(encrypted);
}

/** HMAC (RFC 2104) of what the parts are together. @param hash `sha1`, `sha256` or `sha384`. */
export function hmac(hash: string, key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array {
  const made = createHmac(hash, key);
  for (const part of parts) made.update(part);
  return made.digest();
}

/** Whether two MACs of one length are equal, in a time that does not depend on them. */
export function isSameMac(one: Uint8Array, other: Uint8Array): boolean {
  return timingSafeEqual(one, other);
}

/** The name in node:crypto of AES on single blocks. */
function blockCipher(key: Uint8Array): string {
  return key.length === 16 ? 'aes-128-ecb' : 'aes-256-ecb';
}
