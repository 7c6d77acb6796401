// What a kernel is told so that it reports the secrets of TLS connections that are open already: a uprobe on the functions that Go's
// crypto/tls calls for each record, with the fields of the connection that it reads (Documentation/trace/uprobetracer.rst).

import type { Arch } from './elf.js';
import type { GoFunction, GoProgram } from './go-function.js';
import { findHeaderProbes, GOROUTINE } from './header-report.js';
import { cheapestPlace, PROLOGUE_BYTES } from './prologue.js';
import { AEAD_FIELDS, NET_FIELDS, type TlsFields, tlsFieldsOf } from './tls-fields.js';

/** Called for each record with the halfConn of its direction as receiver (src/crypto/tls/conn.go). */
export const RECORD_FUNCTIONS = {
  encrypt: 'crypto/tls.(*halfConn).encrypt',
  decrypt: 'crypto/tls.(*halfConn).decrypt',
} as const;

export type RecordOperation = keyof typeof RECORD_FUNCTIONS;

/** Where the probes of one program go. */
export interface RecordProbes {
  readonly arch: Arch;
  readonly fields: TlsFields;
  /** Bytes from the start of the file. */
  readonly offsets: Readonly<Record<RecordOperation, number>>;
  /** The same of the HPACK decoders of HTTP/2, where the program has them. */
  readonly headerOffsets: readonly number[];
}

/** @returns or, as a sentence without subject, why connections that are open already cannot be heard. */
export function findRecordProbes(program: GoProgram): RecordProbes | string {
  const found = { encrypt: program.find(RECORD_FUNCTIONS.encrypt), decrypt: program.find(RECORD_FUNCTIONS.decrypt) };
  const { encrypt, decrypt } = found;
  if (typeof encrypt === 'string') return encrypt;
  if (typeof decrypt === 'string') return decrypt;
  const fields = tlsFieldsOf(encrypt.goVersion, encrypt.arch);
  if (fields === null)
    return `of ${encrypt.goVersion ?? 'an unknown Go version'}, of which it is not known where it keeps them`;
  const place = (one: GoFunction): number | null => {
    const within = cheapestPlace(program.codeOf(one, PROLOGUE_BYTES), one.arch);
    return within === null ? null : one.offset + within;
  };
  const offsets = { encrypt: place(encrypt), decrypt: place(decrypt) };
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
 * The line that sets a probe, for `uprobe_events`. Words are read one by one (`x64`), as the kernel reads them in half the time of
 * arrays of bytes.
 *
 * @param file path of the executable as the kernel finds it, without white space.
 * @param event `GROUP/NAME`.
 */
export function recordProbeLine(
  { arch, fields, offsets }: RecordProbes,
  operation: RecordOperation,
  file: string,
  event: string,
): string {
  const receiver = RECEIVER[arch];
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
    `g=${GOROUTINE[arch]}:x64`,
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

const RECEIVER: Readonly<Record<Arch, string>> = { amd64: '%ax', arm64: '%x0' };
/** Of an interface: behind its type word. Of a slice: behind its pointer. */
const DATA_WORD = 8;
const SLICE_LENGTH = 8;
/** Words of 8 bytes: the longest traffic secret (SHA-384), an address, a nonce of 12 bytes, the longest key. */
export const SECRET_WORDS = 6;
export const IP_WORDS = 2;
export const NONCE_WORDS = 2;
export const KEY_WORDS = 4;
