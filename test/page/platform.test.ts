// What browsers do in place of Node.js (src/platform/browser) gives the same: functions of one type, held against Node.js.

import { execFileSync, spawnSync } from 'node:child_process';
import { type CipherGCM, createCipheriv, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as browserBytes from '../../src/platform/browser/bytes.js';
import * as browserCertificate from '../../src/platform/browser/certificate.js';
import * as browserCiphers from '../../src/platform/browser/ciphers.js';
import * as browserCompression from '../../src/platform/browser/compression.js';
import * as browserFiles from '../../src/platform/browser/files.js';
import * as browserRe2 from '../../src/platform/browser/re2.js';
import * as browserYaml from '../../src/platform/browser/yaml.js';
import * as bytes from '../../src/platform/bytes.js';
import * as certificate from '../../src/platform/certificate.js';
import * as ciphers from '../../src/platform/ciphers.js';
import * as compression from '../../src/platform/compression.js';
import * as files from '../../src/platform/files.js';
import * as re2 from '../../src/platform/re2.js';
import * as yaml from '../../src/platform/yaml.js';
import { allSuites } from '../../src/tls/suites.js';
import { ROOT } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';

/** Each side has the functions of the other, with their types: the compiler refuses anything else. */
const SIDES = [
  [bytes, browserBytes satisfies typeof bytes],
  [certificate, browserCertificate satisfies typeof certificate],
  [ciphers, browserCiphers satisfies Like<typeof ciphers>],
  [compression, browserCompression satisfies typeof compression],
  [files, browserFiles satisfies typeof files],
  [re2, browserRe2 satisfies typeof re2],
  [yaml, browserYaml satisfies typeof yaml],
] as const;

type Encoders = Pick<typeof bytes, 'utf8Bytes' | 'latin1Bytes' | 'hexBytes'>;
type Inflaters = Pick<typeof compression, 'gunzip' | 'inflate' | 'inflateRaw'>;

/** Limits may differ. */
type Like<Module> = { readonly [Name in keyof Module]: Module[Name] extends number ? number : Module[Name] };

it('has a file for each, with the same names', () => {
  const [own, others] = ['platform', 'platform/browser'].map((folder) =>
    readdirSync(new URL(`../../src/${folder}`, import.meta.url))
      .filter((name) => name.endsWith('.ts'))
      .sort(),
  );
  expect(others).toEqual(own);
  expect(SIDES.length).toBe(own.length);
  for (const [node, browser] of SIDES) expect(Object.keys(browser).sort()).toEqual(Object.keys(node).sort());
});

describe('text and bytes', () => {
  const some = fc.uint8Array({ maxLength: 300 });
  const ascii = fc.uint8Array({ max: 127, maxLength: 300 });
  const within = fc.nat({ max: 320 });

  it('decodes any bytes', () => {
    fc.assert(
      fc.property(fc.oneof(some, ascii), within, within, (given, from, end) => {
        const start = Math.min(from, given.length);
        expect(browserBytes.text(given, start, end)).toBe(bytes.text(given, start, end));
        expect(browserBytes.latin1(given, start, end)).toBe(bytes.latin1(given, start, end));
        expect(browserBytes.hexText(given)).toBe(bytes.hexText(given));
        expect(browserBytes.base64Text(given)).toBe(bytes.base64Text(given));
      }),
    );
    const long = randomBytes(50_000);
    expect(browserBytes.latin1(long)).toBe(bytes.latin1(long));
    expect(browserBytes.text(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe('\ufeffa');
  });

  it('encodes any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })), (given) => {
        for (const name of ['utf8Bytes', 'latin1Bytes'] as const) {
          const [expected, found] = [bytes as Encoders, browserBytes as Encoders].map((side) => side[name](given));
          expect([...found]).toEqual([...expected]);
        }
        expect(browserBytes.utf8Length(given)).toBe(bytes.utf8Length(given));
        expect(browserBytes.flattenString(given)).toBe(bytes.flattenString(given));
      }),
    );
    // Of a character beyond Latin-1, Node.js takes the lower byte for a digit.
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) }),
        (given) => {
          expect([...browserBytes.hexBytes(given)]).toEqual([...bytes.hexBytes(given)]);
        },
      ),
    );
    expect([...browserBytes.utf8Bytes('\ud800')]).toEqual([...bytes.utf8Bytes('\ud800')]);
  });

  it('decodes base64 of both alphabets, padded or not, with line ends', () => {
    fc.assert(
      fc.property(some, fc.boolean(), fc.nat(), (given, isUrl, cut) => {
        const written = Buffer.from(given).toString(isUrl ? 'base64url' : 'base64');
        const at = cut % (written.length + 1);
        for (const one of [written, `${written.slice(0, at)}\n${written.slice(at)}`, written.slice(0, at)])
          expect([...browserBytes.base64Bytes(one)]).toEqual([...bytes.base64Bytes(one)]);
      }),
    );
  });

  it('finds bytes in others', () => {
    const few = fc.uint8Array({ max: 2, maxLength: 40 });
    fc.assert(
      fc.property(
        few,
        fc.uint8Array({ max: 2, minLength: 1, maxLength: 4 }),
        fc.nat({ max: 45 }),
        (given, wanted, from) => {
          const found = bytes.indexOfBytes(given, wanted, from);
          expect(browserBytes.indexOfBytes(given, wanted, from)).toBe(found);
          if (found >= 0) expect(browserBytes.equalsAt(given, found, wanted)).toBe(true);
          if (from + wanted.length <= given.length)
            expect(browserBytes.equalsAt(given, from, wanted)).toBe(bytes.equalsAt(given, from, wanted));
        },
      ),
    );
  });
});

