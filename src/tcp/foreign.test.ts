// Foreign oddities: the same streams as tshark's `follow` shows, or different in a way that is written down here.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { foreign } from '../../test/kit/foreign.js';
import { TRIES_ALL } from '../../test/kit/runs.js';
import { captureReader } from '../capture/capture-reader.js';
import type { Notice } from '../core/notice.js';
import { packetDecoder } from '../packet/packet-decoder.js';
import { tcpReassembler } from './reassembler.js';
import type { Side, StreamEvent } from './stream-event.js';

function read(file: Uint8Array): (StreamEvent | Notice)[] {
  const reader = captureReader({ capture: 0 });
  const decoder = packetDecoder();
  const tcp = tcpReassembler();
  const out: (StreamEvent | Notice)[] = [];
  const see = (events: readonly (StreamEvent | Notice)[]) => {
    // Bytes are borrowed, but the whole file stays in memory here.
    for (const event of events) out.push(event);
  };
  for (const item of [...reader.feed(file), ...reader.end()]) {
    if (item.kind !== 'frame') continue;
    for (const made of decoder.feed(item)) if (made.kind === 'segment') see(tcp.feed(made));
  }
  see(tcp.end());
  return out;
}

const folder = foreign('tcp-and-http');
const tshark = (() => {
  try {
    return execFileSync('tshark', ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] }).length > 0;
  } catch {
    return false;
  }
})();

interface Text {
  client: string;
  server: string;
}

/** Number of streams, and bytes and gaps of both sides of each as `tshark -z follow,tcp` shows them; a gap is `<size>`. */
function follow(file: string, clients: readonly string[]): { count: number; texts: Text[] } {
  const taps = clients.flatMap((_, stream) => ['-z', `follow,tcp,raw,${stream}`]);
  const args = ['-r', file, '-Y', 'tcp', '-T', 'fields', '-e', 'tcp.stream', ...taps];
  const out = execFileSync('tshark', args, { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 }).toString();
  const [fields, ...follows] = out.split('='.repeat(67) + '\nFollow: ');
  const numbers = fields.split('\n').map((line) => line.split(',')[0]);
  const texts = clients.map(() => ({ client: '', server: '' }));
  for (const lines of follows) {
    const stream = Number(/Filter: tcp.stream eq (\d+)/.exec(lines)?.[1]);
    const first = /Node 0: (.*)/.exec(lines)?.[1].replace(/[[\]]/g, '');
    for (const line of lines.split('\n')) {
      if (!/^\t?[0-9a-f]+$/.test(line)) continue;
      const side = line.startsWith('\t') === (first === clients[stream]) ? 'server' : 'client';
      const hex = line.trim();
      const gap = /^\[(\d+) bytes missing in capture file\]/.exec(Buffer.from(hex, 'hex').toString('latin1'));
      texts[stream][side] += gap === null ? hex : `<${gap[1]}>`;
    }
  }
  return { count: new Set(numbers.filter((number) => number !== '')).size, texts };
}

/**
 * What is different from tshark 4.0, and why:
 * `reset-data`: data of a RST is no stream data here (RFC 9293, section 3.5.3); tcp.out-of-window says so.
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
  'tcp-rst-unacked-stream-09': 'late',
  'tcp-rst-unacked-stream-10': 'unacknowledged',
  'tcp-rst-unacked-stream-11': 'unacknowledged',
  'tcp-rst-unacked-stream-12': 'late',
};

describe.skipIf(folder === null || !tshark)('foreign captures against tshark', () => {
  // Those about TCP, each content once; the others are about what it carries.
  const files = new Map<string, string>();
  for (const name of folder === null ? [] : readdirSync(folder)) {
    if (!/overlap|gap|^tcp-/.test(name)) continue;
    files.set(
      createHash('md5')
        .update(readFileSync(`${folder}/${name}`))
        .digest('hex'),
      name,
    );
  }

  const all = [...files.values()];
  const isDifferent = (name: string) => Object.keys(DIFFERENCES).some((start) => name.startsWith(`${start}.`));
  // Of those that are read alike every third one; with RUNS=full all.
  const tried = TRIES_ALL ? all : all.filter((name, i) => isDifferent(name) || i % 3 === 0);

  it.each(tried)('%s', (name) => {
    const file = `${folder}/${name}`;
    const clients: string[] = [];
    const texts: Text[] = [];
    const last = new Map<Text, Side>();
    const notices = new Set<string>();
    for (const event of read(readFileSync(file))) {
      if (event.kind === 'notice') notices.add(event.code);
      if (event.kind === 'established') {
        const { address, port } = event.connection.client;
        clients.push(`${address}:${port}`);
        texts.push({ client: '', server: '' });
      }
      if (event.kind === 'data') texts[event.connection.id - 1][event.from] += Buffer.from(event.bytes).toString('hex');
      if (event.kind === 'gap') {
        const text = texts[event.connection.id - 1];
        // Two losses with words of the other side between them: tshark writes each side alone, and so one loss.
        const [, before] = last.get(text) === event.from ? [] : (/<(\d+)>$/.exec(text[event.from]) ?? []);
        text[event.from] = text[event.from].slice(0, before === undefined ? undefined : -before.length - 2);
        text[event.from] += `<${(event.length ?? Number.NaN) + Number(before ?? 0)}>`;
      }
      if (event.kind === 'data' || event.kind === 'gap') last.set(texts[event.connection.id - 1], event.from);
    }
    const expected = follow(file, clients);
    expect(texts.length).toBe(expected.count);

    const why = Object.entries(DIFFERENCES).find(([start]) => name.startsWith(`${start}.`))?.[1];
    if (why === undefined) {
      expect(texts).toEqual(expected.texts);
      return;
    }
    expect(texts).not.toEqual(expected.texts);
    if (why === 'reset-data') expect(notices).toContain('tcp.out-of-window');
    if (why === 'unacknowledged' || why === 'late') expect(notices).toContain('tcp.gap');
    if (why === 'unacknowledged') {
      // Everything that tshark shows is there; what is more comes after it.
      for (const [i, { client, server }] of texts.entries()) {
        expect(client.startsWith(expected.texts[i].client)).toBe(true);
        expect(server.startsWith(expected.texts[i].server)).toBe(true);
      }
    }
    if (why === 'two-answers') {
      expect(texts).toEqual(
        expected.texts.map((text) => ({ ...text, server: text.server.replace('<1180489186>', '') })),
      );
    }
  });
});
