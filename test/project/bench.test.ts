// The benches: what they feed kubeseq is traffic as the fixtures are, and what they print goes where it belongs.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { connectionsIn, filtered } from '../../scripts/bench/packets.js';
import { atOnce, inTurn, type Piece } from '../../scripts/bench/traffic.js';
import { captureReader, type Message, MessageStage } from '../../src/index.js';
import { ROOT } from '../kit/command.js';
import { fixture, fixtureLines } from '../kit/fixtures.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-bench-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PLAIN = fixture('run-nginx-http1/capture.pcap');
const TRUTH = fixtureLines<{ kind: string }>('run-nginx-http1/capture.truth.jsonl');
const REQUESTS = TRUTH.filter(({ kind }) => kind === 'request').length;
const EVENTS = TRUTH.filter(({ kind }) => kind === 'watch-event').length;

/** Messages and notices of traffic. */
function read(traffic: Iterable<Piece>): { messages: Message[]; codes: string[]; packets: number } {
  const reader = captureReader({ capture: 0 });
  const pipeline = new MessageStage();
  const messages: Message[] = [];
  const codes: string[] = [];
  let packets = 0;
  const note = (items: ReturnType<MessageStage['end']>): void => {
    for (const item of items)
      if (item.kind === 'message') messages.push(item.message);
      else if (item.kind === 'notice') codes.push(item.code);
  };
  for (const piece of traffic) {
    packets += piece.packets;
    for (const input of reader.feed(piece.bytes)) note(pipeline.feed(input));
  }
  for (const input of reader.end()) note(pipeline.feed(input));
  note(pipeline.end());
  return { messages, codes, packets };
}

describe.each([
  ['one after the other', inTurn(PLAIN, { copies: 4 })],
  [
    'one after the other, with hosts that come again and objects of their own',
    inTurn(PLAIN, { copies: 4, hosts: 2, objects: true }),
  ],
  ['all at once', atOnce(PLAIN, { copies: 4 })],
])('copies of a capture, %s', (_, traffic) => {
  const { messages, codes, packets } = read(traffic);

  it('give four times what the fixture gives', () => {
    expect(packets).toBe(4 * 2128);
    expect(messages.filter(({ kind }) => kind === 'request')).toHaveLength(4 * REQUESTS);
    expect(messages.filter(({ kind }) => kind === 'event')).toHaveLength(4 * EVENTS);
    expect(codes.filter((code) => code.startsWith('limit.') || code.startsWith('tcp.gap'))).toEqual([]);
  });

  it('are connections of their own', () => {
    expect(new Set(messages.map(({ exchange }) => exchange)).size).toBe(
      4 * new Set(read([{ bytes: PLAIN, packets: 0 }]).messages.map(({ exchange }) => exchange)).size,
    );
  });
});

describe('objects of their own', () => {
  it('have other uids in each copy, but for those that lie across two segments', () => {
    const uidsOf = (objects: boolean): number =>
      new Set(read(inTurn(PLAIN, { copies: 3, objects })).messages.flatMap(({ object }) => object?.uid ?? [])).size;
    const all = 3 * uidsOf(false);
    expect(uidsOf(true)).toBeLessThanOrEqual(all);
    expect(uidsOf(true)).toBeGreaterThan(0.98 * all);
  });
});

describe('one direction', () => {
  it('has as many connections as both', () => {
    const all = connectionsIn(PLAIN);
    expect(all).toBe(TRUTH.filter(({ kind }) => kind === 'stream-bytes').length);
    expect(connectionsIn(filtered(PLAIN, (source) => source === 8080))).toBe(all);
    expect(connectionsIn(filtered(PLAIN, (_, destination) => destination === 8080))).toBe(all);
  });
});

/** A bench, small; its table goes into a page of its own. */
function bench(script: string, args: readonly string[], page = '', env: Record<string, string> = {}) {
  const path = join(folder, 'page.md');
  writeFileSync(path, page);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'scripts/bench', script), ...args, ...(page === '' ? [] : ['--write', '--page', path])],
    { encoding: 'utf8', env: { ...process.env, ...env } },
  );
  return { status, stdout, stderr, page: readFileSync(path, 'utf8') };
}

