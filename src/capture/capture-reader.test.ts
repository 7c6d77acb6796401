import { readdirSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { parse } from 'pcap-parser';
import { describe, expect, it } from 'vitest';
import { fixture } from '../../test/kit/fixtures.js';
import { foreign } from '../../test/kit/foreign.js';
import { bytesOf, conversation, packets, pcap, pcapng, START } from '../../test/kit/packetiser.js';
import { runs } from '../../test/kit/runs.js';
import { HAS_TSHARK, tshark } from '../../test/kit/tshark.js';
import { captureReader, isGzip } from './capture-reader.js';
import type { CaptureReport, Frame } from './frame.js';
import type { CaptureItem } from './log.js';

/** RUNS=60000 for the figure of docs/reliability.md. */
const RUNS = runs(300, 1500);
const SMALL = packets(conversation([{ from: 'client', bytes: 'GET / HTTP/1.1\r\n\r\n' }]));

describe('captureReader', () => {
  it.each(['run-nginx-http1', 'errors-http1', 'clients-tls'])('gives the packets of pcap-parser: %s', async (name) => {
    const file = fixture(`${name}/capture.pcap`);
    const theirs = await withPcapParser(file);
    const ours = framesOf(readWhole(file));
    expect(ours).toHaveLength(theirs.length);
    // A nanosecond file is one that pcap-parser refuses; these three have microseconds.
    for (const [i, { header, data }] of theirs.entries()) {
      const time = BigInt(header.timestampSeconds) * 1_000_000_000n + BigInt(header.timestampMicroseconds) * 1000n;
      expect(ours[i].origin).toEqual({ capture: 0, frame: i + 1, time });
      expect(ours[i].originalLength).toBe(header.originalLength);
      expect(Buffer.compare(ours[i].data, data)).toBe(0);
    }
  });

  it('reads the nanosecond capture and its pcapng twin alike', () => {
    const classic = readWhole(fixture('run-nginx-tls/capture.pcap'));
    const next = readWhole(fixture('run-nginx-tls/capture-with-secrets.pcapng'));
    expect(framesOf(classic)).toHaveLength(2407);
    expect(framesOf(next).map(digest)).toEqual(framesOf(classic).map(digest));
    expect(report(classic)).toMatchObject({ format: 'pcap', digits: 9, frames: 2407, bytes: 1_061_777 });
    expect(report(next)).toMatchObject({ format: 'pcapng', digits: 9, frames: 2407, bytes: 1_061_777 });
    const keyLog = Buffer.from(fixture('run-nginx-tls/keys.log')).toString();
    const secrets = next.filter((item) => item.kind === 'secrets').map((item) => item.keyLog);
    expect(secrets.join('').trim()).toBe(keyLog.trim());
    expect(noticeCodes(next)).toEqual(['keys.embedded']);
  });

  it.each([1, 7, 4096, 65_536])('does not depend on the chunk size: %i bytes', (size) => {
    const file = fixture('run-nginx-tls/capture-with-secrets.pcapng').subarray(0, 200_000);
    const plain = (items: CaptureItem[]) => items.map((item) => (item.kind === 'frame' ? digest(item) : item));
    expect(plain(readChunks(file, size))).toEqual(plain(readWhole(file)));
  });

  it('returns frames inside a chunk as views of it, also of a Buffer', () => {
    const file = Buffer.from(pcap(SMALL));
    const list = framesOf(captureReader({ capture: 0 }).feed(file));
    expect(list).toHaveLength(SMALL.length);
    for (const { data } of list) {
      expect(data.buffer).toBe(file.buffer);
      expect(data.constructor).toBe(Uint8Array);
    }
  });

  it('returns a frame that spans two chunks as a copy that the rest of the call does not overwrite', () => {
    const file = pcap(SMALL);
    const reader = captureReader({ capture: 0 });
    const before = framesOf(reader.feed(file.slice(0, 100))).map(snapshot);
    const rest = framesOf(reader.feed(file.slice(100)));
    expect([...before, ...rest.map(snapshot)]).toEqual(framesOf(readWhole(file)).map(snapshot));
  });

  it.each([
    ['pcap', pcap(SMALL)],
    ['pcapng', pcapng(SMALL)],
  ])('keeps what is complete of a file cut at any byte: %s', (format, file) => {
    const whole = framesOf(readWhole(file)).map(snapshot);
    const ends = wholeRecordsAt(file);
    for (let cut = 4; cut < file.length; cut += 1) {
      const items = readWhole(file.subarray(0, cut));
      const kept = framesOf(items).map(snapshot);
      expect(kept).toEqual(whole.slice(0, kept.length));
      const between = ends.has(cut);
      expect(report(items)).toMatchObject({ format, frames: kept.length, truncated: !between });
      expect(noticeCodes(items)).toEqual(between ? [] : ['capture.truncated']);
    }
  });

  it.each([
    ['nothing', ''],
    ['three bytes', 'abc'],
    ['text', 'not a capture at all'],
    ['a gzip file', gzipSync('x')],
  ])('reports what is no capture: %s', (_name, bytes) => {
    for (const items of [readWhole(bytesOf(bytes)), readChunks(bytesOf(bytes), 1)]) {
      expect(items).toHaveLength(1);
      expect(report(items)).toMatchObject({ format: 'unknown', frames: 0, first: null, last: null, truncated: false });
    }
  });

  it('reports time span, link types and argument number', () => {
    const reader = captureReader({ capture: 3 });
    const items = [...reader.feed(pcap(SMALL, { linkType: 276 })), ...reader.end()];
    expect(report(items)).toEqual({
      kind: 'capture-report',
      capture: 3,
      format: 'pcap',
      linkTypes: [276],
      frames: SMALL.length,
      bytes: SMALL.reduce((sum, { bytes }) => sum + bytes.length, 0),
      first: START,
      last: SMALL[SMALL.length - 1].time,
      digits: 6,
      truncated: false,
    });
  });

  it('never throws on damaged files, whatever their chunks, and reports what it does not read', () => {
    const files = [
      pcap(SMALL),
      pcap(SMALL, { bigEndian: true, variant: 'nano' }),
      pcapng(SMALL),
      pcapng(SMALL, 1, true),
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...files),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { maxLength: 20 }),
        fc.integer({ min: 1, max: 300 }),
        (file, flips, size) => {
          const damaged = file.slice();
          for (const [at, mask] of flips) damaged[at % file.length] ^= mask;
          const items = readWhole(damaged);
          expect(readChunks(damaged, size)).toEqual(items.map(kept));
          // A pcapng block whose type was hit is an unknown block, which may be skipped.
          if (report(items).format === 'pcap' && framesOf(items).length < SMALL.length && !isFaultless(damaged)) {
            expect(noticeCodes(items).length).toBeGreaterThan(0);
          }
        },
      ),
      { numRuns: RUNS },
    );
  }, 600_000);

  it('reports a packet with more bytes than there were, even if the next record follows them', () => {
    const file = pcap(SMALL);
    // The third record takes the next two with it: 54 + (16 + 72) + (16 + 54) bytes.
    file[24 + 2 * 70 + 8] = 212;
    const items = readWhole(file);
    expect(framesOf(items)).toHaveLength(SMALL.length - 2);
    expect(noticeCodes(items)).toEqual(['capture.damaged']);
  });

  const conformance = foreign('pcapng/tests');
  it.skipIf(conformance === null)('reads the pcapng conformance files', () => {
    // Packets of each file, by tshark 4.0 (frames with a captured length; 901: after a section of an unknown version).
    const expected: Record<string, number> = {
      '001': 4,
      '002': 0,
      '003': 0,
      '004': 4,
      '005': 4,
      '006': 5,
      '007': 1,
      '008': 4,
      '009': 2,
      '010': 4,
      '011': 4,
      '012': 4,
      '013': 0,
      '014': 0,
      '015': 0,
      '016': 4,
      '017': 0,
      '018': 4,
      '100': 5,
      '101': 4,
      '102': 5,
      '200': 0,
      '201': 4,
      '202': 8,
      '300': 32,
      '301': 276,
      '901': 3,
      '902': 1,
    };
    for (const order of ['be', 'le']) {
      for (const name of readdirSync(`${conformance}/${order}`)) {
        const items = readWhole(new Uint8Array(readFileSync(`${conformance}/${order}/${name}`)));
        expect([name, framesOf(items).length]).toEqual([name, expected[name.slice(4, 7)]]);
        expect(report(items)).toMatchObject({ format: 'pcapng', truncated: false });
      }
    }
  });

  it.skipIf(!HAS_TSHARK)('numbers frames as tshark does (skipped where tshark is missing)', () => {
    const file = fixture('run-nginx-tls/capture-with-secrets.pcapng');
    const ours = framesOf(readWhole(file)).map(({ origin, data, originalLength }) => {
      const fraction = String(origin.time % 1_000_000_000n).padStart(9, '0');
      return [`${origin.frame}`, `${origin.time / 1_000_000_000n}.${fraction}`, `${data.length}`, `${originalLength}`];
    });
    expect(ours).toEqual(tshark(file, ['frame.number', 'frame.time_epoch', 'frame.cap_len', 'frame.len']));
  });
});

