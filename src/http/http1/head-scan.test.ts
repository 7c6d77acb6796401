import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeadReader } from './head.js';
import { scannedEnd, scanRequest, scanResponse } from './head-scan.js';

const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));

/** What the library makes of it: it reads heads that do not come in one piece. */
function byLibrary(kind: 'REQUEST' | 'RESPONSE', text: string): unknown {
  const reader = new HeadReader(kind);
  const bytes = bytesOf(text);
  reader.read(bytes.subarray(0, 1), 0);
  const next = reader.read(bytes.subarray(1), 0);
  return { head: reader.head, end: reader.head === null ? null : next + 1, error: reader.error };
}

const REQUEST = 'GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: a\r\nAccept:  x/y \t\r\nEmpty:\r\n\r\nBODY';
const RESPONSE = 'HTTP/1.0 404 Not Found\r\nContent-Length: 3\r\n\r\nabc';

describe('a plain head in one piece', () => {
  it('request', () => {
    expect(scanRequest(bytesOf(REQUEST), 0, REQUEST.length)).toEqual({
      kind: 'request-head',
      version: '1.1',
      method: 'GET',
      target: '/api/v1/pods?watch=1',
      fields: ['Host', 'a', 'Accept', 'x/y', 'Empty', ''],
      partial: [],
    });
    expect(scannedEnd).toBe(REQUEST.length - 4);
  });

  it('response', () => {
    expect(scanResponse(bytesOf(RESPONSE), 0, RESPONSE.length)).toEqual({
      kind: 'response-head',
      version: '1.0',
      status: 404,
      fields: ['Content-Length', '3'],
      partial: [],
    });
    expect(scannedEnd).toBe(RESPONSE.length - 3);
  });

  it('any part of one is none', () => {
    const end = REQUEST.length - 4;
    for (let cut = 0; cut < end; cut++) expect(scanRequest(bytesOf(REQUEST), 0, cut)).toBeNull();
    for (let cut = 0; cut < RESPONSE.length - 3; cut++) expect(scanResponse(bytesOf(RESPONSE), 0, cut)).toBeNull();
  });

  it('leaves to the library what is not plain', () => {
    const odd = [
      'GET / HTTP/1.1\nHost: a\n\n',
      'GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n',
      'GET / HTTP/1.1\r\nHo st: a\r\n\r\n',
      'GET / HTTP/1.1\r\n: a\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: \xe9\r\n\r\n',
      'GET / HTTP/2.0\r\n\r\n',
      'get / HTTP/1.1\r\n\r\n',
      'GET  / HTTP/1.1\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n',
    ];
    for (const text of odd) expect(scanRequest(bytesOf(text), 0, text.length), text).toBeNull();
    for (const text of ['HTTP/1.1 200x\r\n\r\n', 'HTTP/1.1 20 OK\r\n\r\n', 'HTTP/1.2 200 OK\r\n\r\n'])
      expect(scanResponse(bytesOf(text), 0, text.length), text).toBeNull();
  });

  it('is what the library reads, wherever it is sure', () => {
    const piece = fc.constantFrom(
      'GET',
      'POST',
      ' ',
      '  ',
      '/',
      '/a?b=c',
      'HTTP/1.1',
      'HTTP/1.0',
      'HTTP/2.0',
      '\r\n',
      '\n',
      '\r',
      ':',
      ': ',
      'Host',
      'A-b_c',
      '\t',
      'x',
      '200',
      '99',
      'OK',
      '\x00',
      '\x7f',
      '\xff',
      'text/plain; a="b"',
      '\r\n\r\n',
      ' 200 OK\r\n',
      ' HTTP/1.1\r\n',
      'K: v\r\n',
    ); // prettier-ignore
    const texts = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));
    const request = texts.map((text) => `GET /p HTTP/1.1\r\n${text}\r\n\r\n`);
    const response = texts.map((text) => `HTTP/1.1 200 OK\r\n${text}\r\n\r\n`);
    fc.assert(
      fc.property(fc.oneof(texts, request), fc.oneof(texts, response), (one, other) => {
        const asked = scanRequest(bytesOf(one), 0, one.length);
        if (asked !== null) expect({ head: asked, end: scannedEnd, error: null }).toEqual(byLibrary('REQUEST', one));
        const answered = scanResponse(bytesOf(other), 0, other.length);
        if (answered !== null)
          expect({ head: answered, end: scannedEnd, error: null }).toEqual(byLibrary('RESPONSE', other));
      }),
      { numRuns: 3000 },
    );
  });
});

describe('heads that come again', () => {
  const names = ['Host', 'User-Agent', 'Accept', 'Audit-Id', 'X'];
  const values = fc.constantFrom('a', 'b', ' a', 'a\t', '', 'a'.repeat(150), 'b'.repeat(300));
  const fields = fc.array(fc.tuple(fc.constantFrom(...names), values), { maxLength: 8 });

  it('are read as if they came for the first time, whatever order their lines stand in', () => {
    fc.assert(
      fc.property(fc.array(fields, { minLength: 2, maxLength: 12 }), (heads) => {
        for (const lines of heads) {
          const text = `GET / HTTP/1.1\r\n${lines.map(([name, value]) => `${name}:${value}\r\n`).join('')}\r\n`;
          const expected = lines.flatMap(([name, value]) => [name, value.replace(/^[ \t]+|[ \t]+$/g, '')]);
          expect(scanRequest(bytesOf(text), 0, text.length)!.fields).toEqual(expected);
          expect(scannedEnd).toBe(text.length);
        }
      }),
    );
  });

  it('but none of them where its last byte is missing or another one', () => {
    const head = 'GET / HTTP/1.1\r\nHost: known\r\nAccept: known\r\n\r\n';
    for (let i = 0; i < 3; i++) expect(scanRequest(bytesOf(head), 0, head.length)).not.toBeNull();
    for (let cut = 0; cut < head.length; cut++) expect(scanRequest(bytesOf(head), 0, cut)).toBeNull();
    const bare = head.replace('known\r\nAccept', 'known\n\nAccept');
    expect(scanRequest(bytesOf(bare), 0, bare.length)).toBeNull();
  });
});
