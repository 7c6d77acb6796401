// Real captures: every connection equal in bytes and MD5 to the truth that an independent decoder found, and foreign
// oddities equal to tshark's `follow`, or different in a way that is written down here.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fixture, fixtureLines } from '../../test/fixtures.js';
import { foreign } from '../../test/foreign.js';
import { captureReader } from '../capture/capture-reader.js';
import type { Notice } from '../core/notice.js';
import { packetDecoder } from '../packet/packet-decoder.js';
import { streamDigest } from './digest.js';
import { tcpReassembler } from './reassembler.js';
import type { StreamBytes, StreamEvent } from './stream-event.js';

function read(file: Uint8Array): (StreamEvent | StreamBytes | Notice)[] {
  const reader = captureReader({ capture: 0 });
  const decoder = packetDecoder();
  const tcp = tcpReassembler();
  const digest = streamDigest(() => createHash('md5'));
  const out: (StreamEvent | StreamBytes | Notice)[] = [];
  const see = (events: readonly (StreamEvent | Notice)[]) => {
    // Bytes are borrowed, but the whole file stays in memory here.
    for (const event of events) for (const item of digest.feed(event)) out.push(item);
  };
  for (const item of [...reader.feed(file), ...reader.end()]) {
    if (item.kind !== 'frame') continue;
    for (const made of decoder.feed(item)) if (made.kind === 'segment') see(tcp.feed(made));
  }
  see(tcp.end());
  return out;
}

const isBytes = (item: { kind: string }): item is StreamBytes => item.kind === 'stream-bytes';

interface Truth {
  kind: string;
  tcp: string;
  client: number;
  server: number;
  clientMd5: string;
  serverMd5: string;
  tcpStream: number;
}

describe('stream bytes of real captures', () => {
  it.each([
    ['run-nginx-http1', 113],
    ['errors-http1', 86],
    ['clients-tls', 21],
    ['run-nginx-tls', 15],
    ['late-start-tls', 8],
  ])('%s: all %i connections', (name, count) => {
    const truth = fixtureLines<Truth>(`${name}/capture.truth.jsonl`).filter((line) => line.kind === 'stream-bytes');
    const got = read(fixture(`${name}/capture.pcap`))
      .filter(isBytes)
      .sort((a, b) => a.connection.id - b.connection.id)
      .map(({ connection, bytes, md5 }) => [connection.name, bytes.client, bytes.server, md5?.client, md5?.server]);
    truth.sort((a, b) => a.tcpStream - b.tcpStream);
    expect(got).toEqual(truth.map((t) => [t.tcp, t.client, t.server, t.clientMd5, t.serverMd5]));
    expect(got.length).toBe(count);
  });

  it('miss nothing and hold nothing against each other', () => {
    const codes = new Set(
      read(fixture('run-nginx-http1/capture.pcap')).flatMap((e) => (e.kind === 'notice' ? [e.code] : [])),
    );
    expect([...codes]).toEqual([]);
  });
});

const folder = foreign('tcp-and-http');
const tshark = (() => {
  try {
    return execFileSync('tshark', ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] }).length > 0;
  } catch {
    return false;
  }
})();

/** Bytes and gaps of both sides as `tshark -z follow,tcp` shows them; a gap is a number. */
function follow(file: string, stream: number, client: string): Record<'client' | 'server', string> {
  const args = ['-r', file, '-q', '-z', `follow,tcp,raw,${stream}`];
  const lines = execFileSync('tshark', args, { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 })
    .toString()
    .split('\n');
  const first = lines.find((line) => line.startsWith('Node 0'))?.split(': ')[1] ?? '';
  const clientFirst = first.replace(/[[\]]/g, '') === client;
  const text = { client: '', server: '' };
  for (const line of lines) {
    if (!/^\t?[0-9a-f]+$/.test(line)) continue;
    const side = line.startsWith('\t') === clientFirst ? 'server' : 'client';
    const hex = line.trim();
    const gap = /^\[(\d+) bytes missing in capture file\]/.exec(Buffer.from(hex, 'hex').toString('latin1'));
    text[side] += gap === null ? hex : `<${gap[1]}>`;
  }
  return text;
}

