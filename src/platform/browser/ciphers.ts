// Decrypts, and computes HMACs, as `platform/ciphers.ts` does, by @noble/ciphers and @noble/hashes: what browsers have for it
// (crypto.subtle) can only wait, and the pipeline does not.

import { cbc, ctr, gcm, unsafe } from '@noble/ciphers/aes.js';
import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { hmac as hmacOf } from '@noble/hashes/hmac.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha384 } from '@noble/hashes/sha2.js';
import type { BlockCipher, SealedCipher } from '../ciphers.js';

export type { BlockCipher, SealedCipher };

/** Limit in bytes: longest ciphertext of GCM that is opened by its tables: all records, as a library would make the tables for each. */
export const SHORT_CIPHERTEXT = 18 * 1024;

/** @param key 16 or 32 bytes. */
export function aesEncryptor(key: Uint8Array): BlockCipher {
  return new Blocks(unsafe.expandKeyLE(key), unsafe.encrypt);
}

/** @param key 16 or 32 bytes. */
export function aesDecryptor(key: Uint8Array): BlockCipher {
  return new Blocks(unsafe.expandKeyDecLE(key), unsafe.decrypt);
}

class Blocks implements BlockCipher {
  readonly #key: Uint32Array;
  readonly #cipher: typeof unsafe.encrypt;

  constructor(key: Uint32Array, cipher: typeof unsafe.encrypt) {
    this.#key = key;
    this.#cipher = cipher;
  }

  update(blocks: Uint8Array): Uint8Array {
    const out = new Uint8Array(blocks);
    const words = new Uint32Array(out.buffer);
    const key = this.#key;
    const cipher = this.#cipher;
    for (let i = 0; i < words.length; i += 4) {
      const { s0, s1, s2, s3 } = cipher(key, words[i], words[i + 1], words[i + 2], words[i + 3]);
      words[i] = s0;
      words[i + 1] = s1;
      words[i + 2] = s2;
      words[i + 3] = s3;
    }
    return out;
  }
}

/**
 * @param key not kept, nor are `nonce` and `aad`. @param sealed ciphertext from `start` to `end`, and the tag after it, which is its end.
 * @returns plaintext in its own memory; null if the tag is wrong.
 */
export function openSealed(
  { mode, tagLength }: SealedCipher,
  key: Uint8Array,
  nonce: Uint8Array,
  aad: Uint8Array,
  sealed: Uint8Array,
  start: number,
  end: number,
): Uint8Array | null {
  if (mode === 'ccm') return openCcm(tagLength, key, nonce, aad, sealed.subarray(start, end), sealed.subarray(end));
  const cipher = mode === 'chacha' ? chacha20poly1305(key, nonce, aad) : gcm(key, nonce, aad);
  try {
    return cipher.decrypt(sealed.subarray(start));
  } catch {
    // The library throws if the tag is wrong.
    return null;
  }
}

/** AES-CCM with a nonce of 12 bytes and additional data below 65,280 bytes (RFC 3610). */
function openCcm(
  tagLength: number,
  key: Uint8Array,
  nonce: Uint8Array,
  aad: Uint8Array,
  encrypted: Uint8Array,
  tag: Uint8Array,
): Uint8Array | null {
  const counter = new Uint8Array(BLOCK);
  counter[0] = CCM_LENGTH_BYTES - 1;
  counter.set(nonce, 1);
  // | A0: masks the tag | A1 … : the text |
  const masked = new Uint8Array(BLOCK + encrypted.length);
  masked.set(tag);
  masked.set(encrypted, BLOCK);
  const opened = ctr(key, counter).decrypt(masked);
  const plain = opened.slice(BLOCK);
  // | B0 | length:2 additional data, padded | text, padded |
  const aadEnd = BLOCK + padded(2 + aad.length);
  const blocks = new Uint8Array(aadEnd + padded(plain.length));
  blocks[0] = 0x40 | (((tagLength - 2) / 2) << 3) | (CCM_LENGTH_BYTES - 1);
  blocks.set(nonce, 1);
  for (let i = 0; i < CCM_LENGTH_BYTES; i++) blocks[BLOCK - 1 - i] = plain.length >>> (8 * i);
  blocks[BLOCK] = aad.length >>> 8;
  blocks[BLOCK + 1] = aad.length;
  blocks.set(aad, BLOCK + 2);
  blocks.set(plain, aadEnd);
  const mac = cbc(key, new Uint8Array(BLOCK), { disablePadding: true }).encrypt(blocks).subarray(-BLOCK);
  return isSameMac(mac.subarray(0, tagLength), opened.subarray(0, tagLength)) ? plain : null;
}

function padded(length: number): number {
  return Math.ceil(length / BLOCK) * BLOCK;
}

/** AES-CBC. @param encrypted whole blocks. @returns the plaintext with its padding. */
export function cbcDecrypted(key: Uint8Array, iv: Uint8Array, encrypted: Uint8Array): Uint8Array {
  return cbc(key, iv, { disablePadding: true }).decrypt(encrypted);
}

/** HMAC (RFC 2104) of what the parts are together. @param hash `sha1`, `sha256` or `sha384`. */
export function hmac(hash: string, key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array {
  const made = hmacOf.create(hash === 'sha1' ? sha1 : hash === 'sha384' ? sha384 : sha256, key);
  for (const part of parts) made.update(part);
  return made.digest();
}

/** Whether two MACs of one length are equal, in a time that does not depend on them. */
export function isSameMac(one: Uint8Array, other: Uint8Array): boolean {
  let differs = 0;
  for (let i = 0; i < one.length; i++) differs |= one[i] ^ other[i];
  return differs === 0;
}

const BLOCK = 16;
/** A nonce of 12 bytes leaves three for the length. */
const CCM_LENGTH_BYTES = 3;
