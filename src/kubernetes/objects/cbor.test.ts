import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cborValue } from './cbor.js';

function read(hex: string) {
  return cborValue(new Uint8Array(Buffer.from(hex, 'hex')));
}

describe('cborValue: the examples of RFC 8949, appendix A', () => {
  it.each([
    ['00', 0],
    ['17', 23],
    ['1818', 24],
    ['1903e8', 1000],
    ['1a000f4240', 1000000],
    ['1b000000e8d4a51000', 1000000000000],
    ['20', -1],
    ['3903e7', -1000],
    ['f90000', 0],
    ['f93c00', 1],
    ['fb3ff199999999999a', 1.1],
    ['f93e00', 1.5],
    ['f97bff', 65504],
    ['fa47c35000', 100000],
    ['f90001', 2 ** -24],
    ['f9c400', -4],
    ['f97c00', Number.POSITIVE_INFINITY],
    ['f97e00', Number.NaN],
    ['f4', false],
    ['f5', true],
    ['f6', null],
    ['c074323031332d30332d32315432303a30343a30305a', '2013-03-21T20:04:00Z'],
    ['60', ''],
    ['6449455446', 'IETF'],
    ['62c3bc', 'ü'],
    ['80', []],
    ['8301820203820405', [1, [2, 3], [4, 5]]],
    ['a0', {}],
    ['a201020304', { 1: 2, 3: 4 }],
    ['a26161016162820203', { a: 1, b: [2, 3] }],
    ['7f657374726561646d696e67ff', 'streaming'],
    ['9fff', []],
    ['9f018202039f0405ffff', [1, [2, 3], [4, 5]]],
    ['bf61610161629f0203ffff', { a: 1, b: [2, 3] }],
    ['d9d9f7a16161f5', { a: true }],
  ])('%s', (hex, value) => expect(read(hex)).toEqual({ value, complete: true }));
});

describe('what is no CBOR, or too much', () => {
  it.each(['', '18', '1b00', '62c3', '83', '8301', 'a1', 'a161', 'fb00', 'f8', '1f', '5f'])('%s', (hex) =>
    expect(read(hex).complete).toBe(false),
  );
  // RFC 8949, appendix F: what is not well-formed, as far as lengths and breaks go.
  it.each(
    `ff 81ff 8200ff a1ff a1ff00 a100ff a20000ff 9f81ff 9f829f819f9fffffff bf00ff bf000000ff c0ff
     5f00ff 5f21ff 5f6100ff 5f80ff 5fa0ff 5fc000ff 5fe0ff 7f4100ff 5f5f4100ffff 7f7f6100ffff
     5f4100 7f6100 9f 9f0102 bf bf01020102 819f 9f8000 9f9f9f9f9fffffffff 9f819f819f9fffffff 1c 1d 1e 3c 5c 7c 9c bc fc`
      .trim()
      .split(/\s+/),
  )('%s', (hex) => expect(read(hex).complete).toBe(false));
  it('a list of 2^63 that is not there', () => expect(read('9bffffffffffffffff').complete).toBe(false));
  it('depth beyond the limit', () => expect(read('81'.repeat(100_000)).complete).toBe(false));
  it('more values than the limit', () => {
    const { value, complete } = cborValue(new Uint8Array(2_000_000).fill(0x01).fill(0x9f, 0, 1));
    expect(complete).toBe(false);
    expect((value as unknown[]).length).toBeLessThanOrEqual(1_000_000);
  });
  it('a key named __proto__ is a key', () => {
    const { value } = read('a1695f5f70726f746f5f5f01');
    expect(Object.keys(value as object)).toEqual(['__proto__']);
  });
  it('never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const { value, complete } = cborValue(bytes);
        return typeof complete === 'boolean' && isJson(value);
      }),
      { numRuns: 10_000 },
    );
  });
});

/** What redaction and renderers know; NaN and the infinities, which JSON writes as null, too. */
function isJson(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isJson);
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isJson);
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
