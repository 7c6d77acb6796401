import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { fixtureLines } from '../../../test/kit/fixtures.js';
import { BodyCollector, bodyOf, MAX_BODY_BYTES } from './body.js';
import { codingsOf, decodeContent, MAX_DECODED_BYTES, MAX_RATIO } from './content.js';

const TEXT = Buffer.from('{"kind":"PodList","items":[]}'.repeat(100));
/** Bytes that do not compress (a linear congruential generator). */
function noise(length: number): number[] {
  let state = 1;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}
const NOISE = Buffer.from(noise(50_000));
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

describe('content codings', () => {
  it.each([
    ['gzip', gzipSync(TEXT)],
    ['GZIP', gzipSync(TEXT)],
    ['x-gzip', gzipSync(TEXT)],
    ['deflate', deflateSync(TEXT)],
    ['deflate', deflateRawSync(TEXT)],
    ['br', brotliCompressSync(TEXT)],
    ['', TEXT],
    ['identity', TEXT],
    ['gzip, br', brotliCompressSync(gzipSync(TEXT))],
    ['gzip, identity', gzipSync(TEXT)],
  ])('%s', (coding, bytes) => {
    const decoded = decodeContent(bytes, coding);
    expect(decoded.complete).toBe(true);
    expect(text(decoded.bytes)).toBe(text(TEXT));
  });

  it.each([
    [['Content-Encoding', 'gzip'], 'gzip'],
    [['Transfer-Encoding', 'chunked'], ''],
    [['transfer-encoding', 'gzip, chunked'], 'gzip'],
    [['Transfer-Encoding', 'gzip', 'Transfer-Encoding', 'Chunked'], 'gzip'],
    [['Transfer-Encoding', 'deflate;q=1 ,identity,chunked', 'Content-Encoding', 'br'], 'br, deflate'],
    [['Content-Length', '5'], ''],
  ])('of %j are %j', (fields, codings) => expect(codingsOf(fields)).toBe(codings));

  it.each(['zstd', 'gzip, gzip, gzip', 'constructor'])('%s is not undone', (coding) => {
    expect(decodeContent(gzipSync(TEXT), coding)).toEqual({ bytes: new Uint8Array(0), complete: false });
  });

  it.each([
    ['gzip', gzipSync(NOISE)],
    ['deflate', deflateSync(NOISE)],
    ['br', brotliCompressSync(NOISE)],
  ])('cut %s gives what there is', (coding, bytes) => {
    const { bytes: part, complete } = decodeContent(bytes.subarray(0, bytes.length >> 1), coding);
    expect(complete).toBe(false);
    expect(part.length).toBeGreaterThan(1000);
    expect(Buffer.from(part).equals(NOISE.subarray(0, part.length))).toBe(true);
  });

  it('gzip that breaks in the middle gives a beginning', () => {
    const bytes = Buffer.from(gzipSync(NOISE));
    bytes.fill(0xff, bytes.length >> 1);
    const { bytes: part, complete } = decodeContent(bytes, 'gzip');
    expect(complete).toBe(false);
    expect(part.length).toBeGreaterThan(1000);
    expect(Buffer.from(part.subarray(0, 1000)).equals(NOISE.subarray(0, 1000))).toBe(true);
  });

  it.each([
    ['gzip', gzipSync(Buffer.alloc(64 << 20))],
    ['br', brotliCompressSync(Buffer.alloc(64 << 20))],
  ])('a bomb of %s stops at the limit', (coding, bomb) => {
    const { bytes, complete, limited } = decodeContent(bomb, coding);
    expect([complete, limited]).toEqual([false, true]);
    expect(bytes.length).toBeLessThanOrEqual(MAX_DECODED_BYTES);
  });

  it('a short body does not become as long as a long one may', () => {
    const small = gzipSync(Buffer.alloc(9 << 20));
    expect(small.length).toBeLessThan(10_000);
    const { bytes, limited } = decodeContent(small, 'gzip');
    expect([bytes.length <= Math.max(1 << 20, MAX_RATIO * small.length), limited]).toEqual([true, true]);
    expect(bytes.length).toBeGreaterThan(500_000);
  });

  it('a list of 3,000 equal Pods is whole', () => {
    const [pod] = fixtureLines<{ json: string }>('objects/encodings.jsonl').map(({ json }) =>
      Buffer.from(json, 'base64'),
    );
    const one = pod.toString().replaceAll('web-1-x', 'web-NAME');
    const all = Array.from({ length: 3000 }, (_, i) => one.replaceAll('NAME', `${i}-${NOISE[i]}`));
    const list = Buffer.from(`{"items":[${all.join(',')}]}`);
    expect(list.length / gzipSync(list).length).toBeGreaterThan(20);
    const decoded = decodeContent(gzipSync(list), 'gzip');
    expect([decoded.complete, decoded.bytes.length]).toEqual([true, list.length]);
  });

  it('what is no gzip gives nothing', () => {
    expect(decodeContent(TEXT, 'gzip')).toEqual({ bytes: new Uint8Array(0), complete: false });
    expect(decodeContent(new Uint8Array(0), 'gzip').complete).toBe(false);
  });
});

describe('a whole body', () => {
  it('is read decoded, and not complete where bytes are missing', () => {
    const zipped = gzipSync(TEXT);
    const body = bodyOf(zipped, zipped.length, 'application/json', 'gzip', true);
    expect(body).toMatchObject({ length: zipped.length, contentType: 'application/json', contentEncoding: 'gzip' });
    expect(text(body.read().bytes)).toBe(text(TEXT));
    expect(bodyOf(TEXT, 1, '', '', false).read().complete).toBe(false);
  });

  it('is collected from any cut', () => {
    for (const step of [1, 7, 1000, TEXT.length]) {
      // Whatever its head declares: nothing, too little, the truth, a little too much, far too much.
      for (const declared of [0, 1, TEXT.length, TEXT.length + 10, TEXT.length * 2, 2 ** 40]) {
        const collector = new BodyCollector(declared);
        for (let at = 0; at < TEXT.length; at += step)
          collector.push(Uint8Array.from(TEXT.subarray(at, at + step)), Number.POSITIVE_INFINITY);
        expect(text(collector.take())).toBe(text(TEXT));
      }
    }
  });

  it('keeps no more than the limits', () => {
    const collector = new BodyCollector();
    const piece = new Uint8Array(1 << 20);
    for (let i = 0; i < 20; i++) collector.push(piece, Number.POSITIVE_INFINITY);
    expect([collector.kept, collector.length]).toEqual([MAX_BODY_BYTES, 20 << 20]);
    const other = new BodyCollector();
    other.push(piece, 10);
    expect([other.kept, other.length]).toEqual([10, 1 << 20]);
  });
});
