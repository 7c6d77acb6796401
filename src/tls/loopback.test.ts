// Every suite that node's OpenSSL offers, between its own client and server: what they sent is what comes out, however the
// stream was cut.

import { describe, expect, it } from 'vitest';
import { selfSigned } from '../../test/kit/certificates.js';
import {
  finished,
  type Loopback,
  type LoopbackOptions,
  loopback,
  plaintext,
  recut,
  run,
  streamEvents,
} from '../../test/kit/tls-peers.js';
import { tlsDecrypter } from './decrypter.js';
import { secretStore } from './key-log.js';

function decrypted(recorded: Loopback, size?: () => number) {
  const secrets = secretStore();
  secrets.add(recorded.keyLog);
  const turns = size === undefined ? recorded.turns : recut(recorded.turns, size);
  const events = streamEvents(turns);
  const first = events[0];
  return run(tlsDecrypter(finished(secrets))(first.connection), events);
}

async function check(options: LoopbackOptions): Promise<Loopback> {
  const recorded = await loopback(options);
  let step = 0;
  for (const size of [undefined, () => [1, 7, 1448, 3, 536, 100][step++ % 6]]) {
    const out = decrypted(recorded, size);
    expect(out.filter((item) => item.kind === 'notice' || item.kind === 'opaque' || item.kind === 'gap')).toEqual([]);
    expect(plaintext(out).client.equals(recorded.sent.client)).toBe(true);
    expect(plaintext(out).server.equals(recorded.sent.server)).toBe(true);
    const secured = out.find((item) => item.kind === 'tls-established');
    expect(secured).toMatchObject({ suite: recorded.cipher, version: recorded.protocol?.slice(4) });
  }
  return recorded;
}

const LOOSE = '@SECLEVEL=0';
const PSK = {
  server: { pskCallback: () => Buffer.from('0123456789abcdef'), pskIdentityHint: 'x' },
  client: {
    pskCallback: () => ({ psk: Buffer.from('0123456789abcdef'), identity: 'kubeseq' }),
    checkServerIdentity: () => undefined,
  },
};

describe('TLS 1.3', () => {
  it.each([
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'TLS_AES_128_CCM_SHA256',
    'TLS_AES_128_CCM_8_SHA256',
  ])('%s', async (ciphers) => {
    const recorded = await check({ server: { ciphers, minVersion: 'TLSv1.3' }, client: { ciphers } });
    expect(recorded.cipher).toBe(ciphers);
  });

  it('reads SNI and ALPN', async () => {
    const recorded = await loopback({
      server: { ALPNProtocols: ['h2', 'http/1.1'] },
      client: { ALPNProtocols: ['http/1.1', 'h2'], servername: 'kubernetes.default' },
    });
    const secured = decrypted(recorded).find((item) => item.kind === 'tls-established');
    expect(secured).toMatchObject({ sni: 'kubernetes.default', alpn: recorded.alpn, version: '1.3' });
    expect(recorded.alpn).toBe('h2');
  });

  it('follows a HelloRetryRequest', async () => {
    await check({ server: { ecdhCurve: 'P-384' }, client: { ecdhCurve: 'X25519:P-384' } });
  });

  it('reads a resumed session', async () => {
    const ticketKeys = Buffer.alloc(48, 7);
    const first = await check({ ticketKeys });
    const second = await check({ ticketKeys, client: { session: first.session } });
    expect(second.reused).toBe(true);
  });

  it('reads large records in both directions', async () => {
    await check({ sizes: [200_000, 300_000, 16_384, 16_385] });
  });
});

const RSA = [
  'AES128-SHA AES256-SHA AES128-SHA256 AES256-SHA256 AES128-GCM-SHA256 AES256-GCM-SHA384 AES128-CCM AES256-CCM AES128-CCM8',
  'AES256-CCM8 DHE-RSA-AES128-SHA DHE-RSA-AES256-SHA DHE-RSA-AES128-SHA256 DHE-RSA-AES256-SHA256',
  'DHE-RSA-AES128-GCM-SHA256 DHE-RSA-AES256-GCM-SHA384 DHE-RSA-CHACHA20-POLY1305 DHE-RSA-AES128-CCM DHE-RSA-AES256-CCM8',
  'ECDHE-RSA-AES128-SHA ECDHE-RSA-AES256-SHA ECDHE-RSA-AES128-SHA256 ECDHE-RSA-AES256-SHA384',
  'ECDHE-RSA-AES128-GCM-SHA256 ECDHE-RSA-AES256-GCM-SHA384 ECDHE-RSA-CHACHA20-POLY1305',
].flatMap((line) => line.split(' '));
const ECDSA = [
  'ECDHE-ECDSA-AES128-SHA ECDHE-ECDSA-AES256-SHA ECDHE-ECDSA-AES128-SHA256 ECDHE-ECDSA-AES256-SHA384',
  'ECDHE-ECDSA-AES128-GCM-SHA256 ECDHE-ECDSA-AES256-GCM-SHA384 ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-CCM ECDHE-ECDSA-AES256-CCM ECDHE-ECDSA-AES128-CCM8 ECDHE-ECDSA-AES256-CCM8',
].flatMap((line) => line.split(' '));
const PSKS = [
  'PSK-AES128-CBC-SHA PSK-AES256-CBC-SHA384 PSK-AES128-GCM-SHA256 PSK-AES256-GCM-SHA384 PSK-CHACHA20-POLY1305 PSK-AES128-CCM8',
  'DHE-PSK-AES128-CBC-SHA256 DHE-PSK-AES256-GCM-SHA384 DHE-PSK-CHACHA20-POLY1305 DHE-PSK-AES256-CCM',
  'ECDHE-PSK-AES128-CBC-SHA ECDHE-PSK-AES256-CBC-SHA384 ECDHE-PSK-CHACHA20-POLY1305',
  'RSA-PSK-AES128-CBC-SHA256 RSA-PSK-AES256-GCM-SHA384 RSA-PSK-CHACHA20-POLY1305',
].flatMap((line) => line.split(' '));

