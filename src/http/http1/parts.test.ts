import { describe, expect, it } from 'vitest';
import type { RequestHead, ResponseHead } from '../http-event.js';
import { CHUNKED, INVALID, requestBodyLength, responseBodyLength, TUNNEL, UNTIL_CLOSE } from './body-length.js';
import { ChunkReader, chunkBegins, MAX_CHUNK_LINE } from './chunks.js';
import { detectHttp1 } from './detect.js';
import { HeadReader } from './head.js';
import { seemsHead } from './search.js';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const request = (method: string, ...fields: string[]): RequestHead => ({
  kind: 'request-head',
  version: '1.1',
  method,
  target: '/',
  fields,
  partial: [],
});
const response = (status: number, ...fields: string[]): ResponseHead => ({
  kind: 'response-head',
  version: '1.1',
  status,
  fields,
  partial: [],
});

describe('the length of a body (RFC 9112 section 6.3)', () => {
  it.each<[string, number, string[]]>([
    ['GET', 0, []],
    ['POST', 0, []],
    ['POST', 5, ['content-length', '5']],
    ['POST', 5, ['Content-Length', '5, 5']],
    ['POST', 5, ['Content-Length', '5', 'Content-Length', '5']],
    ['POST', INVALID, ['Content-Length', '5', 'Content-Length', '6']],
    ['POST', INVALID, ['Content-Length', '5, 6']],
    ['POST', INVALID, ['Content-Length', '-5']],
    ['POST', INVALID, ['Content-Length', '+5']],
    ['POST', INVALID, ['Content-Length', '0x10']],
    ['POST', INVALID, ['Content-Length', '1e9']],
    ['POST', INVALID, ['Content-Length', '']],
    ['POST', INVALID, ['Content-Length', '9999999999999999999']],
    ['POST', CHUNKED, ['Transfer-Encoding', 'chunked']],
    ['POST', CHUNKED, ['Content-Length', '5', 'Transfer-Encoding', 'gzip, Chunked']],
    ['CONNECT', 0, ['Content-Length', '5']],
  ])('request %s: %i for %j', (method, length, fields) => {
    expect(requestBodyLength(request(method, ...fields))).toBe(length);
  });

  it.each<[string | null, number, number, string[]]>([
    ['GET', 200, 3, ['Content-Length', '3']],
    ['GET', 200, CHUNKED, ['Transfer-Encoding', 'chunked']],
    ['GET', 200, UNTIL_CLOSE, ['Transfer-Encoding', 'gzip']],
    ['GET', 200, CHUNKED, ['Transfer-Encoding', 'gzip', 'Content-Length', '5', 'Transfer-Encoding', 'chunked']],
    ['GET', 200, CHUNKED, ['Transfer-Encoding', 'gzip,\tchunked\t,']],
    ['GET', 200, UNTIL_CLOSE, ['Transfer-Encoding', 'chunked', 'Transfer-Encoding', 'gzip']],
    ['GET', 200, UNTIL_CLOSE, ['Transfer-Encoding', 'x-chunked']],
    ['GET', 200, UNTIL_CLOSE, []],
    ['HEAD', 200, 0, ['Content-Length', '3']],
    [null, 204, 0, ['Content-Length', '3']],
    [null, 304, 0, ['Transfer-Encoding', 'chunked']],
    ['GET', 101, TUNNEL, []],
    ['CONNECT', 200, TUNNEL, ['Content-Length', '3']],
    ['CONNECT', 502, 3, ['Content-Length', '3']],
    ['POST', 200, TUNNEL, ['Content-Type', 'application/vnd.docker.raw-stream']],
    ['POST', 404, UNTIL_CLOSE, ['Content-Type', 'application/vnd.docker.raw-stream']],
  ])('response to %s: %i has %i for %j', (method, status, length, fields) => {
    expect(responseBodyLength(response(status, ...fields), method)).toBe(length);
  });
});

