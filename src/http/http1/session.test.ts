import { HTTPParser } from 'http-parser-js';
import { describe, expect, it } from 'vitest';
import {
  byteByByte,
  C,
  CONNECTION,
  closed,
  context,
  type Draft,
  gap,
  LATE,
  S,
  said,
  words,
} from '../../../test/kit/http1-kit.js';
import { http1Session } from './session.js';

const read = (...drafts: Draft[]): string[] => words(said(http1Session(CONNECTION), context(drafts)));

const GET = 'GET /a HTTP/1.1\r\nHost: x\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** Each conversation and what it is; read whole and byte by byte. */
const CASES: Record<string, [Draft[], string[]]> = {
  'a request and its response': [
    [C(GET), S(OK)],
    ['1 > GET /a 1-1', '1 > end', '1 < 200 2-2', '1 < "ok"', '1 < end'],
  ],
  'a head over three frames has the frames of its first and last byte': [
    [C('GET /a HT'), C('TP/1.1\r\nHost: x\r\n\r'), C('\n'), S('HTTP/1.1 204 No Content\r\n'), S('\r\n')],
    ['1 > GET /a 1-3', '1 > end', '1 < 204 4-5', '1 < end'],
  ],
  'pipelined requests are answered in their order': [
    [C(`${GET}POST /b HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc${GET}`), S(OK + OK), S(OK)],
    [
      ...['1 > GET /a 1-1', '1 > end', '2 > POST /b 1-1', '2 > "abc"', '2 > end', '3 > GET /a 1-1', '3 > end'],
      ...['1 < 200 2-2', '1 < "ok"', '1 < end', '2 < 200 2-2', '2 < "ok"', '2 < end'],
      ...['3 < 200 3-3', '3 < "ok"', '3 < end'],
    ],
  ],
  '100 Continue and 103 Early Hints are left out': [
    [
      C('PUT /a HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n'),
      S('HTTP/1.1 100 Continue\r\n\r\n'),
      C('hi'),
      S(`HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${OK}`),
    ],
    ['1 > PUT /a 1-1', '1 > "hi"', '1 > end', '1 < 200 4-4', '1 < "ok"', '1 < end'],
  ],
  'the answer to HEAD has no body, whatever it declares': [
    [C('HEAD /a HTTP/1.1\r\n\r\n'), S('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n'), C(GET), S(OK)],
    [
      ...['1 > HEAD /a 1-1', '1 > end', '1 < 200 2-2', '1 < end'],
      ...['2 > GET /a 3-3', '2 > end', '2 < 200 4-4', '2 < "ok"', '2 < end'],
    ],
  ],
  '204 and 304 have no body': [
    [C(GET + GET), S(`HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n`)],
    ['1 > GET /a 1-1', '1 > end', '2 > GET /a 1-1', '2 > end', '1 < 304 2-2', '1 < end', '2 < 204 2-2', '2 < end'],
  ],
  'chunks with extensions and trailers': [
    [
      C(GET),
      S('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a="b"\r\nhello\r\n'),
      S('1 \r\n!\r\n0\r\nExpires: never\r\nX-Sum: 1\r\n\r\n'),
      C(GET),
      S(OK),
    ],
    [
      ...['1 > GET /a 1-1', '1 > end', '1 < 200 2-2', '1 < "hello!"', '1 < trailers Expires never X-Sum 1', '1 < end'],
      ...['2 > GET /a 4-4', '2 > end', '2 < 200 5-5', '2 < "ok"', '2 < end'],
    ],
  ],
  'without a length the body ends with the connection': [
    [C(GET), S('HTTP/1.0 200 OK\r\n\r\nab'), S('cd'), closed('server'), closed()],
    ['1 > GET /a 1-1', '1 > end', '1 < 200 2-2', '1 < "abcd"', '1 < end'],
  ],
  'lines that end with LF alone, empty lines before a message, folded fields': [
    [C('\r\n\nGET /a HTTP/1.1\nA: b\n  c\n\n'), S('\r\nHTTP/1.1 200\nContent-Length: 1\n\nx')],
    ['1 > GET /a 1-1', '1 > end', '1 < 200 2-2', '1 < "x"', '1 < end'],
  ],
  'an unknown method is a method': [
    [C('BREW-IT /pot HTTP/1.1\r\n\r\n'), S('HTTP/1.1 418 no\r\nContent-Length: 0\r\n\r\n')],
    ['1 > BREW-IT /pot 1-1', '1 > end', '1 < 418 2-2', '1 < end'],
  ],
  'a response without any request has a number of its own': [
    [S(OK), C(GET), S(OK)],
    [...['1 < 200 1-1', '1 < "ok"', '1 < end'], ...['2 > GET /a 2-2', '2 > end', '2 < 200 3-3', '2 < "ok"', '2 < end']],
  ],
};