describe('the short bench', () => {
  it.each([
    [
      'warns where a ratio is above the recorded one',
      0.01,
      '',
      /^warning: slower than recorded: HTTP\/1\.1: [\d.]+ yardsticks instead of 0\.01/m,
    ],
    ['annotates on GitHub', 0.01, 'true', /^::warning title=Slower than recorded::HTTP\/1\.1/m],
    [
      'is content with any other',
      1000,
      '',
      /^\| HTTP\/1\.1 \| 1000\.00 \(2026-11-16\) \| 1000\.00 \| [\d.]+ \| -\d+ % \|$/m,
    ],
  ])('%s, and does not fail', (_, plain, onGithub, said) => {
    const recorded = join(folder, 'recorded.json');
    writeFileSync(recorded, JSON.stringify([{ week: '2026-11-16', plain }]));
    const args = ['--size', '1', '--rounds', '1', '--only', 'plain', '--recorded', recorded];
    const { status, stdout } = bench('short.js', args, '', { GITHUB_ACTIONS: onGithub, GITHUB_STEP_SUMMARY: '' });
    expect(status).toBe(0);
    expect(stdout).toMatch(said);
    expect(stdout.includes('slower than') || stdout.includes('Slower than')).toBe(plain < 1);
  });

  it('has ratios of all captures to compare with', () => {
    const recorded = JSON.parse(readFileSync(join(ROOT, 'scripts/bench/recorded.json'), 'utf8'));
    expect(recorded.length).toBeGreaterThan(0);
    for (const week of recorded) expect(Object.keys(week)).toEqual(['week', 'plain', 'tls', 'etcd']);
  });
});

describe('tables in pages', () => {
  it('stand between their marks, and nothing else changes', () => {
    const page = 'before\n<!-- bench:soak -->\nold\n<!-- /bench:soak -->\nafter\n';
    const { status, page: written } = bench('soak.js', ['--packets', '5000', '--only', 'plain'], page);
    expect(status).toBe(0);
    expect(written).toMatch(
      /^before\n<!-- bench:soak -->\n`npm run soak[\s\S]+\| HTTP\/1\.1 \| 6,384 \|.+\n<!-- \/bench:soak -->\nafter\n$/,
    );
    expect(written).not.toContain('old');
  });

  it('bench:files reads the number of files in its option, within its bound', () => {
    const page = 'before\n<!-- bench:files -->\n<!-- /bench:files -->\n';
    const { status, page: written } = bench('files.js', ['--files', '300'], page);
    expect(status).toBe(0);
    expect(written).toMatch(/\| one file \| 300 \|.+: met \|\n\| 300 files \| 300 \|.+: met \|/);
  });

  it('bench:start has what Node.js takes, and kubeseq beside it with its bounds', () => {
    const page = 'before\n<!-- bench:start -->\n<!-- /bench:start -->\n';
    const { status, page: written } = bench('start.js', ['--rounds', '1'], page);
    expect(status).toBe(0);
    const [own, version, picture] = [
      /\| `node -e 0` \| (\d+) \| \d+ \| 1\.00 \|\n/,
      /\| `kubeseq --version` \| (\d+) \| \d+ \| [\d.]+; at most 2: \S+ \|\n/,
      /\| `kubeseq fixtures\/run-nginx-http1\/capture\.pcap\.gz --follow pod\/nginx --until 8s --where 'verb != "get"'` \| (\d+) \| \d+ \| [\d.]+; at most 6: \S+ \|\n/,
    ].map((row) => Number(row.exec(written)?.[1]));
    expect(own).toBeGreaterThan(0);
    expect(version).toBeGreaterThan(own);
    expect(picture).toBeGreaterThan(version);
  });

  it.each([
    ['docs/performance.md', ['throughput', 'memory', 'soak', 'start', 'files', 'check']],
    ['docs/scale.md', ['scale']],
  ])('have their marks in %s', (path, names) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    for (const name of names)
      expect(text).toMatch(new RegExp(`<!-- bench:${name} -->[\\s\\S]*<!-- /bench:${name} -->`));
  });
});
