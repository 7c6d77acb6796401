// The library's way in: a capture and its secrets, as files, as streams, as streams that grow.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Message, type Notice, observe } from '../../src/index.js';
import { type CaptureInput, check, type OpenCaptureOptions, openCapture, story } from '../../src/library/index.js';
import { ROOT } from '../kit/command.js';
import { fixture, fixtureLines } from '../kit/fixtures.js';

const CAPTURE = fixture('clients-tls/capture.pcap');
const KEYS = Buffer.from(fixture('clients-tls/keys.log')).toString();
const REQUESTS = fixtureLines<{ kind: string }>('clients-tls/capture.truth.jsonl').filter(
  ({ kind }) => kind === 'request',
);

async function read(bytes: AsyncIterable<Uint8Array>, options: OpenCaptureOptions): Promise<Message[]> {
  const messages: Message[] = [];
  for await (const message of openCapture(bytes, options)) messages.push(message);
  return messages;
}

function chunks(bytes: Uint8Array, size = 10_000): Readable {
  return Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    })(),
  );
}

function requests(messages: readonly Message[]): number {
  return messages.filter(({ kind, method }) => kind === 'request' && method !== undefined).length;
}

describe('openCapture with secrets', () => {
  it.each([
    ['a text', () => KEYS],
    ['bytes', () => Buffer.from(KEYS)],
    ['a stream', () => Readable.from(KEYS.match(/[\s\S]{1,777}/g) ?? [])],
    ['several', () => KEYS.split('\n').map((line) => (line.length % 2 === 0 ? line : Readable.from([line])))],
  ] as const)('%s', async (_, secrets) => {
    const messages = await read(chunks(CAPTURE), { secrets: secrets() });
    expect(requests(messages)).toBeGreaterThanOrEqual(REQUESTS.length);
  });

  it('without secrets: nothing, and a notice with the reason', async () => {
    const notices: Notice[] = [];
    expect(await read(chunks(CAPTURE), { onNotice: (notice) => notices.push(notice) })).toEqual([]);
    expect(notices.map(({ code }) => code)).toContain('tls.no-secret');
  });

  it.each([
    ['a pcap holds no secrets: at its first protected records', 'clients-tls/capture.pcap', {}, true],
    ['more may come beside it: at its end', 'clients-tls/capture.pcap', { moreSecrets: true }, false],
    ['a pcapng may bring some: at its end', 'run-nginx-tls/capture-with-secrets.pcapng', {}, false],
  ])('what nothing can open is reported as soon as that is known: %s', async (_, beside, options, early) => {
    let isOver = false;
    const all = async function* (bytes: Uint8Array) {
      yield* chunks(bytes, 1);
      isOver = true;
    };
    const short = fixture(beside).subarray(0, 10_000);
    const told: boolean[] = [];
    for await (const batch of observe([all(CAPTURE), chunks(short)], options))
      for (const item of batch)
        if (item.kind === 'notice' && item.code === 'tls.no-secret' && item.origin?.capture === 0) told.push(isOver);
    expect([told.includes(false), told.includes(true)]).toEqual([early, !early]);
  });

  it('live: secrets that come after the packets open what waits, while no packet comes', async () => {
    let goOn = (): void => {};
    const sent = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let enough = (): void => {};
    const seen = new Promise<void>((resolve) => {
      enough = resolve;
    });
    const capture = (async function* () {
      for await (const chunk of chunks(CAPTURE)) yield chunk as Uint8Array;
      goOn();
      // The capture goes on and says nothing more until the messages are there.
      await seen;
    })();
    const secrets = (async function* () {
      await sent;
      yield KEYS;
    })();
    const messages: Message[] = [];
    for await (const message of openCapture(capture, { secrets, live: true })) {
      messages.push(message);
      if (requests(messages) >= REQUESTS.length) enough();
    }
    expect(requests(messages)).toBeGreaterThanOrEqual(REQUESTS.length);
  });

  it('live: a stream of secrets that fails is reported to the caller', async () => {
    const secrets = Readable.from(
      (async function* () {
        yield KEYS.slice(0, 100);
        throw new Error('the key log went away');
      })(),
    );
    await expect(read(slow(chunks(CAPTURE)), { secrets, live: true })).rejects.toThrow('the key log went away');
  });
});

async function* slow(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    yield chunk;
  }
}

describe('what openCapture takes', () => {
  const count = async (input: CaptureInput): Promise<number> => {
    let messages = 0;
    for await (const _ of openCapture(input, { secrets: KEYS })) messages += 1;
    return messages;
  };

  it('a path, a URL, bytes, a Blob, a stream', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubeseq-open-'));
    const path = join(folder, 'capture.pcap');
    writeFileSync(path, CAPTURE);
    const whole = await count(chunks(CAPTURE));
    expect(whole).toBeGreaterThan(REQUESTS.length);
    const bytes = new Uint8Array(CAPTURE);
    for (const input of [path, pathToFileURL(path), bytes, bytes.buffer, new Blob([bytes])])
      expect(await count(input)).toBe(whole);
    rmSync(folder, { recursive: true });
  });

  it('refuses other things, and options that there are not, before anything is read', async () => {
    expect(() => openCapture(7 as never)).toThrow(/^expected a capture: a path, .*, not a number$/);
    const options = { secret: KEYS } as never;
    expect(() => story(CAPTURE, options)).toThrow(TypeError);
    await expect(check(CAPTURE, 'x', options)).rejects.toThrow(TypeError);
    expect(() => openCapture(CAPTURE, options)).toThrow('openCapture: there is no option secret; there are secrets, ');
  });

  it('is built of short lines, as Node.js prints the line that an error is thrown from', () => {
    const lines = readFileSync(join(ROOT, 'dist/index.js'), 'utf8').split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(1000);
  });
});
