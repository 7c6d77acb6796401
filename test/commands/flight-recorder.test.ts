// `kubeseq record --ring` on Go programs: needs root, tracefs with uprobes, a Go toolchain and tcpdump; says what is missing.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';
import { built } from '../kit/go.js';
import { MISSING, probesOf, TOOLCHAINS } from '../kit/keys-kit.js';
import { kubeseqSpawned, pause, Spawned } from '../kit/spawned.js';

/** Processes that have the folder open: tcpdump has the ring's as a descriptor. */
function holdersOf(folder: string): string[] {
  const { stdout } = spawnSync('find', ['/proc', '-maxdepth', '3', '-path', '*/fd/*', '-lname', folder], {
    encoding: 'utf8',
  });
  return stdout.split('\n').filter((line) => line !== '');
}

interface Line {
  readonly kind: string;
  readonly time: string;
  readonly name?: string;
  readonly object?: { readonly kind?: string; readonly name?: string };
}

function linesOf(...args: string[]): Line[] {
  const { stdout } = kubeseq(['messages', '-o', 'ndjson', '-q', ...args]);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** Of a file that its ring may remove at any time. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Unix time, ns. */
const nsOf = ({ time }: Line): bigint =>
  BigInt(Date.parse(time.slice(0, 19).concat('Z'))) * 1_000_000n +
  BigInt(time.slice(20, 29).padEnd(9, '0').replace('Z', '0'));

it('--since -TIME counts back from the last frame, in files', () => {
  const capture = fixturePath('run-nginx-http1/capture.pcap.gz');
  const all = linesOf(capture);
  // The last frame of the capture, by capinfos.
  const { stdout } = kubeseq(['summary', '-o', 'json', capture]);
  const last = nsOf({ kind: '', time: (JSON.parse(stdout) as { captures: { last: string }[] }).captures[0].last });
  const chosen = linesOf(capture, '--since', '-5s');
  expect(chosen.length).toBeGreaterThan(0);
  expect(chosen.length).toBeLessThan(all.length);
  expect(chosen.map(nsOf)).toEqual(all.map(nsOf).filter((time) => time >= last - 5_000_000_000n));
  const { status, stderr } = kubeseq(['messages', '-', '--since', '-5s'], { input: readFileSync(capture) });
  expect([status, stderr]).toEqual([
    2,
    'kubeseq: --since -5s: the end of what is read once or still grows is not known; name files\n',
  ]);
});

describe.skipIf(MISSING !== '')(`a flight recorder${MISSING === '' ? '' : ` (skipped: ${MISSING})`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-'));
  const started: Spawned[] = [];
  afterAll(() => {
    for (const { child } of started) child.kill('SIGKILL');
  });

  function spawned(command: string, ...args: string[]): Spawned {
    const one = new Spawned(command, args);
    started.push(one);
    return one;
  }

  /** An API server with a client that asked once, of programs of their own: a probe is on the file. */
  async function cluster(name: string) {
    const own = join(folder, name);
    mkdirSync(own);
    const [server, client] = ['kube-apiserver', 'kubelet'].map((program) => join(own, program));
    for (const path of [server, client]) spawnSync('cp', [built(TOOLCHAINS.at(-1)!, 'held', { stripped: true }), path]);
    const serves = spawned(server, 'serve', '1.3');
    await serves.until(({ stdout }) => stdout.includes('\n'));
    const address = serves.stdout.trim();
    const asks = spawned(client, 'ask', address);
    await asks.until(({ stdout }) => stdout.includes('open\n'));
    return { server, client, address, asks, ring: join(own, 'ring') };
  }

  function loader(beside: string): string {
    const path = join(beside, '../kube-scheduler');
    spawnSync('cp', [built(TOOLCHAINS.at(-1)!, 'load', { stripped: true }), path]);
    return path;
  }

  async function recorder(ring: string, address: string, size = '4M'): Promise<Spawned> {
    const filter = `tcp port ${address.split(':').at(-1)}`;
    const command = kubeseqSpawned([
      'record',
      '--ring',
      ring,
      '--size',
      size,
      '--keys',
      '-i',
      'lo',
      '--filter',
      filter,
    ]);
    started.push(command);
    await command.until(({ stderr }) => stderr.includes('recording into'));
    return command;
  }

  /** Another recorder of this host may have its own on these programs. */
  const probesLeft = ({ child }: Spawned, ...programs: string[]): string[] =>
    programs.flatMap(probesOf).filter((line) => line.includes(`_${child.pid}_`));
  const sizeOf = (ring: string): number =>
    readdirSync(ring).reduce(
      (sum, name) => sum + (statSync(join(ring, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  const secretsIn = (ring: string): string =>
    readdirSync(ring)
      .filter((name) => name.startsWith('ring.keys'))
      .map((name) => textOf(join(ring, name)))
      .join('');
  const answered = (lines: readonly Line[]): string[] =>
    lines
      .filter(({ kind, object }) => kind === 'response' && object?.kind === 'Pod')
      .map(({ object }) => object?.name ?? '');

  /** Numbers that `load` asked for. */
  const asked = (lines: readonly Line[]): number[] =>
    lines
      .filter(({ kind, name }) => kind === 'request' && /^\d+$/.test(name ?? ''))
      .map(({ name }) => Number(name))
      .sort((a, b) => a - b);

  it('stays within its size, is read while it runs, and its secrets go with their packets', async () => {
    const { server, client, address, asks, ring } = await cluster('load');
    const command = await recorder(ring, address);
    // A connection of the beginning, that ends at once.
    await spawned(client, 'load', address, '0.1').end();
    await pause(300);
    const [, first] = /^CLIENT_TRAFFIC_SECRET_0 ([0-9a-f]{64})/m.exec(secretsIn(ring)) ?? [];
    expect(first).toBeDefined();
    const load = spawned(client, 'load', address, '9');
    let most = 0;
    for (; load.child.exitCode === null; await pause(50)) most = Math.max(most, sizeOf(ring));
    expect(most).toBeGreaterThan(2_000_000);
    expect(most).toBeLessThanOrEqual(4_000_000);
    // More was sent than fits, and of the connection of the beginning nothing is left.
    expect(Number(load.stdout)).toBeGreaterThan(9000);
    expect(secretsIn(ring)).not.toContain(first);
    for (const name of readdirSync(ring)) expect(statSync(join(ring, name)).mode & 0o777).toBe(0o600);
    expect(statSync(ring).mode & 0o777).toBe(0o700);

    asks.write('web-1\n');
    await asks.until(({ stdout }) => stdout.includes(' web-1\n'));
    // tcpdump hands packets on within a second.
    await pause(1500);
    const names = answered(linesOf(ring));
    expect(names.filter((name) => name === 'load').length).toBeGreaterThan(1000);
    expect(names).toContain('web-1');
    expect(answered(linesOf(ring, '--since', '-1ms'))).toEqual(['web-1']);
    expect(await command.end('SIGTERM')).toBe(143);
    expect(probesLeft(command, server, client)).toEqual([]);
  }, 120_000);

  it('loses no request on new connections while it looks for open ones, and its last files can be read alone', async () => {
    const { client, address, ring } = await cluster('fresh');
    const many = loader(client);
    // Five connections that stay, and twenty new ones a second.
    const command = await recorder(ring, address, '20M');
    const load = spawned(many, address, '15', '500', '5', '20');
    await load.end();
    await pause(1500);
    expect(await command.end('SIGTERM')).toBe(143);
    expect(command.stderr).not.toContain('dropped');
    const all = Array.from({ length: Number(load.stdout) }, (_, i) => i + 1);
    expect(all.length).toBeGreaterThan(7000);
    expect(asked(linesOf(ring))).toEqual(all);

    const last = join(ring, '../last');
    mkdirSync(last);
    const files = readdirSync(ring).filter((name) => name.startsWith('ring.pcap'));
    const newest = files.sort((a, b) => statSync(join(ring, b)).mtimeMs - statSync(join(ring, a)).mtimeMs).slice(0, 2);
    for (const name of newest.flatMap((one) => [one, one.replace('pcap', 'keys')]))
      cpSync(join(ring, name), join(last, name));
    const read = asked(linesOf(last));
    expect(read.length).toBeGreaterThan(500);
    expect(read).toEqual(all.slice(-read.length));
  }, 120_000);

  it('killed, it loses nothing, leaves no tcpdump and no probe, and the next run goes on', async () => {
    const { server, client, address, asks, ring } = await cluster('killed');
    const command = await recorder(ring, address);
    const names = Array.from({ length: 20 }, (_, i) => `pod-${i}`);
    for (const name of names) {
      asks.write(`${name}\n`);
      await asks.until(({ stdout }) => stdout.includes(` ${name}\n`));
    }
    await pause(1500);
    const running = (): string => holdersOf(ring).join();
    expect(running()).not.toBe('');
    await command.end('SIGKILL');
    for (let i = 0; i < 300 && running() + probesLeft(command, server, client).join() !== ''; i += 1) await pause(20);
    expect([running(), ...probesLeft(command, server, client)]).toEqual(['']);
    expect(answered(linesOf(ring))).toEqual(names);

    const next = await recorder(ring, address);
    asks.write('later\n');
    await asks.until(({ stdout }) => stdout.includes(' later\n'));
    await pause(1500);
    expect(await next.end('SIGINT')).toBe(130);
    expect(answered(linesOf(ring))).toEqual([...names, 'later']);
  }, 120_000);

  it('killed, it loses no request on connections of its last moment', async () => {
    const { client, address, ring } = await cluster('killed-busy');
    const command = await recorder(ring, address, '80M');
    const load = spawned(loader(client), address, '30', '200', '5', '100');
    await command.until(({ stderr }) => stderr.includes('kube-scheduler'));
    await pause(3000);
    await command.end('SIGKILL');
    expect(command.stderr).not.toContain('no room');
    await pause(1500);
    load.child.kill('SIGKILL');
    expect(statSync(join(ring, 'ring.reports')).mode & 0o777).toBe(0o600);
    const read = asked(linesOf(ring));
    expect(read.length).toBeGreaterThan(800);
    // Whatever its client had the answer of before the last frame that is there.
    const last = linesOf(ring)
      .map(nsOf)
      .reduce((a, b) => (a > b ? a : b));
    const answers = load.stderr.trim().split('\n').slice(0, -1);
    const due = answers.map((line) => line.split(' ')).filter(([, time]) => BigInt(time) < last);
    expect(due.length).toBeGreaterThan(800);
    expect(due.map(([number]) => Number(number)).filter((number) => !read.includes(number))).toEqual([]);
    const next = await recorder(ring, address, '80M');
    expect(await next.end('SIGTERM')).toBe(143);
    expect(readdirSync(ring)).not.toContain('ring.reports');
    expect(asked(linesOf(ring))).toEqual(read);
  }, 120_000);

  it.each([
    [['--', 'true'], '--ring records until it is ended: it runs no command'],
    [['--follow', 'pod/web'], '--ring only records: --follow is for commands that read captures'],
    [['--size', '1M'], '--size: a ring has 4M at least'],
  ])('%j is refused', (args, why) => {
    const { status, stderr } = kubeseq(['record', '--ring', join(folder, 'refused'), ...args]);
    expect([status, stderr]).toEqual([2, `kubeseq: ${why}\n`]);
  });
});