describe('isGzip', () => {
  it('recognises gzip by three bytes', () => {
    expect(isGzip(gzipSync('x'))).toBe(true);
    expect(isGzip(Uint8Array.of(0x1f, 0x8b))).toBe(false);
    expect(isGzip(pcap([]))).toBe(false);
    expect(isGzip(new Uint8Array(0))).toBe(false);
  });
});

function readWhole(file: Uint8Array): CaptureItem[] {
  const reader = captureReader({ capture: 0 });
  return [...reader.feed(file), ...reader.end()];
}

/** Each chunk is overwritten after it was fed, as a caller may; frames are kept as copies. */
function readChunks(file: Uint8Array, size: number): CaptureItem[] {
  const reader = captureReader({ capture: 0 });
  const items: CaptureItem[] = [];
  for (let at = 0; at < file.length; at += size) {
    const chunk = new Uint8Array(file.subarray(at, at + size));
    items.push(...reader.feed(chunk).map(kept));
    chunk.fill(0xee);
  }
  return [...items, ...reader.end().map(kept)];
}

/** All of a frame as one text: a million bytes compare quicker than a million numbers. */
function digest({ origin, linkType, data, originalLength }: Frame): string {
  return `${origin.frame} ${origin.time} ${linkType} ${originalLength} ${Buffer.from(data).toString('latin1')}`;
}

