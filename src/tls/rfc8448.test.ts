// The handshakes that the RFC prints, whole and byte by byte.

import { describe, expect, it } from 'vitest';
import { HELLO_RETRY, RESUMED_0RTT, SIMPLE_1RTT, type Trace } from '../../test/kit/rfc8448.js';
import { finished, kinds, plaintext, recut, run, streamEvents } from '../../test/kit/tls-peers.js';
import { tlsDecrypter } from './decrypter.js';
import { secretStore } from './key-log.js';

function decrypt(trace: Trace, size: number, labels = /./) {
  const secrets = secretStore();
  secrets.add(
    trace.keyLog
      .split('\n')
      .filter((line) => labels.test(line))
      .join('\n'),
  );
  secrets.end();
  const turns = trace.pieces.map(({ from, hex }) => ({ from, bytes: Buffer.from(hex, 'hex') }));
  const events = streamEvents(recut(turns, () => size));
  return run(tlsDecrypter(finished(secrets))(events[0].connection), events);
}

/** "application data" of all traces. */
const FIFTY = Buffer.from(Array.from({ length: 50 }, (_, i) => i)).toString('hex');

describe.each([100_000, 1, 13])('RFC 8448 in pieces of %i bytes', (size) => {
  it('section 3, simple 1-RTT', () => {
    const out = decrypt(SIMPLE_1RTT, size);
    expect(kinds(out)).toBe('established tls-established certificate data closed');
    // The RFC's certificate: 06 03 55 04 03 13 03 72 73 61.
    expect(out.find(({ kind }) => kind === 'certificate')).toMatchObject({ of: 'server', commonName: 'rsa' });
    expect(plaintext(out).client.toString('hex')).toBe(FIFTY);
    expect(plaintext(out).server.toString('hex')).toBe(FIFTY);
    const suite = 'TLS_AES_128_GCM_SHA256';
    expect(out.find(({ kind }) => kind === 'tls-established')).toMatchObject({
      version: '1.3',
      suite,
      sni: 'server',
      alpn: null,
    });
  });

  it('section 4, resumed 0-RTT', () => {
    const out = decrypt(RESUMED_0RTT, size);
    expect(kinds(out)).toBe('established tls-established data closed');
    expect(plaintext(out).client.toString('hex')).toBe(Buffer.from('ABCDEF').toString('hex') + FIFTY);
    expect(plaintext(out).server.toString('hex')).toBe(FIFTY);
  });

  it('section 4 without the early secret: a gap where the early data was', () => {
    const out = decrypt(RESUMED_0RTT, size, /^(?!CLIENT_EARLY)/);
    expect(out.find(({ kind }) => kind === 'gap')).toMatchObject({ from: 'client', length: null });
    expect(plaintext(out).client.toString('hex')).toBe(FIFTY);
    expect(plaintext(out).server.toString('hex')).toBe(FIFTY);
  });

  it('section 5, HelloRetryRequest', () => {
    const out = decrypt(HELLO_RETRY, size);
    expect(kinds(out)).toBe('established tls-established certificate closed');
    expect(out.filter(({ kind }) => kind === 'closed')).toHaveLength(3);
  });

  it('section 3 with traffic secrets only', () => {
    const out = decrypt(SIMPLE_1RTT, size, /TRAFFIC_SECRET_0/);
    expect(kinds(out)).not.toContain('opaque');
    expect(plaintext(out).client.toString('hex')).toBe(FIFTY);
  });
});

describe('origins', () => {
  it('are those of the piece that completed the record', () => {
    const out = decrypt(SIMPLE_1RTT, 100_000);
    const frames = out.map((item) => [item.kind, item.origin?.frame]);
    expect(frames).toEqual([
      ['established', 1],
      ['tls-established', 4],
      ['certificate', 4],
      ['data', 7],
      ['data', 8],
      ['closed', 9],
      ['closed', 10],
      ['closed', 13],
    ]);
  });
});
