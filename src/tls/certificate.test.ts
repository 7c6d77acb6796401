import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { selfSigned } from '../../test/kit/certificates.js';
import { certificateOf, certificateWords } from './certificate.js';

/** ns. */
const at = (time: string): bigint => BigInt(Date.parse(time)) * 1_000_000n;
const shown = (commonName: string) => certificateOf(new X509Certificate(selfSigned('ec', commonName).cert).raw)!;

describe('the description of a refused certificate', () => {
  const own = shown('localhost');

  it('has its subject and its issuer', () => {
    expect(own.commonName).toBe('localhost');
    expect(certificateWords(own, at('2026-11-23T00:00:00Z'), null)).toBe('localhost, issued by itself');
  });

  it('is that its time is over, or has not come', () => {
    expect(certificateWords(own, at('2050-01-01T00:00:00Z'), null)).toBe(
      'localhost, issued by itself, expired 2049-12-31T23:59:59Z',
    );
    expect(certificateWords(own, at('2019-12-31T23:59:58Z'), null)).toBe(
      'localhost, issued by itself, not valid before 2020-01-01T00:00:00Z',
    );
  });

  // RFC 9525, 6.3: a common name is no name of a server.
  it.each(['192.0.2.10', '2001:db8::1', 'guard.default.svc', 'localhost'])('is that it is not for %s', (peer) => {
    expect(certificateWords(own, at('2026-11-23T00:00:00Z'), peer)).toBe(
      `localhost, issued by itself, not for ${peer}, but for no name`,
    );
  });

  it('is short, whatever its names are', () => {
    expect(certificateWords(shown('x'.repeat(200)), at('2026-11-23T00:00:00Z'), null)).toBe(
      `${'x'.repeat(64)}…, issued by itself`,
    );
  });
});

it('bytes that are none give nothing', () => {
  expect(certificateOf(Uint8Array.from([0x30, 0x03, 2, 1, 1]))).toBeNull();
  expect(certificateOf(new Uint8Array(8193))).toBeNull();
  expect(certificateWords({ commonName: null, der: 'x' }, 0n, null)).toBe('not readable');
});
