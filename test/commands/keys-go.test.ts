// `kubeseq keys --print` on programs of every Go toolchain at hand, against `go tool nm` on their unstripped twins.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { fixture } from '../kit/fixtures.js';
import { addressOf, built, fieldsOf, goToolchains } from '../kit/go.js';

const FUNCTION = 'crypto/tls.(*Config).writeKeyLog';
const TOOLCHAINS = goToolchains();
const WHY = TOOLCHAINS.length === 0 ? ' (skipped: no Go toolchain here)' : '';

interface Row {
  readonly binary: string;
  readonly goVersion: string;
  readonly arch: string;
  readonly address: string;
  readonly offset: string;
  readonly probe: string;
}

describe.skipIf(TOOLCHAINS.length === 0)(`keys --print and Go's own tools${WHY}`, () => {
  it.each(TOOLCHAINS.map((go) => [go.version, go] as const))(
    '%s: amd64 and arm64, position-independent or not, stripped or not',
    (version, go) => {
      const expected = ['amd64', 'arm64'].flatMap((arch) =>
        ['exe', 'pie'].flatMap((mode) => {
          const whole = built(go, 'tls', { arch, mode });
          const address = addressOf(go, whole, FUNCTION);
          expect(address).toMatch(/^0x[0-9a-f]+$/);
          const stripped = built(go, 'tls', { arch, mode, stripped: true });
          return [whole, stripped].map((binary) => [binary, version, arch, address]);
        }),
      );
      const binaries = expected.flatMap(([binary]) => ['--binary', binary]);
      const { status, stdout } = kubeseq(['keys', '--print', '-o', 'json', ...binaries]);
      expect(status).toBe(0);
      const rows = JSON.parse(stdout) as Row[];
      expect(rows.map(({ binary, goVersion, arch, address }) => [binary, goVersion, arch, address])).toEqual(expected);
    },
    600_000,
  );

  it.each(TOOLCHAINS.map((go) => [go.version, go] as const))(
    '%s: fields lie where the fixture of its minor version has them, and its DWARF',
    (version, go) => {
      const rows = JSON.parse(Buffer.from(fixture('go-programs/tls-fields.json')).toString()) as Record<
        string,
        Record<string, number>
      >;
      const minor = version.split('.').slice(0, 2).join('.');
      for (const arch of ['amd64', 'arm64']) {
        const known = Object.entries(rows).filter(
          ([name]) => name.endsWith(` ${arch}`) && (name.startsWith(`${minor}.`) || name.startsWith(`${minor} `)),
        );
        if (minor === 'go1.16') continue;
        expect(known.length).toBeGreaterThan(0);
        for (const [name, fields] of known)
          expect(fieldsOf(TOOLCHAINS.at(-1)!, built(go, 'tls', { arch }), Object.keys(fields)), name).toEqual(fields);
      }
    },
    600_000,
  );

  it.skipIf(TOOLCHAINS.length < 4)(
    `at least four versions were tried${TOOLCHAINS.length < 4 ? ` (skipped: ${TOOLCHAINS.length} here; GOTOOLCHAIN=go1.21.13 go version brings another)` : ''}`,
    () => {
      expect(new Set(TOOLCHAINS.map(({ version }) => version)).size).toBeGreaterThanOrEqual(4);
    },
  );
});

describe('keys --print', () => {
  it('refuses what is no Go program, in one line, with status 2', () => {
    const { status, stdout, stderr } = kubeseq(['keys', '--print', '--binary', '/bin/sh']);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^kubeseq: \/bin\/sh is not a Go program.*\n$/);
  });

  it.each(['text', 'json', 'bpftrace'])('prints no control character of a path: %s', (format) => {
    const program = join(mkdtempSync(join(tmpdir(), 'kubeseq-keys-')), 'a\u001b]0;title\u0007\n\u009bb\u202e');
    writeFileSync(program, fixture('go-programs/go1.18-amd64'));
    const { status, stdout, stderr } = kubeseq(['keys', '--print', '-o', format, '--binary', program]);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('u001b]0;title');
    expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    expect(
      stdout
        .split('\n')
        .filter((line) => line.includes(']0;title'))
        .every((line) => line.includes('u202e')),
    ).toBe(true);
  });

  it.each([
    [['--pid', '999999999'], /--pid 999999999: no such process/],
    [['--pid', 'x'], /expected the number of a process/],
    [['--binary', '/nowhere'], /\/nowhere: no such file/],
    [['--component', 'no-such-component'], /no-such-component: nothing of that name runs here/],
  ] as const)('%s: one line with what is wrong', (args, why) => {
    const { status, stderr } = kubeseq(['keys', '--print', ...args]);
    expect(status).toBe(2);
    expect(stderr).toMatch(why);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});
