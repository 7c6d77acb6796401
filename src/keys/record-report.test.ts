import { describe, expect, it } from 'vitest';
import { recordReport } from './record-report.js';

/** Bytes as the kernel prints the words that hold them: little endian, without leading zeros. */
function words(name: string, hex: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const bytes =
      hex
        .slice(16 * i, 16 * i + 16)
        .padEnd(16, '0')
        .match(/../g) ?? [];
    return `${name}${i}=0x${BigInt(`0x${bytes.reverse().join('')}`).toString(16)}`;
  });
}

const SECRET = '00ba43'.padEnd(64, '5');
const REMOTE = '20010db8000000000000000000000011';

function line(changes: Readonly<Record<string, string>> = {}, comm = 'kube-apiserver'): string {
  const fields = [
    'hc=0xc000123178',
    'g=0xc000002380',
    'ver=772',
    'cs=4865',
    'cl=0',
    'ct=0x2a3b40',
    'seq=0x2d02000000000000',
    'ci=0x2a3b90',
    'n=32',
    ...words('s', SECRET, 6),
    'ln=16',
    ...words('l', '00000000000000000000ffffc000020a', 2),
    'lp=6443',
    'rn=16',
    ...words('r', REMOTE, 2),
    'rp=46130',
    ...words('o', '0102030405060708090a0b0c', 2),
    ...words('k', 'aa'.repeat(32), 4),
    ...words('c', 'cc'.repeat(32), 4),
  ].map((field) => {
    const [name, value] = field.split('=');
    return `${name}=${changes[name] ?? value}`;
  });
  return `${comm.padStart(16)}-16292   [001] DBZff  5421.229659: decrypt_812_ab_3: (0x6ddb20) ${fields.join(' ')}`;
}

describe('recordReport', () => {
  it('TLS 1.3', () => {
    expect(recordReport(line())).toEqual({
      operation: 'decrypt',
      program: 3,
      thread: 16292,
      goroutine: '0xc000002380',
      time: 5_421_229_659_000n,
      halfConn: 0xc000123178,
      isClient: false,
      version: '1.3',
      suite: 0x1301,
      record: 557,
      secret: SECRET,
      nonce: '',
      connType: '0x2a3b40',
      local: { address: '192.0.2.10', port: 6443 },
      remote: { address: '2001:db8::11', port: 46130 },
    });
  });

  it.each([
    ['AES-128-GCM', '49195', 'aa'.repeat(16), '01020304'],
    ['AES-256-GCM', '49200', 'aa'.repeat(32), '01020304'],
    ['ChaCha20-Poly1305', '52393', 'cc'.repeat(32), '0102030405060708090a0b0c'],
  ])('TLS 1.2, %s: key and implicit nonce', (_, cs, secret, nonce) => {
    expect(recordReport(line({ ver: '771', n: '0', cs }))).toMatchObject({ version: '1.2', secret, nonce });
  });

  it('TLS 1.2, CBC: no key', () => {
    expect(recordReport(line({ ver: '771', n: '0', cs: '49171' }))).toMatchObject({ secret: null });
  });

  it.each([
    ['before a cipher is in force', { ci: '0x0' }],
    ['before a version is agreed on', { ver: '0' }],
  ])('%s records are in clear', (_, changes) => expect(recordReport(line(changes))).toBeNull());

  it.each([
    ['a version that is none', { ver: '4660' }],
    ['a secret of a length that none has', { n: '33' }],
    ['what is neither client nor server', { cl: '7' }],
    ['a number that no connection reaches', { seq: '0xff' }],
  ])('%s is no report', (_, changes) => expect(recordReport(line(changes))).toBeUndefined());

  it.each([
    ['without an IP', { rn: '0' }],
    ['with an IP of a length that none has', { rn: '1099511627776' }],
    ['without a port', { rp: '0' }],
  ])('%s: an address that could not be read', (_, changes) => {
    expect(recordReport(line(changes))).toMatchObject({ remote: null, local: { port: 6443 } });
  });

  it('a program whose name looks like a report says nothing', () => {
    const comm = 'decrypt_1_1: (0x1) hc=0x1 ver=772';
    expect(recordReport(line({}, comm))).toMatchObject({ program: 3, record: 557 });
    expect(recordReport(`${comm} more`)).toBeNull();
  });
});