describe('inflated data', () => {
  const content = fc.array(fc.constantFrom('kind', 'Pod', '"name":"nginx"', ',', '{', '}'), { maxLength: 400 });
  const codings = [
    ['gunzip', gzipSync],
    ['inflate', deflateSync],
    ['inflateRaw', deflateRawSync],
  ] as const;

  it.each(codings)('%s: whole, cut, damaged, limited', (name, deflate) => {
    fc.assert(
      fc.property(
        content,
        fc.nat(),
        fc.nat({ max: 255 }),
        fc.integer({ min: 1, max: 3000 }),
        (words, at, value, most) => {
          const whole = deflate(words.join(''));
          const damaged = new Uint8Array(whole);
          damaged[at % whole.length] = value;
          for (const data of [whole, whole.subarray(0, at % whole.length), damaged, Buffer.concat([whole, whole])])
            for (const mayBeCut of [false, true])
              for (const limits of [
                { maxBytes: 100_000, mayBeCut },
                { maxBytes: most, mayBeCut },
              ]) {
                const [expected, found] = [compression as Inflaters, browserCompression as Inflaters].map((side) =>
                  side[name](data, limits),
                );
                expect(typeof found === 'string' ? found : [...found]).toEqual(
                  typeof expected === 'string' ? expected : [...expected],
                );
              }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('raw deflate with a dictionary', () => {
    const dictionary = Buffer.from('options head post put delete trace');
    const data = deflateRawSync('delete options post', { dictionary });
    const limits = { maxBytes: 1000, dictionary };
    expect(bytes.text(browserCompression.inflateRaw(data, limits) as Uint8Array)).toBe('delete options post');
    expect(bytes.text(compression.inflateRaw(browserCompression.deflateRaw('nginx'), limits) as Uint8Array)).toBe(
      'nginx',
    );
  });

  it('streams in pieces: members, zeros behind them, a cut end', async () => {
    const whole = Buffer.concat([gzipSync('one '.repeat(50_000)), gzipSync(randomBytes(70_000)), Buffer.alloc(600)]);
    for (const data of [whole, whole.subarray(0, 60_000)])
      for (const size of [1000, 65_536]) {
        const [expected, found] = await Promise.all(
          [compression, browserCompression].map((side) => streamed(side, data, size)),
        );
        expect(found).toEqual(expected);
      }
  });
});

async function streamed(side: typeof compression, data: Uint8Array, size: number): Promise<readonly [string, boolean]> {
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < data.length; at += size) yield data.subarray(at, at + size);
  };
  const parts: Uint8Array[] = [];
  try {
    for await (const part of side.gunzipChunks(pieces())) parts.push(part.slice());
  } catch (error) {
    return [Buffer.concat(parts).toString('base64'), side.isCut(error)];
  }
  return [Buffer.concat(parts).toString('base64'), false];
}

/** The tag is known when the text is. */
function sealedBy(cipher: ReturnType<typeof createCipheriv>, plain: Uint8Array): Buffer[] {
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return [text, (cipher as CipherGCM).getAuthTag()];
}

describe('ciphers', () => {
  const sealed = [...new Map([...allSuites()].map(({ cipher }) => [`${cipher.name} ${cipher.tagLength}`, cipher]))];

  it.each(sealed.filter(([, { mode }]) => mode !== 'cbc'))('%s', (_, cipher) => {
    // Node.js has no CCM of nothing.
    for (const length of [cipher.mode === 'ccm' ? 2 : 0, 1, 15, 16, 17, 300, 16_384]) {
      const [key, nonce, aad, plain] = [cipher.keyLength, 12, 13, length].map((size) => randomBytes(size));
      const made = createCipheriv(cipher.name as 'aes-128-ccm', key, nonce, { authTagLength: cipher.tagLength });
      made.setAAD(aad, { plaintextLength: length });
      const record = Buffer.concat([Buffer.alloc(5), ...sealedBy(made, plain)]);
      const end = 5 + length;
      const opened = (side: Pick<typeof ciphers, 'openSealed'>): readonly number[] => [
        ...(side.openSealed(cipher, key, nonce, aad, record, 5, end) ?? []),
      ];
      expect(opened(browserCiphers)).toEqual([...plain]);
      expect(opened(ciphers)).toEqual(opened(browserCiphers));
      record[record.length - 1] ^= 1;
      expect(browserCiphers.openSealed(cipher, key, nonce, aad, record, 5, end)).toBeNull();
      expect(ciphers.openSealed(cipher, key, nonce, aad, record, 5, end)).toBeNull();
    }
  });

  it.each([16, 32])('AES with a key of %i bytes', (length) => {
    const key = randomBytes(length);
    const blocks = randomBytes(64);
    expect([...browserCiphers.aesEncryptor(key).update(blocks)]).toEqual([...ciphers.aesEncryptor(key).update(blocks)]);
    expect([...browserCiphers.aesDecryptor(key).update(blocks)]).toEqual([...ciphers.aesDecryptor(key).update(blocks)]);
    const iv = randomBytes(16);
    expect([...browserCiphers.cbcDecrypted(key, iv, blocks)]).toEqual([...ciphers.cbcDecrypted(key, iv, blocks)]);
  });

  it.each(['sha1', 'sha256', 'sha384'])('HMAC with %s', (hash) => {
    const [key, one, other] = [20, 300, 5].map((size) => randomBytes(size));
    expect([...browserCiphers.hmac(hash, key, one, other)]).toEqual([...ciphers.hmac(hash, key, one, other)]);
  });
});

/** Certificates that were read, in hexadecimal digits. */
const read: string[] = [];
/** Lets a command tell on standard error which certificates it reads. */
const TELLS_CERTIFICATES = `data:text/javascript,${encodeURIComponent(`
  import crypto from 'node:crypto';
  import { syncBuiltinESMExports } from 'node:module';
  const { X509Certificate } = crypto;
  crypto.X509Certificate = class extends X509Certificate {
    constructor(der) {
      super(der);
      console.error('DER ' + Buffer.from(der).toString('hex'));
    }
  };
  syncBuiltinESMExports();
`)}`;

describe('certificates', () => {
  it.each(['run-nginx-tls', 'trouble-tls', 'operator-tls', 'egress-tls', 'connections-tls'])('of %s', (name) => {
    const folder = fixturePath(name);
    const files = readdirSync(folder);
    const captures = files.filter((file) => file.endsWith('.pcap.gz')).map((file) => `${folder}/${file}`);
    const keyLogs = files.filter((file) => /^keys.*\.log\.gz$/.test(file)).map((file) => `--keylog=${folder}/${file}`);
    const { stderr } = spawnSync(
      process.execPath,
      ['--import', TELLS_CERTIFICATES, `${ROOT}/bin/kubeseq.js`, 'messages', '-q', ...captures, ...keyLogs],
      { encoding: 'utf8', maxBuffer: 1 << 28 },
    );
    const told = new Set([...stderr.matchAll(/^DER ([0-9a-f]+)$/gm)].map(([, hex]) => hex));
    expect(told.size).toBeGreaterThan(0);
    for (const hex of told) expectSame(Buffer.from(hex, 'hex'));
    read.push(...told);
  });

  it.each([
    [
      '/CN=web',
      'DNS:*.shop.example, DNS:web, DNS:f*.a.example, IP:10.0.0.1, IP:2001:db8::1, email:a@b.example, URI:urn:x',
    ],
    ['/C=DE/O=Ex, "ample" <x>/OU=#one+two;/CN=Zo\u00eb /CN=second', 'DNS:a.b'],
    ['/DC=example/UID=7/CN= first', 'RID:1.2.3.4'],
  ])('with the subject %s', (subject, names) => {
    const args = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-keyout',
      '/dev/null',
    ];
    expectSame(
      execFileSync(
        'openssl',
        [...args, '-outform', 'DER', '-utf8', '-subj', subject, '-addext', `subjectAltName=${names}`],
        {
          stdio: ['ignore', 'pipe', 'ignore'],
        },
      ),
    );
  });

  it('throws for what is none', () => {
    const der = Buffer.from(read[0], 'hex');
    for (const none of [new Uint8Array(0), new Uint8Array(300).fill(0x30), der.subarray(0, 200)])
      expect(() => browserCertificate.readCertificate(none)).toThrow();
  });
});

function expectSame(der: Uint8Array): void {
  const [expected, found] = [certificate, browserCertificate].map((side) => side.readCertificate(der));
  const texts = ({ subject, issuer, subjectAltName }: certificate.Certificate): unknown => ({
    subject,
    issuer,
    subjectAltName,
  });
  expect(texts(found)).toEqual(texts(expected));
  const times = ({ validFrom, validTo }: certificate.Certificate): unknown => [validFrom, validTo].map(Date.parse);
  expect(times(found)).toEqual(times(expected));
  for (const name of NAMES) expect([name, found.isForHost(name)]).toEqual([name, expected.isForHost(name)]);
  for (const address of ADDRESSES)
    expect([address, found.isForAddress(address)]).toEqual([address, expected.isForAddress(address)]);
}

const NAMES = [
  ...['kubernetes', 'kubernetes.default.svc', 'localhost', 'web', 'WEB', 'web.shop.example', 'a.web.shop.example'],
  ...['shop.example', 'first.a.example', 'fa.a.example', 'f.a.example', 'xn--a.shop.example', 'node-1'],
];
const ADDRESSES = ['10.0.0.1', '10.96.0.1', '127.0.0.1', '2001:db8::1', '2001:db8:0:0:0:0:0:1', '::1', '192.0.2.10'];
