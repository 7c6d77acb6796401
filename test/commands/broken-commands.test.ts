// What the commands say of what broke: `top`, `path`, `explain` and `check` of captures of faults.

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  criticalPaths,
  DEFAULT_THRESHOLDS,
  HistoryBuilder,
  type Message,
  parseFollow,
  TopCollector,
  type TopReport,
} from '../../src/index.js';
import { kubeseq } from '../kit/command.js';
import { exists, fixture } from '../kit/fixtures.js';
import { APISERVER, changed, KUBECTL, message } from '../kit/messages.js';
import { observeWhole } from '../kit/whole-fixtures.js';

function argumentsFor(folder: string): string[] {
  const keys = exists(`broken-off/${folder}/keys.log`) ? ['--keylog', `fixtures/broken-off/${folder}/keys.log.gz`] : [];
  return ['-q', `fixtures/broken-off/${folder}/capture.pcap.gz`, ...keys];
}

describe('top', () => {
  it('has a column for time lost below HTTP, where there is any', () => {
    const { stdout } = kubeseq(['top', ...argumentsFor('sent-again'), '--sort', 'lost']);
    const [head, first] = stdout.split('\n').slice(2);
    expect(head).toMatch(/ LOST( |$)/);
    // tshark: the request in frame 12, acknowledged 1,672.9 ms later.
    expect(first).toMatch(/^kube-scheduler +list +pods +.* 1\.7 s( |$)/);
    const { rows, total } = JSON.parse(kubeseq(['top', ...argumentsFor('sent-again'), '-o', 'json']).stdout) as {
      rows: { resource: string; lostMs: number }[];
      total: { lostMs: number };
    };
    expect(total.lostMs).toBeCloseTo(1673, 0);
    expect(rows.find(({ resource }) => resource === 'pods')?.lostMs).toBe(total.lostMs);
    expect(kubeseq(['top', ...argumentsFor('watch-cut')]).stdout).not.toContain('LOST');
  });

  it('says who ends watches, after which time without a byte', () => {
    const { stdout } = kubeseq(['top', ...argumentsFor('watch-cut')]);
    expect(stdout).toContain(
      '\nfindings\n  cut-watches: kubectl: proxy 192.0.2.20 ends watches after 4.0 s without a byte (FIN without close_notify): 2 times in 4.1 s; client-go sends a PING after 30 s (messages 13, 18)\n',
    );
  });

  it.each<[string, [idle: number, at: number, exchange: string][], string[]]>([
    [
      'of one moment have lost their server',
      [
        [5000, 0, 'a'],
        [5000, 0.1, 'b'],
        [5000, 0.5, 'c'],
      ],
      [],
    ],
    [
      'after other times each have no idle timeout',
      [
        [4000, 0, 'a'],
        [5000, 6, 'b'],
        [7000, 20, 'c'],
      ],
      [],
    ],
    [
      'of one connection are one',
      [
        [4000, 0, 'a'],
        [4000, 0.001, 'a'],
      ],
      [],
    ],
    ['once say nothing', [[4000, 0, 'a']], []],
    [
      'again and again after the same time',
      [
        [60_000, 0, 'a'],
        [60_010, 61, 'b'],
        [2000, 70, 'c'],
        [60_005, 125, 'd'],
      ],
      ['ends watches after 1 min 0 s without a byte (RST): 3 times in 2 min 5 s'],
    ],
  ])('watches that are cut %s', (_, cuts, expected) => {
    const found = findingsOf(
      cuts.map(([silentMs, at, connection]) =>
        message({
          ...{ kind: 'end', verb: 'watch', stream: 1, from: APISERVER, to: KUBECTL },
          time: BigInt(at * 1e9),
          connection: `192.0.2.30:${connection}-192.0.2.10:6443`,
          cut: { by: 'server', how: 'RST', silentMs },
        }),
      ),
    );
    expect(found.map(({ what }) => what)).toEqual(expected.map((what) => `kube-apiserver (192.0.2.10:6443) ${what}`));
  });

  it.each([
    ['trouble-tls', 'capture'],
    ['connections-tls', 'control-plane'],
  ])('a server that was killed ends no idle watches: %s', (name, capture) => {
    const keys = `fixtures/${name}/keys.log.gz`;
    const { stdout } = kubeseq(['top', '-q', `fixtures/${name}/${capture}.pcap.gz`, '--keylog', keys]);
    expect(stdout).toMatch(/^CLIENT .* P99/m);
    expect(stdout).not.toContain('cut-watches');
  });
});

const LOST = ', of it 1.7 s until the server had the request (sent 5 times)';

it('summary, explain and path say in the same words what was lost until the server had a request', async () => {
  expect(kubeseq(['summary', ...argumentsFor('sent-again')]).stdout).toContain(`list pods${LOST}`);
  for (const number of ['3', '4'])
    expect(kubeseq(['explain', number, ...argumentsFor('sent-again')]).stdout).toContain(`latency: 1.7 s${LOST}\n`);

  // The path of a real Pod, with what this capture lost on its binding and on an Event of the kubelet, which nothing waits for.
  const { messages } = await observeWhole('run-nginx-tls');
  const lost = messages.filter(
    ({ kind, subresource, k8sEvent, protocol }) =>
      kind === 'request' && protocol === 'kubernetes' && (subresource === 'binding' || k8sEvent?.reason === 'Pulled'),
  );
  const isLost = ({ kind, exchange }: Message): boolean =>
    kind === 'response' && lost.some((request) => request.exchange === exchange);
  const slow = messages.map((one) => (isLost(one) ? changed(one, { times: { sendMs: 1673.1, sent: 5 } }) : one));
  expect(slow.filter((one, i) => one !== messages[i])).toHaveLength(2);
  const history = new HistoryBuilder(parseFollow('pod/nginx', 'default')!);
  for (const one of slow) history.feed(one);
  const [path] = criticalPaths(slow, history.result(), {});
  expect(path.legs.filter(({ what }) => what.includes('until the server had')).map(({ what }) => what)).toEqual([
    `handles create pods/binding, sends the watch event to kubelet (node-1)${LOST}`,
  ]);
});

