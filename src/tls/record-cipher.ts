// Opens protected records of every cipher suite (RFC 8446, 5.2; RFC 5246, 6.2.3; RFC 5288; RFC 6655; RFC 7905; RFC 7366).

import { cbcDecrypted, hmac, isSameMac, openSealed, SHORT_CIPHERTEXT } from '../platform/ciphers.js';
import type { RecordKeys } from './key-schedule.js';
import { ShortGcm } from './short-gcm.js';
import type { Suite } from './suites.js';

/** Keys of one direction from one key change to the next. */
export interface RecordCipher {
  readonly suite: Suite;
  readonly keys: RecordKeys;
  /**
   * @param record whole record with its five-byte header.
   * @param seq sequence number, 0 for the first record under these keys.
   * @returns plaintext in its own memory (TLS 1.3: with content type and padding at its end); null if it does not verify.
   */
  open(record: Uint8Array, seq: number): Uint8Array | null;
}

export function recordCipher(suite: Suite, keys: RecordKeys, encryptThenMac = false): RecordCipher {
  return suite.cipher.mode === 'cbc' ? new CbcRecords(suite, keys, encryptThenMac) : new AeadRecords(suite, keys);
}

/** Bytes that protection adds to a plaintext, header included; null for CBC, where they depend on the plaintext. */
export function recordOverhead(suite: Suite): number | null {
  const { mode, tagLength } = suite.cipher;
  if (mode === 'cbc') return null;
  if (suite.version === '1.3') return HEADER + 1 + tagLength;
  return HEADER + (mode === 'chacha' ? 0 : EXPLICIT_NONCE) + tagLength;
}

class AeadRecords implements RecordCipher {
  readonly suite: Suite;
  readonly keys: RecordKeys;
  // No KeyObject, which made each record a quarter slower.
  readonly #key: Uint8Array;
  readonly #tag: number;
  readonly #gcm: boolean;
  readonly #explicit: number;
  // Reused for every record: nothing keeps them.
  readonly #nonce = new Uint8Array(12);
  readonly #aad: Uint8Array;
  #shorts = 0;
  /** Created when there were enough short records to be worth its 6 KiB. */
  #short: ShortGcm | null = null;

  constructor(suite: Suite, keys: RecordKeys) {
    this.suite = suite;
    this.keys = keys;
    this.#key = keys.key;
    this.#tag = suite.cipher.tagLength;
    this.#gcm = suite.cipher.mode === 'gcm';
    this.#explicit = suite.version === '1.2' && suite.cipher.mode !== 'chacha' ? EXPLICIT_NONCE : 0;
    this.#aad = new Uint8Array(suite.version === '1.3' ? HEADER : 8 + HEADER);
    this.#nonce.set(keys.iv);
  }

  //   1.3          | type version length | ciphertext | tag |          AAD: the header
  //   1.2          | type version length | ciphertext | tag |          AAD: seq, type, version, plaintext length
  //   1.2 GCM CCM  | type version length | nonce 8 | ciphertext | tag |
  open(record: Uint8Array, seq: number): Uint8Array | null {
    const start = HEADER + this.#explicit;
    const end = record.length - this.#tag;
    if (end < start) return null;
    const nonce = this.#nonce;
    if (this.#explicit !== 0) for (let i = 0; i < EXPLICIT_NONCE; i += 1) nonce[4 + i] = record[HEADER + i];
    else mixSequence(nonce, this.keys.iv, seq);
    this.#fillAad(record, seq, end - start);
    if (this.#gcm && end - start <= SHORT_CIPHERTEXT) {
      const short = this.#shortGcm();
      if (short !== null) return short.open(record, start, end, nonce, this.#aad);
    }
    return openSealed(this.suite.cipher, this.#key, nonce, this.#aad, record, start, end);
  }

  #shortGcm(): ShortGcm | null {
    if (this.#short === null && ++this.#shorts > SHORTS_BEFORE) {
      this.#short = new ShortGcm(this.#key);
      if (TABLES.length === MAX_TABLES) TABLES[nextTable].#giveUpTable();
      TABLES[nextTable] = this;
      nextTable = (nextTable + 1) % MAX_TABLES;
    }
    return this.#short;
  }

  #giveUpTable(): void {
    this.#short = null;
    this.#shorts = 0;
  }

  #fillAad(record: Uint8Array, seq: number, length: number): void {
    const aad = this.#aad;
    let at = 0;
    if (aad.length !== HEADER) {
      writeSequence(aad, seq);
      at = 8;
    }
    aad[at] = record[0];
    aad[at + 1] = record[1];
    aad[at + 2] = record[2];
    aad[at + 3] = at === 0 ? record[3] : length >>> 8;
    aad[at + 4] = at === 0 ? record[4] : length & 0xff;
  }
}

