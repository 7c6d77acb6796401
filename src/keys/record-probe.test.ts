import { describe, expect, it } from 'vitest';
import { fixture } from '../../test/fixtures.js';
import { goMinor } from './build-info.js';
import { openGoProgram } from './go-function.js';
import { cheapestPlace } from './prologue.js';
import { findRecordProbes, recordProbeLine } from './record-probe.js';

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
      expect(probes).toBe('of go1.17.13, of which it is not known where it keeps them');
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

  it('says of other programs why they are not heard', () => {
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

describe('cheapestPlace', () => {
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
  ] as const)('%s, %s', (arch, _, code, expected) => expect(cheapestPlace(bytes(code), arch)).toBe(expected));
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
