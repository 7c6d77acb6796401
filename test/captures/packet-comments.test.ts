// Comments of packets as ptcpdump writes them name processes and Pods that name themselves nowhere: real captures with comments made by
// its documentation and sources, of which everything but names stays as it was.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isNetworkCard, packetNoteOf } from '../../src/capture/packet-note.js';
import { kubeseq } from '../kit/command.js';
import { fixture } from '../kit/fixtures.js';
import { commentsOf, type NotedCapture, type NotedProcess, notedByPtcpdump } from '../kit/ptcpdump.js';
import { HAS_TSHARK, tshark } from '../kit/tshark.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-comments-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const BOOTSTRAP = fixture('bootstrap-tls/control-plane.pcap');
const KEYS = ['--keylog', 'fixtures/bootstrap-tls/keys.log.gz'];
/** The client of 198.51.100.21 that sends no User-Agent. */
const NAMELESS = 57_356;
const JOINING: NotedProcess = {
  pid: 4711,
  command: '/usr/local/bin/node-joiner',
  args: 'node-joiner --token s3cr3t-cnry',
};
const OTHERS: NotedProcess = { pid: 99, command: '/usr/bin/kubelet' };

interface Line {
  readonly seq: number;
  readonly from: string;
  readonly to: string;
  readonly connection: string;
  readonly exchange: number;
}

let files = 0;
function saved(bytes: Uint8Array): string {
  files += 1;
  const path = join(FOLDER, `noted-${files}.pcapng`);
  writeFileSync(path, bytes);
  return path;
}

