import { describe, expect, it } from 'vitest';
import {
  byteByByte,
  C,
  CONNECTION,
  closed,
  context,
  type Draft,
  gap,
  S,
  said,
  words,
} from '../../../test/kit/http1-kit.js';
import { http1Session, MAX_HELD_BYTES } from './session.js';

const read = (...drafts: Draft[]): string[] => words(said(http1Session(CONNECTION), context(drafts)));

const UPGRADE = 'GET /exec HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n';
const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n';
const ATTACH = 'POST /v1.41/containers/c/attach?stream=1 HTTP/1.1\r\nContent-Length: 0\r\n\r\n';

const CASES: Record<string, [Draft[], string[]]> = {
  '101 ends HTTP for good; bytes behind the head belong to the tunnel': [
    [C(UPGRADE), S(`${SWITCHED}raw`), C('GET / HTTP/1.1\r\n\r\n'), S('HTTP/1.1 200 OK\r\n\r\n'), closed()],
    [
      ...['1 > GET /exec 1-1', '1 > end', '1 < 101 2-2', '1 < upgraded SPDY/3.1', '1 < "raw"'],
      ...['1 > "GET / HTTP/1.1\\r\\n\\r\\n"', '1 < "HTTP/1.1 200 OK\\r\\n\\r\\n"', '1 > end', '1 < end'],
    ],
  ],
  'client bytes that come before the answer to an upgrade wait for it': [
    [C(UPGRADE), C('\x80frame'), S(SWITCHED), closed('client'), closed()],
    [
      ...['1 > GET /exec 1-1', '1 > end', '1 < 101 3-3', '1 < upgraded SPDY/3.1', '1 > "\x80frame"'],
      ...['1 > end', '1 < end'],
    ],
  ],
  'an upgrade that is refused changes nothing': [
    [C(UPGRADE), C('GET /b HTTP/1.1\r\n\r\n'), S('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'.repeat(2))],
    [
      ...['1 > GET /exec 1-1', '1 > end', '1 < 403 3-3', '2 > GET /b 2-2', '2 > end', '1 < end'],
      ...['2 < 403 3-3', '2 < end'],
    ],
  ],
  'CONNECT answered by 200 is a tunnel of TCP': [
    [C('CONNECT h:443 HTTP/1.1\r\n\r\n'), S('HTTP/1.1 200 OK\r\n\r\n'), C('\x16\x03'), S('\x16\x03'), closed()],
    [
      ...[
        '1 > CONNECT h:443 1-1',
        '1 > end',
        '1 < 200 2-2',
        '1 < upgraded any',
        '1 > "\\u0016\\u0003"',
        '1 < "\\u0016\\u0003"',
      ],
      ...['1 > end', '1 < end'],
    ],
  ],
  'CONNECT answered by 403 is an ordinary exchange': [
    [C('CONNECT h:443 HTTP/1.1\r\n\r\n'), S('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')],
    ['1 > CONNECT h:443 1-1', '1 > end', '1 < 403 2-2', '1 < "no"', '1 < end'],
  ],
  'docker: 101 UPGRADED': [
    [
      C(ATTACH.replace('Content', 'Connection: Upgrade\r\nUpgrade: tcp\r\nContent')),
      S('HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\nUpgrade: tcp\r\n\r\n'),
      S('\x01\x00\x00\x00\x00\x00\x00\x01x'),
      closed(),
    ],
    [
      ...['1 > POST /v1.41/containers/c/attach?stream=1 1-1', '1 > end', '1 < 101 2-2', '1 < upgraded tcp'],
      ...['1 < "\\u0001\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0001x"', '1 > end', '1 < end'],
    ],
  ],
  'docker: 200 with a raw stream; what the client sends then is its standard input': [
    [
      C(ATTACH),
      S('HTTP/1.1 200 OK\r\nContent-Type: application/vnd.docker.raw-stream\r\n\r\n$ '),
      C('GET lost\n'),
      C('ls\n'),
      closed(),
    ],
    [
      ...['1 > POST /v1.41/containers/c/attach?stream=1 1-1', '1 > end', '1 < 200 2-2', '1 < upgraded tcp', '1 < "$ "'],
      ...['1 > "GET lost\\nls\\n"', '1 > end', '1 < end'],
    ],
  ],
  'docker: standard input before the answer': [
    [
      C(ATTACH),
      C('ls\n'),
      S('HTTP/1.1 200 OK\r\nContent-Type: application/vnd.docker.multiplexed-stream\r\n\r\n'),
      closed(),
    ],
    [
      ...['1 > POST /v1.41/containers/c/attach?stream=1 1-1', '1 > end', '1 < 200 3-3', '1 < upgraded tcp'],
      ...['1 > "ls\\n"', '1 > end', '1 < end'],
    ],
  ],
  'docker: logs in chunks are an ordinary body': [
    [
      C('GET /logs HTTP/1.1\r\n\r\n'),
      S('HTTP/1.1 200 OK\r\nContent-Type: application/vnd.docker.raw-stream\r\nTransfer-Encoding: chunked\r\n\r\n'),
      S('2\r\nhi\r\n0\r\n\r\n'),
    ],
    ['1 > GET /logs 1-1', '1 > end', '1 < 200 2-2', '1 < "hi"', '1 < end'],
  ],
};

describe('HTTP/1 tunnels', () => {
  for (const [name, [drafts, expected]] of Object.entries(CASES)) {
    it(name, () => expect(read(...drafts)).toEqual(expected));
    it(`${name}, byte by byte`, () => {
      expect(words(said(http1Session(CONNECTION), byteByByte(context(drafts))))).toEqual(expected);
    });
  }

  it.each([
    ['WebSocket', 'websocket'],
    ['h2c', 'h2c'],
    ['SPDY/3.1, other', 'SPDY/3.1'],
  ])('Upgrade: %s is %s', (header, protocol) => {
    const all = read(C(UPGRADE), S(SWITCHED.replace('SPDY/3.1', header)));
    expect(all).toContain(`1 < upgraded ${protocol}`);
  });

  it('reports bytes missing from a tunnel and cuts its end', () => {
    expect(read(C(UPGRADE), S(SWITCHED), gap('server', 7), S('x'), closed()).slice(4)).toEqual([
      ...['1 < gap 7', '1 < "x"', '1 > end', '1 < cut'],
    ]);
  });

  it('holds no more than the limit', () => {
    const all = read(C(UPGRADE), C('\x80'.repeat(MAX_HELD_BYTES)), C('\x80'), S(SWITCHED), S('raw'), closed());
    expect(all).toContain('! http.malformed');
    expect(all.slice(-3)).toEqual(['1 < "raw"', '1 > end', '1 < end']);
  });
});
