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

const read = (...drafts: Draft[]): string[] => words(said(http1Session(CONNECTION), context([...drafts, closed()])));
const late = (...drafts: Draft[]): string[] => words(said(http1Session(LATE), context([...drafts, closed()])));

const get = (target: string): Draft => C(`GET ${target} HTTP/1.1\r\n\r\n`);
const ok = (body: string): string => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const FOUND = '! http.resynchronised';

describe('bytes missing inside a body', () => {
  it('are stepped over by the declared length, and the next message is read', () => {
    expect(read(get('/a'), S(ok('0123456789').slice(0, -8)), gap('server', 5), S(`789${ok('x')}`), get('/b'))).toEqual([
      ...['1 > GET /a 1-1', '1 > end', '1 < 200 2-2', '1 < "01"', '1 < gap 5', '1 < "789"', '1 < cut'],
      ...['2 < 200 4-4', '2 < "x"', '2 < end', '3 > GET /b 5-5', '3 > end', '3 < cut'],
    ]);
  });

  it('that reach its last byte end it', () => {
    expect(read(get('/a'), S(ok('abc').slice(0, -2)), gap('server', 2), get('/b'), S(ok('y'))).slice(2)).toEqual([
      ...[
        '1 < 200 2-2',
        '1 < "a"',
        '1 < gap 2',
        '1 < cut',
        '2 > GET /b 4-4',
        '2 > end',
        '2 < 200 5-5',
        '2 < "y"',
        '2 < end',
      ],
    ]);
  });

  it('and beyond it: the next message is searched for', () => {
    const tail = `lost\r\n\r\n${ok('y')}`;
    expect(read(get('/a'), S(ok('abc').slice(0, -2)), gap('server', 50), get('/b'), S(tail)).slice(4)).toEqual([
      ...[
        '1 < gap 2',
        '1 < cut',
        '2 > GET /b 4-4',
        '2 > end',
        '< unread 56',
        FOUND,
        '2 < 200 5-5',
        '2 < "y"',
        '2 < end',
      ],
    ]);
  });

  it('of unknown number cut it', () => {
    expect(read(get('/a'), S(ok('abc').slice(0, -2)), gap('server', null), get('/b'), S(ok('y'))).slice(4)).toEqual([
      ...['1 < gap null', '2 > GET /b 4-4', '2 > end', '1 < cut', '< unread null', FOUND],
      ...['2 < 200 5-5', '2 < "y"', '2 < end'],
    ]);
  });

  it('inside one chunk are stepped over', () => {
    expect(read(get('/a'), S(`${CHUNKED}a\r\n01`), gap('server', 7), S('9\r\n1\r\nx\r\n0\r\n\r\n')).slice(3)).toEqual([
      ...['1 < "01"', '1 < gap 7', '1 < "9x"', '1 < cut'],
    ]);
  });

  it('over several chunks: the same body continues at the next chunk, without a request since', () => {
    const chunks = [S(`${CHUNKED}5\r\n01`), gap('server', 99), S('est\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n')];
    expect(read(get('/a'), ...chunks).slice(3)).toEqual([
      ...['1 < "01"', '1 < gap null', '< unread 5', FOUND, '1 < "abcd"', '1 < cut'],
    ]);
  });

  it('over several chunks: after a request since, the chunks belong to no known message', () => {
    const chunks = [S(`${CHUNKED}5\r\n01`), gap('server', 99), get('/b'), S('3\r\nabc\r\n0\r\n\r\n')];
    expect(read(get('/a'), ...chunks).slice(3)).toEqual([
      ...['1 < "01"', '1 < gap null', '2 > GET /b 4-4', '2 > end', '1 < cut'],
      ...['3 < null 5-5 partial', '3 < "abc"', '3 < cut', '2 < cut'],
    ]);
  });

  it('leave a body without length where it is', () => {
    const all = read(get('/a'), S('HTTP/1.1 200 OK\r\n\r\nab'), gap('server', 3), S('HTTP/1.1 is text'));
    expect(all.slice(3)).toEqual(['1 < "ab"', '1 < gap 3', '1 < "HTTP/1.1 is text"', '1 < cut']);
  });
});

describe('chunks that break their framing', () => {
  it.each(['zz\r\n', '-4\r\n', '3\r\nabcd\r\n', '11111111111111111\r\n', 'fffffffffffffff\r\n', ';\r\n'])(
    '%j',
    (bad) => {
      const all = read(get('/a'), S(`${CHUNKED}1\r\nx\r\n${bad}`), get('/b'), S(ok('y')));
      expect(all).toContain('! http.malformed');
      expect(all).toContain('1 < cut');
      expect(all.slice(-3)).toEqual(['2 < 200 4-4', '2 < "y"', '2 < end']);
    },
  );
});