function dechunk(text: string, step: number): { content: string; rest: string; trailers: string[]; state: string } {
  const reader = new ChunkReader();
  const all = bytes(text);
  let content = '';
  let at = 0;
  while (at < all.length && !reader.done && !reader.broken) {
    const piece = all.subarray(at, at + step);
    const next = reader.read(piece, 0);
    content += Buffer.from(piece.subarray(reader.dataStart, reader.dataEnd)).toString('latin1');
    at += next;
  }
  const state = reader.done ? 'done' : reader.broken ? 'broken' : 'open';
  return { content, rest: text.slice(at), trailers: reader.trailers, state };
}

describe('chunks (RFC 9112 section 7.1)', () => {
  it.each([
    ['4\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\nGET', 'Wikipedia', 'GET', 'done'],
    ['A;x=y\r\n0123456789\r\n00\r\n\r\n', '0123456789', '', 'done'],
    ['1\nx\n0\n\n', 'x', '', 'done'],
    ['5\r\nab', 'ab', '', 'open'],
    ['1\r\nxy', 'x', 'y', 'broken'],
    ['g\r\n', '', 'g\r\n', 'broken'],
  ])('%j', (text, content, rest, state) => {
    for (const step of [1, 2, 3, text.length])
      expect(dechunk(text, step)).toEqual({ content, rest, trailers: [], state });
  });

  it('ends extensions beyond the limit', () => {
    expect(dechunk(`1;${'e'.repeat(MAX_CHUNK_LINE - 2)}\r\nx`, 7).state).toBe('broken');
    expect(dechunk(`1;${'e'.repeat(MAX_CHUNK_LINE - 3)}\r\nx`, 7).content).toBe('x');
  });

  it('gives the fields behind the last chunk', () => {
    expect(dechunk('0\r\nA: 1\r\nB: 2\r\n\r\n', 1).trailers).toEqual(['A', '1', 'B', '2']);
  });

  it('ends trailers beyond the limit', () => {
    expect(dechunk(`0\r\n${'A: 1\r\n'.repeat(20_000)}\r\n`, 1000).state).toBe('broken');
  });

  it.each([
    ['3\r\nabc\r\n', true, true],
    ['3\r\nabcX\r\n', true, false],
    ['3\r\nab', true, true],
    ['3\r\nab', false, false],
    ['ed\r\n\r\n1f4\r\n', true, false],
    ['393\r\nDate: ', true, false],
    ['393\r\nDate', true, true],
    ['0\r\n\r\n', true, false],
    ['{"a":1}\r\n', true, false],
    ['cafe\r\n', true, false],
  ])('chunkBegins(%j, at segment start %s) is %s', (text, atSegmentStart, expected) => {
    expect(chunkBegins(bytes(text), 0, atSegmentStart)).toBe(expected);
  });
});

describe('heads', () => {
  it('stop behind the empty line', () => {
    const reader = new HeadReader('REQUEST');
    const text = 'GET / HTTP/1.1\r\nA: b\r\n\r\nbody';
    expect(reader.read(bytes(text), 0)).toBe(text.length - 4);
    expect(reader.head).toMatchObject({ method: 'GET', target: '/', version: '1.1', fields: ['A', 'b'] });
  });

  it('read HTTP/1.0', () => {
    const reader = new HeadReader('RESPONSE');
    reader.read(bytes('HTTP/1.0 200\r\n\r\n'), 0);
    expect(reader.head).toMatchObject({ status: 200, version: '1.0' });
  });

  it('longer than the text that is made at once', () => {
    const reader = new HeadReader('REQUEST');
    const value = 'v'.repeat(5000);
    reader.read(bytes(`GET / HTTP/1.1\r\nA: ${value}\r\nB: c\r\n\r\n`), 0);
    expect(reader.head?.fields).toEqual(['A', value, 'B', 'c']);
  });

  it('after a reset nothing of an unfinished head is left', () => {
    const reader = new HeadReader('REQUEST');
    reader.read(bytes('GET /lost HTTP/1.1\r\nA: b\r\nC'), 0);
    reader.reset();
    reader.read(bytes('PUT / HTTP/1.1\r\n\r\n'), 0);
    expect(reader.head).toMatchObject({ method: 'PUT', fields: [] });
  });
});

