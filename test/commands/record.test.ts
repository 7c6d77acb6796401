// `kubeseq record`: needs tcpdump and the permission to capture, and says where they are missing.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { HttpsServer, NO_CAPTURE, SmallServer } from '../kit/capturing.js';
import { kubeseq } from '../kit/command.js';
import { parseMermaid } from '../kit/mermaid.js';
import { kubeseqSpawned, pause, Spawned } from '../kit/spawned.js';
import { HAS_TSHARK, tshark } from '../kit/tshark.js';

/** Why no small disk can be made here; empty: one can. */
const NO_MOUNT = (() => {
  const disk = mkdtempSync(join(tmpdir(), 'kubeseq-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]).status === 0;
  if (mounted) spawnSync('umount', [disk]);
  return mounted ? '' : 'no permission to mount';
})();
const PODS = '/api/v1/namespaces/default/pods';

describe.skipIf(NO_CAPTURE !== '')(`record${NO_CAPTURE === '' ? '' : ` (skipped: ${NO_CAPTURE})`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-'));
  const servers: SmallServer[] = [];
  afterAll(() => {
    for (const server of servers) server.close();
  });

  /** Each test has its own: recordings beside each other see what goes to the other's ports, too. */
  async function serve(): Promise<number> {
    const server = await SmallServer.open();
    servers.push(server);
    return server.port;
  }

  type Recorded = Spawned & { status: number | string | null; folder: string };

  function record(name: string, ...args: string[]): Promise<Recorded> {
    return recordWith({}, name, ...args);
  }

  /** Beside the server, which is in this process: nothing may block it. */
  async function recordWith(env: NodeJS.ProcessEnv, name: string, ...args: string[]): Promise<Recorded> {
    const into = join(folder, name);
    const command = kubeseqSpawned(['record', '-i', 'lo', '-w', into, ...args], env);
    command.child.stdin?.end();
    const status = await command.end();
    return Object.assign(command, { status, folder: into });
  }

  /** The TLS secrets that somebody who has a recording's folder can read in it. */
  function secretsIn(into: string): string[] {
    return readdirSync(into).flatMap(
      (name) => readFileSync(join(into, name), 'latin1').match(/(?:CLIENT|SERVER)_[A-Z_0-9]+ [0-9a-f]{64}/g) ?? [],
    );
  }

  it.concurrent('--anonymize: messages, diagram and summary without names, and the map of them', async () => {
    const port = await serve();
    const map = join(folder, 'recorded.map.json');
    const url = `http://127.0.0.1:${port}${PODS}/web`;
    // The object may be asked for by its name in the cluster.
    const asked = ['--follow', 'pod/web', '-n', 'default'];
    const named = await record(
      'nameless',
      '--anonymize',
      '--map',
      map,
      ...asked,
      '--',
      'curl',
      '-s',
      '-o',
      '/dev/null',
      url,
    );
    expect([named.status, Object.values(JSON.parse(readFileSync(map, 'utf8')) as object)]).toEqual([
      0,
      expect.arrayContaining(['web']),
    ]);
    const written = ['diagram.mmd', 'messages.ndjson'].map((name) => readFileSync(join(named.folder, name), 'utf8'));
    for (const text of [named.stdout.replaceAll(named.folder, ''), ...written]) expect(text).not.toMatch(/\bweb\b/);
    expect(written[0]).toMatch(/\[REQ\] GET .*pods\/pod-[0-9a-f]+/);
    const key = join(folder, 'weak.key');
    writeFileSync(key, 'a'.repeat(32), { mode: 0o600 });
    const weak = await record('weak', '--anonymize-key', key, '--', 'touch', join(folder, 'ran'));
    expect([weak.status, existsSync(join(folder, 'ran'))]).toEqual([2, false]);
  });

  it.concurrent('-- curl: the diagram of that request, its messages and its capture', async () => {
    const port = await serve();
    const {
      status,
      stdout,
      folder: into,
    } = await record('get', '--', 'curl', '-s', `http://127.0.0.1:${port}${PODS}/web`);
    expect(status).toBe(0);
    expect(stdout).toContain('"name":"web"');
    expect(stdout).toContain(`${join(into, 'diagram.mmd')}\n`);
    expect(stdout).toMatch(/^requests {6}1: 1 with a response, 0 without/m);
    expect(readdirSync(into).sort()).toEqual(['capture.pcapng', 'diagram.mmd', 'messages.ndjson']);

    const { messages, actors } = await parseMermaid(readFileSync(join(into, 'diagram.mmd'), 'utf8'));
    expect([...actors.values()]).toEqual(['curl', 'kube-apiserver']);
    expect(messages.map(({ text }) => text)).toEqual([`[REQ] GET ${PODS}/web`, '[RESP] 200 OK']);
    const lines = readFileSync(join(into, 'messages.ndjson'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ kind, status: code }) => [kind, code])).toEqual([
      ['request', undefined],
      ['response', 200],
    ]);
    // A capture is full of credentials.
    expect(statSync(join(into, 'capture.pcapng')).mode & 0o777).toBe(0o600);
    const again = kubeseq(['messages', '-o', 'ndjson', join(into, 'capture.pcapng')]).stdout;
    expect(again).toBe(readFileSync(join(into, 'messages.ndjson'), 'utf8'));
  });

  it.concurrent('has every message, also where the diagram follows an object', async () => {
    const port = await serve();
    const url = `http://127.0.0.1:${port}${PODS}/web`;
    const { folder: into } = await record('follow', '--follow', 'pod/other', '--', 'curl', '-s', url);
    expect(readFileSync(join(into, 'messages.ndjson'), 'utf8').trimEnd().split('\n')).toHaveLength(2);
    expect(readFileSync(join(into, 'diagram.mmd'), 'utf8')).not.toContain('[REQ]');
  });

  it.skipIf(!HAS_TSHARK).concurrent('tshark reads the capture, with its request', async () => {
    const port = await serve();
    const { folder: into } = await record('tshark', '--', 'curl', '-s', `http://127.0.0.1:${port}/version`);
    const more = ['-d', `tcp.port==${port},http`, '-Y', 'http.request'];
    const rows = tshark(readFileSync(join(into, 'capture.pcapng')), ['http.request.uri'], more);
    expect(rows).toEqual([['/version']]);
  });

  it.concurrent('passes the command’s exit status on, and its diagram has what came before it failed', async () => {
    const port = await serve();
    const script = `curl -s -X POST -d '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web"}}' http://127.0.0.1:${port}${PODS} > /dev/null; exit 3`;
    const { status, folder: into } = await record('status', '--for', '1s', '-o', 'text', '--', 'sh', '-c', script);
    expect(status).toBe(3);
    expect(readFileSync(join(into, 'diagram.txt'), 'utf8')).toContain('[REQ] POST');
  });

  it.concurrent('SIGINT: the command gets it too, and what came until then is kept', async () => {
    const port = await serve();
    const into = join(folder, 'interrupted');
    const url = `http://127.0.0.1:${port}${PODS}/web`;
    const command = kubeseqSpawned([
      'record',
      '-i',
      'lo',
      '-w',
      into,
      '--',
      'sh',
      '-c',
      `curl -s ${url}; exec sleep 100`,
    ]);
    await command.until(({ stdout }) => stdout.includes('"web"'));
    expect(await command.end('SIGINT')).toBe(130);
    expect(readFileSync(join(into, 'diagram.mmd'), 'utf8')).toContain('[REQ] GET');
  });

  it.concurrent('secrets that the command writes itself decrypt its connections, and stay only with --keep-keys', async () => {
    const recorded = async (name: string, ...options: string[]) => {
      const https = await HttpsServer.open(folder);
      const command = await record(name, ...options, '--', 'curl', '-sk', `${https.url}${PODS}/web`);
      await https.close();
      return command;
    };
    const [without, kept, closed] = await Promise.all([
      recorded('tls', '--keys'),
      recorded('tls-kept', '--keep-keys'),
      recorded('tls-closed'),
    ]);
    for (const { folder: into } of [without, kept])
      expect(readFileSync(join(into, 'diagram.mmd'), 'utf8')).toContain(`[REQ] GET ${PODS}/web`);
    expect(readFileSync(join(closed.folder, 'messages.ndjson'), 'utf8')).toBe('');
    expect(secretsIn(without.folder)).toEqual([]);
    expect(secretsIn(kept.folder).length).toBeGreaterThan(0);
    expect(kubeseq(['messages', '-o', 'ndjson', join(kept.folder, 'capture.pcapng')]).stdout).toContain(
      `GET ${PODS}/web`,
    );
  });

  it.concurrent('--keep-keys keeps the secrets of its own connections, not those that the key logs had before', async () => {
    const https = await HttpsServer.open(folder);
    const [inherited, named] = ['inherited.log', 'named.log'].map((name) => join(folder, name));
    // Before the recording: a session of another program, and one of curl with the same server.
    const old = `CLIENT_RANDOM ${'0d'.repeat(32)} ${'0e'.repeat(48)}\n`;
    writeFileSync(inherited, old);
    const before = new Spawned('curl', ['-sk', `${https.url}/version`], { env: { SSLKEYLOGFILE: inherited } });
    await before.end();
    const known = readFileSync(inherited, 'utf8');
    expect(known.length).toBeGreaterThan(old.length);
    writeFileSync(named, old.replaceAll('0d', '0f'));

    const args = ['--keep-keys', '--keylog', named, '--', 'curl', '-sk', `${https.url}${PODS}/web`];
    const { folder: into } = await recordWith({ SSLKEYLOGFILE: inherited }, 'tls-old', ...args);
    await https.close();
    const written = readFileSync(inherited, 'utf8').slice(known.length);
    const opening = /\b(?:CLIENT_RANDOM|(?:CLIENT|SERVER)_(?:HANDSHAKE_TRAFFIC_SECRET|TRAFFIC_SECRET_0)) [0-9a-f]{64}/g;
    expect(secretsIn(into).sort()).toEqual(written.match(opening)?.sort());
    for (const name of readdirSync(into))
      expect(readFileSync(join(into, name), 'latin1')).not.toMatch(/(?:0[def]){16}/);
    const again = kubeseq(['messages', '-o', 'ndjson', join(into, 'capture.pcapng')]);
    expect(again.stdout).toContain(`GET ${PODS}/web`);
  });

  it.concurrent.each([
    ['a command that is not there', ['--', 'no-such-command'], /no-such-command: no such command/],
    ['an interface that is not there', ['-i', 'nowhere0', '--', 'true'], /tcpdump captures nothing: .*nowhere0/],
    ['a format that is none', ['-o', 'xml', '--', 'touch', join(folder, 'was-run')], /-o xml: expected one of mermaid/],
    ['an expression that is none', ['--where', 'verb ==', '--', 'touch', join(folder, 'was-run')], /--where: .*CEL/],
    ['a filter that is none', ['--filter', 'tcp prot 1', '--', 'true'], /tcpdump captures nothing: .*syntax error/],
  ] as const)('%s: one line, status 2, no files', async (name, args, why) => {
    const { status, stderr, folder: into } = await record(name.replaceAll(' ', '-'), '-q', ...args);
    expect(status).toBe(2);
    expect(stderr).toMatch(why);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(existsSync(into) ? readdirSync(into) : []).toEqual([]);
    expect(existsSync(join(folder, 'was-run'))).toBe(false);
  });

  it.concurrent('a folder that can take none, as /proc does not, is refused at once', async () => {
    const command = kubeseqSpawned(['record', '-w', '/proc/kubeseq/deeper', '-i', 'lo', '--', '/bin/true']);
    const ended = await Promise.race([command.end(), pause(10_000)]);
    command.child.kill('SIGKILL');
    expect(ended).toBe(2);
    expect(command.stderr).toBe('kubeseq: -w /proc/kubeseq/deeper: no folder can be made there; name another place\n');
  });

  // Root finds it wherever PATH leads: in a name space of its own there is another file in its place, which cannot be run.
  it.skipIf(NO_MOUNT !== '').concurrent('without tcpdump: one line with the command to install it', async () => {
    const empty = join(folder, 'no-program');
    writeFileSync(empty, '', { mode: 0o644 });
    const program = realpathSync(spawnSync('sh', ['-c', 'command -v tcpdump'], { encoding: 'utf8' }).stdout.trim());
    const without = `/bin/mount --bind '${empty}' '${program}' && exec "$@"`;
    const within = ['/usr/bin/unshare', '--mount', '/bin/sh', '-c', without, 'sh'];
    const args = ['record', '-w', join(folder, 'none'), '--', '/bin/true'];
    const command = kubeseqSpawned(args, { PATH: '/nowhere' }, within);
    expect(await command.end()).toBe(2);
    expect(command.stderr).toMatch(/^kubeseq: tcpdump is not installed: .*\n$/);
  });
});

