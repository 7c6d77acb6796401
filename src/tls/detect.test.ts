import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectAtStart, MidStreamDetector } from './detect.js';

const bytes = (text: string) => Buffer.from(text, 'latin1');
const header = (length: number) => bytes(`\x17\x03\x03${String.fromCharCode(length >>> 8, length & 0xff)}`);

describe('detectAtStart', () => {
  it.each([
    ['', 'unsure'],
    ['\x16', 'unsure'],
    ['\x16\x03', 'unsure'],
    ['\x16\x03\x01', 'tls'],
    ['\x15\x03\x03', 'tls'],
    ['\x16\x03\x05', 'plain'],
    ['\x16\x02', 'plain'],
    ['GET', 'plain'],
    ['PRI', 'plain'],
    ['\x00\x00\x12', 'plain'],
  ])('%j: %s', (text, verdict) => {
    expect(detectAtStart(bytes(text))).toBe(verdict);
  });
});

describe('MidStreamDetector', () => {
  const look = (...pieces: Buffer[]) => {
    const detector = new MidStreamDetector();
    return pieces.map((piece) => detector.look('client', piece)).at(-1);
  };

  it('recognises a record at the beginning', () => {
    expect(look(Buffer.concat([header(300), Buffer.alloc(40, 0x99)]))).toBe('tls');
  });

  it('recognises one that ends with the piece, and two in a row', () => {
    const noise = Buffer.alloc(100, 0x99);
    expect(look(Buffer.concat([noise, header(40), Buffer.alloc(40, 0x99)]))).toBe('tls');
    expect(look(Buffer.concat([noise, header(40), Buffer.alloc(40, 0x99), header(99), noise.subarray(50)]))).toBe(
      'tls',
    );
  });

  it.each([
    'GET / HTTP/1.1\r\n',
    '1c0\r\n\x00\x00\x01\xbc\x0a\x99\x98',
    '{"kind":"Pod"}',
    '\x00\x00\x12\x04\x00\x00\x00\x00\x00',
  ])('recognises %j as plain', (text) => {
    expect(look(bytes(text))).toBe('plain');
  });

  it('waits while it could be either, but not for ever', () => {
    const noise = Buffer.alloc(4000, 0x99);
    expect(look(noise, noise, noise, noise)).toBe('unsure');
    expect(look(noise, noise, noise, noise, noise)).toBe('plain');
  });

  it('hardly ever takes random bytes for TLS', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 200, maxLength: 400 }), (random) => {
        expect(new MidStreamDetector().look('server', random)).not.toBe('tls');
      }),
      { seed: 1 },
    );
  });
});