function tls12(ciphers: string, over: LoopbackOptions = {}): LoopbackOptions {
  const maxVersion = 'TLSv1.2' as const;
  return {
    ...over,
    server: { ciphers: `${ciphers}:${LOOSE}`, maxVersion, ...over.server },
    client: { ciphers: `${ciphers}:${LOOSE}`, maxVersion, ...over.client },
  };
}

describe('TLS 1.2', () => {
  it.each(RSA)('%s', async (ciphers) => {
    expect((await check(tls12(ciphers, { key: 'rsa' }))).protocol).toBe('TLSv1.2');
  });

  it.each(ECDSA)('%s', async (ciphers) => {
    expect((await check(tls12(ciphers))).protocol).toBe('TLSv1.2');
  });

  it.each(PSKS)('%s', async (ciphers) => {
    expect((await check(tls12(ciphers, { key: 'rsa', ...PSK }))).protocol).toBe('TLSv1.2');
  });

  it.each(['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES128-SHA256', 'ECDHE-ECDSA-AES256-SHA384'])(
    '%s with the MAC before encryption',
    async (ciphers) => {
      await check(tls12(ciphers, { server: { secureOptions: NO_ENCRYPT_THEN_MAC } }));
    },
  );

  it('reads without extended master secret', async () => {
    await check(tls12('ECDHE-ECDSA-AES128-GCM-SHA256', { server: { secureOptions: NO_EXTENDED_MASTER_SECRET } }));
  });

  it('reads a session resumed by ticket', async () => {
    const ticketKeys = Buffer.alloc(48, 3);
    const first = await check(tls12('ECDHE-ECDSA-AES128-GCM-SHA256', { ticketKeys }));
    const again = tls12('ECDHE-ECDSA-AES128-GCM-SHA256', { ticketKeys, client: { session: first.session } });
    expect((await check(again)).reused).toBe(true);
  });

  it('follows a renegotiation', async () => {
    const recorded = await check(tls12('ECDHE-ECDSA-AES128-GCM-SHA256', { renegotiate: true }));
    expect(new Set(recorded.keyLog.trim().split('\n')).size).toBeGreaterThan(1);
  });

  it('reports SNI and ALPN', async () => {
    const recorded = await loopback(
      tls12('ECDHE-ECDSA-AES128-GCM-SHA256', {
        server: { ALPNProtocols: ['http/1.1'] },
        client: { ALPNProtocols: ['http/1.1'], servername: 'etcd.local' },
      }),
    );
    const secured = decrypted(recorded).find((item) => item.kind === 'tls-established');
    expect(secured).toMatchObject({ sni: 'etcd.local', alpn: 'http/1.1', version: '1.2' });
  });
});

describe('the certificates that are shown', () => {
  const node = selfSigned('ec', 'system:node:node-1');
  const asked = { server: { requestCert: true, rejectUnauthorized: false }, client: node };
  const shown = (out: ReturnType<typeof decrypted>) => out.filter((item) => item.kind === 'certificate');

  it.each([
    ['TLS 1.3', asked],
    ['TLS 1.2', tls12('ECDHE-ECDSA-AES128-GCM-SHA256', asked)],
  ])('%s', async (_, options) => {
    const recorded = await check(options);
    for (const size of [undefined, () => 5]) {
      const out = decrypted(recorded, size);
      const all = shown(out);
      expect(all).toMatchObject([
        { of: 'server', commonName: 'localhost' },
        { of: 'client', commonName: 'system:node:node-1' },
      ]);
      for (const one of all)
        expect(out.indexOf(one)).toBeLessThan(out.findIndex((item) => item.kind === 'data' && item.from === one.of));
    }
  });

  it('by the server alone, if the client has none or was not requested to send it', async () => {
    for (const options of [{ client: node }, { server: asked.server }])
      expect(shown(decrypted(await check(options)))).toMatchObject([{ of: 'server' }]);
  });

  it('of a name that is no text of ours, or of no name', async () => {
    const lines = selfSigned('ec', 'a\nCN=system:node:node-2');
    const out = decrypted(await check({ ...asked, client: lines }));
    expect(shown(out).map(({ commonName }) => commonName)).toEqual(['localhost', 'a\\0ACN=system:node:node-2']);
    expect(shown(decrypted(await check({ ...asked, client: selfSigned('ec', '') })))).toHaveLength(1);
  });
});

// openssl/ssl.h
const NO_EXTENDED_MASTER_SECRET = 1;
const NO_ENCRYPT_THEN_MAC = 1 << 19;
