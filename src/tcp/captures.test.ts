// Real captures: every connection equal in bytes and MD5 to the truth that an independent decoder found.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fixture, fixtureLines } from '../../test/kit/fixtures.js';
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