class CbcRecords implements RecordCipher {
  readonly suite: Suite;
  readonly keys: RecordKeys;
  readonly #encryptThenMac: boolean;
  readonly #macHeader = new Uint8Array(8 + HEADER);

  constructor(suite: Suite, keys: RecordKeys, encryptThenMac: boolean) {
    this.suite = suite;
    this.keys = keys;
    this.#encryptThenMac = encryptThenMac;
  }

  //   MAC, then encrypt   | header | iv 16 | encrypted: plaintext, MAC, padding |
  //   encrypt, then MAC   | header | iv 16 | encrypted: plaintext, padding | MAC |      (RFC 7366)
  open(record: Uint8Array, seq: number): Uint8Array | null {
    const { tagLength } = this.suite.cipher;
    const end = this.#encryptThenMac ? record.length - tagLength : record.length;
    const encrypted = end - HEADER - BLOCK;
    if (encrypted < BLOCK || encrypted % BLOCK !== 0) return null;
    if (this.#encryptThenMac) {
      const mac = this.#mac(record, seq, record.subarray(HEADER, end));
      if (!isSameMac(mac, record.subarray(end))) return null;
    }
    const padded = this.#decrypt(record, end);
    const length = padded.length - padding(padded) - (this.#encryptThenMac ? 0 : tagLength);
    if (padding(padded) === 0 || length < 0) return null;
    const plain = padded.subarray(0, length);
    if (this.#encryptThenMac) return plain;
    const mac = this.#mac(record, seq, plain);
    return isSameMac(mac, padded.subarray(length, length + tagLength)) ? plain : null;
  }

  #decrypt(record: Uint8Array, end: number): Uint8Array {
    const iv = record.subarray(HEADER, HEADER + BLOCK);
    return cbcDecrypted(this.keys.key, iv, record.subarray(HEADER + BLOCK, end));
  }

  #mac(record: Uint8Array, seq: number, content: Uint8Array): Uint8Array {
    const header = this.#macHeader;
    writeSequence(header, seq);
    header[8] = record[0];
    header[9] = record[1];
    header[10] = record[2];
    header[11] = content.length >>> 8;
    header[12] = content.length & 0xff;
    return hmac(this.suite.cipher.mac ?? 'sha1', this.keys.mac, header, content);
  }
}

/** Bytes of TLS padding at the end, with its length byte; 0 if it is malformed (RFC 5246, 6.2.3.2). */
function padding(padded: Uint8Array): number {
  const value = padded[padded.length - 1];
  if (value + 1 > padded.length) return 0;
  for (let i = padded.length - 1 - value; i < padded.length; i += 1) if (padded[i] !== value) return 0;
  return value + 1;
}

/** nonce = iv XOR sequence number, right-aligned (RFC 8446, 5.3). */
export function mixSequence(nonce: Uint8Array, iv: Uint8Array, seq: number): void {
  const high = Math.floor(seq / 0x1_0000_0000);
  nonce[4] = iv[4] ^ (high >>> 24);
  nonce[5] = iv[5] ^ (high >>> 16);
  nonce[6] = iv[6] ^ (high >>> 8);
  nonce[7] = iv[7] ^ high;
  nonce[8] = iv[8] ^ (seq >>> 24);
  nonce[9] = iv[9] ^ (seq >>> 16);
  nonce[10] = iv[10] ^ (seq >>> 8);
  nonce[11] = iv[11] ^ seq;
}

function writeSequence(into: Uint8Array, seq: number): void {
  const high = Math.floor(seq / 0x1_0000_0000);
  into[0] = high >>> 24;
  into[1] = high >>> 16;
  into[2] = high >>> 8;
  into[3] = high;
  into[4] = seq >>> 24;
  into[5] = seq >>> 16;
  into[6] = seq >>> 8;
  into[7] = seq;
}

/** Limit: short records of a direction that node:crypto opens before its key gets a table of 4 KiB: most directions have fewer. */
const SHORTS_BEFORE = 8;
/** Limit: directions with such a table at a time, 6 KiB each: those of a busy API server; a new one replaces the oldest. */
const MAX_TABLES = 256;
const TABLES: AeadRecords[] = [];
let nextTable = 0;
const HEADER = 5;
const EXPLICIT_NONCE = 8;
const BLOCK = 16;
