// Rings of capture files (tcpdump -C, -G, -W): many files are one capture, also while they are written.

import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { framesOf } from '../../src/index.js';
import { kubeseq, ROOT } from '../kit/command.js';
import { fixture, fixtureLines } from '../kit/fixtures.js';
import { recordsOf, withRecords } from '../kit/observed.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-rings-'));
afterAll(() => rmSync(folder, { recursive: true }));

const WHOLE = fixture('run-nginx-http1/capture.pcap');
const HEAD = 24;

/** As tcpdump -C does: a file for every `count` packets, each with the file's head. */
function split(capture: Uint8Array, count: number): Buffer[] {
  const records = recordsOf(capture);
  const files: Buffer[] = [];
  for (let at = 0; at < records.length; at += count) files.push(withRecords(capture, records.slice(at, at + count)));
  return files;
}

function ring(name: string, files: readonly Uint8Array[], nameOf: (i: number) => string): string {
  const path = join(folder, name);
  mkdirSync(path);
  files.forEach((bytes, i) => {
    const file = nameOf(i);
    writeFileSync(join(path, file), file.endsWith('.gz') ? gzipSync(bytes) : bytes);
  });
  return path;
}

type Line = Record<string, unknown> & { capture?: string; lastCapture?: string; frames: [number, number] };

function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

function apart({ capture: _capture, lastCapture: _last, frames: _frames, ...rest }: Line): object {
  return rest;
}

/** So that messages lie across the ends of files. */
const COUNT = 165;
const FILES = split(WHOLE, COUNT);
const tcpdump = (i: number): string => (i === 0 ? 'cap.pcap' : `cap.pcap${i}`);
const whole = join(folder, 'whole.pcap');
writeFileSync(whole, WHOLE);
const expected = linesOf(kubeseq(['messages', whole]).stdout);

describe('a ring that is complete', () => {
  const inOrder = ring('counted', FILES, tcpdump);
  writeFileSync(join(inOrder, 'notes.txt'), 'no capture\n');
  writeFileSync(join(inOrder, 'cap.pcap99'), '');

  it('has more files than sort well by name', () => {
    expect(FILES.length).toBeGreaterThan(10);
  });

  it.each<[string, readonly string[]]>([
    ['a directory', [inOrder]],
    ['a pattern', [join(inOrder, 'cap.pcap*')]],
    ['a pattern of directories', [join(folder, 'count?d', 'cap.p[a-c]ap*')]],
    ['the files in the order of a shell', FILES.map((_, i) => join(inOrder, tcpdump(i))).sort()],
    ['a directory of gzipped files, dated', [ring('dated', FILES, (i) => `n-2026112104${String(i + 10)}00.pcap.gz`)]],
  ])('named as %s gives what the unsplit file gives', (_name, args) => {
    const { status, stdout } = kubeseq(['messages', ...args]);
    expect(status).toBe(0);
    expect(linesOf(stdout).map(apart)).toEqual(expected.map(apart));
  });

  it('counts frames in each file, as Wireshark does, and names the file of the first and of the last', () => {
    const lines = linesOf(kubeseq(['messages', inOrder]).stdout);
    const numberOf = (file: string | undefined, frame: number): number =>
      FILES.findIndex((_, i) => file === join(inOrder, tcpdump(i))) * COUNT + frame;
    const frames = lines.map((line) => [
      numberOf(line.capture, line.frames[0]),
      numberOf(line.lastCapture ?? line.capture, line.frames[1]),
    ]);
    expect(frames).toEqual(expected.map((line) => line.frames));
    expect(lines.some(({ lastCapture }) => lastCapture !== undefined)).toBe(true);
  });

  it('reports which files it left out', () => {
    const { stderr } = kubeseq(['summary', '-v', inOrder]);
    expect(stderr).toContain(
      `capture.skipped: files of a directory or pattern that are no captures were left out: 2 of`,
    );
  });

  it('finds the Audit-Ids of the truth, with each file open alone', async () => {
    let open = 0;
    let most = 0;
    const captures = FILES.map((bytes, i) => ({
      first: BigInt(new DataView(bytes.buffer, bytes.byteOffset).getUint32(HEAD, true)) * 1_000_000_000n + BigInt(i),
      isSaved: false,
      async *bytes() {
        open += 1;
        most = Math.max(most, open);
        try {
          for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000);
        } finally {
          open -= 1;
        }
      },
    }));
    let frames = 0;
    for await (const batch of (await framesOf(captures))!)
      frames += batch.filter(({ kind }) => kind === 'frame').length;
    expect(frames).toBe(recordsOf(WHOLE).length);
    expect(open).toBe(0);
    // A file begins in the second in which the one before ends.
    expect(most).toBeLessThan(FILES.length / 2);
    const ids = new Set(
      fixtureLines<{ auditId?: string }>('run-nginx-http1/capture.truth.jsonl').flatMap((one) => one.auditId ?? []),
    );
    const found = new Set(linesOf(kubeseq(['messages', inOrder]).stdout).map(({ auditId }) => auditId));
    expect([...ids].filter((id) => !found.has(id))).toEqual([]);
  });

  it.each([
    ['a directory without captures', () => ring('empty', [Buffer.from('x')], () => 'notes.txt'), 'no capture'],
    ['a pattern that nothing matches', () => join(folder, 'nothing*.pcap'), 'no file matches'],
  ])('reports that %s has nothing to read', (_name, make, words) => {
    const { status, stderr } = kubeseq(['messages', make()]);
    expect(status).toBe(2);
    expect(stderr).toContain(words);
    expect(stderr.split('\n')).toHaveLength(2);
  });
});

