// Captures of what broke: who ended a connection, a stream or an exchange, how, after how long; and what was lost below HTTP.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SummaryCollector } from '../../src/index.js';
import { kubeseq } from '../kit/command.js';
import { exists, fixture } from '../kit/fixtures.js';
import { observeWhole } from '../kit/whole-fixtures.js';

interface Found {
  readonly problems: readonly {
    readonly kind: string;
    readonly what: string;
    readonly count: number;
    readonly at: number;
  }[];
  readonly exchanges: Readonly<Record<string, number>>;
}

function argumentsFor(folder: string): string[] {
  const keys = exists(`broken-off/${folder}/keys.log`) ? ['--keylog', `fixtures/broken-off/${folder}/keys.log.gz`] : [];
  return [`fixtures/broken-off/${folder}/capture.pcap.gz`, ...keys];
}

/** By tshark: frame and time of the FIN, RST, GOAWAY, PING or copy; whole sentences: test/golden/texts/broken-off. */
it.each<[string, ...RegExp[]]>([
  ['watch-cut', /cut by proxy 192\.0\.2\.20 \(FIN without close_notify, idle: 4\.0 s without a byte\)/],
  ['list-cut', /cut by kube-apiserver \S+ after 150 B of 5\.0 kB \(RST, 2\.0 s without a byte\)/],
  ['chunks-cut', /cut by kube-apiserver \S+ \(FIN, 2\.0 s without a byte\)/],
  // GOAWAY in frame 43; DATA with END_STREAM in frame 45, 6.834 s after the request in frame 39, which has no timeoutSeconds.
  [
    'server-shuts-down',
    /ended early by kube-apiserver .* \(END_STREAM, open for 6\.8 s\)/,
    /GOAWAY: NO_ERROR, of the server/,
  ],
  [
    'too-many-pings',
    /GOAWAY: ENHANCE_YOUR_CALM too_many_pings, of the server/,
    /Watch: cut by etcd .*\(GOAWAY ENHANCE_YOUR_CALM\)/,
  ],
  ['not-processed', /ended by GOAWAY: NO_ERROR, of the server/],
  ['refused-stream'],
  [
    'dead-connection',
    /39 bytes of the client were sent 9 times in 27 s/,
    /PING .* in 27 s; nothing .* server for 57 s/,
  ],
  ['window-full', /the client's flow-control window of 66 kB was full for 6\.5 s/],
  ['silent-server', /nothing came from the server in 2\.0 s after the client's preface/],
  // The hello is frame 4, acknowledged in frame 5; the last frame is at 15.006.
  ['hello-unanswered', /the server acknowledged the client's hello, and sent nothing for 15 s; asked for kubernetes/],
  // Frames 10 to 13; the server's last packet is frame 9 at 15.0005, the reset is frame 14 at 90.0005.
  ['keep-alives', /4 keep-alives of the client were not answered; nothing came from the server for 1 min 15 s/],
  ['large-hello', /the first 1448 bytes .*ClientHello\) were sent 8 times in 13 s .*\(SACK\): large packets are lost/],
  ['sent-again', /196 B of the client were sent 5 times, and acknowledged after 1\.7 s/],
  ['slow-connect', /it took 2\.0 s to connect: the SYN was sent 3 times/],
  ['early-answer', /create configmaps shop\/big: 429 TooManyRequests: .*; sent before the request's body had ended/],
])('%s is a problem, and nothing else', async (folder, ...expected) => {
  const summary = new SummaryCollector([], { streams: false });
  for (const item of (await observeWhole(`broken-off/${folder}`)).items) summary.add(item);
  const found = summary.result().problems.map(({ what }) => what);
  expect(found).toEqual(expected.map((words) => expect.stringMatching(words)));
});

it('of a hello that never arrived whole, it is not said that no byte was sent', () => {
  const { unread } = JSON.parse(kubeseq(['summary', '-q', '-o', 'json', ...argumentsFor('large-hello')]).stdout);
  expect(unread).toEqual({ 'TLS was not agreed on: it was begun and not finished': 2 });
});

it('an early answer is one exchange with its request', () => {
  const lines = kubeseq(['messages', '-o', 'ndjson', ...argumentsFor('early-answer')])
    .stdout.trim()
    .split('\n');
  const messages = lines.map((line) => JSON.parse(line) as { kind: string; exchange: number; status?: number });
  expect(messages.map(({ kind, exchange, status }) => [kind, exchange, status])).toEqual([
    ['request', 1, undefined],
    ['response', 1, 429],
  ]);
});

it.each([
  // tshark: the response in frames 6 to 95; the client's window is 0 from frame 22 to frame 28.
  ['slow-reader', 2532.361, 2409.921],
  // Frames 10 to 31; 65,535 bytes of the stream were sent in frame 19, its WINDOW_UPDATE is frame 23.
  ['slow-reader-http2', 1830.012, 1813.49],
])(
  'of %s it is told what receiving its response took, and how long its client took nothing',
  (folder, receiveMs, stalledMs) => {
    const lines = kubeseq(['messages', '-o', 'ndjson', ...argumentsFor(folder)])
      .stdout.trim()
      .split('\n');
    const { times } = JSON.parse(lines[1]) as { times: Record<string, number> };
    expect(times).toEqual({ receiveMs: expect.closeTo(receiveMs, 2), stalledMs: expect.closeTo(stalledMs, 2) });
    const part = ' s to receive it, \\d\\.\\d s of it while the client took nothing\\n';
    expect(kubeseq(['summary', '-q', ...argumentsFor(folder)]).stdout).toMatch(
      new RegExp(`list configmaps, and \\d\\.\\d${part}`),
    );
    expect(kubeseq(['explain', '2', '-q', ...argumentsFor(folder)]).stdout).toMatch(
      new RegExp(`latency: .* ms, and \\d\\.\\d${part}`),
    );
  },
);

it('a latency says which part of it was lost before the server had the request', () => {
  const lines = kubeseq(['messages', '-o', 'ndjson', ...argumentsFor('sent-again')])
    .stdout.trim()
    .split('\n');
  const lost = lines
    .map((line) => JSON.parse(line) as { latencyMs?: number; times?: unknown })
    .filter(({ times }) => times);
  // tshark: the request in frame 12, its acknowledgment 1,672.8 ms later, the response 0.3 ms after that.
  expect(lost).toMatchObject([
    { latencyMs: expect.closeTo(1673.08, 1), times: { sent: 5, sendMs: expect.closeTo(1672.9, 0) } },
  ]);
  expect(kubeseq(['summary', ...argumentsFor('sent-again')]).stdout).toContain(
    'list pods, of it 1.7 s until the server had the request (sent 5 times)',
  );
});

/** The packets of a capture (pcap, IPv4) that a host sent. */
function sentBy(host: string, capture: Uint8Array): Uint8Array {
  const file = Buffer.from(capture);
  const address = Buffer.from(host.split('.').map(Number));
  // LINKTYPE_ETHERNET, LINKTYPE_LINUX_SLL, LINKTYPE_LINUX_SLL2: bytes before the header of IP, whose source is at 12.
  const source = { 1: 14, 113: 16, 276: 20 }[file.readUInt32LE(20)]! + 12;
  const kept = [file.subarray(0, 24)];
  for (let at = 24; at < file.length; ) {
    const end = at + 16 + file.readUInt32LE(at + 8);
    if (address.equals(file.subarray(at + 16 + source, at + 20 + source))) kept.push(file.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}

it.each([
  ['too-many-pings', '192.0.2.30'],
  ['silent-server', '192.0.2.30'],
  ['window-full', '192.0.2.10'],
  ['list-cut', '192.0.2.10'],
  ['watch-cut', '192.0.2.20'],
  ['large-hello', '192.0.2.30'],
  ['dead-connection', '192.0.2.30'],
])('one direction of %s shows neither silence nor who ended what', (folder, host) => {
  const one = sentBy(host, fixture(`broken-off/${folder}/capture.pcap`));
  expect(one.length).toBeGreaterThan(300);
  const path = join(mkdtempSync(join(tmpdir(), 'kubeseq-one-way-')), 'capture.pcap');
  writeFileSync(path, one);
  const { problems } = JSON.parse(
    kubeseq(['summary', '-o', 'json', path, ...argumentsFor(folder).slice(1)]).stdout,
  ) as Found;
  // Who sent a GOAWAY stands in it.
  expect(problems.map(({ what }) => what).filter((what) => !what.includes('GOAWAY'))).toEqual([]);
});
