import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fixture } from '../test/fixtures.js';
import { captureReader } from './capture/capture-reader.js';
import { Pipeline, type PipelineItem, type PipelineOptions, Streams } from './pipeline.js';
import { messageLine } from './render/message-json.js';
import { type SpareBuffers, StreamPacker, StreamUnpacker } from './stream-relay.js';

const says = (items: readonly PipelineItem[]): string[] =>
  items.map((item) =>
    item.kind === 'message'
      ? messageLine(item.message, { digits: () => 9 })
      : JSON.stringify(item, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
  );

function whole(bytes: Uint8Array, options: PipelineOptions): string[] {
  const pipeline = new Pipeline(options);
  const reader = captureReader({ capture: 0 });
  const out = [...reader.feed(bytes), ...reader.end()].flatMap((input) => [...pipeline.feed(input)]);
  return says([...out, ...pipeline.end()]);
}

/** Through batches that are cloned as a thread would, in buffers that are used again and were scribbled over. */
function relayed(bytes: Uint8Array, options: PipelineOptions, everyFrame: boolean): { said: string[]; first: unknown } {
  const pipeline = new Pipeline(options);
  const unpacker = new StreamUnpacker(pipeline);
  const packer = new StreamPacker();
  const out: PipelineItem[] = [];
  let spare: SpareBuffers | undefined;
  const send = (): void => {
    const batch = structuredClone(packer.take(spare));
    unpacker.read(batch);
    out.push(...pipeline.taken());
    new Uint8Array(batch.bytes).fill(0xee);
    new Uint8Array(batch.records).fill(0xee);
    spare = batch;
  };
  const streams = new Streams(options, packer);
  const reader = captureReader({ capture: 0 });
  for (const input of [...reader.feed(bytes), ...reader.end()]) {
    streams.feed(input);
    if (everyFrame || packer.full) send();
  }
  streams.end();
  if (!packer.empty) send();
  pipeline.over();
  out.push(...pipeline.taken());
  return { said: says(out), first: [pipeline.firstTime, pipeline.digits(0)] };
}

describe.each([
  ['run-nginx-http1/capture.pcap', null],
  ['errors-http1/capture.pcap', null],
  ['run-nginx-tls/capture-with-secrets.pcapng', null],
  ['clients-tls/capture.pcap', 'clients-tls/keys.log'],
  ['clients-tls/capture.pcap', null],
  ['late-start-tls/capture.pcap', 'late-start-tls/keys.log'],
])('%s with %s', (name, keys) => {
  const keyLogs = keys === null ? [] : [Buffer.from(fixture(keys)).toString()];
  const options = { keyLogs, newHash: () => createHash('md5') };
  const direct = whole(fixture(name), options);

  it.each([true, false])('says the same as in one piece (a batch a frame: %s)', (everyFrame) => {
    const { said, first } = relayed(fixture(name), options, everyFrame);
    expect(direct.length).toBeGreaterThan(10);
    // What stands beside messages may come a batch earlier or later; the messages may not.
    expect(said.filter((line) => line.startsWith('{"seq"'))).toEqual(direct.filter((l) => l.startsWith('{"seq"')));
    expect([...said].sort()).toEqual([...direct].sort());
    expect(first).toEqual([expect.any(BigInt), expect.any(Number)]);
  });
});

it('rooms grow for what is larger than a batch', () => {
  const got: unknown[] = [];
  const unpacker = new StreamUnpacker({
    item: (item) => got.push(item.kind === 'data' ? item.bytes.slice() : item.kind),
    settled: (time) => got.push(time),
    began: () => {},
    nanoseconds: () => {},
  });
  const packer = new StreamPacker();
  const end = { address: '192.0.2.1', port: 1 };
  const connection = { id: 1, client: end, server: end, name: 'c', roles: 'handshake' } as const;
  const origin = { capture: 0, frame: 1, time: -5n };
  const bytes = new Uint8Array(1_000_000).map((_, i) => i);
  packer.settled(7n);
  packer.settled(6n);
  packer.item({ kind: 'data', connection, from: 'client', origin, bytes });
  for (let i = 0; i < 5000; i++) packer.item({ kind: 'gap', connection, from: 'server', origin, length: null });
  packer.settled(9n);
  unpacker.read(structuredClone(packer.take(undefined)));
  expect(got).toEqual([7n, bytes, ...Array(5000).fill('gap'), 9n]);
});