function snapshot(frame: Frame): Frame {
  return { ...frame, data: new Uint8Array(frame.data) };
}

function kept(item: CaptureItem): CaptureItem {
  return item.kind === 'frame' ? snapshot(item) : item;
}

function framesOf(items: readonly CaptureItem[]): Frame[] {
  return items.filter((item) => item.kind === 'frame');
}

function report(items: readonly CaptureItem[]): CaptureReport {
  const last = items[items.length - 1];
  if (last.kind !== 'capture-report') throw new Error('the last item is no report');
  return last;
}

function noticeCodes(items: readonly CaptureItem[]): string[] {
  return items.filter((item) => item.kind === 'notice').map((item) => item.code);
}

/** Offsets at which a file of the packetiser can be cut without harm. */
function wholeRecordsAt(file: Uint8Array): Set<number> {
  const view = new DataView(file.buffer, file.byteOffset);
  const classic = view.getUint32(0, true) === 0xa1b2c3d4;
  const ends = new Set<number>();
  for (let at = classic ? 24 : 0; at < file.length; ) {
    if (at > 0) ends.add(at);
    at += classic ? 16 + view.getUint32(at + 8, true) : view.getUint32(at + 4, true);
  }
  return ends;
}

interface Parsed {
  readonly header: { timestampSeconds: number; timestampMicroseconds: number; originalLength: number };
  readonly data: Buffer;
}

/** Whether the damage of a classic file cannot be detected: record follows record, none with more bytes than there were. */
function isFaultless(file: Uint8Array): boolean {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const little = view.getUint8(0) > 0xa1;
  let at = 24;
  while (at + 16 <= file.length) {
    const length = view.getUint32(at + 8, little);
    if (length > view.getUint32(at + 12, little)) return false;
    at += 16 + length;
  }
  return at === file.length;
}

function withPcapParser(file: Uint8Array): Promise<Parsed[]> {
  return new Promise((resolve, reject) => {
    const list: Parsed[] = [];
    const parser = parse(Readable.from([Buffer.from(file)], { objectMode: true }));
    parser.on('packet', (packet: Parsed) => list.push(packet));
    parser.on('error', reject);
    parser.on('end', () => resolve(list));
  });
}