describe('bytes missing between and in heads', () => {
  it('a lost request: its response has no request, the next pair is right', () => {
    const all = read(get('/a'), S(ok('a')), gap('client', 30), S(ok('b')), get('/c'), S(ok('c')));
    expect(all.filter((word) => /GET|200/.test(word))).toEqual([
      ...['1 > GET /a 1-1', '1 < 200 2-2', '2 < 200 4-4', '3 > GET /c 5-5', '3 < 200 6-6'],
    ]);
  });

  const OF_HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n';
  const HTTP = `HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n`;

  it.each([
    ['of a length', OF_HEAD],
    ['in chunks', CHUNKED],
    ['to the end of the connection', 'HTTP/1.1 200 OK\r\n\r\n'],
  ])('a lost HEAD request: the body %s, that its answer declares, does not come', (_, head) => {
    const drafts = [gap('client', 30), S(head), get('/b'), S(ok('b')), closed()];
    const expected = [
      ...['1 < 200 2-2', '> unread 30', FOUND, '2 > GET /b 3-3', '2 > end', '1 < end'],
      ...['2 < 200 4-4', '2 < "b"', '2 < end'],
    ];
    expect(words(said(http1Session(CONNECTION), context(drafts)))).toEqual(expected);
    expect(words(said(http1Session(CONNECTION), byteByByte(context(drafts))))).toEqual(expected);
  });

  it.each([
    ['a body that is no head', [S(`${HTTP}HTTP/1.1`), S('?')], ['1 < "HTTP/1.1?"', '1 < end']],
    ['the connection ends in it', [S(`${HTTP}HTTP/`), closed('server')], ['1 < "HTTP/"', '1 < cut']],
    ['more is lost', [S(`${HTTP}HTTP/`), gap('server', 4)], ['1 < "HTTP/"', '1 < gap 4', '1 < cut']],
    ['nothing came of it', [S(HTTP), closed('server')], ['1 < cut']],
  ])('a lost request whose answer has a body: %s', (_, drafts, expected) => {
    const events = context([gap('client', 30), ...drafts, closed()]);
    expect(words(said(http1Session(CONNECTION), events)).slice(1, 1 + expected.length)).toEqual(expected);
    expect(words(said(http1Session(CONNECTION), byteByByte(events))).slice(1, 1 + expected.length)).toEqual(expected);
  });

  it('a request cut in its head is not made up from its rest', () => {
    const all = read(
      C('GET /a HTTP/1.1\r\nAcc'),
      gap('client', 10),
      C('gzip\r\n\r\n'),
      S(ok('a')),
      get('/c'),
      S(ok('c')),
    );
    expect(all).toEqual([
      ...['1 < 200 4-4', '1 < "a"', '1 < end', '> unread 38', FOUND],
      ...['2 > GET /c 5-5', '2 > end', '2 < 200 6-6', '2 < "c"', '2 < end'],
    ]);
  });

  it('a lost response: the next one answers the request that was sent behind the loss', () => {
    const all = read(get('/a'), gap('server', 40), get('/b'), S(ok('b')));
    expect(all).toEqual([
      ...['1 > GET /a 1-1', '1 > end', '2 > GET /b 3-3', '2 > end', '< unread 40', FOUND],
      ...['1 < cut', '2 < 200 4-4', '2 < "b"', '2 < end'],
    ]);
  });

  it('a lost response and a loss that is noticed too late: the newest request is taken', () => {
    const all = read(get('/a'), get('/b'), gap('server', 40), S(ok('b')));
    expect(all.filter((word) => word.includes('<'))).toEqual([
      // Two requests without a response between them may as well be pipelined: then nobody knows.
      ...['< unread 40', '1 < cut', '2 < cut', '3 < 200 4-4', '3 < "b"', '3 < end'],
    ]);
  });

  it('a loss on a connection that pipelines leaves the responses behind it without requests', () => {
    const all = read(get('/a'), get('/b'), S(ok('a')), gap('server', 40), get('/c'), S(ok('?')), get('/d'), S(ok('?')));
    expect(all.filter((word) => / < \d/.test(word))).toEqual(['1 < 200 3-3', '4 < 200 6-6', '6 < 200 8-8']);
  });

  it('two requests before a response, behind a loss: pipelined or not is unknown', () => {
    const bunch = [get('/b'), get('/c'), S(ok('?')), get('/d'), S(ok('?'))];
    const all = read(get('/a'), S(ok('a')), gap('client', 30), ...bunch);
    expect(all.filter((word) => / < (\d|cut)/.test(word))).toEqual([
      ...['1 < 200 2-2', '2 < cut', '3 < cut', '4 < 200 6-6', '5 < cut', '6 < 200 8-8'],
    ]);
  });

  it('two responses lost in a row, all requests seen', () => {
    const all = read(get('/a'), gap('server', 40), get('/b'), get('/c'), S(ok('c')));
    expect(all.filter((word) => / < (\d|cut)/.test(word))).toEqual(['1 < cut', '2 < cut', '3 < cut', '4 < 200 5-5']);
  });

  it('a response whose head is the only thing that is lost', () => {
    const all = read(get('/a'), gap('server', 40), S('body text\nHTTP/1.1 is not a head\n'), get('/b'), S(ok('b')));
    expect(all.slice(-5)).toEqual([FOUND, '1 < cut', '2 < 200 5-5', '2 < "b"', '2 < end']);
    expect(all).toContain('< unread 73');
  });

  it('text that only looks like a request is none', () => {
    const all = read(gap('client', 5), C('HELLO THERE\nGET lost\nPOST /x HTTP/1.1\r\nContent-Length: 0\r\n\r\n'));
    expect(all).toEqual(['> unread 26', FOUND, '1 > POST /x 2-2', '1 > end', '1 < cut']);
  });

  it('a gap before the first byte', () => {
    expect(read(gap('server', 4), get('/a'), S(`rest\n${ok('a')}`)).slice(2)).toEqual([
      ...['< unread 9', FOUND, '1 < 200 3-3', '1 < "a"', '1 < end'],
    ]);
  });
});

