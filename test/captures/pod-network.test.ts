// HTTP between Pods, captured on every interface of a node: before and after kube-proxy's address translation, on veth,
// bridge and uplink. Five requests, ten on the wire.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildSequence } from '../../src/index.js';
import { kubeseq } from '../kit/command.js';
import { fixture, fixtureLines } from '../kit/fixtures.js';
import {
  isBefore,
  isBehind,
  masqueraded,
  type NodeFrame,
  nodeFrames,
  PODS,
  SERVICE,
  seen,
} from '../kit/pod-network-kit.js';
import { HAS_TSHARK, tshark } from '../kit/tshark.js';

const NODE = 'fixtures/pod-network-tls/node-1.pcap.gz';
const CONTROL_PLANE = 'fixtures/pod-network-tls/control-plane.pcap.gz';
const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-net-'));
const KEYS = join(FOLDER, 'keys.log');
writeFileSync(KEYS, fixture('pod-network-tls/keys.log'));

type Line = Record<string, unknown>;
const linesOf = (text: string): Line[] =>
  text
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);

interface Truth {
  readonly kind: string;
  readonly tcp: string;
  readonly requestFrame: number;
  readonly responseFrame: number;
}
/** The truth has each request twice: with the Service's address, and with that of the Pod that answered. */
const TRUTH = fixtureLines<Truth>('pod-network-tls/node-1.truth.jsonl').filter(
  ({ kind, tcp }) => kind === 'request' && tcp.endsWith(':80'),
);
const ASKED = TRUTH.filter(({ tcp }) => tcp.includes(SERVICE));
const ANSWERED = TRUTH.filter(({ tcp }) => !tcp.includes(SERVICE));

const podIn = ({ tcp }: Truth): string => PODS[tcp.slice(tcp.indexOf('-') + 1, tcp.lastIndexOf(':'))];
const behind = ({ tcp }: Truth): Truth =>
  ANSWERED.find((one) => one.tcp.startsWith(tcp.slice(0, tcp.indexOf('-') + 1))) as Truth;

const FRAMES = nodeFrames();
const WHOLE = await seen(FRAMES);
const requests = (web: readonly Line[]): Line[] => web.filter(({ kind }) => kind === 'request');
const responses = (web: readonly Line[]): Line[] => web.filter(({ kind }) => kind === 'response');

describe('pod-network-tls on its node', () => {
  it.skipIf(!HAS_TSHARK)('as tshark has it', () => {
    // Each once more where tshark takes the copy on another interface for a retransmission.
    const streams = tshark(fixture('pod-network-tls/node-1.pcap'), ['tcp.stream'], ['-Y', 'http.request']);
    expect(new Set(streams.flat()).size).toBe(10);
  });

  it('gives five requests by way of the Service to the Pod that answered, and five answers from it, each with both places', () => {
    const mine = WHOLE.web.map(({ kind, connection, from, via, to, status, frames, translated }) => [
      ...[kind, connection, from, via, to, status, frames, translated],
    ]);
    const theirs = ASKED.flatMap((asked) => {
      const there = behind(asked);
      const both = (frame: number) => [frame, frame];
      const place = (frame: number) => [{ connection: there.tcp, frames: both(frame) }];
      const [pod, via] = [podIn(there), ['Service web']];
      return [
        ['request', asked.tcp, 'Pod client', via, pod, undefined, both(asked.requestFrame), place(there.requestFrame)],
        ['response', asked.tcp, pod, via, 'Pod client', 200, both(asked.responseFrame), place(there.responseFrame)],
      ];
    });
    expect(theirs).toHaveLength(10);
    expect(mine).toEqual(theirs);
  });

  it('selects by the hops of a message', () => {
    const of = (...args: string[]): number =>
      linesOf(kubeseq(['messages', NODE, '--keylog', KEYS, '-o', 'ndjson', ...args]).stdout).length;
    expect(of('--to', 'Service web')).toBe(10);
    expect(of('--to', 'Pod web-64c966cf88-bvbf4')).toBe(2);
    expect(of('--where', '"Service web" in via')).toBe(10);
  });

  it('shows the same of an export, and of the lines', () => {
    const file = join(FOLDER, 'export.ndjson');
    expect(kubeseq(['export', NODE, '--keylog', KEYS, '-w', file]).status).toBe(0);
    const again = linesOf(kubeseq(['messages', file, '-o', 'ndjson', '--where', 'protocol == "http"']).stdout);
    expect(again).toEqual(WHOLE.web);
    const net = ['--layers', 'net'];
    expect(kubeseq(['diagram', file, ...net]).stdout).toBe(kubeseq(['diagram', NODE, '--keylog', KEYS, ...net]).stdout);
    const lines = join(FOLDER, 'lines.ndjson');
    kubeseq(['messages', NODE, '--keylog', KEYS, '-o', 'ndjson', '-w', lines]);
    const { stdout } = kubeseq(['diagram', lines, ...net, '--follow', 'service/web']);
    expect(stdout).toContain('P ->>+ SV: [REQ] GET /');
  });
});

