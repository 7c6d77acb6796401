import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { huffmanBound, huffmanCodes, huffmanDecode } from './huffman.js';

const codes = huffmanCodes();

function encode(symbols: readonly number[]): Uint8Array {
  let bits = symbols.map((symbol) => codes[symbol].code.toString(2).padStart(codes[symbol].bits, '0')).join('');
  while (bits.length % 8 !== 0) bits += '1';
  return fromBits(bits);
}

const fromBits = (bits: string): Uint8Array =>
  Uint8Array.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));

function decode(bytes: Uint8Array): string | null {
  const out = Buffer.alloc(huffmanBound(bytes.length));
  const length = huffmanDecode(bytes, 0, bytes.length, out);
  return length < 0 ? null : out.toString('latin1', 0, length);
}

describe('huffman code', () => {
  // Rows of RFC 7541, Appendix B.
  it.each([
    [48, 0x0, 5],
    [97, 0x3, 5],
    [32, 0x14, 6],
    [58, 0x5c, 7],
    [88, 0xfc, 8],
    [33, 0x3f8, 10],
    [0, 0x1ff8, 13],
    [92, 0x7fff0, 19],
    [128, 0xfffe6, 20],
    [9, 0xffffea, 24],
    [199, 0x1ffffec, 25],
    [192, 0x3ffffe0, 26],
    [255, 0x3ffffee, 26],
    [203, 0x7ffffde, 27],
    [249, 0xffffffe, 28],
    [22, 0x3ffffffe, 30],
    [256, 0x3fffffff, 30],
  ])('symbol %i has code %i of %i bits', (symbol, code, bits) => {
    expect(codes[symbol]).toEqual({ code, bits });
  });

  it.each([
    ['f1e3c2e5f23a6ba0ab90f4ff', 'www.example.com'],
    ['a8eb10649cbf', 'no-cache'],
    ['25a849e95ba97d7f', 'custom-key'],
    ['25a849e95bb8e8b4bf', 'custom-value'],
    ['6402', '302'],
    ['d07abe941054d444a8200595040b8166e082a62d1bff', 'Mon, 21 Oct 2013 20:13:21 GMT'],
    ['', ''],
  ])('%s is %s (RFC 7541, C.4 and C.6)', (hex, text) => {
    expect(decode(Buffer.from(hex, 'hex'))).toBe(text);
  });

  it('decodes what its codes encode, every symbol', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 255 })), (symbols) => {
        expect(decode(encode(symbols))).toBe(Buffer.from(symbols).toString('latin1'));
      }),
    );
  });

  it('refuses EOS inside', () => expect(decode(encode([97, 256, 97]))).toBeNull());

  it('refuses padding with zeros', () => expect(decode(fromBits('00011000'))).toBeNull());

  it('refuses eight bits of padding', () => expect(decode(Uint8Array.of(0xff))).toBeNull());

  it('takes seven bits of padding', () => expect(decode(fromBits(`${'00011'.repeat(5)}1111111`))).toBe('aaaaa'));

  it('never throws and never writes more than its bound', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const out = new Uint8Array(huffmanBound(bytes.length));
        expect(huffmanDecode(bytes, 0, bytes.length, out)).toBeLessThanOrEqual(out.length);
      }),
    );
  });
});
