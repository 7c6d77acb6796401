// Observes the record layer of Go's crypto/tls in running processes: the uprobe on the functions that it calls for each record
// (Documentation/trace/uprobetracer.rst), and the report that the kernel writes: which connection, which record, with which secret.

import { ipv4Text, ipv6Text } from '../core/address.js';
import type { SocketAddress } from '../core/open-connection.js';
import type { Arch } from './elf.js';
import type { GoProgram } from './go-function.js';
import { bytesOfWord, findHeaderProbes, REGISTERS } from './hpack-probe.js';
import { SECRET_LENGTHS } from './probe.js';
import { AEAD_FIELDS, NET_FIELDS, type TlsFields, tlsFieldsOf } from './tls-fields.js';

/** Called for each record with the halfConn of its direction as receiver (src/crypto/tls/conn.go). */
export const RECORD_FUNCTIONS = {
  encrypt: 'crypto/tls.(*halfConn).encrypt',
  decrypt: 'crypto/tls.(*halfConn).decrypt',
} as const;

type RecordOperation = keyof typeof RECORD_FUNCTIONS;

/** Where the probes of one program are set. */
export interface RecordProbes {
  readonly arch: Arch;
  readonly fields: TlsFields;
  /** Bytes from the start of the file. */
  readonly offsets: Readonly<Record<RecordOperation, number>>;
  /** The same of the HPACK decoders of HTTP/2, if the program has them. */
  readonly headerOffsets: readonly number[];
}

/** @returns the probes, or why open connections cannot be observed, as the end of a sentence: `of go1.9, whose layout …`. */
export function findRecordProbes(program: GoProgram): RecordProbes | string {
  const [encrypt, decrypt] = [program.find(RECORD_FUNCTIONS.encrypt), program.find(RECORD_FUNCTIONS.decrypt)];
  if (typeof encrypt === 'string') return encrypt;
  if (typeof decrypt === 'string') return decrypt;
  const fields = tlsFieldsOf(encrypt.goVersion, encrypt.arch);
  if (fields === null)
    return `of ${encrypt.goVersion ?? 'an unknown Go version'}, whose layout of crypto/tls structures is not known`;
  const offsets = { encrypt: program.probeOffset(encrypt), decrypt: program.probeOffset(decrypt) };
  if (offsets.encrypt === null || offsets.decrypt === null)
    return 'a program whose functions do not begin as those of Go do';
  return {
    arch: encrypt.arch,
    fields,
    offsets: { encrypt: offsets.encrypt, decrypt: offsets.decrypt },
    headerOffsets: findHeaderProbes(program),
  };
}

/**
 * @returns the line for `uprobe_events` that sets a probe. It reads words one by one (`x64`), which takes the kernel half the time of
 * arrays of bytes.
 * @param file path of the executable as the kernel finds it, without white space.
 * @param event `GROUP/NAME`.
 */
export function recordProbeLine(
  { arch, fields, offsets }: RecordProbes,
  operation: RecordOperation,
  file: string,
  event: string,
): string {
  const { receiver, goroutine } = REGISTERS[arch];
  const { halfConn, conn, aesKey } = fields;
  const own = (offset: number): string => `${signed(offset)}(${receiver})`;
  /** Of the connection that the halfConn is a part of. */
  const ofConn = (offset: number): string => own(offset - (operation === 'encrypt' ? conn.out : conn.in));
  const fd = `+${NET_FIELDS.fd}(${ofConn(conn.conn + DATA_WORD)})`;
  const cipher = own(halfConn.cipher + DATA_WORD);
  const aead = `+${AEAD_FIELDS.aead + DATA_WORD}(${cipher})`;
  const key = aesKey.isPointer ? `+${aesKey.at}(${aead})` : aead;
  const keyAt = aesKey.isPointer ? 0 : aesKey.at;
  const values = [
    `hc=${receiver}:x64`,
    `g=${goroutine}:x64`,
    `ver=${own(halfConn.version)}:u16`,
    `cs=${ofConn(conn.cipherSuite)}:u16`,
    `cl=${ofConn(conn.isClient)}:u8`,
    `ct=${ofConn(conn.conn)}:x64`,
    `seq=${own(halfConn.seq)}:x64`,
    `ci=${own(halfConn.cipher)}:x64`,
    `n=${own(halfConn.trafficSecret + SLICE_LENGTH)}:u64`,
    ...words('s', own(halfConn.trafficSecret), 0, SECRET_WORDS),
    ...address('l', `+${NET_FIELDS.laddr + DATA_WORD}(${fd})`),
    ...address('r', `+${NET_FIELDS.raddr + DATA_WORD}(${fd})`),
    ...words('o', cipher, AEAD_FIELDS.nonce, NONCE_WORDS),
    ...words('k', key, keyAt, KEY_WORDS),
    ...words('c', aead, 0, KEY_WORDS),
  ];
  return `p:${event} ${file}:0x${offsets[operation].toString(16)} ${values.join(' ')}`;
}

