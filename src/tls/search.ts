// Finds the sequence number of a record by trial; the tag is the proof. Knows keys and one record, nothing of connections.
//
// A try costs 5 µs if the tag decides alone. In TLS 1.3 the content type is the last byte of the plaintext (padding is not
// in use), and the ciphers are key streams: one block of the stream gives that byte, and many blocks of AES come from
// one call. So 255 of 256 tries cost 10 ns (AES) or half a microsecond (ChaCha20).

import { type Cipher, createCipheriv } from 'node:crypto';
import { mixSequence, type RecordCipher } from './record-cipher.js';
import { ALERT, APPLICATION_DATA } from './records.js';

/**
 * @param record whole record with header.
 * @param from first sequence number to try.
 * @param count how many; callers bound it.
 * @param anyType whether the record may also be a handshake message or an alert (three times as many tags to check).
 * @returns the sequence number, -1 if none fits.
 */
export function findSequence(
  cipher: RecordCipher,
  record: Uint8Array,
  from: number,
  count: number,
  anyType = false,
): number {
  const { suite } = cipher;
  const lowest = anyType ? ALERT : APPLICATION_DATA;
  if (suite.version !== '1.3') return tryEach(cipher, record, from, count);
  // Where the content type is, counted from the start of the plaintext.
  const typeAt = record.length - HEADER - suite.cipher.tagLength - 1;
  if (typeAt < 0) return -1;
  const encrypted = record[HEADER + typeAt];
  if (suite.cipher.mode === 'chacha') return searchChaCha(cipher, record, from, count, typeAt, encrypted, lowest);
  return searchAes(cipher, record, from, count, typeAt, encrypted, lowest);
}

/** How many AES tries a try with this cipher costs: the unit of work limits. */
export function tryCost(cipher: RecordCipher): number {
  return cipher.suite.version !== '1.3' ? 500 : cipher.suite.cipher.mode === 'chacha' ? 40 : 1;
}

function tryEach(cipher: RecordCipher, record: Uint8Array, from: number, count: number): number {
  for (let seq = from; seq < from + count; seq += 1) if (cipher.open(record, seq) !== null) return seq;
  return -1;
}

//   GCM counter block   | nonce 12 | counter 4 |       plaintext block i has counter i + 2 (NIST SP 800-38D, 7.1)
//   CCM counter block   | 2 | nonce 12 | counter 3 |   i + 1 (RFC 3610, 2.3, L = 3)
function searchAes(
  cipher: RecordCipher,
  record: Uint8Array,
  from: number,
  count: number,
  typeAt: number,
  encrypted: number,
  lowest: number,
): number {
  const ccm = cipher.suite.cipher.mode === 'ccm';
  const nonceAt = ccm ? 1 : 0;
  const blocks = BLOCKS;
  const first = blocks.subarray(nonceAt, nonceAt + 12);
  const counter = (typeAt >>> 4) + (ccm ? 1 : 2);
  blocks[0] = 2;
  first.set(cipher.keys.iv);
  mixSequence(first, cipher.keys.iv, from);
  if (!ccm) blocks[12] = 0;
  blocks[13] = counter >>> 16;
  blocks[14] = counter >>> 8;
  blocks[15] = counter;
  for (let filled = 16; filled < Math.min(count, BATCH) * 16; filled *= 2) blocks.copyWithin(filled, 0, filled);

  const aes: Cipher = createCipheriv(
    cipher.suite.cipher.keyLength === 16 ? 'aes-128-ecb' : 'aes-256-ecb',
    cipher.keys.key,
    null,
  );
  const { iv } = cipher.keys;
  const low = ((iv[8] << 24) | (iv[9] << 16) | (iv[10] << 8) | iv[11]) >>> 0;
  const byte = typeAt & 15;
  for (let done = 0; done < count; done += BATCH) {
    const size = Math.min(BATCH, count - done);
    for (let i = 0, at = nonceAt + 8; i < size; i += 1, at += 16) {
      const mixed = low ^ (from + done + i);
      blocks[at] = mixed >>> 24;
      blocks[at + 1] = mixed >>> 16;
      blocks[at + 2] = mixed >>> 8;
      blocks[at + 3] = mixed;
    }
    const stream = aes.update(blocks.subarray(0, size * 16));
    for (let i = 0, at = byte; i < size; i += 1, at += 16) {
      const type = stream[at] ^ encrypted;
      if (type < lowest || type > APPLICATION_DATA) continue;
      if (cipher.open(record, from + done + i) !== null) return from + done + i;
    }
  }
  return -1;
}

function searchChaCha(
  cipher: RecordCipher,
  record: Uint8Array,
  from: number,
  count: number,
  typeAt: number,
  encrypted: number,
  lowest: number,
): number {
  const nonce = new Uint8Array(cipher.keys.iv);
  const state = new Uint32Array(16);
  const words = littleEndianWords(cipher.keys.key);
  state.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, ...words]);
  // Block 0 makes the Poly1305 key (RFC 8439, 2.8).
  state[12] = 1 + (typeAt >>> 6);
  const byte = typeAt & 63;
  for (let seq = from; seq < from + count; seq += 1) {
    mixSequence(nonce, cipher.keys.iv, seq);
    state.set(littleEndianWords(nonce), 13);
    const word = chachaWord(state, byte >>> 2);
    const type = ((word >>> (8 * (byte & 3))) & 0xff) ^ encrypted;
    if (type < lowest || type > APPLICATION_DATA) continue;
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

/** Counter blocks in one call of AES: 16 KiB stay in the first cache. */
const BATCH = 1024;
const BLOCKS = new Uint8Array(BATCH * 16);
const WORK = new Int32Array(16);