describe('HTTP/1 messages', () => {
  for (const [name, [drafts, expected]] of Object.entries(CASES)) {
    it(name, () => expect(read(...drafts, closed())).toEqual(expected));
    it(`${name}, byte by byte`, () => {
      const events = byteByByte(context([...drafts, closed()]));
      expect(words(said(http1Session(CONNECTION), events))).toEqual(expected);
    });
  }

  it('keeps names and values as on the wire', () => {
    const head = said(
      http1Session(CONNECTION),
      context([C('GET / HTTP/1.1\r\nX-ODD:\t v\xe9 \r\nx-odd: 2\r\n\r\n')]),
    )[0];
    expect(head).toMatchObject({ head: { version: '1.1', fields: ['X-ODD', 'v\xe9', 'x-odd', '2'], partial: [] } });
  });

  it('borrows a body that fills its segment', () => {
    const session = http1Session(CONNECTION);
    const [head, body] = context([C('PUT / HTTP/1.1\r\nContent-Length: 3\r\n\r\n'), C('abc')]);
    session.feed(head);
    expect(session.feed(body)[0]).toHaveProperty('bytes', (body as { bytes: Uint8Array }).bytes);
  });

  it('reports a cut if the connection ends inside a body, and the missing response', () => {
    expect(read(C('PUT / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc'), closed(null, 'reset'))).toEqual([
      '1 > PUT / 1-1',
      '1 > "abc"',
      '1 > cut',
      '1 < cut',
    ]);
  });

  it('reports a cut if a body without length ends with a reset', () => {
    expect(read(C(GET), S('HTTP/1.1 200 OK\r\n\r\nab'), closed(null, 'reset')).slice(-2)).toEqual([
      '1 < "ab"',
      '1 < cut',
    ]);
  });

  it.each([
    ['server', [closed(null, 'reset')]],
    ['client', [closed(null, 'aborted')]],
    ['client', [closed('client'), closed('server'), closed()]],
    ['server', [closed('server'), closed('client'), closed()]],
    [undefined, [closed(null, 'idle')]],
    [undefined, []],
  ] as const)('reports which side broke it off: %s (%#)', (by, ends) => {
    const all = said(http1Session(CONNECTION), context([C(GET), ...ends]));
    const last = all.filter((item) => item.kind === 'end' && item.from === 'server');
    expect(last.map((item) => ('cut' in item ? item.cut?.by : undefined))).toEqual([by]);
  });

  it.each([
    ['client', closed('client')],
    ['server', closed(null, 'reset')],
  ] as const)('blames no side for a response that may be among lost bytes: %s', (by, end) => {
    const all = said(http1Session(CONNECTION), context([C(GET), gap('server', 5), C(GET), end, closed()]));
    const ends = all.filter((item) => item.kind === 'end' && item.from === 'server');
    expect(ends.map((item) => ('cut' in item ? item.cut?.by : undefined))).toEqual([undefined, by]);
  });

  it('takes a response for none that came when the client had gone, and reset the connection for it', () => {
    const all = said(http1Session(CONNECTION), context([C(GET), closed('client'), S(OK), closed(null, 'aborted')]));
    expect(words(all)).toEqual(['1 > GET /a 1-1', '1 > end', '! http.unread-response', '1 < cut']);
    expect(all.find((item) => item.kind === 'notice')).toMatchObject({
      detail: '40 bytes of the server came after the client had ended the connection, and were read by nobody',
      origin: { frame: 3 },
    });
    // It ended when the client ended it.
    expect(all.at(-1)).toMatchObject({ cut: { by: 'client', how: 'FIN' }, origin: { frame: 2 } });
  });

  it('reads the response to a client that has ended its direction alone', () => {
    const answered = ['1 > GET /a 1-1', '1 > end', '1 < 200 3-3', '1 < "ok"', '1 < end'];
    expect(read(C(GET), closed('client'), S(OK), closed('server'), closed())).toEqual(answered);
    expect(read(C(GET), closed('client'), S(OK))).toEqual(answered);
    // The reset came in the midst of it, or after a long one.
    const began = [C(GET), S(OK.slice(0, 10)), closed('client'), S(OK.slice(10))];
    expect(read(...began, closed(null, 'aborted')).slice(0, 5)).toEqual(
      answered.map((word) => word.replace('3-3', '2-4')),
    );
    const long = `HTTP/1.1 200 OK\r\nContent-Length: ${70_000}\r\n\r\n`;
    const pieces = [S(long), S('x'.repeat(40_000)), S('x'.repeat(30_000))];
    expect(read(C(GET), closed('client'), ...pieces, closed(null, 'aborted'))).toContain('1 < end');
  });

  it('counts a head that was never finished as unread', () => {
    expect(read(C('GET / HTTP/1.1\r\nHost'), closed())).toEqual(['> unread 20']);
  });

  it('gives the ends at end() where nothing closed the connection', () => {
    expect(read(C(GET))).toEqual(['1 > GET /a 1-1', '1 > end', '1 < cut']);
  });

  it('reads nothing after opaque', () => {
    const opaque: Draft = (connection, origin) => ({
      kind: 'opaque',
      connection,
      origin,
      reason: 'bad-tag',
      detail: '',
    });
    expect(read(C(GET), opaque, S(OK))).toEqual(['1 > GET /a 1-1', '1 > end', '1 < cut']);
  });
});

