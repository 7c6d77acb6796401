// What could cost more than its bytes: pieces that end where a reader would have to begin again. Each is made in a size, to
// be read at n and at 8 n. Knows where readers wait for more; not how they do it.

import { captureReader } from '../../src/capture/capture-reader.js';
import { MessageStage } from '../../src/pipeline/message-stage.js';
import { answered, CHUNKED, context, get, http2, pcapFile, repeat } from './bomb-kit.js';
import { BOMBS } from './bombs.js';
import { frame, literals } from './http2-kit.js';
import { conversation, packets, type Turn } from './packetiser.js';
import type { Work } from './powers.js';

export { costs } from './powers.js';

export interface Growth {
  readonly name: string;
  /** Chunks of a capture file. @param n bytes that a reader has to wait for, or how many times. */
  file(n: number, times?: number): Iterable<Uint8Array>;
  /** The smaller size of the full measurement; the larger one is eight times as much. */
  readonly n: number;
  /** Smaller ones are another case. */
  readonly least?: number;
}

export const GROWTHS: readonly Growth[] = [
  {
    name: 'an HTTP/1 head, a byte a packet, forty times',
    n: 9_600,
    file: (n, times = 40) => bytewise(repeat(times, () => `GET /a HTTP/1.1\r\nX: ${'a'.repeat(n)}\r\n\r\n`).join('')),
  },
  {
    name: 'an HTTP/2 header block, a byte a packet, four times',
    n: 32_000,
    file: (n) =>
      http2(
        repeat(4, (i) =>
          Buffer.from(
            frame(1, 5, 2 * i + 1, Buffer.concat([literals(':method', 'GET', ':path', '/'), Buffer.alloc(n, 0x82)])),
          ),
        ).flatMap((bytes) => [...bytes].map((byte) => Buffer.of(byte))),
      ),
  },
  {
    name: 'lines of chunk sizes, a byte a packet',
    n: 50_000,
    // Of 4,000 bytes each, and a connection costs what some of them do.
    least: 16_000,
    file: (n) =>
      bytewise('GET /a HTTP/1.1\r\n\r\n', CHUNKED + `${'0'.repeat(14)}1;${'x'.repeat(4000)}\r\na\r\n`.repeat(n / 4000)),
  },
  {
    name: 'varints of ten bytes in one protobuf body',
    n: 1_000_000,
    file: (n) =>
      posted(
        'application/vnd.kubernetes.protobuf',
        Buffer.concat([Buffer.from('6b387300', 'hex'), Buffer.alloc(n, Buffer.from('08ffffffffffffffffff01', 'hex'))]),
      ),
  },
  {
    name: 'one JSON document of a watch, 100 bytes a packet',
    n: 1_000_000,
    file: (n) =>
      pcapFile(
        packets(
          conversation(
            [
              { from: 'client', bytes: 'GET /api/v1/pods?watch=1 HTTP/1.1\r\n\r\n' },
              answered(Buffer.from(`{"type":"ADDED","object":{"kind":"Pod","x":"${'\\"{'.repeat(n / 3)}"}}`)),
            ],
            { segmentSize: 100, step: 1000n },
          ),
        ),
      ),
  },
  {
    name: 'one far-ahead byte at a time',
    n: 32_768,
    // Fewer may wait, all of them.
    least: 8_192,
    file: (n) => BOMBS.find(({ name }) => name.includes('holes'))!.file(n / 65_536),
  },
  { name: 'requests that nobody answers', n: 20_000, file: (n) => context(8080, repeat(n, get)) },
];

/** Reading a growth of size n, for what measures it. */
export function reading(growth: Growth): Work {
  return (n) => {
    const file = Buffer.concat([...growth.file(n)]);
    return () => {
      const reader = captureReader({ capture: 0 });
      const pipeline = new MessageStage({ bodies: true });
      // In chunks, as files are read: a long list of frames would be measured instead.
      for (let at = 0; at < file.length; at += CHUNK)
        for (const item of reader.feed(file.subarray(at, at + CHUNK))) pipeline.feed(item);
      for (const item of reader.end()) pipeline.feed(item);
      pipeline.end();
    };
  };
}

function bytewise(client: string, server = ''): Iterable<Uint8Array> {
  const turns: Turn[] = [{ from: 'client', bytes: client }];
  if (server !== '') turns.push({ from: 'server', bytes: server });
  return pcapFile(packets(conversation(turns, { segmentSize: 1, step: 1000n })));
}

function posted(type: string, body: Buffer): Iterable<Uint8Array> {
  const head = `POST /api/v1/namespaces/a/pods HTTP/1.1\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`;
  return context(8080, [
    { from: 'client', bytes: Buffer.concat([Buffer.from(head), body]) },
    answered(Buffer.from('{}')),
  ]);
}

const CHUNK = 65_536;