describe('rings of two hosts', () => {
  it('have two clocks, and are corrected as two captures are', () => {
    const [control, node] = ['control-plane', 'node-1'].map((name) => fixture(`deployment-tls/${name}.pcap`));
    const late = Buffer.from(node);
    for (let at = HEAD; at < late.length; at += 16 + late.readUInt32LE(at + 8))
      late.writeUInt32LE(late.readUInt32LE(at) + 3, at);
    const keys = join(folder, 'keys.log');
    writeFileSync(keys, fixture('deployment-tls/keys.log'));
    const rings = [
      ring('control', split(control, 2000), (i) => `cp.pcap${i}`),
      ring('node', split(late, 500), (i) => `node.pcap${i}`),
    ];
    const files = [control, node].map((bytes, i) => {
      const file = join(folder, `single-${'ab'[i]}.pcap`);
      writeFileSync(file, bytes);
      return file;
    });
    const { stdout, stderr } = kubeseq(['messages', '--keylog', keys, ...rings]);
    expect(stderr.match(/capture\.clock-skew/g)).toHaveLength(1);
    const untimed = (line: Line): object => ({ ...apart(line), time: null, started: null, latencyMs: null });
    const single = linesOf(kubeseq(['messages', '--keylog', keys, ...files]).stdout);
    expect(linesOf(stdout).map(untimed)).toEqual(single.map(untimed));
  }, 20_000);
});

