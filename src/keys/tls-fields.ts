// Holds the struct offsets at which Go's crypto/tls keeps the secrets of a connection, by Go version. They are the same on amd64 and
// arm64, as both lay out structs alike.

import { goMinor } from './build-info.js';
import type { Arch } from './elf.js';

/** Offsets in bytes of fields of `crypto/tls.halfConn` and `crypto/tls.Conn` (src/crypto/tls/conn.go). */
export interface TlsFields {
  readonly halfConn: {
    readonly version: number;
    /** An interface: type word, data word. */
    readonly cipher: number;
    /** Eight bytes, big endian. */
    readonly seq: number;
    /** A slice: pointer, length, capacity. */
    readonly trafficSecret: number;
  };
  readonly conn: {
    /** An interface. */
    readonly conn: number;
    readonly isClient: number;
    readonly cipherSuite: number;
    /** The halfConn of each direction. */
    readonly in: number;
    readonly out: number;
  };
  /**
   * Offset of a TLS 1.2 connection's AES key, after `prefixNonceAEAD.aead`: Go before 1.24 has a pointer to the key schedule there
   * (`aes.gcmAsm.ks`), later versions the schedule itself (`fips140/aes.Block`). The schedule begins with the key.
   */
  readonly aesKey: { readonly isPointer: boolean; readonly at: number };
}

/** @returns null for versions whose offsets are unknown or that pass the receiver on the stack. */
export function tlsFieldsOf(goVersion: string | null, arch: Arch): TlsFields | null {
  const minor = goMinor(goVersion);
  return minor === null || minor < FIRST[arch] ? null : (BY_MINOR[minor] ?? null);
}

function fields(
  trafficSecret: number,
  cipherSuite: number,
  into: number,
  out: number,
  hasSchedule: boolean,
): TlsFields {
  return {
    halfConn: { version: 24, cipher: 32, seq: 64, trafficSecret },
    conn: { conn: 0, isClient: 16, cipherSuite, in: into, out },
    aesKey: hasSchedule ? { isPointer: false, at: 8 } : { isPointer: true, at: 0 },
  };
}

// From the DWARF of programs built with the first and a late patch release of each version (fixtures/go-programs/tls-fields.json).
//                 trafficSecret, cipherSuite, in, out
const GO_1_17 = fields(120, 90, 344, 488, false);
const GO_1_20 = fields(120, 90, 368, 512, false);
const GO_1_21 = fields(128, 98, 376, 528, false);
const GO_1_23 = fields(128, 100, 384, 536, false);
const GO_1_24 = fields(128, 100, 384, 536, true);
const GO_1_25 = fields(128, 100, 368, 520, true);
const BY_MINOR: Readonly<Record<number, TlsFields | undefined>> = {
  17: GO_1_17,
  18: GO_1_17,
  19: GO_1_17,
  20: GO_1_20,
  21: GO_1_21,
  22: GO_1_21,
  23: GO_1_23,
  24: GO_1_24,
  25: GO_1_25,
  26: GO_1_25,
};

/** Go 1.17 and 1.18 release notes: since then the receiver is in a register. */
const FIRST: Readonly<Record<Arch, number>> = { amd64: 17, arm64: 18 };

/**
 * Offsets of fields in package net, the same since Go 1.17 (src/net/fd_unix.go, src/net/tcpsock.go): `TCPConn.fd`, `netFD.laddr`
 * and `.raddr` (interfaces, whose data word is a `*TCPAddr`), `TCPAddr.IP` (a slice) and `.Port`.
 */
export const NET_FIELDS = { fd: 0, laddr: 96, raddr: 112, ip: 0, port: 24 } as const;

/** Offsets in `prefixNonceAEAD` and `xorNonceAEAD` (src/crypto/tls/cipher_suites.go): the nonce of 12 bytes, an interface. */
export const AEAD_FIELDS = { nonce: 0, aead: 16 } as const;
