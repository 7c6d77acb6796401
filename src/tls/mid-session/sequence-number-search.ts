// Finds the sequence number of a record; a correct tag is the proof.
//
// AES-GCM in TLS 1.3 needs no trials. Its tag is T = GHASH(header, ciphertext) XOR AES(nonce, 1), and GHASH does not depend on the
// nonce (NIST SP 800-38D, 7.1). So GHASH and the tag of the record give AES(nonce, 1), and decrypting that block gives the nonce: the
// iv XOR the sequence number.
//
// With ChaCha20-Poly1305 and CCM the numbers are tried one by one. With ChaCha20 one block of the key stream gives the content type,
// the last byte of the plaintext (padding is not in use), which rules out 253 of 256 numbers.

import { ALERT, APPLICATION_DATA } from '../../core/first-bytes.js';
import { aesDecryptor, aesEncryptor, type BlockCipher } from '../../platform/ciphers.js';
import { mixSequence, type RecordCipher } from '../record-cipher.js';
import { gcmSum, productsOf, ZEROS } from '../short-gcm.js';
import type { Suite } from '../suites.js';

/**
 * @param record whole record with header.
 * @param from first acceptable sequence number.
 * @param count of acceptable numbers; at most `searchWindow` of them are tried.
 * @returns the sequence number, or -1.
 */
export function findSequence(cipher: RecordCipher, record: Uint8Array, from: number, count: number): number {
  const { suite } = cipher;
  if (isDirect(suite)) {
    const seq = gcmSequence(cipher, record);
    return seq >= from && seq < from + count && cipher.open(record, seq) !== null ? seq : -1;
  }
  const tries = Math.min(count, searchWindow(suite));
  if (suite.version === '1.3' && suite.cipher.mode === 'chacha') return searchChaCha(cipher, record, from, tries);
  for (let seq = from; seq < from + tries; seq += 1) if (cipher.open(record, seq) !== null) return seq;
  return -1;
}

/** Like `findSequence`, from the expected number outwards. */
export function findSequenceNear(cipher: RecordCipher, record: Uint8Array, expected: number): number {
  const { suite } = cipher;
  if (isDirect(suite)) return findSequence(cipher, record, 0, Number.MAX_SAFE_INTEGER);
  if (cipher.open(record, expected) !== null) return expected;
  // Go's TLS 1.2 uses the number as the explicit nonce (crypto/tls/conn.go, halfConn.encrypt).
  const explicit = suite.version === '1.2' && suite.cipher.mode === 'gcm' ? explicitNonce(record) : -1;
  if (explicit >= 0 && cipher.open(record, explicit) !== null) return explicit;
  const window = Math.floor(searchWindow(suite) / 2);
  for (let near = 1; near <= window; near *= 4) {
    const before = Math.max(0, expected - near * 4 + 1);
    const seq = findSequence(cipher, record, before, expected - before);
    if (seq >= 0) return seq;
    const after = findSequence(cipher, record, expected + 1, near * 4);
    if (after >= 0) return after;
  }
  return -1;
}

/** The eight bytes after the header as a number (RFC 5288, 3); -1 if it is too large or missing. */
function explicitNonce(record: Uint8Array): number {
  if (record.length < HEADER + 8 || record[HEADER] !== 0 || record[HEADER + 1] !== 0) return -1;
  let number = 0;
  for (let i = HEADER + 2; i < HEADER + 8; i += 1) number = number * 256 + record[i];
  return number;
}

/** How many sequence numbers can be tried within 30 ms. */
export function searchWindow(suite: Suite): number {
  if (isDirect(suite)) return Number.MAX_SAFE_INTEGER;
  return suite.version === '1.3' && suite.cipher.mode === 'chacha' ? 65_536 : 1_024;
}

/** Approximate µs to try `count` numbers on a record of `length` bytes: the unit of work limits. */
export function searchCost(suite: Suite, count: number, length: number): number {
  if (isDirect(suite)) return 5 + length / 128;
  return suite.version === '1.3' && suite.cipher.mode === 'chacha' ? count * 0.5 : count * 5;
}

function isDirect(suite: Suite): boolean {
  return suite.version === '1.3' && suite.cipher.mode === 'gcm';
}

