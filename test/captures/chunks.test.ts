// The size of the pieces in which a capture arrives never changes what it says.

import { describe, expect, it } from 'vitest';
import { type Message, messageLine, observe } from '../../src/index.js';
import { fixture } from '../kit/fixtures.js';
import { inPieces } from '../kit/observed.js';
import { CLIENT, conversation, packets, pcap, SERVER, START } from '../kit/packetiser.js';
import { TRIES_ALL } from '../kit/runs.js';

async function read(bytes: Uint8Array, size: number): Promise<string[]> {
  const out: string[] = [];
  for await (const batch of observe([inPieces(bytes, size)])) {
    for (const item of batch) {
      if (item.kind === 'message') out.push(messageLine(item.message, { digits: () => 9 }));
      else if (item.kind === 'notice') out.push(`${item.code} ${item.detail}`);
    }
  }
  return out;
}

describe.each([
  'run-nginx-http1/capture.pcap',
  'errors-http1/capture.pcap',
  'run-nginx-tls/capture-with-secrets.pcapng',
  'clients-tls/capture.pcap',
])('%s', (name) => {
  const bytes = fixture(name);
  const whole = read(bytes, bytes.length);

  it.each([1000, 65_536])('in pieces of %d bytes has the same output as whole', async (size) => {
    expect((await whole).length).toBeGreaterThan(10);
    expect(await read(bytes, size)).toEqual(await whole);
  });

  it('byte for byte has the same output as whole', async () => {
    const beginning = TRIES_ALL ? bytes : bytes.subarray(0, 100_000);
    const lines = await read(beginning, beginning.length);
    expect(lines.length).toBeGreaterThan(10);
    expect(await read(beginning, 1)).toEqual(lines);
  });

  it('gzipped has the same output', async () => {
    const { gzipSync } = await import('node:zlib');
    expect(await read(gzipSync(bytes), 5000)).toEqual(await whole);
  });
});

describe('a cut capture', () => {
  it.each([0.1, 0.35, 0.6, 0.9])(
    'cut at %d of its length keeps every message that was complete before',
    async (part) => {
      const bytes = fixture('run-nginx-http1/capture.pcap');
      const whole = (await read(bytes, bytes.length)).map(withoutSeq);
      const cut = (await read(bytes.subarray(0, Math.floor(bytes.length * part)), 65_536)).map(withoutSeq);
      const known = new Set(whole);
      const complete = cut.filter((line) => line.startsWith('{') && line.includes('"complete":true'));
      expect(complete.length).toBeGreaterThan(20);
      expect(complete.filter((line) => !known.has(line))).toEqual([]);
      expect(cut.some((line) => line.startsWith('capture.truncated'))).toBe(true);
    },
  );
});

describe.each([
  ['late-start-mixed/capture.pcap', null],
  ['late-start-tls/capture.pcap', 'late-start-tls/keys.log'],
  ['clients-tls/capture.pcap', 'clients-tls/keys.log'],
])('lines come in the order of time: %s', (name, keys) => {
  it.each([0.2, 0.5, 0.8, 1])('cut at %d of its length', async (part) => {
    const bytes = fixture(name);
    const cut = bytes.subarray(0, Math.floor(bytes.length * part));
    const keyLogs = keys === null ? [] : [Buffer.from(fixture(keys)).toString('latin1')];
    const times: bigint[] = [];
    for await (const batch of observe([inPieces(cut, 65_536)], { keyLogs })) {
      for (const item of batch) if (item.kind === 'message') times.push(item.message.time);
    }
    expect(times.length).toBeGreaterThan(3);
    expect(times.filter((time, i) => i > 0 && time < times[i - 1])).toEqual([]);
  });
});

describe('lines come in the order of time, where a label is known only later', () => {
  const SECOND = 1_000_000_000n;
  const server = { ...SERVER, port: 6443 };
  const get = (name: string) => ({
    from: 'client' as const,
    bytes: `GET /api/v1/namespaces/default/pods/${name} HTTP/1.1\r\n\r\n`,
  });
  const answer = (length: number) => ({
    from: 'server' as const,
    bytes: `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`,
  });
  const others = conversation(Array.from({ length: 20 }, (_, i) => [get(`other-${i}`), answer(0)]).flat(), {
    server,
    client: { ...CLIENT, port: 41_000 },
    start: START + SECOND,
    step: SECOND / 3n,
  });
  const late = { server, open: false, close: false, start: START + 2n * SECOND, step: 8n * SECOND };

  it.each([
    ['the answer to a HEAD request of before', conversation([answer(5), get('next'), answer(0)], late), 3],
    [
      'a request of a connection whose beginning is lost, under the addresses of another',
      [
        ...conversation([get('first'), answer(0)], { server }),
        ...conversation([get('next'), answer(0)], { ...late, clientSeq: 3_000_000_000 }),
      ],
      3,
    ],
  ])('%s', async (_, sent, count) => {
    const all = [...others, ...sent].sort((a, b) => Number((a.time ?? 0n) - (b.time ?? 0n)));
    const messages: Message[] = [];
    for await (const batch of observe([inPieces(pcap(packets(all)), 1000)]))
      for (const item of batch) if (item.kind === 'message') messages.push(item.message);
    expect(messages.filter(({ connection }) => connection.includes(':40000-'))).toHaveLength(count);
    const times = messages.map(({ time }) => time);
    expect(times.filter((time, i) => i > 0 && time < times[i - 1])).toEqual([]);
  });
});

/** A message's number depends on what came before it, and a cause on answers that may be cut off. */
function withoutSeq(line: string): string {
  return line
    .replace(/"seq":\d+,/, '')
    .replace(/,"causedBy":\d+/, '')
    .replace(/,"cause":\{[^}]*\}/, '');
}
