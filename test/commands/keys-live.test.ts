// `kubeseq keys` on a running Go program: needs root, tracefs with uprobes, a Go toolchain and tcpdump; says what is missing.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { built } from '../kit/go.js';
import { MISSING, OWN_LOOPBACK, probesOf, TOOLCHAINS, TRACEFS } from '../kit/keys-kit.js';
import { kubeseqSpawned, pause, Spawned } from '../kit/spawned.js';

/** Lines of a key log without comments. */
function secretsOf(keyLog: string): string[] {
  return keyLog.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe.skipIf(MISSING !== '')(`keys of a running program${MISSING === '' ? '' : ` (skipped: ${MISSING})`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-'));
  // Each test file has its own copy: a probe is on the file, and others use it too.
  const newest = TOOLCHAINS.at(-1)!;
  const program = copyOf(built(newest, 'talk', { stripped: true }), 'talk');
  const oldest = TOOLCHAINS[0];
  const started: Spawned[] = [];

  function copyOf(path: string, name: string): string {
    const copy = join(folder, name);
    spawnSync('cp', [path, copy]);
    return copy;
  }

  async function keys(...args: string[]): Promise<Spawned> {
    const command = kubeseqSpawned(['keys', ...args]);
    started.push(command);
    await command.until(({ stderr }) => /listening to|waiting for components/.test(stderr));
    return command;
  }

  /** A server and a client of it in one process; a line of input is a request. */
  async function context(path: string, version: string, env: NodeJS.ProcessEnv = {}): Promise<[Spawned, number]> {
    const talking = new Spawned(path, [version], { env });
    started.push(talking);
    await talking.until(({ stdout }) => stdout.includes('\n'));
    return [talking, Number(/:(\d+)\n/.exec(talking.stdout)?.[1])];
  }

  afterAll(() => {
    for (const { child } of started) child.kill('SIGKILL');
  });

  it.each([
    ['1.2', 'CLIENT_RANDOM', 1],
    ['1.3', 'SERVER_TRAFFIC_SECRET_0', 4],
  ])(
    'TLS %s: a capture of its connection on loopback is decrypted',
    async (version, label, lines) => {
      const [log, capture, own] = ['keys.log', 'talk.pcap', 'own.log'].map((name) =>
        join(folder, `${version}-${name}`),
      );
      const [talking, port] = await context(program, version, { SSLKEYLOGFILE: own });
      const listening = await keys('--binary', program, '-w', log);
      expect(statSync(log).mode & 0o777).toBe(0o600);
      const tcpdump = new Spawned('tcpdump', [
        '-i',
        'lo',
        '-U',
        '--immediate-mode',
        '-w',
        capture,
        '-Z',
        'root',
        `tcp port ${port}`,
      ]);
      started.push(tcpdump);
      await tcpdump.until(({ stderr }) => stderr.includes('listening on'));
      talking.write('web-1\n');
      await talking.until(({ stdout }) => stdout.includes('Success'));
      // Lines appear as handshakes happen, not at the end.
      for (let i = 0; i < 200 && !readFileSync(log, 'utf8').includes(label); i += 1) await pause(20);
      const seen = readFileSync(log, 'utf8');
      expect(seen).toContain(`${label} `);
      expect(secretsOf(seen)).toHaveLength(lines);
      // Go's own key log is the truth.
      expect(new Set(secretsOf(seen))).toEqual(new Set(secretsOf(readFileSync(own, 'utf8'))));
      await pause(200);
      await tcpdump.end('SIGINT');
      expect(await listening.end('SIGINT')).toBe(130);
      expect(probesOf(program)).toEqual([]);

      const { stdout } = kubeseq(['messages', '-o', 'ndjson', capture, '--keylog', log]);
      const messages = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(messages.map(({ label }) => label)).toEqual([
        '[REQ] GET /api/v1/namespaces/default/pods/web-1',
        '[RESP] 200 OK',
      ]);
      expect(kubeseq(['messages', '-o', 'ndjson', capture]).stdout).toBe('');
      talking.child.stdin?.end();
    },
    60_000,
  );

  it(`arguments on the stack or in registers: ${oldest?.version} is understood too`, async () => {
    const path = copyOf(built(oldest, 'talk', { stripped: true }), 'talk-oldest');
    const own = join(folder, 'oldest-own.log');
    const [talking] = await context(path, '1.3', { SSLKEYLOGFILE: own });
    const listening = await keys('--pid', String(talking.child.pid));
    talking.write('a\nb\n');
    await listening.until(({ stdout }) => secretsOf(stdout).length >= 8);
    await listening.end('SIGTERM');
    expect(new Set(secretsOf(listening.stdout))).toEqual(new Set(secretsOf(readFileSync(own, 'utf8'))));
  });

  it('--pid: of two processes of one program only that one', async () => {
    const [wanted] = await context(program, '1.3', { SSLKEYLOGFILE: join(folder, 'wanted.log') });
    const [other] = await context(program, '1.3');
    const listening = await keys('--pid', String(wanted.child.pid));
    other.write('not-mine\n');
    await other.until(({ stdout }) => stdout.includes('Success'));
    wanted.write('mine\n');
    await listening.until(({ stdout }) => secretsOf(stdout).length >= 4);
    expect(await listening.end('SIGINT')).toBe(130);
    const own = readFileSync(join(folder, 'wanted.log'), 'utf8');
    expect(new Set(secretsOf(listening.stdout))).toEqual(new Set(secretsOf(own)));
    // Who used them: the process that was named, at each of its handshakes.
    const random = new Set(secretsOf(own).map((line) => line.split(' ')[1]));
    const users = listening.stdout.split('\n').filter((line) => line.startsWith('# kubeseq handshake '));
    expect(users).toEqual(
      [...random].map((one) => `# kubeseq handshake random=${one} process=${basename(program)}[${wanted.child.pid}]`),
    );
  });

  it('--wait: of a component that does not run yet, from its first handshake on', async () => {
    const path = copyOf(program, 'talk-waited');
    const args = ['--component', 'talk-waited'];
    expect(kubeseq(['keys', ...args]).stderr).toContain(
      'nothing of that name runs here; start it first, --wait for it',
    );
    const listening = await keys('--wait', ...args);
    const own = join(folder, 'waited.log');
    const [talking] = await context(path, '1.3', { SSLKEYLOGFILE: own });
    await listening.until(({ stderr }) => stderr.includes(`listening to talk-waited (${path}`));
    talking.write('mine\n');
    await listening.until(({ stdout }) => secretsOf(stdout).length >= 4);
    expect(await listening.end('SIGINT')).toBe(130);
    expect(new Set(secretsOf(listening.stdout))).toEqual(new Set(secretsOf(readFileSync(own, 'utf8'))));
    expect(probesOf(path)).toEqual([]);
  });

  it('ends by itself when the process that was named has ended', async () => {
    const [talking] = await context(program, '1.3');
    const listening = await keys('--pid', String(talking.child.pid));
    talking.child.stdin?.end();
    expect(await listening.end()).toBe(0);
    expect(probesOf(program)).toEqual([]);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('leaves nothing in the kernel after %s', async (signal) => {
    const listening = await keys('--binary', program);
    expect(probesOf(program)).toHaveLength(1);
    expect(await listening.end(signal)).toBe({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal]);
    expect(probesOf(program)).toEqual([]);
    expect(readdirSync(`${TRACEFS}/instances`).filter((name) => name.includes(`-${listening.child.pid}_`))).toEqual([]);
  });

  it('leaves nothing in the kernel after trouble', async () => {
    const { status, stderr } = kubeseq(['keys', '--binary', program, '-w', join(folder, 'no/such/folder')]);
    expect(status).toBe(2);
    expect(stderr).toContain('no such file');
    expect(probesOf(program)).toEqual([]);
  });

  describe('record --keys', () => {
    /** @param own a copy of the program, of this test alone. */
    async function recorded(own: string, args: string[], signal?: NodeJS.Signals) {
      const into = `${own}-recorded`;
      const recording = ['record', '-i', 'lo', '--filter', 'tcp', '-w', into, ...args, '--', own, '1.3'];
      const command = kubeseqSpawned(recording, {}, OWN_LOOPBACK);
      started.push(command);
      if (signal === undefined) command.child.stdin?.end('web-1\n');
      else {
        await command.until(({ stdout }) => stdout.includes('127.0.0.1:'));
        expect(probesOf(own)).toHaveLength(1);
      }
      const status = await command.end(signal);
      return { status, into, stderr: command.stderr };
    }

    /** What node itself says, such as of a file that was never closed. */
    function othersWords(stderr: string): string[] {
      return stderr.split('\n').filter((line) => line !== '' && !line.startsWith('kubeseq: '));
    }

    it.concurrent('decrypts a Go program, keeps the secrets of its connections alone, and leaves nothing in the kernel', async () => {
      // Another talk of the same program at the same time: its secrets come too, its packets do not.
      const own = copyOf(program, 'talk-kept');
      const [other] = await context(own, '1.3', { SSLKEYLOGFILE: join(folder, 'other.log') });
      const listening = await keys('--binary', own, '-w', join(folder, 'all.log'));
      other.write('not-mine\n');
      const { status, into, stderr } = await recorded(own, ['--keep-keys', '--keylog', join(folder, 'all.log')]);
      await listening.end('SIGINT');
      expect(status).toBe(0);
      expect(othersWords(stderr)).toEqual([]);
      expect(readFileSync(join(into, 'diagram.mmd'), 'utf8')).toContain(
        '[REQ] GET /api/v1/namespaces/default/pods/web-1',
      );
      const kept = readFileSync(join(into, 'capture.pcapng'), 'latin1').match(/_TRAFFIC_SECRET(?:_0)? [0-9a-f]{64}/g);
      expect(kept).toHaveLength(4);
      const [others] = /[0-9a-f]{64}/.exec(readFileSync(join(folder, 'other.log'), 'utf8')) ?? [];
      expect(readFileSync(join(folder, 'all.log'), 'utf8')).toContain(others);
      expect(kept?.join()).not.toContain(others);
      expect(probesOf(own)).toEqual([]);
    });

    it.concurrent('decrypts a component that the command starts, from its first second on', async () => {
      const own = join(folder, 'started', 'kube-apiserver');
      mkdirSync(join(folder, 'started'));
      spawnSync('cp', [program, own]);
      const into = `${own}-recorded`;
      // A look at all processes is every two seconds.
      const script = '(sleep 1; echo web-1) | "$1" 1.6';
      const recording = [
        'record',
        '--keys',
        '-i',
        'lo',
        '--filter',
        'tcp',
        '-w',
        into,
        '--',
        'sh',
        '-c',
        script,
        'sh',
        own,
      ];
      const command = kubeseqSpawned(recording, {}, OWN_LOOPBACK);
      started.push(command);
      expect(await command.end()).toBe(0);
      expect(command.stderr).toContain(`listening to kube-apiserver (${own}`);
      expect(readFileSync(join(into, 'diagram.mmd'), 'utf8')).toContain('/api/v1/namespaces/default/pods/web-1');
      expect(probesOf(own)).toEqual([]);
    });

    it.concurrent.each([
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const)('leaves nothing in the kernel after %s', async (signal, expected) => {
      const own = copyOf(program, `talk-${signal}`);
      const { status, into, stderr } = await recorded(own, ['--keys'], signal);
      expect(status).toBe(expected);
      expect(othersWords(stderr)).toEqual([]);
      expect(existsSync(join(into, 'diagram.mmd'))).toBe(true);
      expect(probesOf(own)).toEqual([]);
    });

    it.concurrent('leaves nothing in the kernel after trouble', async () => {
      const own = copyOf(program, 'talk-trouble');
      const { status } = await recorded(own, ['--keys', '-i', 'nowhere0']);
      expect(status).toBe(2);
      expect(probesOf(own)).toEqual([]);
    });
  });

  it('a killed run’s probe goes by itself, a running one’s does not', async () => {
    const killed = await keys('--binary', program);
    const running = await keys('--binary', program);
    await killed.end('SIGKILL');
    const of = ({ child }: Spawned): string[] =>
      probesOf(program).filter((line) => line.includes(`keylog_${child.pid}_`));
    for (let i = 0; i < 200 && of(killed).length > 0; i += 1) await pause(20);
    expect(of(killed)).toEqual([]);
    const instances = readdirSync(`${TRACEFS}/instances`);
    expect(instances.filter((name) => name.includes(`-${killed.child.pid}_`))).toEqual([]);
    expect(of(running)).toHaveLength(1);
    await running.end('SIGINT');
    expect(of(running)).toEqual([]);
  });
});