describe('other ways to capture it', () => {
  it('with the control plane beside it, nothing is emitted twice', () => {
    const { stdout } = kubeseq(['messages', CONTROL_PLANE, NODE, '--keylog', KEYS, '-o', 'ndjson']);
    const lines = linesOf(stdout);
    const web = lines.filter(({ protocol }) => protocol === 'http');
    expect(requests(web).map(({ to }) => to)).toEqual(ASKED.map((asked) => podIn(behind(asked))));
    const audits = lines.map(({ auditId }) => auditId).filter((one) => one !== undefined);
    expect(new Set(audits).size).toBe(audits.length);
  });

  const all = (frames: readonly NodeFrame[]): readonly NodeFrame[] => frames;
  it.each<[string, (frames: readonly NodeFrame[]) => readonly NodeFrame[], live: boolean]>([
    ['as a live stream: what is emitted at once does not wait for its copy', all, true],
    [
      'later than the connections: no SYN was seen',
      (frames) => frames.filter(({ web }) => web === null || (web.flags & 2) === 0),
      false,
    ],
    [
      'where the client is masqueraded too, with another port',
      (frames) => frames.map((one) => (isBehind(one) ? masqueraded(one, '192.0.2.11', masqueradedPort(one)) : one)),
      false,
    ],
  ])('%s', async (name, change, live) => {
    const { web } = await seen(change(FRAMES), { live });
    expect(requests(web).map(({ from, via, to }) => [from, via, to])).toEqual(
      ASKED.map((asked) => ['Pod client', ['Service web'], podIn(behind(asked))]),
    );
    expect(responses(web)).toHaveLength(5);
    if (!name.includes('masqueraded')) return;
    const copies = requests(web).map(({ translated }) => (translated as { connection: string }[])[0].connection);
    expect(copies.every((connection) => connection.startsWith('192.0.2.11:2'))).toBe(true);
  });

  it('only before the translation: the Service is all that can be shown', async () => {
    const { web, notices } = await seen(FRAMES.filter((frame) => !isBehind(frame)));
    expect(requests(web).map(({ from, via, to, translated }) => [from, via, to, translated])).toEqual(
      ASKED.map(() => ['Pod client', undefined, 'Service web', undefined]),
    );
    expect(notices.some(({ code }) => code === 'exchange.translated')).toBe(false);
  });

  it('only behind the translation: the Pod, and no Service', async () => {
    const { web } = await seen(FRAMES.filter((frame) => !isBefore(frame)));
    expect(requests(web).map(({ from, via, to }) => [from, via, to])).toEqual(
      ANSWERED.map((one) => ['Pod client', undefined, podIn(one)]),
    );
  });

  it('with losses on the client’s side: what only the other side has is emitted, as part of the same exchange', async () => {
    const lossy = FRAMES.filter(
      (frame) => !(isBefore(frame) && frame.web?.fromClient === false && frame.web.payload > 0),
    );
    const { web, notices } = await seen(lossy);
    expect(responses(web).map(({ from, status, complete }) => [from, status, complete])).toEqual(
      ASKED.map((asked) => [podIn(behind(asked)), 200, true]),
    );
    expect(responses(web).map(({ exchange }) => exchange)).toEqual(requests(web).map(({ exchange }) => exchange));
    expect(notices.filter(({ code }) => code === 'tcp.gap').length).toBeGreaterThan(0);
    expect(notices.filter(({ code }) => code === 'exchange.no-response' || code === 'exchange.no-request')).toEqual([]);
  });

  it('does not join connections whose numbers differ', async () => {
    const { web } = await seen(
      FRAMES.map((frame) => {
        if (!isBehind(frame) || frame.web === null) return frame;
        // Another client number: sequence numbers of one direction, acknowledgments of the other.
        const bytes = Uint8Array.from(frame.bytes);
        const at = frame.web.fromClient ? 44 : 48;
        bytes[at] ^= 0x40;
        return { ...frame, bytes };
      }),
    );
    expect(requests(web)).toHaveLength(10);
    expect(web.every(({ via, translated }) => via === undefined && translated === undefined)).toBe(true);
  });

  it('before the API server sent the owners of these addresses: lines keep their names, diagrams have better ones', async () => {
    const later = FRAMES.map((frame) =>
      frame.web === null ? { ...frame, time: frame.time + 30_000_000_000n } : frame,
    );
    const { web, messages, notices } = await seen(later.sort((a, b) => Number(a.time - b.time)));
    expect(requests(web).map(({ from, via }) => [from, via])).toEqual(
      ASKED.map(() => ['Wget', ['client 203.0.113.33']]),
    );
    const { participants } = buildSequence({ messages, notices }, { layers: new Set(['http']) });
    // Of the Pod on the other node only an EndpointSlice tells, which does not say since when it has its address.
    expect(participants.map(({ name }) => name)).toEqual([
      'client 198.18.1.9',
      'Pod client',
      'Service web',
      'Pod web-64c966cf88-28cpg',
    ]);
  });
});

function masqueradedPort({ bytes: b }: NodeFrame): number {
  const [source, destination] = [b[40] * 256 + b[41], b[42] * 256 + b[43]];
  return 2000 + ((source === 80 ? destination : source) % 1000);
}