describe('--watch', () => {
  let live: readonly Line[] = [];
  beforeAll(() => {
    live = linesOf(kubeseq(['messages', '-'], { input: WHOLE }).stdout);
  });

  /**
   * Runs `messages --watch`, calls `write` and ends with SIGINT when `lines` lines came or 15 s went by.
   *
   * @param write gets what waits for as many lines.
   */
  async function watched(
    path: string,
    lines: number,
    write: (came: (count: number) => Promise<void>) => Promise<void>,
  ) {
    const child = spawn(process.execPath, [`${ROOT}/bin/kubeseq.js`, 'messages', '-v', '--watch', path]);
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const came = async (count: number): Promise<void> => {
      for (let waited = 0; waited < 15_000 && stdout.split('\n').length <= count; waited += 50) await pause(50);
    };
    await write(came);
    await came(lines);
    child.kill('SIGINT');
    return { status: await ended, lines: linesOf(stdout), stderr };
  }

  it('follows a ring from file to file while it grows, and ends with SIGINT', async () => {
    const path = join(folder, 'growing');
    mkdirSync(path);
    const { status, lines, stderr } = await watched(path, live.length, async () => {
      for (const [i, bytes] of FILES.entries()) {
        const file = join(path, tcpdump(i));
        writeFileSync(file, bytes.subarray(0, 10));
        // In the middle of a packet.
        appendFileSync(file, bytes.subarray(10, 5000));
        if (i % 3 === 0) await pause(150);
        appendFileSync(file, bytes.subarray(5000));
      }
    });
    expect(lines.map(apart)).toEqual(live.map(apart));
    expect(status).toBe(130);
    expect(stderr).not.toContain('capture.');
  }, 20_000);

  it('follows the secrets that lie beside the files of a flight recorder', async () => {
    const path = join(folder, 'recorder');
    mkdirSync(path);
    const capture = fixture('clients-tls/capture.pcap');
    const secrets = Buffer.from(fixture('clients-tls/keys.log'))
      .toString('latin1')
      .split(/(?<=\n)/);
    const keys = join(folder, 'clients.log');
    writeFileSync(keys, secrets.join(''));
    const open = linesOf(kubeseq(['messages', '--keylog', keys, '-'], { input: capture }).stdout);
    const half = Math.ceil(recordsOf(capture).length / 2);
    const [first, second] = split(capture, half);
    const { lines } = await watched(path, open.length, async (came) => {
      writeFileSync(join(path, 'ring.pcap0'), first);
      await pause(300);
      writeFileSync(join(path, 'ring.keys0'), secrets.slice(0, 200).join(''));
      await pause(300);
      appendFileSync(join(path, 'ring.keys0'), secrets.slice(200).join(''));
      // The next one begins with what is open, and the first one goes with its secrets.
      writeFileSync(join(path, 'ring.keys1'), secrets.slice(100).join(''));
      writeFileSync(join(path, 'ring.pcap1'), second);
      await came(open.length);
      for (const name of ['ring.pcap0', 'ring.keys0']) unlinkSync(join(path, name));
    });
    // What waits for its secrets comes later.
    const said = (all: readonly Line[]): string[] => all.map(({ time, label }) => `${time} ${label}`).sort();
    expect(open.length).toBeGreaterThan(50);
    expect(said(lines)).toEqual(said(open));
  }, 30_000);

  it('takes a file that was gzipped meanwhile for the same one', async () => {
    const path = join(folder, 'zipped');
    mkdirSync(path);
    const { lines, stderr } = await watched(path, live.length, async () => {
      for (const [i, bytes] of FILES.entries()) {
        const file = join(path, tcpdump(i));
        writeFileSync(file, bytes);
        if (i % 4 === 0) await pause(150);
        writeFileSync(`${file}.gz`, gzipSync(bytes));
        unlinkSync(file);
      }
    });
    expect(lines.map(apart)).toEqual(live.map(apart));
    expect(stderr).not.toContain('capture.ring-lost');
  }, 20_000);

  it('reports that a file was written over before it was read, and continues', async () => {
    const path = join(folder, 'turning');
    mkdirSync(path);
    const file = (i: number): string => join(path, `cap.pcap${i}`);
    const { status, lines, stderr } = await watched(path, 60, async (came) => {
      writeFileSync(file(0), FILES[0]);
      await came(40);
      // The ring goes round: file 0 begins anew, and is as long as what was read of it at once.
      writeFileSync(file(0), FILES[1]);
    });
    expect(status).toBe(130);
    expect(stderr).toContain('capture.ring-lost');
    expect(lines.length).toBeGreaterThan(10);
  }, 20_000);

  it('wants a directory or a pattern', () => {
    const { status, stderr } = kubeseq(['messages', '--watch', whole]);
    expect(status).toBe(2);
    expect(stderr).toContain('expected a directory or a pattern');
  });
});

it('reads what tcpdump itself split', ({ skip }) => {
  const path = join(folder, 'by-tcpdump');
  mkdirSync(path);
  // As root, tcpdump would become another user, who may not write here.
  const user = process.getuid?.() === 0 ? ['-Z', 'root'] : [];
  const { status } = spawnSync('tcpdump', ['-r', whole, '-w', join(path, 'cap.pcap'), '-C', '1', ...user]);
  if (status !== 0) skip('tcpdump is not installed, or cannot split');
  expect(readFileSync(join(path, 'cap.pcap1')).length).toBeGreaterThan(1000);
  expect(linesOf(kubeseq(['messages', path]).stdout).map(apart)).toEqual(expected.map(apart));
});