function findingsOf(messages: readonly Message[]): TopReport['findings'] {
  const collector = new TopCollector({ by: ['client'], limit: 10, thresholds: DEFAULT_THRESHOLDS });
  for (const one of messages) collector.add(one);
  return collector.result().findings;
}

describe('check', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-cuts-'));

  function checked(expected: string, ...args: string[]): { status: number | null; stdout: string } {
    const path = join(folder, 'expected.mmd');
    writeFileSync(path, expected);
    return kubeseq(['check', path, ...args]);
  }

  /** The capture of the cut watch as it was before the first FIN of the proxy, in frame 70. */
  function uncut(): string[] {
    const path = join(folder, 'uncut.pcap');
    const whole = fixture('broken-off/watch-cut/capture.pcap');
    writeFileSync(path, firstFrames(whole, 69));
    return ['-q', path, ...argumentsFor('watch-cut').slice(2)];
  }

  it.each(['watch-cut', 'list-cut', 'chunks-cut', 'not-processed'])('a drawn cut holds on its capture: %s', (name) => {
    const drawn = kubeseq(argumentsFor(name)).stdout;
    expect(drawn).toMatch(/ --x .*\[END\]/);
    expect(checked(drawn, ...argumentsFor(name))).toMatchObject({ status: 0 });
  });

  it('a drawn cut fails where nothing was cut', () => {
    const watched = kubeseq([...argumentsFor('watch-cut')])
      .stdout.split('\n')
      .filter((line) => !/^ +(?:loop|end)/.test(line))
      .join('\n');
    const { status, stdout } = checked(watched, ...uncut());
    expect(status).toBe(1);
    expect(stdout).toMatch(/not matched: proxy 192\.0\.2\.20 → kubectl: \[END\] cut: FIN/);
    // The same without the cut is there.
    const before = watched.replace(/^ +P --x C: .*\n/m, '').replace(/^ +participant P .*\n/m, '');
    expect(checked(before, ...uncut())).toMatchObject({ status: 0 });
  });

  it('a cut of another exchange than those above it is named as such', () => {
    const head = 'sequenceDiagram\n  participant C as kubectl\n  participant AS as kube-apiserver\n';
    const asked = '  C ->> AS: [REQ] GET /api/v1/namespaces/shop/pods?limit=500\n  … --x C: [END] cut: …\n';
    const { status, stdout } = checked(head + asked, ...argumentsFor('watch-cut'));
    expect(status).toBe(1);
    expect(stdout).toContain('message 13), 4.025767 s');
    expect(stdout).toContain('it is the cut of another exchange than those above it');
    expect(checked(head + asked.replace('limit=500', 'watch=true'), ...argumentsFor('watch-cut')).status).toBe(0);
  });

  it('never a cut', () => {
    const head = 'sequenceDiagram\n    participant C as kubectl\n';
    for (const never of ['… --x C: [END] cut: …', '… --x …: [REQ] GET /api/v1/namespaces/shop/pods?watch=true']) {
      const { status, stdout } = checked(`${head}    %% never: ${never}\n`, ...argumentsFor('watch-cut'));
      expect(status).toBe(1);
      expect(stdout).toContain('[END] cut: FIN without close_notify');
      expect(checked(`${head}    %% never: ${never}\n`, ...uncut())).toMatchObject({ status: 0 });
    }
  });

  it('--update leaves open what is measured', () => {
    const path = join(folder, 'new.mmd');
    expect(kubeseq(['check', '--update', path, ...argumentsFor('list-cut')]).status).toBe(0);
    expect(readFileSync(path, 'utf8')).toContain('AS --x P: [END] cut after … of …: RST, … without a byte\n');
    expect(kubeseq(['check', path, ...argumentsFor('list-cut')]).status).toBe(0);
  });
});

/** @param pcap a file of classic pcap, with little-endian numbers. */
function firstFrames(pcap: Uint8Array, frames: number): Uint8Array {
  const view = new DataView(pcap.buffer, pcap.byteOffset, pcap.byteLength);
  let end = 24;
  for (let i = 0; i < frames; i++) end += 16 + view.getUint32(end + 8, true);
  return pcap.subarray(0, end);
}

// tshark: tcp.flags.fin == 1 || tcp.flags.reset == 1; of both sides' FINs the first counts.
it.each<[string, (readonly [by: string, how: string, frame: number])[]]>([
  [
    'watch-cut',
    [
      ['client', 'FIN', 70],
      ['server', 'FIN', 75],
      ['client', 'FIN', 117],
      ['server', 'FIN', 122],
    ],
  ],
  ['list-cut', [['server', 'RST', 8]]],
])('who ended a connection first is known: %s', async (name, expected) => {
  const { items } = await observeWhole(`broken-off/${name}`);
  const ends = items.filter((item) => item.kind === 'connection-end').map((one) => [one.connection, one] as const);
  const firsts = [...new Map(ends.toReversed()).values()].toSorted((a, b) => a.origin.frame - b.origin.frame);
  expect(firsts.map(({ by, how, origin }) => [by, how, origin.frame])).toEqual(expected);
});
