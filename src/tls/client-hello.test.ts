import { describe, expect, it } from 'vitest';
import { clientHelloWords } from './client-hello.js';

const HELLO = 'a TLS ClientHello';
const bytes = (hex: string): Uint8Array => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const KEY = '891ed6a3b5dea33bad206dfdd6f85be10a0004eead4a9fa937b565c4e556270e';
/** As kubectl 1.37 ends its ClientHello: the last bytes of the share of X25519MLKEM768, and the one of x25519. */
const END = `891ed6a3b5dea33bad206dfdd6f85be10a 001d 0020 ${KEY}`;

describe('the end of a ClientHello', () => {
  it('ends with a key share, or with whole extensions behind it', () => {
    expect(clientHelloWords(bytes(END), false)).toBe(HELLO);
    // psk_key_exchange_modes (RFC 8446, section 4.2.9).
    expect(clientHelloWords(bytes(`${END} 002d 0002 0101`), false)).toBe(HELLO);
    expect(clientHelloWords(bytes(`aa 0017 0041 04${KEY}${KEY}`), false)).toBe(HELLO);
  });

  it('is nothing else', () => {
    expect(clientHelloWords(bytes(END.slice(0, -2)), false)).toBeNull();
    expect(clientHelloWords(bytes(`${END} 002d 0003 0101`), false)).toBeNull();
    expect(clientHelloWords(bytes(`001d 0021 ${KEY}00`), false)).toBeNull();
    expect(
      clientHelloWords(Buffer.from('Host: 192.0.2.10:6443\r\nAccept: application/json\r\n\r\n'), false),
    ).toBeNull();
    expect(clientHelloWords(new Uint8Array(0), false)).toBeNull();
  });
});

it('the beginning of a ClientHello has its record and its type', () => {
  expect(clientHelloWords(bytes('160301 05d8 01 0005d4 0303'), true)).toBe(HELLO);
  // A ServerHello, and HTTP.
  expect(clientHelloWords(bytes('160303 007a 02 000076 0303'), true)).toBeNull();
  expect(clientHelloWords(Buffer.from('GET /api HTTP/1.1\r\n'), true)).toBeNull();
});