describe('HTTP/1 heads that are none', () => {
  it('gives up a head beyond the limit and goes on at the next message', () => {
    const long = `GET / HTTP/1.1\r\nA: ${'x'.repeat(90_000)}\r\n\r\n`;
    const expected = [
      '! limit.header',
      `> unread ${long.length}`,
      '! http.resynchronised',
      '1 > GET /a 1-1',
      '1 > end',
    ];
    expect(read(C(long + GET)).slice(0, 5)).toEqual(expected);
  });

  it('reads a head of just the limit', () => {
    const before = 'GET / HTTP/1.1\r\nA: ';
    const head = `${before}${'x'.repeat(80 * 1024 - before.length - 4)}\r\n\r\n`;
    expect(read(C(head))[0]).toBe('1 > GET / 1-1');
    expect(read(C(head.replace('x', 'xx')))[0]).toBe('! limit.header');
  });

  it.each([
    ['GARBAGE\r\n', 9],
    ['\x00\x01\x02\n', 4],
    ['GET / HTTP/2.0\r\n\r\n', 18],
    ['GET  / HTTP/1.1\r\n', 17],
    ['get / HTTP/1.1\r\n', 16],
  ])('reports %j as malformed and continues behind it', (garbage, length) => {
    const expected = ['! http.malformed', `> unread ${length}`, '! http.resynchronised', '1 > GET /a 1-1', '1 > end'];
    expect(read(C(garbage + GET)).slice(0, 5)).toEqual(expected);
  });

  it.each([
    ['where a message begins', CONNECTION, [C(GET), S(OK)]],
    ['in a capture that begins in the middle', LATE, []],
  ])('reports that a request line is none, %s', (_, connection, before) => {
    const drafts = [...before, C('GET /a b HTTP/1.1\r\nHost: x\r\n\r\n'), S(OK), C(GET), S(OK)];
    const items = said(http1Session(connection), context(drafts, connection));
    const notices = items.filter((item) => item.kind === 'notice' && item.code === 'http.malformed');
    expect(notices).toMatchObject([
      {
        detail: 'a request line of the client is none; its answer is shown without a request',
        origin: { frame: before.length + 1 },
      },
    ]);
    expect(words(items).filter((word) => / > \w+ \//.test(word))).toHaveLength(1 + before.length / 2);
  });

  it('reports malformed bytes once, however many there are', () => {
    const all = read(C(GET), S('nonsense\nHTTP/1.x 200 OK\nmore'), S('and more\n'), S(OK), closed());
    expect(all.filter((word) => word.startsWith('!'))).toEqual(['! http.malformed', '! http.resynchronised']);
    // What answers the request may be among the nonsense.
    expect(all).toContain('2 < 200 4-4');
  });

  it('cuts a message whose head contradicts itself', () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n';
    expect(read(C(GET), S(head), C(GET), S(OK)).slice(2)).toEqual([
      ...['1 < 200 2-2', '1 < cut', '! http.malformed', '2 > GET /a 3-3', '2 > end'],
      ...['2 < 200 4-4', '2 < "ok"', '2 < end'],
    ]);
  });
});

it('leaves the limit of http-parser-js as it is for others of the process', () => {
  expect(read(C(GET), S(OK))).toHaveLength(5);
  // The package's own default: 80 KiB.
  expect(HTTPParser.maxHeaderSize).toBe(80 * 1024);
});
