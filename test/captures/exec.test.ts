// Every exec, log and port-forward of a real capture: its sizes by channel, its exit code, its two hops. The figures were
// taken from tshark's decrypted streams by an independent parser of WebSocket and SPDY.

import { describe, expect, it } from 'vitest';
import { type Message, observe } from '../../src/index.js';
import { fixture, fixtureLines } from '../kit/fixtures.js';

async function messagesOf(name: string, keys?: string): Promise<Message[]> {
  const bytes = (async function* () {
    yield fixture(name);
  })();
  const keyLogs = keys === undefined ? [] : [Buffer.from(fixture(keys)).toString('latin1')];
  const messages: Message[] = [];
  for await (const batch of observe([bytes], { keyLogs }))
    for (const item of batch) if (item.kind === 'message') messages.push(item.message);
  return messages;
}

interface Story {
  readonly request: Message;
  /** `client stdin`, `server stdout` …: bytes. */
  readonly sizes: Record<string, number>;
  readonly exitCode: number | undefined;
}

function storiesOf(messages: readonly Message[]): Story[] {
  const wanted = messages.filter(({ kind, target }) => kind === 'request' && STREAMS.test(target ?? ''));
  return wanted.map((request) => {
    const sizes: Record<string, number> = {};
    let exitCode: number | undefined;
    for (const one of messages) {
      if (one.exchange !== request.exchange || one.kind !== 'data') continue;
      const key = `${one.from === request.from ? 'client' : 'server'} ${one.channel}`;
      sizes[key] = (sizes[key] ?? 0) + (one.bytes ?? 0);
      exitCode = one.exitCode ?? exitCode;
    }
    return { request, sizes, exitCode };
  });
}

const STREAMS = /\/(?:exec|attach|portforward|log|containerLogs|portForward)(?:[/?]|$)/;

/** [what was done, sizes on the API server's side, on the kubelet's side, exit code] */
const DONE: [string, Record<string, number>, Record<string, number>, number | undefined][] = [
  ['logs', {}, {}, undefined],
  ['exec ls /etc', { 'server stdout': 46, 'server error': 34 }, { 'server stdout': 46, 'server error': 34 }, 0],
  ['logs -f', { 'server log': 85 }, { 'server log': 85 }, undefined],
  ['exec, status 3', { 'server stderr': 5, 'server error': 212 }, { 'server stderr': 5, 'server error': 253 }, 3],
  [
    'exec cat',
    { 'client stdin': 6, 'server stdout': 6, 'server error': 34 },
    { 'client stdin': 6, 'server stdout': 6, 'server error': 34 },
    0,
  ],
  ['exec id over SPDY', { 'server stdout': 39, 'server error': 34 }, { 'server stdout': 39, 'server error': 34 }, 0],
  ['port-forward', { 'client data': 79, 'server data': 262 }, { 'client data': 79, 'server data': 262 }, undefined],
];

describe('exec-logs-portforward-tls', async () => {
  const folder = 'exec-logs-portforward-tls';
  const messages = await messagesOf(`${folder}/capture.pcap`, `${folder}/keys.log`);
  const stories = storiesOf(messages);
  const api = stories.filter(({ request }) => request.protocol === 'kubernetes');
  const kubelet = stories.filter(({ request }) => request.protocol === 'kubelet');

  it('is seven stories of two hops each, as many as the truth has', () => {
    const truth = fixtureLines<{ kind: string; target?: string }>(`${folder}/capture.truth.jsonl`);
    const theirs = truth.filter(({ kind, target }) => kind === 'request' && STREAMS.test(target ?? ''));
    expect(theirs).toHaveLength(2 * DONE.length);
    expect([api.length, kubelet.length]).toEqual([DONE.length, DONE.length]);
  });

  it.each(DONE.map((row, i) => [row[0], i] as const))('%s: sizes by channel, exit code, one story', (_name, i) => {
    const [, asked, then, exitCode] = DONE[i];
    const first = api[i];
    const second = kubelet.find(({ request }) => request.causedBy === first.request.seq);
    expect(first.sizes).toEqual(asked);
    expect(second?.sizes).toEqual(then);
    expect([first.exitCode, second?.exitCode]).toEqual([exitCode, exitCode]);
  });

  it('the API server sends the request to the kubelet, whichever client it is for', () => {
    for (const { request } of kubelet)
      expect([request.from.name, request.to.name]).toEqual(['kube-apiserver', 'kubelet (node-1)']);
  });

  it('a followed log is answered with its head and goes on', () => {
    const follow = api[2].request;
    const [response, data] = messages.filter(
      ({ exchange, kind }) => exchange === follow.exchange && kind !== 'request',
    );
    expect([response.kind, response.complete, data.kind]).toEqual(['response', true, 'data']);
    expect(Number(data.time - response.time) / 1e9).toBeGreaterThan(2);
  });

  it('names the stream and its size, never its content', () => {
    const labels = new Set(messages.filter(({ kind }) => kind === 'data').map(({ label }) => label));
    expect([...labels].sort()).toEqual([
      ...['[DATA] data 262 bytes', '[DATA] data 79 bytes', '[DATA] error: Success (exit code 0)'],
      ...['[DATA] error: exit code 3', '[DATA] log 85 bytes', '[DATA] stderr 5 bytes', '[DATA] stdin 6 bytes'],
      ...['[DATA] stdout 39 bytes', '[DATA] stdout 46 bytes', '[DATA] stdout 6 bytes'],
    ]);
  });
});

describe('docker-engine-api', async () => {
  const stories = storiesOf(await messagesOf('docker-engine-api/capture.pcap'));

  it('the hijacked connection has 51 bytes of stdout behind a header of 8', () => {
    const started = stories.filter(({ request }) => request.target?.endsWith('/start'));
    expect(started.map(({ sizes }) => sizes)).toEqual([{ 'server stdout': 51 }]);
  });
});
