// `kubeseq keys` and `record --keys` on Go programs whose connection was open before: needs root, tracefs with uprobes, a Go toolchain
// and tcpdump; says what is missing.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseOpenConnection } from '../../src/core/open-connection.js';
import { kubeseq } from '../kit/command.js';
import { built, type Go } from '../kit/go.js';
import { MISSING, probesOf, probesOnOf, TOOLCHAINS } from '../kit/keys-kit.js';
import { kubeseqSpawned, pause, Spawned } from '../kit/spawned.js';
import { NO_TERMINAL, TerminalSession } from '../kit/terminal.js';
import { HAS_TSHARK, tshark } from '../kit/tshark.js';

const REQUESTS = 40;

describe.skipIf(MISSING !== '')(
  `connections that are open already${MISSING === '' ? '' : ` (skipped: ${MISSING})`}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubeseq-'));
    const newest = TOOLCHAINS.at(-1)!;
    const oldest = TOOLCHAINS.find(({ version }) => !version.startsWith('go1.16.'))!;
    const started: Spawned[] = [];
    let copies = 0;

    afterAll(() => {
      for (const { child } of started) child.kill('SIGKILL');
    });

    function spawned(command: string, ...args: string[]): Spawned {
      const one = new Spawned(command, args);
      started.push(one);
      return one;
    }

    /** A stripped program of its own: a probe is on the file, and other tests have theirs. */
    function program(go: Go, mode = 'exe', name = 'held'): string {
      copies += 1;
      const own = join(folder, String(copies));
      mkdirSync(own);
      spawnSync('cp', [built(go, 'held', { mode, stripped: true }), join(own, name)]);
      return join(own, name);
    }

    interface Held {
      readonly server: Spawned;
      readonly client: Spawned;
      readonly port: number;
    }

    /** A server and a client, with a connection between them on which a request was answered. */
    async function held(path: string, version: string, ...more: string[]): Promise<Held> {
      const server = spawned(path, 'serve', version);
      await server.until(({ stdout }) => stdout.includes('\n'));
      const address = server.stdout.trim();
      const client = spawned(path, 'ask', address, ...more);
      await client.until(({ stdout }) => stdout.includes('open\n'));
      return { server, client, port: Number(address.split(':').at(-1)) };
    }

    async function keys(...args: string[]): Promise<Spawned> {
      const command = kubeseqSpawned(['keys', ...args]);
      started.push(command);
      await command.until(({ stderr }) => stderr.includes('listening to'));
      return command;
    }

    async function capturing(port: number, file: string): Promise<Spawned> {
      const args = ['-i', 'lo', '-U', '--immediate-mode', '-w', file, '-Z', 'root', `tcp port ${port}`];
      const tcpdump = spawned('tcpdump', ...args);
      await tcpdump.until(({ stderr }) => stderr.includes('listening on'));
      return tcpdump;
    }

    async function ask(client: Spawned, names: readonly string[]): Promise<void> {
      for (const name of names) {
        client.write(`${name}\n`);
        await client.until(({ stdout }) => stdout.includes(`HTTP/2.0 ${name}\n`));
      }
    }

    function openLines(keyLog: string) {
      return keyLog
        .split('\n')
        .map(parseOpenConnection)
        .filter((line) => line != null);
    }

    /** Names of the objects in the answers of a capture. */
    function answered(...args: string[]): string[] {
      const { stdout } = kubeseq(['messages', '-o', 'ndjson', '-q', ...args]);
      const messages = stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { kind: string; object?: { kind?: string; name?: string } });
      return messages
        .filter(({ kind, object }) => kind === 'response' && object?.kind === 'Pod')
        .map(({ object }) => object?.name ?? '');
    }

    const NAMES = Array.from({ length: REQUESTS }, (_, i) => `pod-${i}`);

    it.each([
      ['1.3', newest?.version, 'exe', 0x1301],
      ['1.3', newest?.version, 'pie', 0x1301],
      ['1.3', oldest?.version, 'pie', 0x1301],
      ['1.2', newest?.version, 'exe', 0xc02b],
      ['1.2', newest?.version, 'pie', 0xc02b],
      ['1.2', oldest?.version, 'exe', 0xc02b],
      ['1.2', newest?.version, 'exe', 0xcca9],
      ['1.2', oldest?.version, 'exe', 0xcca9],
    ] as const)(
      'TLS %s, %s, %s, suite %i: requests on a connection from before are read',
      async (version, release, mode, suite) => {
        const path = program(release === newest?.version ? newest : oldest, mode);
        const { client, server, port } = await held(path, version, ...(suite === 0xcca9 ? ['chacha'] : []));
        const [log, capture] = [`${path}.log`, `${path}.pcap`];
        const listening = await keys('--binary', path, '-w', log);
        expect(
          probesOf(path)
            .map((line) => line.split('/')[1].split('_')[0])
            .sort(),
        ).toEqual(['decrypt', 'encrypt', 'headers', 'keylog']);
        const tcpdump = await capturing(port, capture);
        await ask(client, NAMES);
        // Each direction was heard: the probes that cost are off; those of handshakes and, until the bound, of header blocks stay.
        await listening.until(({ stderr }) => stderr.includes('open connections read: 1 of 1'));
        expect(probesOnOf(path).map((line) => line.split('/')[1].split('_')[0])).toEqual(['keylog', 'headers']);
        await pause(200);
        await tcpdump.end('SIGINT');
        expect(await listening.end('SIGINT')).toBe(130);
        expect(probesOf(path)).toEqual([]);

        const [line, ...others] = openLines(readFileSync(log, 'utf8'));
        expect(others).toEqual([]);
        const ends = line?.side === 'server' ? line.local : line?.remote;
        expect([line?.version, line?.suite, ends]).toEqual([version, suite, { address: '127.0.0.1', port }]);
        expect([server.child.pid, client.child.pid].map((pid) => `held[${pid}]`)).toContain(line?.processName);
        const names = answered(capture, '--keylog', log);
        expect(names.filter((name) => NAMES.includes(name)).length).toBeGreaterThanOrEqual(38);
        expect(answered(capture)).toEqual([]);
      },
      120_000,
    );

    /** Starts `keys` behind all but one of the requests of a capture, and ends both. */
    async function listenAtLast(path: string, log: string, client: Spawned, tcpdump: Spawned): Promise<void> {
      const listening = await keys('--binary', path, '-w', log);
      await ask(client, ['last']);
      await listening.until(({ stderr }) => stderr.includes('open connections read: 1 of 1'));
      await pause(200);
      await tcpdump.end('SIGINT');
      await listening.end('SIGINT');
    }

    it('what was captured before the secrets were reported is read too', async () => {
      const path = program(newest);
      const { client, port } = await held(path, '1.3');
      const [log, capture] = [`${path}.log`, `${path}.pcap`];
      const tcpdump = await capturing(port, capture);
      await ask(client, NAMES);
      await listenAtLast(path, log, client, tcpdump);
      expect(answered(capture, '--keylog', log)).toEqual([...NAMES, 'last']);
    });

    it('a capture that has the handshake, which was not reported, is read as well', async () => {
      const path = program(newest);
      const server = spawned(path, 'serve', '1.3');
      await server.until(({ stdout }) => stdout.includes('\n'));
      const [log, capture] = [`${path}.log`, `${path}.pcap`];
      const tcpdump = await capturing(Number(server.stdout.trim().split(':').at(-1)), capture);
      const client = spawned(path, 'ask', server.stdout.trim());
      await client.until(({ stdout }) => stdout.includes('open\n'));
      await listenAtLast(path, log, client, tcpdump);
      expect(readFileSync(log, 'utf8')).not.toMatch(/^[A-Z]/m);
      expect(answered(capture, '--keylog', log)).toEqual(['first', 'last']);
    });

    it.each([
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const)('leaves no probe after %s', async (signal, status) => {
      const path = program(newest);
      await held(path, '1.3');
      const listening = await keys('--binary', path);
      expect(probesOf(path)).toHaveLength(4);
      expect(await listening.end(signal)).toBe(status);
      expect(probesOf(path)).toEqual([]);
    });

    it.each(['SIGINT', 'SIGTERM'] as const)(
      'leaves no probe after two of %s, the second while they go',
      async (signal) => {
        const path = program(newest);
        await held(path, '1.3');
        const listening = await keys('--binary', path);
        expect(probesOf(path)).toHaveLength(4);
        listening.child.kill(signal);
        // Each of them takes the kernel some 30 ms.
        await pause(20);
        expect(await listening.end(signal)).toBe(signal === 'SIGINT' ? 130 : 143);
        expect(probesOf(path)).toEqual([]);
      },
    );

    it('leaves no probe after trouble, nor after kill -9 and the next run', async () => {
      const path = program(newest);
      await held(path, '1.3');
      expect(kubeseq(['keys', '--binary', path, '-w', join(folder, 'no/such/folder')]).status).toBe(2);
      expect(probesOf(path)).toEqual([]);
      const killed = await keys('--binary', path);
      await killed.end('SIGKILL');
      for (let i = 0; i < 200 && probesOf(path).length > 0; i += 1) await pause(20);
      expect(probesOf(path)).toEqual([]);
      const next = await keys('--binary', path, '--open-connections', '0s');
      expect(probesOf(path)).toHaveLength(1);
      expect(probesOf(path)[0]).toContain(`keylog_${next.child.pid}_`);
      await next.end('SIGINT');
      expect(probesOf(path)).toEqual([]);
    });

    it('what carries no data is waited for up to the bound, and that is reported', async () => {
      const path = program(newest);
      await held(path, '1.3');
      const listening = await keys('--binary', path, '--open-connections', '1s');
      await listening.until(({ stderr }) => stderr.includes('1 of 1 open connections did not carry data'));
      await pause(200);
      expect(probesOnOf(path)).toHaveLength(1);
      await listening.end('SIGINT');
    });

    it('--pid: of two processes of one program only that one', async () => {
      const path = program(newest);
      const wanted = await held(path, '1.3');
      const other = await held(path, '1.3');
      const listening = await keys('--pid', String(wanted.server.child.pid));
      await ask(other.client, ['not-mine']);
      await ask(wanted.client, ['mine']);
      await listening.until(({ stdout }) => stdout.includes('\n'));
      await listening.end('SIGINT');
      const lines = openLines(listening.stdout);
      expect(lines).toMatchObject([{ processName: `held[${wanted.server.child.pid}]`, side: 'server' }]);
    });

    describe('record --keys', () => {
      it('waits until the open connections of components were reported, and reads them', async () => {
        const path = program(newest, 'exe', 'kube-apiserver');
        const { client, port, server } = await held(path, '1.3');
        const into = `${path}-recorded`;
        const args = ['--keep-keys', '-i', 'lo', '--filter', `tcp port ${port}`, '--for', '1s', '-w', into];
        const recording = kubeseqSpawned(['record', ...args, '--', 'sh', '-c', 'echo running; sleep 1']);
        started.push(recording);
        await recording.until(({ stderr }) => /open connections read: \d of [1-9]/.test(stderr));
        expect(recording.stdout).not.toContain('running');
        await ask(client, ['before']);
        await recording.until(({ stdout }) => stdout.includes('running'));
        expect(recording.stderr).toMatch(/open connections read: [1-9] of [1-9]/);
        await ask(client, ['web-1', 'web-2']);
        expect(await recording.end()).toBe(0);
        expect(recording.stdout).toContain(
          'connections that were open before the recording\n  kube-apiserver: 1 read, 0 not\n',
        );
        // What came while it waited is captured and read, and is not drawn.
        const names = ['before', 'web-1', 'web-2'];
        expect(answered(join(into, 'capture.pcapng'))).toEqual(names);
        const diagram = readFileSync(join(into, 'diagram.mmd'), 'utf8');
        expect(names.filter((name) => diagram.includes(`/pods/${name}`))).toEqual(['web-1', 'web-2']);
        // The server's HPACK table was read at the first block: heads are what was sent, nothing of them is concluded.
        const lines = readFileSync(join(into, 'messages.ndjson'), 'utf8').trimEnd().split('\n');
        const requests = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'request');
        expect(requests.map(({ target, userAgent, inferred }) => [target, userAgent, inferred])).toEqual(
          names.map((name) => [`/api/v1/namespaces/default/pods/${name}`, 'Go-http-client/2.0', undefined]),
        );
        expect(probesOf(path)).toEqual([]);
        for (const { child } of [client, server]) child.kill('SIGKILL');
        // Another reader of the block of secrets passes over what it does not know.
        if (HAS_TSHARK)
          expect(tshark(readFileSync(join(into, 'capture.pcapng')), ['tcp.port'], []).length).toBeGreaterThan(0);
      });

      it('keeps which process was at which end of a handshake', async () => {
        const path = program(newest, 'exe', 'kube-apiserver');
        const server = spawned(path, 'serve', '1.3');
        await server.until(({ stdout }) => stdout.includes('\n'));
        const address = server.stdout.trim();
        const client = program(newest, 'exe', 'kubectl');
        const into = `${path}-recorded`;
        const args = ['--keep-keys', '-i', 'lo', '--filter', `tcp port ${address.split(':').at(-1)}`, '-w', into];
        const recording = kubeseqSpawned(['record', ...args, '--', client, 'ask', address]);
        started.push(recording);
        await recording.until(({ stdout }) => stdout.includes('open\n'));
        // A process that has ended has no number any more.
        await pause(500);
        recording.child.stdin?.end('web-1\n');
        expect(await recording.end()).toBe(0);
        const capture = join(into, 'capture.pcapng');
        const [, pid, peer] =
          /process=kubectl\[(\d+)\] side=client peer=kube-apiserver\[(\d+)\]/.exec(readFileSync(capture, 'latin1')) ??
          [];
        const { stdout } = kubeseq(['summary', capture]);
        expect(stdout).toContain(`process ${pid}, kubectl, as kubeseq keys noted`);
        expect(Number(peer)).toBe(server.child.pid);
        expect(answered(capture)).toEqual(['first', 'web-1']);
      });

      it.skipIf(NO_TERMINAL !== '')('on a terminal, the line of the waiting is written over', async () => {
        const path = program(newest, 'exe', 'kube-apiserver');
        const { client, port } = await held(path, '1.3');
        const other = spawned(path, 'ask', `127.0.0.1:${port}`);
        await other.until(({ stdout }) => stdout.includes('open\n'));
        const args = ['--keys', '-i', 'lo', '--filter', `tcp port ${port}`, '--for', '100ms', '-w', `${path}-recorded`];
        const screen = new TerminalSession(['record', ...args, '--', 'echo', 'running'], { rows: 30, columns: 150 });
        const rows = (words: RegExp): string[] => screen.text.split('\n').filter((row) => words.test(row));
        try {
          await screen.shows(/^kubeseq: waiting until 2 connections/m);
          await screen.shows(/^kubeseq: open connections read: 0 of 2 *$/m);
          await ask(client, ['one']);
          await screen.shows(/^kubeseq: open connections read: 1 of 2 *$/m);
          expect(rows(/open connections read/)).toHaveLength(1);
          await ask(other, ['two']);
          await screen.shows(/^running/m);
        } finally {
          screen.press('\u0003');
          await screen.ended;
        }
        expect(rows(/open connections read/).map((row) => row.trimEnd())).toEqual([
          'kubeseq: open connections read: 2 of 2',
        ]);
        expect(screen.written.match(/open connections read: \d of 2/g)?.length).toBeGreaterThanOrEqual(3);
      });

      it('Ctrl-C while it waits: the command is not run, nothing is left', async () => {
        const path = program(newest, 'exe', 'kube-apiserver');
        await held(path, '1.3');
        const recording = kubeseqSpawned([
          'record',
          '--keys',
          '-i',
          'lo',
          '-w',
          `${path}-recorded`,
          '--',
          'echo',
          'running',
        ]);
        started.push(recording);
        await recording.until(({ stderr }) => /open connections read: \d of [1-9]/.test(stderr));
        expect(await recording.end('SIGINT')).toBe(130);
        expect(recording.stdout).toBe('');
        expect(probesOf(path)).toEqual([]);
      });
    });
  },
);
