// What goes wrong around the program: pipes that close, disks that are full, files that may not be read, a user who has
// seen enough. Each time one line that says what to do, the right status, and nothing half-written.

import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { kubeseq, type Ran, ROOT } from '../kit/command.js';
import { fixture, fixturePath } from '../kit/fixtures.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-faults-'));
const NGINX = fixturePath('run-nginx-http1/capture.pcap.gz');
const TLS = fixturePath('clients-tls/capture.pcap.gz');
const SMALL = file('small.pcap', fixture('run-nginx-http1/capture.pcap').subarray(0, 300_000));

function file(name: string, content: string | Uint8Array): string {
  const path = join(FOLDER, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

function shell(script: string): Ran {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', `set -o pipefail; ${script}`], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const oneLine = ({ status, stderr }: Ran, expected: number, words: RegExp): void => {
  expect(stderr).toMatch(words);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(status).toBe(expected);
};

describe('a closed standard output', () => {
  it.each(['messages -o ndjson', 'messages -o csv', 'diagram --all -q', 'summary -o json', 'export'])(
    'ends %s quietly',
    (command) => {
      const { status, stderr } = shell(`node bin/kubeseq.js ${command} ${NGINX} | head -c 10 >/dev/null`);
      expect([status, stderr]).toEqual([0, '']);
    },
  );
});

describe.skipIf(!existsSync('/dev/full'))('a full disk (skipped where there is no /dev/full)', () => {
  it.each(['messages -o ndjson', 'diagram', 'summary', 'export', 'explain 1'])(
    '%s to standard output: status 2, one line',
    (command) => {
      oneLine(shell(`node bin/kubeseq.js ${command} ${SMALL} -q > /dev/full`), 2, /standard output: no space left/);
    },
  );
});

it('a key log that inflates to more than is read is an error with the limit', () => {
  const bomb = file('bomb.log.gz', gzipSync(new Uint8Array(257 * 1024 * 1024), { level: 1 }));
  const ran = kubeseq(['summary', '-q', '--keylog', bomb, SMALL]);
  oneLine(ran, 2, /bomb\.log\.gz: inflates to more than 256 MiB, the most that is read of a gzipped key log; give /);
});

describe('-w', () => {
  it.each(['messages', 'diagram', 'summary', 'export', 'explain 1'])(
    '%s to a name that a folder has: nothing stays',
    (command) => {
      const folder = join(FOLDER, `no-${command.replace(' ', '')}`);
      mkdirSync(folder);
      // A name that cannot be replaced: a folder stands there.
      mkdirSync(join(folder, 'out'));
      const [name, ...rest] = command.split(' ');
      const ran = kubeseq([name, ...rest, SMALL, '-q', '-w', join(folder, 'out')]);
      expect(ran.status).toBe(2);
      expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1);
      expect(readdirSync(folder)).toEqual(['out']);
    },
  );

  it.each(['messages', 'diagram', 'summary', 'export'])(
    '%s of what is no capture: the file of before stays as it was',
    (command) => {
      const path = file(`before-${command}`, 'before');
      expect(kubeseq([command, file('no.pcap', 'no capture at all'), '-w', path]).status).toBe(2);
      expect(readFileSync(path, 'utf8')).toBe('before');
      expect(readdirSync(FOLDER).filter((name) => name.includes('.part'))).toEqual([]);
    },
  );
});

describe.skipIf(!existsSync('/dev/full'))('-w on a device', () => {
  it.each(['messages', 'diagram', 'summary'])(
    '%s to a full one: status 2, one line, and it is still a device',
    (command) => {
      const link = join(FOLDER, `full-${command}`);
      symlinkSync('/dev/full', link);
      oneLine(kubeseq([command, SMALL, '-q', '-w', link]), 2, /full-\w+: no space left on the disk/);
      expect(statSync('/dev/full').isCharacterDevice()).toBe(true);
      expect(readdirSync('/dev').filter((name) => name.endsWith('.part'))).toEqual([]);
    },
  );

  it('a link stays a link, and a file keeps its mode', () => {
    const target = file('private.ndjson', '');
    const link = join(FOLDER, 'link.ndjson');
    symlinkSync(target, link);
    expect(kubeseq(['messages', SMALL, '-w', link]).status).toBe(0);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect([statSync(target).mode & 0o777, statSync(target).size > 1000]).toEqual([0o600, true]);
  });
});

describe('an interrupt', () => {
  /** Sends the beginning of a capture and keeps the pipe open, as tcpdump does. */
  async function interrupted(
    args: readonly string[],
    ready: (stdout: string) => boolean,
  ): Promise<Ran & { ms: number }> {
    const child = spawn(process.execPath, [join(ROOT, 'bin/kubeseq.js'), ...args], { cwd: ROOT });
    let [stdout, stderr] = ['', ''];
    child.stderr.on('data', (data) => {
      stderr += data;
    });
    let began = 0;
    const asked = new Promise<void>((resolve) => {
      child.stdout.on('data', (data) => {
        stdout += data;
        if (ready(stdout)) resolve();
      });
      // Commands that print at their end only.
      setTimeout(resolve, 2500);
    });
    child.stdin.on('error', () => {});
    child.stdin.write(readFileSync(SMALL));
    await asked;
    began = Date.now();
    child.kill('SIGINT');
    const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { status, stdout, stderr, ms: Date.now() - began };
  }

  it('messages of standard input: what is decoded is printed, status 130', async () => {
    const { status, stdout, stderr, ms } = await interrupted(
      ['messages', '-o', 'ndjson', '-'],
      (text) => text.split('\n').length > 100,
    );
    expect(status).toBe(130);
    const whole = kubeseq(['messages', '-o', 'ndjson', SMALL]).stdout.trim().split('\n');
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { label: string }).label);
    expect(lines.length).toBeGreaterThanOrEqual(whole.length - 20);
    expect(stderr).not.toMatch(/Error|at .*\.js/);
    expect(ms).toBeLessThan(5000);
  });

  it('diagram of standard input: a diagram of what came, status 130', async () => {
    const { status, stdout } = await interrupted(['diagram', '-'], () => false);
    expect(status).toBe(130);
    expect(stdout).toMatch(/^sequenceDiagram\n/);
    expect(stdout).toContain('kube-apiserver');
  });

  it('-w: the file is there, whole', async () => {
    const path = join(FOLDER, 'interrupted.ndjson');
    const { status } = await interrupted(['messages', '-', '-w', path], () => false);
    expect(status).toBe(130);
    expect(readFileSync(path, 'utf8').trim().split('\n').length).toBeGreaterThan(100);
    expect(readFileSync(path, 'utf8').endsWith('\n')).toBe(true);
  });
});