/** A `*net.TCPAddr`: length of its IP, the IP, its port. */
function address(name: string, pointer: string): string[] {
  const ip = `+${NET_FIELDS.ip}(${pointer})`;
  return [
    `${name}n=+${NET_FIELDS.ip + SLICE_LENGTH}(${pointer}):u64`,
    ...words(name, ip, 0, IP_WORDS),
    `${name}p=+${NET_FIELDS.port}(${pointer}):u16`,
  ];
}

function words(name: string, pointer: string, from: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${name}${i}=+${from + 8 * i}(${pointer}):x64`);
}

function signed(offset: number): string {
  return offset < 0 ? `${offset}` : `+${offset}`;
}

/** Of an interface: after its type word. Of a slice: after its pointer. */
const DATA_WORD = 8;
const SLICE_LENGTH = 8;
/** Words of 8 bytes: the longest traffic secret (SHA-384), an address, a nonce of 12 bytes, the longest key. */
const SECRET_WORDS = 6;
const IP_WORDS = 2;
const NONCE_WORDS = 2;
const KEY_WORDS = 4;

/** One record that a process encrypted or decrypted. */
export interface RecordReport {
  readonly operation: RecordOperation;
  /** Number at the end of the event's name, one for each program. */
  readonly program: number;
  readonly thread: number;
  /** Address of the goroutine that called. */
  readonly goroutine: string;
  /** ns on the clock of the tracing instance. */
  readonly time: bigint;
  /** Address of the `halfConn` in the process. */
  readonly halfConn: number;
  readonly isClient: boolean;
  readonly version: '1.2' | '1.3';
  /** Number of the cipher suite (IANA). */
  readonly suite: number;
  /** Sequence number of the record. */
  readonly record: number;
  /** Hexadecimal: the traffic secret of TLS 1.3, the key of TLS 1.2; null for suites whose keys cannot be read (CBC). */
  readonly secret: string | null;
  /** TLS 1.2: the implicit part of the nonce, hexadecimal; else empty. */
  readonly nonce: string;
  /** Type word of `Conn.conn`: equal for connections of the same Go type. */
  readonly connType: string;
  /** null if `Conn.conn` is no plain TCPConn. */
  readonly local: SocketAddress | null;
  readonly remote: SocketAddress | null;
}

/**
 * @param line of trace_pipe, without line end.
 * @returns null for another line and for a record sent in clear; `undefined` for a report with impossible values.
 */
export function recordReport(line: string): RecordReport | null | undefined {
  const match = REPORT.exec(line);
  if (match === null) return null;
  const [, thread, seconds, micros, operation, program, text] = match;
  const fields = new Map(text.split(' ').map((field) => field.split('=', 2) as [string, string]));
  const number = (name: string): number => Number(fields.get(name) ?? Number.NaN);
  const [version, suite, length] = [number('ver'), number('cs'), number('n')];
  // Records are sent in clear until a cipher is in force.
  if (number('ci') === 0 || version === 0) return null;
  const isTls13 = version === TLS13;
  if ((!isTls13 && version !== TLS12) || number('cl') > 1) return undefined;
  if (isTls13 ? !SECRET_LENGTHS.includes(length) : length !== 0) return undefined;
  const record = Number(BigInt(`0x${bytesOfWord(fields.get('seq'))}`));
  if (!Number.isSafeInteger(record)) return undefined;
  const keys = isTls13
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
    version: isTls13 ? '1.3' : '1.2',
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

function wordsOf(fields: ReadonlyMap<string, string>, name: string, count: number): string {
  return Array.from({ length: count }, (_, i) => bytesOfWord(fields.get(`${name}${i}`))).join('');
}

// The program's name in front may be any text; the kernel writes everything from the thread's number on.
const REPORT =
  /-(\d{1,10}) +\[\d+\] \S+ +(\d{1,10})\.(\d{6}): (encrypt|decrypt)_\w+_(\d{1,6}): \(0x[0-9a-f]+\) (hc=0x[0-9a-f]+(?: [a-z]{1,3}\d?=(?:0x)?[0-9a-f]{1,20})+)$/;
const TLS12 = 0x0303;
const TLS13 = 0x0304;
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
