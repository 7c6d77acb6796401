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
} from '../../test/kit/http1-kit.js';
import { measured } from '../../test/kit/measured.js';
import { LINEAR, powerOf } from '../../test/kit/powers.js';
import type { Connection } from '../tcp/stream-event.js';
import { httpDetect } from './detect.js';
import { MAX_UNDECIDED_BYTES } from './detect-undecided.js';
import type { ProtocolFound } from './http-event.js';
import { PROTOCOLS } from './protocols.js';

const detect = httpDetect(PROTOCOLS);
const all = (drafts: Draft[], connection: Connection = CONNECTION) =>
  said(detect(connection), context(drafts, connection));
const read = (drafts: Draft[], connection?: Connection): string[] => words(all(drafts, connection));
const found = (drafts: Draft[], connection?: Connection): ProtocolFound[] =>
  all(drafts, connection).filter((item) => item.kind === 'protocol');
const opaque: Draft = (connection, origin) => ({ kind: 'opaque', connection, origin, reason: 'no-secret', detail: '' });

const GET = C('GET /a HTTP/1.1\r\n\r\n');
const OK = S('HTTP/1.1 204 No Content\r\n\r\n');
const EXCHANGE = ['= http/1', '1 > GET /a 1-1', '1 > end', '1 < 204 2-2', '1 < end'];
// Preface, SETTINGS (RFC 9113 section 3.4).
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00';

describe('the protocol of a connection', () => {
  it('HTTP/1 by its request line', () => expect(read([GET, OK, closed()])).toEqual(EXCHANGE));

  it('HTTP/1 byte by byte', () => {
    expect(words(said(detect(CONNECTION), byteByByte(context([GET, OK, closed()]))))).toEqual(EXCHANGE);
  });

  it('HTTP/1 by its status line, when the request comes later', () => {
    expect(read([gap('client', 10), OK, closed()])).toEqual(['= http/1', '1 < 204 2-2', '1 < end', '> unread 10']);
  });

  it('HTTP/2 by its preface', () => expect(found([C(PREFACE)])).toMatchObject([{ protocol: 'http/2' }]));

  it('TLS that was agreed on and never used', () => {
    const secured: Draft = (connection, origin) => ({
      ...{ kind: 'tls-established', connection, origin, version: '1.3', suite: 'TLS_AES_128_GCM_SHA256' },
      ...{ sni: null, alpn: null, clientRandom: null },
    });
    const why = 'TLS was agreed on, and nothing was sent through it';
    expect(found([secured, closed(null, 'aborted')])).toMatchObject([{ protocol: 'silent', why }]);
    expect(found([secured])).toMatchObject([{ protocol: 'silent', why }]);
  });

  it('nothing at all', () => {
    expect(found([closed(null, 'reset')])).toMatchObject([
      { protocol: 'silent', why: expect.stringContaining('refused') },
    ]);
    expect(found([closed(null, 'aborted')])).toMatchObject([
      { protocol: 'silent', why: expect.stringContaining('health check') },
    ]);
    expect(found([closed()])).toMatchObject([{ protocol: 'silent', why: 'no byte was sent' }]);
    expect(found([])).toMatchObject([{ protocol: 'silent' }]);
  });

  it('something else: reported at once, counted to the end', () => {
    expect(read([C('SSH-2.0-x\r\n'), S('SSH-2.0-y\r\n'), C('more'), closed()])).toEqual([
      '= unknown',
      '! connection.unknown-protocol',
    ]);
    const [, notice] = all([C('SSH-2.0-x\r\n'), S('SSH-2.0-y\r\n'), C('more'), closed()]);
    expect(notice).toMatchObject({
      detail: 'SSH, which is not read: 15 bytes of the client and 11 bytes of the server',
      connection: CONNECTION.name,
    });
  });

  it('too few bytes to decide', () => {
    expect(read([C('GE'), closed()])).toEqual(['= unknown', '! connection.unknown-protocol']);
    expect(read([C('GE')])).toEqual(['= unknown', '! connection.unknown-protocol']);
  });

  it.each([
    ['no-secret', C('\x16\x03\x01\x02\x00\x01')],
    ['no-secret', S('\x16\x03\x03\x00\x7a\x02')],
    ['no-handshake', C('\x17\x03\x03\x00\x20')],
    ['no-handshake', S('\x15\x03\x03\x00\x02')],
  ])('TLS that was not decrypted: %s', (reason, draft) => {
    expect(read([draft, C('more'), closed()])).toEqual(['= encrypted', `! tls.${reason}`]);
    expect(found([draft])[0].why).toMatch(/TLS/);
  });

  it('TLS byte by byte', () => {
    expect(words(said(detect(CONNECTION), byteByByte(context([C('\x16\x03\x01'), closed()]))))).toEqual([
      '= encrypted',
      '! tls.no-secret',
    ]);
  });

  it('opaque before anything: encrypted, with a reason to act on', () => {
    expect(found([opaque, closed()])).toMatchObject([
      { protocol: 'encrypted', why: expect.stringContaining('--keylog') },
    ]);
  });

  it('opaque after something was read: the protocol stays, the reason is added', () => {
    expect(found([GET, opaque, closed()])).toMatchObject([
      { protocol: 'http/1' },
      { protocol: 'http/1', why: expect.stringContaining('--keylog') },
    ]);
  });

  it('a greeting longer than the limit', () => {
    const long = `FROB ${'x'.repeat(1000)}`;
    const drafts = [C(long), ...Array.from({ length: 100 }, () => C('x'.repeat(1000)))];
    expect(read([...drafts, closed()])).toEqual(['= unknown', '! connection.unknown-protocol']);
  });
});

