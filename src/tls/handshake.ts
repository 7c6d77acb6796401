// Reads handshake messages from records, and the few fields that decryption needs (RFC 8446, 4; RFC 5246, 7.4).

import { ByteQueue } from '../core/bytes/byte-queue.js';
import { EMPTY_BYTES, hexBytes, latin1, u16be, u24be } from '../core/bytes/bytes.js';

export const CLIENT_HELLO = 1;
export const SERVER_HELLO = 2;
export const END_OF_EARLY_DATA = 5;
export const ENCRYPTED_EXTENSIONS = 8;
export const CERTIFICATE = 11;
export const FINISHED = 20;
export const KEY_UPDATE = 24;

/** Reassembles messages: `push(fragment)`, then `next()` until it is false. Bodies of other messages than KEPT ones are skipped. */
export class MessageReader {
  type = 0;
  /** Body of the message, borrowed until the next call; empty if it was skipped. */
  body: Uint8Array = EMPTY_BYTES;

  readonly #queue = new ByteQueue();
  #skip = 0;

  push(bytes: Uint8Array): void {
    const skipped = Math.min(this.#skip, bytes.length);
    this.#skip -= skipped;
    this.#queue.push(skipped === 0 ? bytes : bytes.subarray(skipped));
  }

  next(): boolean {
    const waiting = this.#queue.peek();
    if (waiting.length < HEADER) return false;
    const length = u24be(waiting, 1);
    const isKept = KEPT.has(waiting[0]) && length <= MESSAGE_LIMIT;
    if (isKept && waiting.length < HEADER + length) return false;
    this.type = waiting[0];
    this.body = isKept ? waiting.subarray(HEADER, HEADER + length) : EMPTY_BYTES;
    const available = Math.min(length, waiting.length - HEADER);
    this.#skip = length - available;
    this.#queue.consume(HEADER + available);
    return true;
  }

  /** Gives up the current message, because bytes are missing. */
  reset(): void {
    this.#queue.clear();
    this.#skip = 0;
  }
}

export interface ClientHello {
  readonly random: Uint8Array;
  readonly sni: string | null;
  readonly earlyData: boolean;
}

export interface ServerHello {
  readonly random: Uint8Array;
  /** 0x0303 is TLS 1.2, 0x0304 TLS 1.3. */
  readonly version: number;
  readonly suite: number;
  readonly retry: boolean;
  readonly encryptThenMac: boolean;
  readonly compression: number;
  /** TLS 1.2 only; TLS 1.3 has it in EncryptedExtensions. */
  readonly alpn: string | null;
}

export interface EncryptedExtensions {
  readonly alpn: string | null;
  readonly earlyData: boolean;
}

/** @returns null for a malformed ClientHello. */
export function clientHello(body: Uint8Array): ClientHello | null {
  if (body.length < 2 + 32 + 1) return null;
  let at = 34;
  at += 1 + body[at];
  if (at + 2 > body.length) return null;
  at += 2 + u16be(body, at);
  if (at + 1 > body.length) return null;
  at += 1 + body[at];
  if (at > body.length) return null;
  const extensions = readExtensions(body, at);
  const name = extensions.get(SERVER_NAME);
  return {
    random: body.slice(2, 34),
    // list length 2, type 1 (0: host name), length 2, name (RFC 6066, 3)
    sni: name !== undefined && name.length > 5 && name[2] === 0 ? latin1(name, 5, 5 + u16be(name, 3)) : null,
    earlyData: extensions.has(EARLY_DATA),
  };
}

/** @returns null for a malformed ServerHello. */
export function serverHello(body: Uint8Array): ServerHello | null {
  if (body.length < 2 + 32 + 1) return null;
  const at = 34 + 1 + body[34];
  if (at + 3 > body.length) return null;
  const extensions = readExtensions(body, at + 3);
  const version = extensions.get(SUPPORTED_VERSIONS);
  const random = body.slice(2, 34);
  return {
    random,
    version: version !== undefined && version.length === 2 ? u16be(version, 0) : u16be(body, 0),
    suite: u16be(body, at),
    retry: RETRY_RANDOM.every((byte, i) => random[i] === byte),
    encryptThenMac: extensions.has(ENCRYPT_THEN_MAC),
    compression: body[at + 2],
    alpn: alpn(extensions.get(ALPN)),
  };
}

export function encryptedExtensions(body: Uint8Array): EncryptedExtensions {
  const extensions = readExtensions(body, 0);
  return { alpn: alpn(extensions.get(ALPN)), earlyData: extensions.has(EARLY_DATA) };
}

/** @returns the sender's own certificate (DER), the first of its list; null without one. */
export function ownCertificate(body: Uint8Array, version: '1.2' | '1.3'): Uint8Array | null {
  // 1.3: [ context length 1 | context | list length 3 | length 3 | DER | … ]   1.2: [ list length 3 | length 3 | DER | … ]
  const at = (version === '1.3' ? 1 + (body[0] ?? 0) : 0) + 3;
  if (at + 3 > body.length) return null;
  const length = u24be(body, at);
  return length === 0 || at + 3 + length > body.length ? null : body.subarray(at + 3, at + 3 + length);
}

/** Extensions by type, as far as they fit into the message. */
function readExtensions(body: Uint8Array, start: number): Map<number, Uint8Array> {
  const found = new Map<number, Uint8Array>();
  if (start + 2 > body.length) return found;
  const end = Math.min(body.length, start + 2 + u16be(body, start));
  let at = start + 2;
  while (at + 4 <= end) {
    const length = u16be(body, at + 2);
    if (at + 4 + length > end) break;
    found.set(u16be(body, at), body.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return found;
}

/** The single protocol of a server's list: list length 2, length 1, name (RFC 7301, 3.1). */
function alpn(extension: Uint8Array | undefined): string | null {
  return extension !== undefined && extension.length > 3 ? latin1(extension, 3, 3 + extension[2]) : null;
}

const HEADER = 4;

/** Limit in bytes: one handshake message: a ClientHello with post-quantum keys and a ticket has 2 to 4 KiB; the protocol allows 16 MiB. */
const MESSAGE_LIMIT = 64 * 1024;

/** Finished is among them because all of it is protected with the old keys, and the next message with the new ones. */
const KEPT: ReadonlySet<number> = new Set([
  CLIENT_HELLO,
  SERVER_HELLO,
  ENCRYPTED_EXTENSIONS,
  CERTIFICATE,
  FINISHED,
  KEY_UPDATE,
]);

const SERVER_NAME = 0;
const ALPN = 16;
const ENCRYPT_THEN_MAC = 22;
const EARLY_DATA = 42;
const SUPPORTED_VERSIONS = 43;

/** SHA-256 of "HelloRetryRequest" (RFC 8446, 4.1.3). */
const RETRY_RANDOM = hexBytes('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c');
