import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fixture } from '../../../test/fixtures.js';
import { lossy, recordsOf, withRecords } from '../../../test/observed.js';
import { captureReader, mayHoldSecrets } from '../../capture/capture-reader.js';
import { messageLine } from '../../render/messages/message-json.js';
import { ExchangeStage } from '../exchange-stage.js';
import { MessageStage, type PipelineInput, type PipelineItem, type PipelineOptions } from '../message-stage.js';
import { TcpStage } from '../tcp-stage.js';
import { ExchangePacker } from './exchange-packer.js';
import { TextPacker, TextUnpacker } from './interning.js';
import { StreamPacker } from './stream-codec.js';
import type { SpareBuffers } from './transfer-buffers.js';
import { ConnectionWorker, OrderedWorkerOutput } from './worker-output.js';

const printed = (items: readonly PipelineItem[]): string[] =>
  items.map((item) =>
    item.kind === 'message'
      ? messageLine(item.message, { digits: () => 9 }) + JSON.stringify(item.message.details?.body() ?? null)
      : JSON.stringify(item, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
  );

const inputsOf = (bytes: Uint8Array): readonly PipelineInput[] => {
  const reader = captureReader({ capture: 0 });
  const beginning: PipelineInput[] = mayHoldSecrets(bytes) ? [] : [{ kind: 'no-secrets' }];
  return [...beginning, ...reader.feed(bytes), ...reader.end()];
};

function unpacked(bytes: Uint8Array, options: PipelineOptions): { printed: string[]; first: unknown } {
  const pipeline = new MessageStage(options);
  const out = inputsOf(bytes).flatMap((input) => [...pipeline.feed(input)]);
  return { printed: printed([...out, ...pipeline.end()]), first: [pipeline.firstTime, pipeline.digits(0)] };
}

/** The batch as another thread receives it; the sent buffers are overwritten, as the sender uses them again. */
function sentOver<T extends { readonly buffers: SpareBuffers }>(batch: T): T {
  const copy = structuredClone(batch);
  for (const buffer of [batch.buffers.numbers, batch.buffers.words]) new Uint8Array(buffer).fill(0xee);
  return copy;
}

/** Two threads: one runs everything up to exchanges. */
function alone(bytes: Uint8Array, options: PipelineOptions, frames: number): { printed: string[]; first: unknown } {
  const pipeline = new MessageStage(options);
  const order = new OrderedWorkerOutput(1, pipeline);
  const packer = new ExchangePacker();
  const connections = new ExchangeStage(options, packer);
  const streams = new TcpStage(options, connections);
  const out: PipelineItem[] = [];
  let spare: SpareBuffers | undefined;
  const send = (): void => {
    const batch = sentOver(packer.take(spare));
    order.read([batch]);
    out.push(...pipeline.drain());
    spare = { numbers: batch.buffers.numbers, words: batch.buffers.words };
  };
  for (const [n, input] of inputsOf(bytes).entries()) {
    streams.feed(input);
    if (packer.full || n % frames === 0) send();
  }
  streams.end();
  connections.end();
  send();
  pipeline.inputEnded();
  return { printed: printed([...out, ...pipeline.drain()]), first: [pipeline.firstTime, pipeline.digits(0)] };
}

/** More threads: `count` of them share the connections. */
function shared(
  bytes: Uint8Array,
  options: PipelineOptions,
  count: number,
  frames: number,
): { printed: string[]; first: unknown } {
  const pipeline = new MessageStage(options);
  const order = new OrderedWorkerOutput(count, pipeline);
  const shares = Array.from({ length: count }, (_, i) => {
    const packer = new ExchangePacker();
    const connections = new ExchangeStage({ ...options, omitKeyNotices: i > 0 }, packer);
    return { packer, share: new ConnectionWorker(connections, packer) };
  });
  const packer = new StreamPacker(count);
  const streams = new TcpStage(options, packer);
  const out: PipelineItem[] = [];
  const send = (): void => {
    const batches = packer.take(() => undefined);
    batches.forEach((batch, i) => {
      shares[i].share.feed(structuredClone(batch));
    });
    order.read(shares.map((one) => sentOver(one.packer.take(undefined))));
    out.push(...pipeline.drain());
  };
  for (const [n, input] of inputsOf(bytes).entries()) {
    streams.feed(input);
    if (packer.full || n % frames === 0) send();
  }
  streams.end();
  send();
  for (const { share } of shares) share.end();
  order.read(shares.map((one) => sentOver(one.packer.take(undefined))));
  pipeline.inputEnded();
  return { printed: printed([...out, ...pipeline.drain()]), first: [pipeline.firstTime, pipeline.digits(0)] };
}

/** Recorded by a clock that now and then runs half a second ahead, and once five. */
function withClockSetBack(file: Uint8Array): Uint8Array {
  const records = recordsOf(file).map((record, i) => {
    const copy = Buffer.from(record);
    const micros = copy.readUInt32LE(4) + (i === 100 ? 5_000_000 : i % 3 === 0 ? 500_000 : 0);
    copy.writeUInt32LE(copy.readUInt32LE(0) + Math.floor(micros / 1_000_000), 0);
    copy.writeUInt32LE(micros % 1_000_000, 4);
    return copy;
  });
  return withRecords(file, records);
}

const messages = (printed: readonly string[]): string[] => printed.filter((line) => line.startsWith('{"seq"'));

describe.each([
  ['run-nginx-http1/capture.pcap', null],
  ['errors-http1/capture.pcap', null],
  ['run-nginx-tls/capture-with-secrets.pcapng', null],
  ['clients-tls/capture.pcap', 'clients-tls/keys.log'],
  ['clients-tls/capture.pcap', null],
  ['late-start-tls/capture.pcap', 'late-start-tls/keys.log'],
  ['late-start-mixed/capture.pcap', null],
  ['exec-logs-portforward-tls/capture.pcap', 'exec-logs-portforward-tls/keys.log'],
])('%s with %s', (name, keys) => {
  const keyLogs = keys === null ? [] : [Buffer.from(fixture(keys)).toString()];
  const options = { keyLogs, newHash: () => createHash('md5'), bodies: true };
  const direct = unpacked(fixture(name), options);

  it.each([
    ['one thread, a batch for 20 frames', () => alone(fixture(name), options, 20)],
    ['one thread', () => alone(fixture(name), options, 1e9)],
    ['one worker', () => shared(fixture(name), options, 1, 1e9)],
    ['two workers', () => shared(fixture(name), options, 2, 1e9)],
    ['five workers, a batch for 100 frames', () => shared(fixture(name), options, 5, 100)],
  ])('%s emits the same', (_how, relayed) => {
    const { printed, first } = relayed();
    expect(messages(direct.printed).length).toBeGreaterThan(name.startsWith('clients-tls') && keys === null ? -1 : 10);
    expect(messages(printed)).toEqual(messages(direct.printed));
    // Items beside messages may come a batch earlier or later.
    expect([...printed].sort()).toEqual([...direct.printed].sort());
    expect(printed.filter((line) => !line.startsWith('{"seq"'))).toEqual(
      direct.printed.filter((line) => !line.startsWith('{"seq"')),
    );
    expect(first).toEqual(direct.first);
    expect(first).toEqual([expect.any(BigInt), expect.any(Number)]);
  });
});

describe.each<[string, string, string | null, (file: Uint8Array) => Uint8Array]>([
  ['whose clock is set back', 'run-nginx-http1/capture.pcap', null, withClockSetBack],
  ['that lacks packets', 'run-nginx-tls/capture.pcap', 'run-nginx-tls/keys.log', (file) => lossy(file, 20)],
])('a capture %s', (_what, name, keys, changed) => {
  const file = changed(fixture(name));
  const options = { keyLogs: keys === null ? [] : [Buffer.from(fixture(keys)).toString()] };
  const direct = messages(unpacked(file, options).printed);

  it.each([
    ['one thread', () => alone(file, options, 20)],
    ['one worker', () => shared(file, options, 1, 1e9)],
    ['three workers', () => shared(file, options, 3, 100)],
  ])('%s emits the same', (_how, relayed) => expect(messages(relayed().printed)).toEqual(direct));
});

it('ends open exchanges of a cut capture in the same order', () => {
  const bytes = fixture('run-nginx-http1/capture.pcap');
  const cut = bytes.subarray(0, bytes.length >> 1);
  const direct = unpacked(cut, {});
  expect(direct.printed.filter((line) => line.includes('exchange.no-response')).length).toBeGreaterThan(1);
  expect(shared(cut, {}, 3, 1e9).printed.filter((line) => !line.startsWith('{"seq"'))).toEqual(
    direct.printed.filter((line) => !line.startsWith('{"seq"')),
  );
  expect(messages(shared(cut, {}, 3, 1e9).printed)).toEqual(messages(direct.printed));
});

it('grows its buffers for items larger than a batch', () => {
  const end = { address: '192.0.2.1', port: 1 };
  const connection = { id: 7, client: end, server: end, name: 'c', roles: 'handshake' } as const;
  const origin = { capture: 0, frame: 1, time: -5n };
  const bytes = new Uint8Array(600_000).map((_, i) => i);
  const packer = new ExchangePacker();
  const exchange = { connection, stream: 3, request: null, response: null, trailers: null, upgraded: null };
  const span = { exchange, first: origin, last: origin, at: origin, complete: true };
  packer.watermark(7n, 1n, 9n);
  packer.watermark(6n, 2n, 9n);
  packer.item({ kind: 'item', from: 'server', bytes, ...span });
  for (let i = 0; i < 3000; i++)
    packer.item({ kind: 'tunnel', from: 'client', bytes: bytes.subarray(0, i % 100), ...span });
  packer.watermark(9n, 3n, 9n);
  const got: unknown[] = [];
  new OrderedWorkerOutput(1, {
    item: (item) => got.push(item.kind === 'item' ? item.bytes : item.kind === 'tunnel' ? item.bytes.length : item),
    watermark: (...times) => got.push(times),
    firstFrame: () => {},
    hasNanoseconds: () => {},
  }).read([structuredClone(packer.take(undefined))]);
  expect(got).toEqual([[7n, 2n, 9n], bytes, ...Array.from({ length: 3000 }, (_, i) => i % 100), [9n, 3n, 9n]]);
});

it('sends texts once, until too many are remembered', () => {
  const packer = new TextPacker();
  const unpacker = new TextUnpacker();
  const texts = Array.from({ length: 40_000 }, (_, i) => `text ${i % 30_000}`);
  let sent = 0;
  for (let i = 0; i < texts.length; i += 1000) {
    const numbers = texts.slice(i, i + 1000).map((text) => packer.number(text));
    const again = packer.number(texts[i]);
    const fresh = packer.take();
    sent += fresh.texts.length;
    unpacker.add(fresh);
    expect([...numbers, again].map((number) => unpacker.text(number))).toEqual([...texts.slice(i, i + 1000), texts[i]]);
  }
  expect(sent).toBeGreaterThan(29_999);
  expect(unpacker.textOrNull(packer.number(null))).toBeNull();
});