describe('a connection whose beginning is not in the capture', () => {
  it('is searched for a message', () => {
    expect(read([S('rest of a body'), S('HTTP/1.1 204 No Content\r\n\r\n'), closed()], LATE)).toEqual([
      ...['= http/1', '< unread 14', '! http.resynchronised', '1 < 204 2-2', '1 < end'],
    ]);
  });

  it('however long that takes, in bounded memory', () => {
    const many = Array.from({ length: 200 }, () => S('x'.repeat(1000)));
    const items = read([...many, GET, OK, closed()], LATE);
    const unread = items.filter((word) => word.startsWith('< unread')).map((word) => Number(word.split(' ')[2]));
    expect(unread.reduce((a, b) => a + b)).toBe(200_000);
    expect(unread[0]).toBeGreaterThan(MAX_UNDECIDED_BYTES);
    expect(items.slice(-5)).toContain('1 < 204 202-202');
  });

  measured('detects in linear time', () => {
    const ask = (n: number) => {
      const bytes = byteByByte(context([S('x'.repeat(n))], LATE));
      return () => said(detect(LATE), bytes);
    };
    expect(powerOf(ask, 20_000)).toBeLessThan(LINEAR);
  });

  it.each([
    ['status line from the client', C('HTTP/1.1 204 No Content\r\n\r\n'), '1 < 204 1-1'],
    ['request line from the server', S('GET /a HTTP/1.1\r\n\r\n'), '1 > GET /a 1-1'],
  ])('%s: the roles are exchanged', (_, draft, expected) => {
    const items = all([draft, closed()], LATE);
    expect(words(items)[1]).toBe(expected);
    expect(items[0]).toMatchObject({
      connection: {
        id: 1,
        client: LATE.server,
        server: LATE.client,
        roles: 'content',
        name: '192.0.2.2:8080-192.0.2.1:40000',
      },
    });
  });

  it('a handshake is believed: nothing is exchanged', () => {
    expect(read([S('GET /a HTTP/1.1\r\n\r\n'), closed()])).toEqual(['= unknown', '! connection.unknown-protocol']);
  });

  it('chunks show the protocol but not the roles', () => {
    const chunk = '12\r\nsome text of a log\r\n';
    expect(words(all([S(chunk), closed()], LATE)).slice(0, 2)).toEqual(['= http/1', '1 < null 1-1 partial']);
    expect(all([C(chunk)], LATE)[0]).toMatchObject({ protocol: 'http/1', connection: { roles: 'port' } });
  });

  it('what a chunk of three bytes looks like is in other protocols, too', () => {
    for (const lines of ['3\r\nabc\r\n', '3\r\nabc\r\n2\r\nde\r\n'])
      expect(read([S(lines), closed()], LATE)).toEqual(['= unknown', '! connection.unknown-protocol']);
  });
});