//   record   | header 5 | ciphertext | tag 16 |
//   block    | nonce 12 | 0 0 0 1 |                 AES of it masks the tag
function gcmSequence(cipher: RecordCipher, record: Uint8Array): number {
  const end = record.length - TAG;
  if (end < HEADER) return -1;
  const { iv } = cipher.keys;
  const { hashKey, aes } = gcmKeys(cipher);
  const sum = gcmSum(productsOf(hashKey, PRODUCTS), record, HEADER, end, record.subarray(0, HEADER));
  for (let i = 0; i < BLOCK; i += 1) MASK[i] = record[end + i] ^ (sum[i >> 2] >>> (24 - 8 * (i & 3)));
  const counter = aes.update(MASK);
  // A wrong key gives 16 random bytes, of which 80 bits would have to fit.
  for (let i = 0; i < 6; i += 1) if (counter[i] !== iv[i]) return -1;
  if (counter[12] !== 0 || counter[13] !== 0 || counter[14] !== 0 || counter[15] !== 1) return -1;
  let seq = 0;
  for (let i = 6; i < 12; i += 1) seq = seq * 256 + (counter[i] ^ iv[i]);
  return seq;
}

/** Values of a key that are the same for all records. */
interface GcmKeys {
  readonly hashKey: Uint8Array;
  /** Decrypts one block. */
  readonly aes: BlockCipher;
}

/**
 * Cached from the second use on: most keys of a long key log are tried once, and the memory of node:crypto outside the heap is not
 * collected with young objects.
 */
function gcmKeys(cipher: RecordCipher): GcmKeys {
  const cached = GCM_KEYS.get(cipher);
  if (cached != null) return cached;
  const { key } = cipher.keys;
  const keys = { hashKey: aesEncryptor(key).update(ZEROS), aes: aesDecryptor(key) };
  GCM_KEYS.set(cipher, cached === undefined ? null : keys);
  return keys;
}

function searchChaCha(cipher: RecordCipher, record: Uint8Array, from: number, count: number): number {
  // Offset of the content type in the plaintext.
  const typeAt = record.length - HEADER - TAG - 1;
  if (typeAt < 0) return -1;
  const encrypted = record[HEADER + typeAt];
  const nonce = new Uint8Array(cipher.keys.iv);
  const state = new Uint32Array(16);
  const words = littleEndianWords(cipher.keys.key);
  state.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, ...words]);
  // Block 0 is the Poly1305 key (RFC 8439, 2.8).
  state[12] = 1 + (typeAt >>> 6);
  const byte = typeAt & 63;
  for (let seq = from; seq < from + count; seq += 1) {
    mixSequence(nonce, cipher.keys.iv, seq);
    state.set(littleEndianWords(nonce), 13);
    const word = chachaWord(state, byte >>> 2);
    const type = ((word >>> (8 * (byte & 3))) & 0xff) ^ encrypted;
    if (type < ALERT || type > APPLICATION_DATA) continue;
    if (cipher.open(record, seq) !== null) return seq;
  }
  return -1;
}

/** One word of the ChaCha20 block of this state (RFC 8439, 2.3). */
export function chachaWord(state: Uint32Array, index: number): number {
  const x = WORK;
  x.set(state);
  for (let round = 0; round < 10; round += 1) {
    quarter(x, 0, 4, 8, 12);
    quarter(x, 1, 5, 9, 13);
    quarter(x, 2, 6, 10, 14);
    quarter(x, 3, 7, 11, 15);
    quarter(x, 0, 5, 10, 15);
    quarter(x, 1, 6, 11, 12);
    quarter(x, 2, 7, 8, 13);
    quarter(x, 3, 4, 9, 14);
  }
  return (x[index] + state[index]) >>> 0;
}

function quarter(x: Int32Array, a: number, b: number, c: number, d: number): void {
  let xa = x[a];
  let xb = x[b];
  let xc = x[c];
  let xd = x[d];
  xa = (xa + xb) | 0;
  xd ^= xa;
  xd = (xd << 16) | (xd >>> 16);
  xc = (xc + xd) | 0;
  xb ^= xc;
  xb = (xb << 12) | (xb >>> 20);
  xa = (xa + xb) | 0;
  xd ^= xa;
  xd = (xd << 8) | (xd >>> 24);
  xc = (xc + xd) | 0;
  xb ^= xc;
  xb = (xb << 7) | (xb >>> 25);
  x[a] = xa;
  x[b] = xb;
  x[c] = xc;
  x[d] = xd;
}

function littleEndianWords(b: Uint8Array): number[] {
  const words: number[] = [];
  for (let i = 0; i + 4 <= b.length; i += 4) {
    words.push((b[i] | (b[i + 1] << 8) | (b[i + 2] << 16) | (b[i + 3] << 24)) >>> 0);
  }
  return words;
}

const HEADER = 5;
const TAG = 16;
const BLOCK = 16;
const PRODUCTS = new Int32Array(256 * 4);
const MASK = new Uint8Array(BLOCK);
/** null after the first use. */
const GCM_KEYS = new WeakMap<RecordCipher, GcmKeys | null>();
const WORK = new Int32Array(16);