describe('what seems a head', () => {
  it.each<[string, 'client' | 'server', boolean]>([
    ['GET /', 'client', true],
    ['GE', 'client', true],
    ['GETTING ', 'client', false],
    ['HELLO ', 'client', false],
    ['HTTP/1.1 200 OK', 'server', true],
    ['HTTP/1.', 'server', true],
    ['HTTP/1.1 is', 'server', false],
    ['HTTP/2.0 200', 'server', false],
    ['HTTP/0.1 502', 'server', true],
  ])('%j from the %s: %s', (text, from, expected) => {
    expect(seemsHead(bytes(text), 0, from)).toBe(expected);
  });
});

describe('is it HTTP/1?', () => {
  it.each<[string, string, boolean, string]>([
    ['GET ', '', true, 'more'],
    ['GET /', '', true, 'yes'],
    ['GET http://a/b HTTP/1.1\r\n', '', true, 'yes'],
    ['CONNECT a:443 HTTP/1.1\r\n', '', true, 'yes'],
    ['GET /not a target', '', true, 'yes'],
    ['GET key\r\n', '', true, 'no'],
    ['CONNECT {"verbose":false}\r\n', '', true, 'no'],
    ['OPTIONS rtsp://a/b RTSP/1.0\r\n', '', true, 'no'],
    ['OPTIONS sip:a@b SIP/2.0\r\n', '', true, 'no'],
    ['GE', '', true, 'more'],
    ['', 'HTTP/1.1', true, 'yes'],
    ['', 'HT', true, 'more'],
    ['', '', true, 'more'],
    ['PRI * HTTP/2.0\r\n', '', true, 'no'],
    ['FROB /x HTTP/1.1\r\n', '', true, 'yes'],
    ['FROB /x', '', true, 'more'],
    ['SSH-2.0-OpenSSH\r\n', '', true, 'no'],
    ['', 'SSH-2.0-OpenSSH\r\n', true, 'no'],
    ['\x00\x00\x00', '', true, 'no'],
    ['', '1f4\r\n{', true, 'no'],
    // A number in a line of its own is no chunk yet: its end, what it holds or the next one tells.
    ['', '1f4\r\n{', false, 'more'],
    ['', '1f4\r\n{"type":"ADDED",', false, 'yes'],
    ['', '104\r\n\x00\x00\x01\x00\x0a', false, 'yes'],
    ['', '800\r\n\x00\x00\x0c\x29\x0a\x07DELETED\x12', false, 'yes'],
    ['', '12\r\nsome text of a log\r\n5\r\n', false, 'more'],
    ['', `100\r\n${'x'.repeat(256)}\r\n5\r\n`, false, 'yes'],
    ['', '12\r\nsome text of a log\r\n', false, 'yes'],
    ['', '18\r\nsome text of a log\r\n', false, 'more'],
    ['', 'rest}\r\n2\r\n{}\r\n', false, 'more'],
    ['', 'rest}\r\n2\r\n{}\r\n0\r\n\r\n', false, 'yes'],
    ['', 'rest}\r\n9\r\n{"a":"b"}\r\n', false, 'yes'],
    ['', 'rest}\r\na\r\n0123456789\r\n9\r\n012345678\r\n', false, 'yes'],
    ['', 'rest}\r\na\r\n0123456789\r\n9\r\n0123456789\r\n', false, 'more'],
    // RESP2 arrays of Redis, from the second byte of a bulk string on.
    ['', '3\r\nabc\r\n$2\r\n10\r\n', false, 'more'],
    ['', '2\r\n$3\r\nGET\r\n', false, 'more'],
    ['RESPMOD icap://a/b ICAP/1.0\r\n\r\nGET /a HTTP/1.1\r\nHost: a\r\n', '', false, 'more'],
    ['', 'a log says HTTP/1.1 200 OK and more\r\nof it\r\n', false, 'more'],
    ['', 'restHTTP/1.1 200 OK\r\n', false, 'yes'],
    ['rest\nGET /a HTTP/1.1\r\n', '', false, 'yes'],
    ['', 'rest', false, 'more'],
  ])('client %j server %j handshake %s: %s', (client, server, handshakeSeen, expected) => {
    expect(detectHttp1({ client: bytes(client), server: bytes(server) }, handshakeSeen)).toBe(expected);
  });
});