describe.skipIf(NO_CAPTURE !== '' || NO_MOUNT !== '')(
  `record on a full disk${NO_MOUNT && ` (skipped: ${NO_MOUNT})`}`,
  () => {
    /** A file system of so many KiB, and a recording of so many requests into a new folder of it. */
    async function recordOn(kib: number, requests: number): Promise<{ disk: string; status: unknown; stderr: string }> {
      const disk = mkdtempSync(join(tmpdir(), 'kubeseq-disk-'));
      expect(spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', disk]).status).toBe(0);
      const server = await SmallServer.open();
      const url = `http://127.0.0.1:${server.port}${PODS}/web-[1-${requests}]`;
      const command = kubeseqSpawned(['record', '-q', '-i', 'lo', '-w', join(disk, 'a/b'), '--', 'curl', '-s', url]);
      const status = await command.end();
      server.close();
      return { disk, status, stderr: command.stderr };
    }

    it.each([
      ['while packets come', 64, 300, /capture\.pcap\.[0-9a-f]{8}\.part: no space left on the disk\n$/],
      ['when the capture is put together', 256, 330, /capture\.pcapng: no space left on the disk\n$/],
    ])('%s: one line, status 2, and nothing stays', async (_name, kib, requests, why) => {
      const { disk, status, stderr } = await recordOn(kib, requests);
      const left = readdirSync(disk);
      spawnSync('umount', [disk]);
      expect(stderr).toMatch(why);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
      expect(status).toBe(2);
      expect(left).toEqual([]);
    });

    it('when its diagram has no room: the capture stays, whole, and the line names it', async () => {
      const { disk, status, stderr } = await recordOn(480, 330);
      const left = readdirSync(join(disk, 'a/b'));
      const { stdout } = kubeseq(['messages', '-o', 'ndjson', join(disk, 'a/b/capture.pcapng')]);
      spawnSync('umount', [disk]);
      expect(stderr).toMatch(/: no space left on the disk; the capture itself is in \S+capture\.pcapng\n$/);
      expect(status).toBe(2);
      expect(left).toEqual(['capture.pcapng']);
      expect(stdout.trimEnd().split('\n')).toHaveLength(660);
    });
  },
);