function linesOf(capture: string, ...args: readonly string[]): readonly Line[] {
  const { stdout, stderr, status } = kubeseq(['messages', '-o', 'ndjson', '-q', capture, ...args]);
  expect([status, stderr]).toEqual([0, '']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

function noted(options: Partial<NotedCapture> = {}): string {
  return saved(
    notedByPtcpdump(BOOTSTRAP, {
      card: 'eth0',
      host: '198.51.100.21',
      processAt: (port) => (port === NAMELESS ? JOINING : OTHERS),
      ...options,
    }),
  );
}

function bytesIn(path: string): Uint8Array {
  return readFileSync(path);
}

/** The same packets without a comment. */
const before = linesOf(noted({ processAt: () => undefined }), ...KEYS);
const named = (lines: readonly Line[]): Set<string> =>
  new Set(
    lines
      .filter(({ connection }) => connection.startsWith(`198.51.100.21:${NAMELESS}-`))
      .flatMap(({ from, to }) => [from, to]),
  );

describe('a process that names itself nowhere', () => {
  it('has the address for a name where nothing is noted', () => {
    expect(named(before)).toEqual(new Set(['client 198.51.100.21', 'kube-apiserver']));
  });

  it.each([
    ['little endian', false],
    ['big endian', true],
  ] as const)('has the name of its executable: %s', (_, bigEndian) => {
    const after = linesOf(noted({ bigEndian }), ...KEYS);
    expect(named(after)).toEqual(new Set(['node-joiner', 'kube-apiserver']));
    // Everything else is as it was.
    const without = (lines: readonly Line[]): unknown[] =>
      lines.map((line) => ({
        ...line,
        from: line.from.replace('node-joiner', 'client 198.51.100.21'),
        to: line.to.replace('node-joiner', 'client 198.51.100.21'),
      }));
    expect(without(after)).toEqual(before);
  });

  it('is in the evidence with its number and the frame of the comment', () => {
    const capture = noted();
    const [first] = linesOf(capture, ...KEYS).filter(({ from }) => from === 'node-joiner');
    const { stdout } = kubeseq(['explain', String(first?.seq), capture, ...KEYS]);
    expect(stdout).toMatch(
      /^from: node-joiner; evidence:\n {2}process 4711, \/usr\/local\/bin\/node-joiner, as ptcpdump noted \(frame \d+\)$/m,
    );
    const frame = Number(/as ptcpdump noted \(frame (\d+)\)/.exec(stdout)?.[1]);
    if (HAS_TSHARK) {
      const [[comment, from, to]] = tshark(
        bytesIn(capture),
        ['frame.comment', 'tcp.srcport', 'tcp.dstport'],
        ['-Y', `frame.number == ${frame}`],
      );
      expect(comment).toContain('PID: 4711');
      expect([from, to]).toContain(String(NAMELESS));
    }
  });

  it("is named by a user's own rule first", () => {
    const rules = join(FOLDER, 'rules.yaml');
    writeFileSync(rules, 'participants:\n  - name: mine\n    address: 198.51.100.21\n');
    expect(named(linesOf(noted(), ...KEYS, '--participants', rules))).toEqual(new Set(['mine', 'kube-apiserver']));
  });

  it('arguments, which may hold secrets, are nowhere', () => {
    const capture = noted();
    for (const args of [
      ['summary', capture],
      ['messages', '--bodies', capture],
      ['export', capture],
      ['explain', '1', capture],
      ['diagram', '--all', '-o', 'json', capture],
    ])
      expect(kubeseq([...args, ...KEYS]).stdout).not.toContain('cnry');
  });
});

describe('a Pod', () => {
  const pod = { namespace: 'shop', name: 'metrics-7d9f', uid: '11111111-2222-3333-4444-555555555555' };
  const AGGREGATED = fixture('attach-aggregated-tls/aggregated.pcap');
  const keys = ['--keylog', 'fixtures/attach-aggregated-tls/keys.log.gz'];

  it('has its name as a server that only its address named', () => {
    const plain = linesOf(saved(AGGREGATED), ...keys);
    const toServer = plain.find(({ to, connection }) => to.startsWith('client ') && connection.endsWith(':17443'));
    const [, host = '', port = ''] = /-([\d.]+):(\d+)$/.exec(toServer?.connection ?? '') ?? [];
    const capture = saved(
      notedByPtcpdump(AGGREGATED, {
        card: 'eth0',
        host,
        processAt: (one) => (one === Number(port) ? { pid: 12, command: '/metrics-server', pod } : undefined),
      }),
    );
    const after = linesOf(capture, ...keys);
    const ofExchange = (lines: readonly Line[]): unknown[] =>
      lines.filter(({ exchange }) => exchange === toServer?.exchange).map(({ seq, from, to }) => ({ seq, from, to }));
    const expected = ofExchange(plain).map((line) =>
      JSON.parse(JSON.stringify(line).replaceAll(`client ${host}`, 'Pod shop/metrics-7d9f')),
    );
    expect(ofExchange(after)).toEqual(expected);
    expect(JSON.stringify(expected)).toContain('Pod shop/metrics-7d9f');
  });
});

describe('nothing is concluded', () => {
  it.each([
    'lo',
    'veth1a2b3c4d',
    'cali0123456789a',
    'lxc1234',
    'eni0a1b2c3',
    'cni0',
    'docker0',
    'flannel.1',
    'tun0',
    'any',
    '',
  ])('on %j, where both ends may be at home', (card) => {
    expect(linesOf(noted({ card }), ...KEYS)).toEqual(before);
    expect(isNetworkCard(card)).toBe(false);
  });

  it('without a direction', () => {
    expect(linesOf(noted({ noDirection: true }), ...KEYS)).toEqual(before);
  });

  it.each(['eth0', 'ens5', 'enp3s0', 'eno1', 'enx0011223344ff', 'em1', 'p1p1', 'bond0', 'wlp2s0', 'ib0'])(
    '%s is a network card',
    (name) => {
      expect(isNetworkCard(name)).toBe(true);
    },
  );

  it.each([
    ['another comment', ['seen by a person']],
    ['no number', ['PID: x\nCmd: /bin/a']],
    ['no command', ['PID: 1\nCmd: ']],
    ['a Pod without a process', ['PodName: a\nPodNamespace: b\nPodUID: c']],
  ])('from %s', (_, comments) => {
    expect(packetNoteOf(comments, 2)).toBeNull();
  });

  it('from names that are no names of programs', () => {
    for (const command of ['/bin/<script>', '/tmp/\u001b[31m', '/', 'a b', `/bin/${'x'.repeat(100)}`])
      expect(linesOf(noted({ processAt: () => ({ pid: 1, command }) }), ...KEYS)).toEqual(before);
  });
});

it.skipIf(!HAS_TSHARK)('Wireshark reads the same comments and directions', () => {
  const rows = tshark(bytesIn(noted()), [
    'ip.src',
    'frame.packet_flags_direction',
    'frame.comment',
    'frame.interface_name',
  ]);
  const outbound = rows.filter(([source]) => source === '198.51.100.21');
  expect(outbound.length).toBeGreaterThan(10);
  for (const [, direction, comment, card] of outbound) {
    expect([direction === '0x00000002' || direction === '2', card]).toEqual([true, 'eth0']);
    expect(comment?.includes('PID: 99') || comment?.includes('PID: 4711')).toBe(true);
  }
  expect(commentsOf(JOINING)[0]).toBe(
    'PID: 4711\nCmd: /usr/local/bin/node-joiner\nArgs: node-joiner --token s3cr3t-cnry',
  );
});
