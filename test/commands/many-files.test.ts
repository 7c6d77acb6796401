// Folders of many captures: files that follow each other are never open together, whatever their names, and those that overlap
// need few file descriptors.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { framesOf, pcapngHead, pcapngPacket } from '../../src/index.js';
import { type Ran, ROOT } from '../kit/command.js';
import { fixture } from '../kit/fixtures.js';
import { inPieces, recordsOf, withRecords } from '../kit/observed.js';
import { PEAK_KIB } from '../kit/peak-memory.js';
import { pause, Spawned } from '../kit/spawned.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-many-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The strictest limit that systems come with: macOS has 256, hardened services have 128. */
const DESCRIPTORS = 128;
const WHOLE = fixture('run-nginx-http1/capture.pcap');
const RECORDS = recordsOf(WHOLE);
const whole = join(folder, 'whole.pcap');
writeFileSync(whole, WHOLE);

const PEAK = join(folder, 'peak.mjs');
writeFileSync(
  PEAK,
  `import fs from 'node:fs';
  process.on('exit', () => fs.writeFileSync(process.env.PEAK_FILE, String(${PEAK_KIB})));`,
);

/** Runs the command with few file descriptors. @returns what it said, and the KiB that it had resident at most. */
function limited(...args: string[]): Ran & { readonly peak: number } {
  const peak = join(folder, 'peak.txt');
  const command = [process.execPath, '--import', pathToFileURL(PEAK).href, `${ROOT}/bin/kubeseq.js`, ...args];
  const { status, stdout, stderr } = spawnSync(
    'sh',
    ['-c', `ulimit -n ${DESCRIPTORS} && exec "$@"`, 'sh', ...command],
    { cwd: ROOT, env: { ...process.env, PEAK_FILE: peak }, encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  return { status, stdout, stderr, peak: Number(readFileSync(peak, 'utf8')) };
}

/** Names that are no ring's: their order says nothing, and no two are equal but for a number. */
function nameOf(i: number): string {
  const word = ((i * 2_654_435_761) >>> 0).toString(2).replaceAll('0', 'a').replaceAll('1', 'b');
  return `${word}.pcap`;
}

function made(name: string, files: readonly Uint8Array[], ending = ''): string {
  const path = join(folder, name);
  mkdirSync(path);
  for (const [i, bytes] of files.entries()) writeFileSync(join(path, nameOf(i) + ending), bytes);
  return path;
}

/** Messages but for what a file's name and its own frame numbers are. */
function told(ndjson: string): object[] {
  return ndjson
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { capture: _capture, lastCapture: _last, frames: _frames, ...rest } = JSON.parse(line);
      return rest;
    });
}

const FEW = 4;
const following = Array.from({ length: Math.ceil(RECORDS.length / FEW) }, (_, i) =>
  withRecords(WHOLE, RECORDS.slice(i * FEW, (i + 1) * FEW)),
);
/** Every packet into the next file. */
const overlapping = (count: number): Buffer[] =>
  Array.from({ length: count }, (_, file) =>
    withRecords(
      WHOLE,
      RECORDS.filter((_record, i) => i % count === file),
    ),
  );
const alone = limited('messages', whole);