describe('inputs', () => {
  it('a key log that is a folder', () => {
    oneLine(kubeseq(['messages', '--keylog', FOLDER, TLS]), 2, /--keylog .*: is a directory; name a file in it/);
  });

  it('a key log that is not there', () => {
    oneLine(kubeseq(['messages', '--keylog', join(FOLDER, 'none'), TLS]), 2, /--keylog .*none: no such file/);
  });

  it('a key log that is no key log is reported, and the rest is read', () => {
    const { status, stderr } = kubeseq(['summary', '-v', '--keylog', file('notes', 'dear diary\n'.repeat(9)), TLS]);
    // The rest is encrypted: nothing was read (docs/decrypting.md).
    expect(status).toBe(1);
    expect(stderr).toMatch(/keys\.malformed/);
  });

  it.skipIf(process.getuid?.() === 0)('no permission (skipped for root, which may read everything)', () => {
    const path = file('secret.pcap', fixture('docker-engine-api/capture.pcap'));
    chmodSync(path, 0o000);
    oneLine(kubeseq(['messages', path]), 2, /no permission to read/);
    oneLine(kubeseq(['messages', '--keylog', path, TLS]), 2, /no permission to read/);
  });

  it('files that every user may read are reported with -v', () => {
    const keys = file('keys.log', fixture('clients-tls/keys.log'));
    const capture = file('clients.pcap', fixture('clients-tls/capture.pcap'));
    const said = (): string[] =>
      kubeseq(['messages', '-v', '--keylog', keys, capture])
        .stderr.split('\n')
        .filter((line) => line.includes('keys.world-readable'));
    expect(said()).toEqual([]);
    chmodSync(keys, 0o644);
    chmodSync(capture, 0o604);
    expect(said().map((line) => [line.includes(keys), line.includes(capture)])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it('a capture that is gone, like one of a ring', () => {
    oneLine(kubeseq(['messages', NGINX, join(FOLDER, 'ring.pcap03')]), 2, /ring\.pcap03: no such file/);
  });

  it('a capture that grows is read up to where it ends', () => {
    const whole = fixture('run-nginx-http1/capture.pcap');
    const path = file('growing.pcap', whole.subarray(0, 200_000));
    const before = kubeseq(['messages', '-o', 'ndjson', path]);
    appendFileSync(path, whole.subarray(200_000, 400_000));
    const after = kubeseq(['messages', '-o', 'ndjson', path]);
    expect([before.status, after.status]).toEqual([0, 0]);
    expect(before.stderr).toMatch(/capture\.truncated/);
    const complete = before.stdout.split('\n').filter((line) => line.includes('"complete":true'));
    expect(complete.length).toBeGreaterThan(50);
    // Which write made an event, and how sure that is, may be told by an answer that comes later.
    const withoutCause = (line: string): string =>
      line.replace(/,"causedBy":\d+/, '').replace(/,"cause":\{[^}]*\}/, '');
    const lines = new Set(after.stdout.split('\n').map(withoutCause));
    expect(complete.filter((line) => !lines.has(withoutCause(line)))).toEqual([]);
  });

  it('a socket, a device and a name with control characters', () => {
    const ran = kubeseq(['messages', join(FOLDER, 'a\u001b[31mb\n.pcap')]);
    // A bracket makes it a pattern.
    oneLine(ran, 2, /no file matches/);
    expect(ran.stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    expect(kubeseq(['messages', '/dev/null']).status).toBe(2);
  });
});