/**
 * What is different from tshark 4.0, and why:
 * `reset-data`: data of a RST is no stream data here (RFC 9293, section 3.5.3); tcp.stray says so.
 * `unacknowledged`: bytes behind a hole that was never acknowledged come at the end, after a gap; tshark drops them.
 * `late`: tshark gives a hole up at the first acknowledgment, here its bytes have 100 ms to turn up.
 * `two-answers`: tshark takes the change from one SYN-ACK to another for a gap of 1.1 GB.
 */
const DIFFERENCES: Record<string, string> = {
  'tcp-async-01': 'unacknowledged',
  'tcp-fastopen-10-syn-data-ignore': 'two-answers',
  'tcp-protodetect-bailout': 'unacknowledged',
  'tcp-rst-unacked-stream-01-raw': 'reset-data',
  'tcp-rst-unacked-stream-02-raw-ips': 'reset-data',
  'tcp-rst-unacked-stream-03-gap': 'reset-data',
  'tcp-rst-unacked-stream-04-gap-ips': 'reset-data',
  'tcp-rst-unacked-stream-07-http': 'unacknowledged',
  'tcp-rst-unacked-stream-08-http-ips': 'unacknowledged',
  'tcp-rst-unacked-stream-09': 'unacknowledged',
  'tcp-rst-unacked-stream-10': 'unacknowledged',
  'tcp-rst-unacked-stream-11': 'unacknowledged',
  'tcp-rst-unacked-stream-12': 'late',
};

describe.skipIf(folder === null || !tshark)('foreign captures against tshark', () => {
  const files = folder === null ? [] : readdirSync(folder).filter((name) => name.endsWith('.pcap'));

  it.each(files)('%s', (name) => {
    const file = `${folder}/${name}`;
    const texts = new Map<number, { name: string; client: string; server: string }>();
    const notices = new Set<string>();
    for (const event of read(readFileSync(file))) {
      if (event.kind === 'notice') notices.add(event.code);
      if (event.kind === 'established') {
        const { id, client } = event.connection;
        texts.set(id, { name: `${client.address}:${client.port}`, client: '', server: '' });
      }
      const text = event.kind === 'notice' ? undefined : texts.get(event.connection.id);
      if (text !== undefined && event.kind === 'data') text[event.from] += Buffer.from(event.bytes).toString('hex');
      if (text !== undefined && event.kind === 'gap') text[event.from] += `<${event.length}>`;
    }
    const streams = execFileSync('tshark', ['-r', file, '-Y', 'tcp', '-T', 'fields', '-e', 'tcp.stream'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const numbers = new Set(
      streams
        .toString()
        .trim()
        .split('\n')
        .map((line) => line.split(',')[0]),
    );
    numbers.delete('');
    expect(texts.size).toBe(numbers.size);

    const expected = [...texts].map(([id, text]) => ({ name: text.name, ...follow(file, id - 1, text.name) }));
    const why = Object.entries(DIFFERENCES).find(([start]) => name.startsWith(`${start}.`))?.[1];
    if (why === undefined) {
      expect([...texts.values()]).toEqual(expected);
      return;
    }
    expect([...texts.values()]).not.toEqual(expected);
    if (why === 'reset-data') expect(notices).toContain('tcp.stray');
    if (why === 'unacknowledged' || why === 'late') expect(notices).toContain('tcp.gap');
    if (why === 'unacknowledged') {
      // Everything that tshark shows is there; what is more comes after it.
      for (const [i, text] of [...texts.values()].entries()) {
        for (const side of ['client', 'server'] as const) expect(text[side].startsWith(expected[i][side])).toBe(true);
      }
    }
    if (why === 'two-answers') {
      const without = expected.map((text) => ({ ...text, server: text.server.replace('<1180489186>', '') }));
      expect([...texts.values()]).toEqual(without);
    }
  });
});