describe(`at ${DESCRIPTORS} file descriptors`, () => {
  it('files that follow each other give what the unsplit one gives, in about its memory', () => {
    expect(following.length).toBeGreaterThan(500);
    const { status, stdout, stderr, peak } = limited('messages', made('following', following));
    expect([status, stderr]).toEqual([0, '']);
    expect(told(stdout)).toEqual(told(alone.stdout));
    expect(peak / alone.peak).toBeLessThan(1.5);
  });

  it.each([
    ['plain', (bytes: Uint8Array) => bytes, ''],
    ['gzipped', (bytes: Uint8Array) => gzipSync(bytes), '.gz'],
  ])('files that overlap are read side by side: %s', (name, pack, ending) => {
    const path = made(`overlapping-${name}`, overlapping(300).map(pack), ending);
    const { status, stdout, stderr } = limited('messages', path);
    expect([status, stderr]).toEqual([0, '']);
    expect(told(stdout)).toEqual(told(alone.stdout));
  });

  it('files with secrets in them are not open together either, and the last one’s open connections of the first', async () => {
    const packets: Uint8Array[] = [];
    for await (const batch of (await framesOf([inPieces(TLS, 65_536)]))!)
      for (const item of batch) if (item.kind === 'frame') packets.push(new Uint8Array(pcapngPacket(item)));
    const each = Math.ceil(packets.length / 400);
    const files = Array.from({ length: Math.ceil(packets.length / each) }, (_, i) =>
      Buffer.concat([
        pcapngHead(TLS_LINK_TYPE, { keyLog: (i + 1) * each < packets.length ? OTHER_SECRET : TLS_KEYS }),
        ...packets.slice(i * each, (i + 1) * each),
      ]),
    );
    expect(files.length).toBeGreaterThan(300);
    const single = join(folder, 'single.pcapng');
    writeFileSync(single, Buffer.concat([pcapngHead(TLS_LINK_TYPE, { keyLog: TLS_KEYS }), ...packets]));
    const { status, stderr, stdout } = limited('messages', '-q', made('secrets', files));
    expect([status, stderr]).toEqual([0, '']);
    const expected = told(limited('messages', single).stdout);
    expect(expected.length).toBeGreaterThan(100);
    // Whose a loopback is can be told where there are several captures.
    const nameless = (lines: readonly object[]) => lines.map((line) => ({ ...line, from: null, to: null }));
    expect(nameless(told(stdout))).toEqual(nameless(expected));
  });

  it('saved messages of many files are merged', () => {
    const lines = alone.stdout.split('\n').filter((line) => line !== '');
    const files = Array.from({ length: 200 }, (_, file) => lines.filter((_line, i) => i % 200 === file).join('\n'));
    const path = made(
      'saved',
      files.map((text) => Buffer.from(`${text}\n`)),
      '.ndjson',
    );
    const { status, stdout, stderr } = limited('messages', path);
    expect([status, stderr]).toEqual([0, '']);
    // Requests that are equal and close to each other are taken for copies where they stand in several files.
    expect(told(stdout).length).toBeGreaterThan(lines.length * 0.9);
  });

  it('--watch follows as many', async () => {
    const path = made('watched', following.slice(0, 200));
    const command = ['summary', '-o', 'json', '--watch', path];
    const followed = async (ms: number): Promise<number[]> => {
      const script = `ulimit -n ${DESCRIPTORS} && exec "$@"`;
      const child = new Spawned('sh', ['-c', script, 'sh', process.execPath, `${ROOT}/bin/kubeseq.js`, ...command]);
      await pause(ms);
      expect(await child.end('SIGINT')).toBe(130);
      const { captures } = JSON.parse(child.stdout) as { captures: { frames: number }[] };
      return captures.map(({ frames }) => frames);
    };
    // Nothing shows from outside that it has read all: a busy machine gets longer.
    let frames: number[] = [];
    for (let ms = 2000; frames.filter((one) => one === FEW).length < 200 && ms < 40_000; ms *= 2)
      frames = await followed(ms);
    expect(frames).toEqual(new Array(200).fill(FEW));
  });
});

it('more captures of one time than are read side by side are refused in a sentence', () => {
  const { status, stdout, stderr } = limited('messages', made('too-many', overlapping(RECORDS.length / 2)));
  expect(RECORDS.length / 2).toBeGreaterThan(1024);
  expect(status).toBe(2);
  expect(stderr).toBe(
    'kubeseq: more than 1024 captures overlap in time; merge some of them beforehand: mergecap -w FILE CAPTURE...\n',
  );
  expect(stdout).toBe('');
});

const TLS = fixture('run-nginx-tls/capture.pcap');
const TLS_LINK_TYPE = new DataView(TLS.buffer, TLS.byteOffset).getUint32(20, true);
const TLS_KEYS = Buffer.from(fixture('run-nginx-tls/keys.log')).toString();
/** Of no connection here. */
const OTHER_SECRET = `CLIENT_RANDOM ${'0d'.repeat(32)} ${'0e'.repeat(48)}\n`;
