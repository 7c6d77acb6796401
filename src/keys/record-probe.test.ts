import { describe, expect, it } from 'vitest';
import { fixture } from '../../test/kit/fixtures.js';
import { goMinor } from './build-info.js';
import { openGoProgram } from './go-function.js';
import { probeOffset } from './prologue.js';
import { findRecordProbes, recordProbeLine, recordReport } from './record-probe.js';

type Truth = {
  goVersion: string;
  arch: 'amd64' | 'arm64';
  address: string;
  offset: string;
  encrypt: string;
  decrypt: string;
};
const TRUTH = Object.entries(
  JSON.parse(Buffer.from(fixture('go-programs/truth.json')).toString()) as Record<string, Truth>,
).filter(([name]) => name.endsWith('-records'));

function probesOf(name: string) {
  const bytes = fixture(`go-programs/${name}`);
  const program = openGoProgram((offset, length) => bytes.subarray(offset, offset + length));
  return typeof program === 'string' ? program : findRecordProbes(program);
}

describe('findRecordProbes', () => {
  it('has programs of Go 1.17 to 1.26 for both machines', () => {
    expect(TRUTH).toHaveLength(22);
    expect(new Set(TRUTH.map(([, { goVersion }]) => goMinor(goVersion))).size).toBe(10);
  });

  it.each(TRUTH)('%s: behind the stack check of the functions that go tool nm names', (name, truth) => {
    const probes = probesOf(name);
    if (name.startsWith('go1.17-arm64')) {
      expect(probes).toBe('of go1.17.13, whose layout of crypto/tls structures is not known');
      return;
    }
    const delta = Number(truth.offset) - Number(truth.address);
    // go tool objdump: `jbe` or `b.ls` at 12, `push %rbp` at 18 since Go 1.21.
    const within = truth.arch === 'amd64' && (goMinor(truth.goVersion) ?? 0) >= 21 ? 18 : 12;
    expect(probes).toMatchObject({
      arch: truth.arch,
      offsets: { encrypt: Number(truth.encrypt) + delta + within, decrypt: Number(truth.decrypt) + delta + within },
    });
  });

  it('gives the reason why other programs cannot be observed', () => {
    expect(probesOf('go1.26-amd64')).toBe('a Go program without the function crypto/tls.(*halfConn).encrypt');
    const bytes = new Uint8Array(fixture('go-programs/go1.26-amd64-records'));
    const truth = new Map(TRUTH).get('go1.26-amd64-records');
    // The code is not what a Go function begins with: nothing may be planted there.
    bytes.fill(0x90, Number(truth?.decrypt) - 0x400000, Number(truth?.decrypt) - 0x400000 + 32);
    const program = openGoProgram((offset, length) => bytes.subarray(offset, offset + length));
    expect(typeof program === 'string' ? program : findRecordProbes(program)).toBe(
      'a program whose functions do not begin as those of Go do',
    );
  });
});

describe('probeOffset', () => {
  const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', '').padEnd(64, '0'), 'hex');
  it.each([
    ['amd64', 'a large frame', '4c8da424d0feffff 4d3b6610 0f86ab0d0000 55 4889e5', 18],
    ['amd64', 'a large frame, before Go 1.21', '4c8da42498feffff 4d3b6610 0f865c0e0000 4881ece8010000', 12],
    ['amd64', 'a frame with a short offset', '4c8d6424d0 4d3b6610 7610 55', 11],
    ['amd64', 'a small frame', '493b6610 7620 55', 6],
    ['amd64', 'an address that is 0x100 too low', '48 8b 44 24 08 4c8da424d0feffff 4d3b6610', null],
    ['amd64', 'a comparison with something else', '4c8da424d0feffff 4d3b6618 0f86ab0d0000 55', null],
    ['amd64', 'nothing', '', null],
    ['arm64', 'a large frame', '900b40f9 f10305d1 3f0210eb a94e0054', 12],
    ['arm64', 'a small frame', '900b40f9 ff6330eb a94e0054', 8],
    ['arm64', 'Go 1.17, whose arguments are on the stack', '810b40f9 e20306d1 5f0001eb a9600054', null],
    ['arm64', 'nothing', '', null],
  ] as const)('%s, %s', (arch, _, code, expected) => expect(probeOffset(bytes(code), arch)).toBe(expected));
});

describe('recordProbeLine', () => {
  it('is what uprobe_events takes', () => {
    const probes = probesOf('go1.26-amd64-records');
    if (typeof probes === 'string') throw new Error(probes);
    const line = recordProbeLine(probes, 'decrypt', '/x', 'kubeseq/decrypt_1_1');
    expect(line).toMatch(/^p:kubeseq\/decrypt_1_1 \/x:0x[0-9a-f]+ hc=%ax:x64 /);
    // keys-from-go-programs: found live, 16 of 16.
    for (const part of [
      'ver=+24(%ax):u16',
      'seq=+64(%ax):x64',
      'n=+136(%ax):u64',
      's5=+40(+128(%ax)):x64',
      'cl=-352(%ax):u8',
      'lp=+24(+104(+0(-360(%ax)))):u16',
      'rn=+8(+120(+0(-360(%ax)))):u64',
      'r1=+8(+0(+120(+0(-360(%ax))))):x64',
    ])
      expect(line.split(' ')).toContain(part);
    const encrypt = recordProbeLine(probes, 'encrypt', '/x', 'kubeseq/encrypt_1_1');
    expect(encrypt.split(' ')).toContain('cl=-504(%ax):u8');
    expect(encrypt.split(' ')).toContain('rp=+24(+120(+0(-512(%ax)))):u16');
    // include/linux/trace.h and trace_probe.h: bytes of a command, and of a probe's arguments.
    expect(line.length).toBeLessThan(4096);
    expect(line.split(' ').length - 2).toBeLessThanOrEqual(128);
  });
});

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

  it('ignores a program whose name looks like a report', () => {
    const comm = 'decrypt_1_1: (0x1) hc=0x1 ver=772';
    expect(recordReport(line({}, comm))).toMatchObject({ program: 3, record: 557 });
    expect(recordReport(`${comm} more`)).toBeNull();
  });
});