describe('a capture that begins in the middle', () => {
  it('at a message: nothing is emitted about it', () => {
    expect(late(get('/a'), S(ok('a')))).toEqual([
      ...['1 > GET /a 1-1', '1 > end', '1 < 200 2-2', '1 < "a"', '1 < end'],
    ]);
  });

  it('in a body: it is unread up to the next message', () => {
    expect(late(S(`the rest of a body${ok('lost, too')}`), get('/a'), S(ok('a')))).toEqual([
      ...['1 > GET /a 2-2', '1 > end', '< unread 65', FOUND, '1 < 200 3-3', '1 < "a"', '1 < end'],
    ]);
  });

  it('between chunks of a watch: they are chunks of a response whose head is before the capture', () => {
    expect(late(S('3\r\n{1}\r\n'), S('3\r\n{2}\r\n'), S('0\r\n\r\n'), get('/a'), S(ok('a')))).toEqual([
      ...['1 < null 1-1 partial', '1 < "{1}{2}"', '1 < cut'],
      ...['2 > GET /a 4-4', '2 > end', '2 < 200 5-5', '2 < "a"', '2 < end'],
    ]);
  });

  it('in a response whose text has heads in it: it is one response', () => {
    const line = `HTTP/1.1 200 OK\r\nServer: x\r\n\r\n`;
    const said = late(
      S(`a log\r\n${line}`),
      S(`${(line.length).toString(16)}\r\n${line}\r\n`),
      S('0\r\n\r\n'),
      get('/a'),
      S(ok('a')),
    );
    expect(said).toEqual([
      ...['< unread 37', FOUND, '1 < null 2-2 partial', `1 < ${JSON.stringify(line)}`, '1 < cut'],
      ...['2 > GET /a 4-4', '2 > end', '2 < 200 5-5', '2 < "a"', '2 < end'],
    ]);
  });

  it('in a head: its end is no chunk', () => {
    const rest = ['ed\r\n\r\n3\r\n{1}\r\n0\r\n\r\n', '393\r\nDate: today\r\n\r\n{"a":'];
    expect(rest.map((text) => late(S(text), get('/a'), S(ok('a'))).filter((word) => / < \w+ \d/.test(word)))).toEqual([
      ['1 < null 1-1 partial', '2 < 200 3-3'],
      ['1 < 200 3-3'],
    ]);
  });

  it('inside a chunk: reading begins at the next one', () => {
    expect(late(S('of a chunk}\r\n3\r\n{2}\r\n'), S('3\r\n{3}\r\n'))).toEqual([
      ...['< unread 13', FOUND, '1 < null 1-1 partial', '1 < "{2}{3}"', '1 < cut'],
    ]);
  });

  it('with chunks longer than their segment', () => {
    expect(late(S('6\r\n{12'), S('34}\r\n'))).toEqual(['1 < null 1-1 partial', '1 < "{1234}"', '1 < cut']);
  });

  it('in a request body: the first request is found', () => {
    expect(late(C('"a": 1}'), get('/a'), S(ok('a')))).toEqual([
      ...['> unread 7', FOUND, '1 > GET /a 2-2', '1 > end', '1 < 200 3-3', '1 < "a"', '1 < end'],
    ]);
  });
});