describe('h2c', () => {
  const asking =
    'GET / HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAAA\r\n\r\n';
  const upgrade = C(asking);
  const switched = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';
  // SETTINGS; HEADERS on stream 1 with `:status: 204` from the static table, END_STREAM and END_HEADERS (RFC 7541 A).
  const frames = '\x00\x00\x00\x04\x00\x00\x00\x00\x00' + '\x00\x00\x01\x01\x05\x00\x00\x00\x01\x89';

  const JOINED = ['= http/1', '1 > GET / 1-1', '1 > end', '= http/2', '1 < 204 2-2', '1 < end'];

  it('passes the rest of the connection to HTTP/2, in which stream 1 responds to the request', () => {
    expect(read([upgrade, S(switched + frames), C(PREFACE), closed()])).toEqual(JOINED);
  });

  it('byte by byte', () => {
    const events = byteByByte(context([upgrade, S(switched + frames), C(PREFACE), closed()]));
    expect(words(said(detect(CONNECTION), events))).toEqual(JOINED);
  });

  it('requested later, by what becomes stream 1', () => {
    const items = read([GET, OK, upgrade, S(switched + frames), C(PREFACE), closed()]);
    const later = ['2 > GET / 3-3', '2 > end', '2 is 1', '= http/2', '1 < 204 4-4', '1 < end'];
    expect(items.slice(EXCHANGE.length)).toEqual(later);
  });

  it('requested together with the request before it', () => {
    const both = C(`GET /a HTTP/1.1\r\n\r\n${asking}`);
    const items = read([both, S(`HTTP/1.1 204 No Content\r\n\r\n${switched}${frames}`), C(PREFACE), closed()]);
    const answered = ['1 < 204 2-2', '1 < end', '2 is 1', '= http/2', '1 < 204 2-2', '1 < end'];
    expect(items.slice(-6)).toEqual(answered);
  });

  // Like docker's client for BuildKit's /grpc and /session: a new connection begins.
  const plain = C('POST /grpc HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 0\r\n\r\n');
  const begun = ['= http/1', '1 > POST /grpc 1-1', '1 > end', '1 < 101 2-2', '1 < upgraded h2c', '1 > end', '1 < end'];
  const settings = '\x00\x00\x00\x04\x00\x00\x00\x00\x00';
  // GET / http on stream 1, from the static table, END_STREAM and END_HEADERS.
  const request = '\x00\x00\x03\x01\x05\x00\x00\x00\x01\x82\x84\x86';
  const response = frames.slice(settings.length);

  it.each([
    ['the client speaks first', [C(PREFACE + request), S(settings + response)], '1 > GET / 3-3', '1 < 204 4-4'],
    ['the server speaks first', [S(settings), C(PREFACE + request), S(response)], '1 > GET / 4-4', '1 < 204 5-5'],
    ['the server is the client', [S(PREFACE + request), C(settings + response)], '1 > GET / 3-3', '1 < 204 4-4'],
    ['and it speaks last', [C(settings), S(PREFACE + request), C(response)], '1 > GET / 4-4', '1 < 204 5-5'],
  ])('without HTTP2-Settings: %s', (_, drafts, asked, answered) => {
    const expected = [...begun, '= http/2', asked, '1 > end', answered, '1 < end'];
    const events = context([plain, S(switched), ...drafts, closed()]);
    expect(words(said(detect(CONNECTION), events))).toEqual(expected);
    expect(words(said(detect(CONNECTION), byteByByte(events)))).toEqual(expected);
    const late = events.map((event) => ({ ...event, connection: LATE }));
    expect(words(said(detect(LATE), late))).toEqual(expected);
  });

  it('without HTTP2-Settings, the server may be the client', () => {
    const items = all([plain, S(switched), S(PREFACE + request), C(settings), closed(null, 'aborted')]);
    const end = items.at(-1);
    const turned = { client: CONNECTION.server, server: CONNECTION.client, roles: 'content' };
    expect(end).toMatchObject({ kind: 'end', from: 'server', cut: { by: 'server', how: 'RST' }, connection: turned });
  });

  it('without HTTP2-Settings, and then something else', () => {
    const items = read([plain, S(switched), C('SSH-2.0-x\r\n'), S('SSH-2.0-y\r\n'), closed()]);
    expect(items).toEqual([...begun, '= unknown', '! connection.unknown-protocol']);
  });
});

describe('the protocol through a proxy', () => {
  const CONNECT = C('CONNECT 192.0.2.10:6443 HTTP/1.1\r\nHost: 192.0.2.10:6443\r\n\r\n');
  const ESTABLISHED = S('HTTP/1.1 200 Connection established\r\n\r\n');
  const ASKED = ['= http/1', '1 > CONNECT 192.0.2.10:6443 1-1', '1 > end', '1 < 200 2-2', '1 < upgraded any'];
  const CONNECTED = [...ASKED, '1 > end', '1 < end'];

  it('is read as what it is, behind the exchange that requested it', () => {
    const again = ['= http/1', '1 > GET /a 3-3', '1 > end', '1 < 204 4-4', '1 < end'];
    expect(read([CONNECT, ESTABLISHED, GET, OK, closed()])).toEqual([...CONNECTED, ...again]);
    const drafts = context([CONNECT, ESTABLISHED, GET, OK, closed()]);
    expect(words(said(detect(CONNECTION), byteByByte(drafts)))).toEqual([...CONNECTED, ...again]);
    expect(found([CONNECT, ESTABLISHED, C(PREFACE)]).map(({ protocol }) => protocol)).toEqual(['http/1', 'http/2']);
  });

  it('nothing, something unknown, what cannot be decrypted', () => {
    expect(read([CONNECT, ESTABLISHED, closed()])).toEqual(CONNECTED);
    expect(found([CONNECT, ESTABLISHED, opaque]).map(({ protocol }) => protocol)).toEqual(['http/1', 'encrypted']);
    expect(read([CONNECT, ESTABLISHED, C('SSH-2.0-x\r\n'), S('SSH-2.0-y\r\n'), closed()])).toEqual([
      ...CONNECTED,
      '= unknown',
      '! connection.unknown-protocol',
    ]);
  });

  it('a proxy behind a proxy is not followed: there may be thousands', () => {
    const nested = Array.from({ length: 5000 }, () => [CONNECT, ESTABLISHED]).flat();
    const out = read([...nested, closed()]);
    expect(out.slice(0, 7)).toEqual(CONNECTED);
    expect(out.filter((word) => word === '1 < upgraded any')).toHaveLength(2);
  });

  it('a proxy that refuses', () => {
    const refused = S('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
    expect(found([CONNECT, refused, GET, OK, closed()]).map(({ protocol }) => protocol)).toEqual(['http/1']);
  });
});
