import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixture, fixturePath } from '../../test/kit/fixtures.js';
import { runs } from '../../test/kit/runs.js';
import type { ReadAt } from './elf.js';
import { findGoFunction } from './go-function.js';
import { KEY_LOG_FUNCTION } from './probe.js';

const TRUTH = JSON.parse(Buffer.from(fixture('go-programs/truth.json')).toString()) as Record<
  string,
  { goVersion: string; arch: string; address: string; offset: string; encrypt?: string; decrypt?: string }
>;

function reading(bytes: Uint8Array): ReadAt {
  return (offset, length) => bytes.subarray(offset, offset + length);
}

function found(bytes: Uint8Array) {
  const result = findGoFunction(reading(bytes), KEY_LOG_FUNCTION);
  if (typeof result === 'string') return result;
  const { goVersion, arch, address, offset } = result;
  return { goVersion, arch, address: `0x${address.toString(16)}`, offset: `0x${offset.toString(16)}` };
}

describe('findGoFunction', () => {
  it('has truth about every program', () => {
    const programs = readdirSync(fixturePath('go-programs')).filter((name) => name.endsWith('.gz'));
    expect(programs.map((name) => name.replace(/\.gz$/, '')).sort()).toEqual(Object.keys(TRUTH).sort());
    expect(programs.length).toBeGreaterThanOrEqual(20);
  });

  it.each(Object.entries(TRUTH))(
    '%s: where go tool nm and readelf find it',
    (name, { encrypt, decrypt, ...expected }) => {
      expect(found(fixture(`go-programs/${name}`))).toEqual(expected);
    },
  );

  it.each(['go1.16-amd64', 'go1.23-amd64-pie', 'go1.26-arm64-pie', 'go1.26-amd64-pie-cgo'])(
    '%s: without its section table too',
    (name) => {
      const bytes = new Uint8Array(fixture(`go-programs/${name}`));
      bytes.fill(0, 40, 48);
      bytes.fill(0, 58, 64);
      expect(found(bytes)).toEqual(TRUTH[name]);
    },
  );

  it('a name that only begins or ends so is another function', () => {
    const bytes = fixture('go-programs/go1.26-amd64');
    const absent = (name: string) => findGoFunction(reading(bytes), name);
    expect(absent(KEY_LOG_FUNCTION.slice(1))).toBe(`a Go program without the function ${KEY_LOG_FUNCTION.slice(1)}`);
    expect(absent(KEY_LOG_FUNCTION.slice(0, -1))).toMatch(/^a Go program without/);
  });

  it.each([
    ['nothing', new Uint8Array(0), 'not an ELF executable'],
    ['a script', Buffer.from(`#!/bin/sh\n${'x'.repeat(100)}`), 'not an ELF executable'],
    ['a program of 32 bits', elfHead({ 4: 1 }), 'not of 64 bits and little endian'],
    ['a program for s390x', elfHead({ 18: 22 }), 'for a machine (ELF 22) that is neither amd64 nor arm64'],
    [
      'headers without a program',
      elfHead({}),
      'not a Go program, or of a Go version before 1.16 or newer than is known',
    ],
  ])('refuses %s', (_, bytes, why) => expect(findGoFunction(reading(bytes), KEY_LOG_FUNCTION)).toBe(why));

  it('takes any damage', () => {
    const whole = fixture('go-programs/go1.23-amd64-pie-cgo');
    const places = [...whole.entries()].filter(([, byte]) => byte !== 0).map(([at]) => at);
    const damage = fc.array(fc.tuple(fc.nat(places.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(damage, (changes) => {
        const bytes = new Uint8Array(whole);
        for (const [place, value] of changes) bytes[places[place]] = value;
        const result = findGoFunction(reading(bytes), KEY_LOG_FUNCTION);
        expect(typeof result === 'string' || result.offset < whole.length).toBe(true);
      }),
      // Code that would begin after the file's end.
      {
        numRuns: runs(20, 150),
        examples: [
          [
            [
              [56, 41],
              [357, 0],
            ],
          ],
        ],
      },
    );
  });

  it('takes any cut', () => {
    const whole = fixture('go-programs/go1.26-amd64');
    for (let length = 0; length < whole.length; length += 99_991) {
      const result = findGoFunction(reading(whole.subarray(0, length)), KEY_LOG_FUNCTION);
      expect(typeof result === 'string' || result.address === 0x573a20, `${length}`).toBe(true);
    }
  });
});

function elfHead(changes: Readonly<Record<number, number>>): Uint8Array {
  const bytes = new Uint8Array(64);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  bytes[18] = 62;
  for (const [at, value] of Object.entries(changes)) bytes[Number(at)] = value;
  return bytes;
}
