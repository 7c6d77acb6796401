import { describe, expect, it } from 'vitest';
import { fixture } from '../../test/kit/fixtures.js';
import { goMinor } from './build-info.js';
import type { Arch } from './elf.js';
import { AEAD_FIELDS, NET_FIELDS, tlsFieldsOf } from './tls-fields.js';

/** Offsets as the DWARF of programs of each version has them (fixtures/go-programs/source/fields.go). */
const DWARF = JSON.parse(Buffer.from(fixture('go-programs/tls-fields.json')).toString()) as Record<
  string,
  Readonly<Record<string, number>>
>;
const VERSIONS = Object.keys(DWARF).map((name) => name.split(' ') as [string, Arch]);

describe('tlsFieldsOf', () => {
  it.each(VERSIONS)('%s %s: as in its DWARF', (version, arch) => {
    const dwarf = DWARF[`${version} ${arch}`];
    const of = (name: string): number => dwarf[name] ?? Number.NaN;
    const fields = tlsFieldsOf(version, arch);
    if (arch === 'arm64' && goMinor(version) === 17) {
      expect(fields, 'arguments are on the stack').toBeNull();
      return;
    }
    expect(fields?.halfConn).toEqual({
      version: of('crypto/tls.halfConn.version'),
      cipher: of('crypto/tls.halfConn.cipher'),
      seq: of('crypto/tls.halfConn.seq'),
      trafficSecret: of('crypto/tls.halfConn.trafficSecret'),
    });
    expect(fields?.conn).toEqual({
      conn: of('crypto/tls.Conn.conn'),
      isClient: of('crypto/tls.Conn.isClient'),
      cipherSuite: of('crypto/tls.Conn.cipherSuite'),
      in: of('crypto/tls.Conn.in'),
      out: of('crypto/tls.Conn.out'),
    });
    const schedule = dwarf['crypto/internal/fips140/aes.blockExpanded.enc'];
    expect(fields?.aesKey).toEqual(
      schedule === undefined
        ? { isPointer: true, at: of('crypto/aes.gcmAsm.ks') }
        : { isPointer: false, at: schedule + of('crypto/internal/fips140/aes/gcm.GCM.cipher') },
    );
    expect(NET_FIELDS).toEqual({
      fd: of('net.conn.fd'),
      laddr: of('net.netFD.laddr'),
      raddr: of('net.netFD.raddr'),
      ip: of('net.TCPAddr.IP'),
      port: of('net.TCPAddr.Port'),
    });
    for (const type of ['prefixNonceAEAD', 'xorNonceAEAD'])
      expect(AEAD_FIELDS.aead).toBe(of(`crypto/tls.${type}.aead`));
    expect(AEAD_FIELDS.nonce).toBe(of('crypto/tls.prefixNonceAEAD.nonce'));
    expect(of('vendor/golang.org/x/crypto/chacha20poly1305.chacha20poly1305.key')).toBe(0);
  });

  it('has a row for each version from 1.17 to 1.26, first and late patch releases', () => {
    const minors = VERSIONS.filter(([, arch]) => arch === 'amd64').map(([version]) => goMinor(version));
    for (let minor = 17; minor <= 26; minor += 1)
      expect(minors.filter((one) => one === minor).length).toBeGreaterThan(1);
  });

  it.each([['go1.16.15'], ['go1.27.0'], ['devel +4f1d2c'], [null]])('%s: no row', (version) => {
    expect(tlsFieldsOf(version, 'amd64')).toBeNull();
  });
});
