// Connections that fail, each in its way, in Kubernetes 1.37: held against what tshark sees of the same capture (flags, alerts, ICMP)
// and against what was done (fixtures/connections-tls/README.md).

import { describe, expect, it } from 'vitest';
import { notesOf } from '../../src/diagram/model.js';
import { buildSequence, type Message, type Notice, parseFollow } from '../../src/index.js';
import { type Audit, programOf } from '../kit/audit.js';
import { tellsAllOf } from '../kit/captured-truth.js';
import { observedTogether } from '../kit/diagrams.js';
import { fixtureLines } from '../kit/fixtures.js';

const FIXTURE = 'connections-tls';
const { messages, notices } = await observedTogether([`${FIXTURE}/control-plane.pcap`], `${FIXTURE}/keys.log`);
const spoken = messages.filter(({ protocol }) => protocol === 'kubernetes');

tellsAllOf(FIXTURE, spoken, { events: 700, requests: 650 }, (entry) =>
  entry.user.username === '' ? 'kubectl' : programOf(entry),
);

interface Failure {
  readonly connection: string;
  readonly kind: Notice['code'];
  readonly frame: number;
  readonly by?: string;
  readonly alert?: string;
  readonly syns?: number;
}

it('each failed connection is reported with its error, and no other', () => {
  const truth = fixtureLines<Failure>(`${FIXTURE}/failures.truth.jsonl`);
  expect(truth.length).toBeGreaterThan(380);
  const kinds = new Set(truth.map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual([
    'tcp.refused',
    'tcp.unanswered',
    'tcp.unreachable',
    'tls.refused',
    'tls.unfinished',
  ]);
  const told = notices.filter(({ code }) => kinds.has(code));
  const words = (code: string, connection = '', frame = 0): string => `${code} ${connection} frame ${frame}`;
  expect(told.map(({ code, connection, origin }) => words(code, connection, origin?.frame)).sort()).toEqual(
    truth.map(({ kind, connection, frame }) => words(kind, connection, frame)).sort(),
  );
  const detailOf = new Map(told.map((one) => [one.connection, one.detail]));
  for (const { connection, by, alert, syns } of truth) {
    if (alert !== undefined) expect(detailOf.get(connection)).toMatch(new RegExp(`^the ${by} sends ${alert}(?:;|$)`));
    if (syns !== undefined) expect(detailOf.get(connection)).toMatch(new RegExp(`^${syns} SYNs in `));
  }
});

interface Logged extends Audit {
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

/** ms. */
const NEAR = 5;
const msOf = (ns: bigint): number => Number(ns / 1000n) / 1000;

it('each request of the log without a response is shown as given up, at its time', () => {
  const log = fixtureLines<Logged>(`${FIXTURE}/unanswered.jsonl`);
  const answered = new Set(messages.filter(({ kind }) => kind === 'response').map(({ exchange }) => exchange));
  const open = spoken.filter(({ kind, exchange }) => kind === 'request' && !answered.has(exchange));
  const gaveUp = messages.filter(({ cut }) => cut?.by === 'client' && cut.afterMs !== undefined);
  expect(log).toHaveLength(12);
  for (const entry of log) {
    const began = Date.parse(entry.requestReceivedTimestamp);
    const ended = Date.parse(entry.stageTimestamp);
    const asked = open.filter(
      (one) =>
        one.verb === entry.verb &&
        one.from.name === programOf(entry) &&
        one.resource === entry.objectRef?.resource &&
        Math.abs(msOf(one.time) - began) < NEAR,
    );
    expect(asked, entry.requestURI).toHaveLength(1);
    const told = gaveUp.filter((one) => one.connection === asked[0].connection && one.stream === asked[0].stream);
    expect(told, entry.requestURI).toHaveLength(1);
    expect(Math.abs(msOf(told[0].time) - ended)).toBeLessThan(NEAR);
  }
});

/** What stands in a diagram that has nothing to do with the API server's own long-lived requests: notes, by their lines. */
function notesIn(name: string): readonly (readonly string[])[] {
  return notesOf(buildSequence({ messages, notices }, { follow: parseFollow(name, 'default')! }).steps).map(
    ({ lines }) => lines,
  );
}

/** What was done to each webhook, and what has to stand where it is asked. */
const WEBHOOKS: readonly (readonly [string, readonly (string | RegExp)[]])[] = [
  ['untrusted', ['the client sends bad_certificate', "the server's certificate: guard, issued by other-ca"]],
  [
    'wrongname',
    [
      'the client sends bad_certificate',
      "the server's certificate: elsewhere, issued by kubernetes, not for 192.0.2.10, but for elsewhere.example",
    ],
  ],
  [
    'expired',
    [
      'the client sends bad_certificate',
      "the server's certificate: guard, issued by kubernetes, expired 2026-01-01T00:00:00Z",
    ],
  ],
  [
    'named',
    [
      'the client sends bad_certificate',
      "the server's certificate: guard, issued by kubernetes, not for guard.default.svc, but for 192.0.2.10",
      'asked for guard.default.svc',
    ],
  ],
  ['plain', ['the server answered with bytes that are no TLS']],
  ['closes', [/^the server sent nothing after the client's hello, the server closed after \d[\d.]* ms$/]],
  ['mute', [/^the server sent nothing after the client's hello, the client closed after 10 s$/]],
];

describe('a webhook that TLS is not agreed on with', () => {
  it.each(WEBHOOKS)('%s: the story of the object has the reason', (name, lines) => {
    const notes = notesIn(`configmap/${name}`);
    const at = notes.findIndex(([first]) => first === 'TLS is not agreed on');
    expect(notes[at].slice(1, -1)).toEqual(
      lines.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line))),
    );
    expect(notes[at].at(-1)).toMatch(/^from kube-apiserver to (?:webhook \S+, )?192\.0\.2\.10:94\d\d$/);
    expect(notes[at + 1][0]).toContain(`failed calling webhook "${name}.lab.example"`);
    expect(notes.filter(([first]) => first === 'TLS is not agreed on')).toHaveLength(1);
  });
});

it.each([
  ['refused', '1 connection refused', 'from kube-apiserver to 192.0.2.10:9444'],
  ['dropped', 'no answer: 9 SYNs in ', 'from kube-apiserver to 192.0.2.10:9445'],
  ['prohibited', 'cannot be reached: administratively prohibited', 'from kube-apiserver to 192.0.2.10:9450'],
])('a webhook that cannot be reached, %s: why stands in the story', (name, first, second) => {
  const notes = notesIn(`configmap/${name}`);
  const at = notes.findIndex(([line]) => line.startsWith(first));
  expect(notes[at].slice(1)).toEqual([second, 'no answer after that']);
  expect(notes[at + 1][0]).toContain(`failed calling webhook "${name}.lab.example"`);
});

it('a webhook that answers has none of these', () => {
  expect(notesIn('configmap/good').flat().join('\n')).not.toMatch(/TLS is not|no answer: |cannot be reached/);
});

/** Whether an answer to such a request says this. */
function isSaid(wanted: (request: Message) => boolean, words: string | RegExp): boolean {
  const asked = new Set(
    messages.filter((one) => one.kind === 'request' && wanted(one)).map(({ exchange }) => exchange),
  );
  const answers = messages.filter((one) => one.kind === 'response' && asked.has(one.exchange));
  return answers.some(({ statusMessage = '' }) =>
    typeof words === 'string' ? statusMessage === words : words.test(statusMessage),
  );
}

describe("what the API server's response has about it", () => {
  const isLog = ({ subresource }: Message): boolean => subresource === 'log';
  const isReadyz = ({ target }: Message): boolean => target === '/readyz';
  it.each([
    [
      'a certificate for another address',
      isLog,
      /^Get "https:.*: x509: certificate is valid for 192\.0\.2\.11, not 192\.0\.2\.21$/,
    ],
    [
      'an unknown authority',
      isLog,
      /: tls: failed to verify certificate: x509: certificate signed by unknown authority$/,
    ],
    ['a kubelet that is away', isLog, /: dial tcp 192\.0\.2\.21:10250: connect: connection refused$/],
    [
      'the same, for an exec',
      ({ subresource }: Message) => subresource === 'exec',
      /^error dialing backend: dial tcp /,
    ],
    ['what it waits for itself', isReadyz, /^not ready: (?:[\w./-]+(?:, | and \d+ more$|$))+/],
    [
      'HTTP in place of TLS',
      ({ target }: Message) => target === '/version',
      'Client sent an HTTP request to an HTTPS server.',
    ],
  ] as const)('%s', (_, wanted, words) => {
    expect(isSaid(wanted, words)).toBe(true);
  });
});

// By tshark the last bytes from 192.0.2.21 to the API server are sent at 31.285 s, the node-controller's PUT at 55.325 s.
it.each(['node/node-1', 'deployment/web'])(
  'for how long the node had been silent stands in the story of %s',
  (name) => {
    expect(notesIn(name).filter((lines) => lines.includes('nothing from kubelet (node-1) for 24 s'))).toHaveLength(1);
  },
);

it('an answer to the first request of a connection has how long TLS took, where that was long', () => {
  // tshark: the ClientHello of 54740 is frame 17935 at 102.303487, the ServerHello frame 19506 at 103.354945.
  const slow = messages.filter(({ times }) => times?.tlsMs !== undefined);
  expect(slow).toHaveLength(3);
  const first = slow.find(({ connection }) => connection === '192.0.2.11:54740-192.0.2.11:6443');
  expect(first?.times).toEqual({ tlsMs: 1051.458 });
  const request = messages.find(({ kind, exchange }) => kind === 'request' && exchange === first?.exchange);
  expect(request?.frames[0]).toBeGreaterThan(19_506);
  expect(messages.filter(({ connection }) => connection === first?.connection)[0]).toBe(request);
});
