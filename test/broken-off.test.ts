// Captures of what broke: who ended a connection, a stream or an exchange, how, after how long; and what was lost below HTTP.

import { expect, it } from 'vitest';
import { kubeseq } from './command.js';
import { exists } from './fixtures.js';

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

function summaryOf(folder: string): Found {
  return JSON.parse(kubeseq(['summary', '-o', 'json', ...argumentsFor(folder)]).stdout) as Found;
}

// What tshark shows of each capture: frame and time of the FIN, RST, GOAWAY, PING or copy, and the README of the fixture.
it.each<[string, [kind: string, count: number, what: string][]]>([
  [
    'watch-cut',
    [
      [
        'cut',
        2,
        'kubectl: watch pods in shop: cut by proxy 192.0.2.20 (FIN without close_notify, 4.0 s without a byte)',
      ],
    ],
  ],
  [
    'list-cut',
    [
      [
        'cut',
        1,
        'my-operator: list pods in shop: cut by kube-apiserver (192.0.2.10:8001) after 150 B of 5.0 kB (RST, 2.0 s without a byte)',
      ],
    ],
  ],
  [
    'chunks-cut',
    [['cut', 1, 'my-operator: list pods in shop: cut by kube-apiserver (192.0.2.10:8001) (FIN, 2.0 s without a byte)']],
  ],
  [
    'too-many-pings',
    [
      [
        'unreachable',
        1,
        'connection from 192.0.2.30 (host of kube-apiserver) to etcd (192.0.2.10:2379): ended by GOAWAY: ENHANCE_YOUR_CALM too_many_pings, of the server',
      ],
      ['cut', 1, 'kube-apiserver: Watch: cut by etcd (192.0.2.10:2379) (GOAWAY ENHANCE_YOUR_CALM)'],
    ],
  ],
  [
    'not-processed',
    [
      // Listed as normal.
      [
        'start-up',
        1,
        'connection from 192.0.2.30 (host of kubectl) to kube-apiserver (192.0.2.10:8080): ended by GOAWAY: NO_ERROR, of the server',
      ],
    ],
  ],
  ['refused-stream', []],
  [
    'dead-connection',
    [
      [
        'unreachable',
        1,
        'connection from 192.0.2.30 (host of kubectl) to kube-apiserver (192.0.2.10:6443): packets were lost: 39 bytes of the client were sent 9 times in 27 s and never acknowledged',
      ],
      [
        'unreachable',
        1,
        'connection from 192.0.2.30 (host of kubectl) to kube-apiserver (192.0.2.10:6443): silence: a PING of the client was not acknowledged in 27 s; nothing came from the server for 57 s',
      ],
    ],
  ],
  [
    'window-full',
    [
      [
        'unreachable',
        1,
        "connection from 192.0.2.30 (host of log-shipper) to kube-apiserver (192.0.2.10:6443): stalled: the client's flow-control window of 66 kB was full for 6.5 s: the client took nothing from the server",
      ],
    ],
  ],
  [
    'silent-server',
    [
      [
        'unreachable',
        1,
        "connection from 192.0.2.30 (host of kube-apiserver) to etcd (192.0.2.10:2379): silence: HTTP/2 is not agreed on: nothing came from the server in 2.0 s after the client's preface",
      ],
    ],
  ],
  [
    'large-hello',
    [
      [
        'unreachable',
        2,
        'connection from 192.0.2.30 to 192.0.2.10:6443: packets were lost: the first 1448 bytes of the client were sent 8 times in 13 s and never acknowledged, while the server acknowledged what follows them (SACK): large packets are lost on the way (MTU)',
      ],
    ],
  ],
  [
    'sent-again',
    [
      [
        'unreachable',
        1,
        'connection from 192.0.2.30 (host of kube-scheduler) to kube-apiserver (192.0.2.10:6443): packets were lost: 196 B of the client were sent 5 times, and acknowledged after 1.7 s',
      ],
    ],
  ],
  [
    'slow-connect',
    [
      [
        'unreachable',
        1,
        'connection from 192.0.2.30 (host of kubelet) to kube-apiserver (192.0.2.10:6443): packets were lost: it took 2.0 s to connect: the SYN was sent 3 times',
      ],
    ],
  ],
  [
    'early-answer',
    [
      [
        'refused',
        1,
        'my-operator: create configmaps shop/big: 429 TooManyRequests: Too many requests, please try again later.',
      ],
    ],
  ],
])('%s', (folder, expected) => {
  const { problems } = summaryOf(folder);
  expect(problems.map(({ kind, count, what }) => [kind, count, what])).toEqual(expected);
});

it('a request that the server did not process is not missing, where it is sent again', () => {
  const { exchanges } = summaryOf('not-processed');
  expect(exchanges).toMatchObject({ total: 3, complete: 2, withoutResponse: 0, brokenOff: 1 });
  const drawn = kubeseq([...argumentsFor('not-processed')]).stdout;
  expect(drawn).toContain('AS --x C: [END] not processed: GOAWAY NO_ERROR');
  expect(drawn).not.toContain('without a response');
});

it('the diagram has the end of a watch at its time, from the proxy that made it', () => {
  const lines = kubeseq(['-o', 'text', ...argumentsFor('watch-cut')]).stdout.split('\n');
  const at = lines.findIndex((line) => line.includes('[END] cut: FIN without close_notify, 4.0 s without a byte'));
  expect(lines[at]).toMatch(/^ +4\.025767 .* \|x\.+\| +\| /);
  expect(lines[0]).toMatch(/kubectl +proxy 192\.0\.2\.20 +kube-apiserver/);
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
