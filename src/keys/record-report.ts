// Reads what the kernel reports of a probe on the record layer of Go's crypto/tls (record-probe.ts): which connection, which record,
// with which secret.

import { ipv4Text, ipv6Text } from '../core/address.js';
import type { SocketAddress } from '../core/open-connection.js';
import { IP_WORDS, KEY_WORDS, NONCE_WORDS, type RecordOperation, SECRET_WORDS } from './record-probe.js';

/** One record that a process encrypted or decrypted. */
export interface RecordReport {
  readonly operation: RecordOperation;
  /** Number at the end of the event's name, which tells the programs apart. */
  readonly program: number;
  readonly thread: number;
  /** Address of the goroutine that called. */
  readonly goroutine: string;
  /** ns of the clock that the tracing instance uses. */
  readonly time: bigint;
  /** Address of the `halfConn` in the process. */
  readonly halfConn: number;
  readonly isClient: boolean;
  readonly version: '1.2' | '1.3';
  /** Number of the cipher suite (IANA). */
  readonly suite: number;
  /** Sequence number of the record. */
  readonly record: number;
  /** Hexadecimal: the traffic secret of TLS 1.3, the key of TLS 1.2; null: of a kind that cannot be read (CBC). */
  readonly secret: string | null;
  /** TLS 1.2: the implicit part of the nonce, hexadecimal; else empty. */
  readonly nonce: string;
  /** Type word of `Conn.conn`: equal for connections of the same Go type. */
  readonly connType: string;
  /** null: where `Conn.conn` is no plain TCPConn. */
  readonly local: SocketAddress | null;
  readonly remote: SocketAddress | null;
}

/**
 * @param line of trace_pipe, without line end.
 * @returns null: no such report, or of a record that is sent in clear; `undefined`: one that holds nothing that can be so.
 */
export function recordReport(line: string): RecordReport | null | undefined {
  const match = REPORT.exec(line);
  if (match === null) return null;
  const [, thread, seconds, micros, operation, program, text] = match;
  const fields = new Map(text.split(' ').map((field) => field.split('=', 2) as [string, string]));
  const number = (name: string): number => Number(fields.get(name) ?? Number.NaN);
  const [version, suite, length] = [number('ver'), number('cs'), number('n')];
  // Before a cipher is in force records are sent in clear.
  if (number('ci') === 0 || version === 0) return null;
  const isModern = version === TLS13;
  if ((!isModern && version !== TLS12) || number('cl') > 1) return undefined;
  if (isModern ? !SECRET_LENGTHS.includes(length) : length !== 0) return undefined;
  const record = Number(BigInt(`0x${reversed(fields.get('seq'))}`));
  if (!Number.isSafeInteger(record)) return undefined;
  const keys = isModern
    ? { secret: wordsOf(fields, 's', SECRET_WORDS).slice(0, 2 * length), nonce: '' }
    : keysOfTls12(fields, suite);
  return {
    operation: operation as RecordOperation,
    program: Number(program),
    thread: Number(thread),
    goroutine: fields.get('g') ?? '',
    time: BigInt(seconds) * 1_000_000_000n + BigInt(micros) * 1000n,
    halfConn: number('hc'),
    isClient: number('cl') === 1,
    version: isModern ? '1.3' : '1.2',
    suite,
    record,
    ...keys,
    connType: fields.get('ct') ?? '',
    local: addressOf(fields, 'l'),
    remote: addressOf(fields, 'r'),
  };
}

function keysOfTls12(fields: ReadonlyMap<string, string>, suite: number): { secret: string | null; nonce: string } {
  const aead = TLS12_AEADS[suite];
  if (aead === undefined) return { secret: null, nonce: '' };
  const secret = wordsOf(fields, aead.isChaCha ? 'c' : 'k', KEY_WORDS).slice(0, 2 * aead.keyBytes);
  return { secret, nonce: wordsOf(fields, 'o', NONCE_WORDS).slice(0, aead.isChaCha ? 24 : 8) };
}

function addressOf(fields: ReadonlyMap<string, string>, name: string): SocketAddress | null {
  const [length, port] = [Number(fields.get(`${name}n`)), Number(fields.get(`${name}p`))];
  if ((length !== 4 && length !== 16) || !(port > 0)) return null;
  return { address: ipText(wordsOf(fields, name, IP_WORDS).slice(0, 2 * length)), port };
}

/** @param hex 4 or 16 bytes. @returns an IPv4-mapped address as IPv4. */
export function ipText(hex: string): string {
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length === 4) return ipv4Text(bytes, 0);
  return hex.startsWith(MAPPED) ? ipv4Text(bytes, 12) : ipv6Text(bytes, 0);
}

/** Words of memory, as the kernel prints them (`0x…`, little endian), as the hexadecimal digits of their bytes. */
function wordsOf(fields: ReadonlyMap<string, string>, name: string, count: number): string {
  return Array.from({ length: count }, (_, i) => reversed(fields.get(`${name}${i}`))).join('');
}

function reversed(word = '0x0'): string {
  return (word.slice(2).padStart(16, '0').match(/../g) ?? []).reverse().join('');
}

// A program's name stands in front and may be anything: from the thread's number on the text is the kernel's.
const REPORT =
  /-(\d{1,10}) +\[\d+\] \S+ +(\d{1,10})\.(\d{6}): (encrypt|decrypt)_\w+_(\d{1,6}): \(0x[0-9a-f]+\) (hc=0x[0-9a-f]+(?: [a-z]{1,3}\d?=(?:0x)?[0-9a-f]{1,20})+)$/;
const TLS12 = 0x0303;
const TLS13 = 0x0304;
const SECRET_LENGTHS: readonly number[] = [32, 48];
const MAPPED = '00000000000000000000ffff';

/** AEAD suites of TLS 1.2 that Go has (src/crypto/tls/cipher_suites.go). */
const TLS12_AEADS: Readonly<Record<number, { readonly isChaCha: boolean; readonly keyBytes: number } | undefined>> = {
  156: { isChaCha: false, keyBytes: 16 },
  157: { isChaCha: false, keyBytes: 32 },
  49195: { isChaCha: false, keyBytes: 16 },
  49196: { isChaCha: false, keyBytes: 32 },
  49199: { isChaCha: false, keyBytes: 16 },
  49200: { isChaCha: false, keyBytes: 32 },
  52392: { isChaCha: true, keyBytes: 32 },
  52393: { isChaCha: true, keyBytes: 32 },
};
