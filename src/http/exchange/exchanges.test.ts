import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  byteByByte,
  C,
  CONNECTION,
  closed,
  context,
  type Draft,
  exchangeStage,
  exchangeWords,
  gap,
  LATE,
  originOf,
  S,
  said,
} from '../../../test/kit/http1-kit.js';
import type { Connection, StreamEvent } from '../../tcp/stream-event.js';
import type { BodyFraming, ExchangeEvent } from '../exchange-event.js';
import { fieldValue, type HttpEvent, type RequestHead, type ResponseHead } from '../http-event.js';
import { exchanges, MAX_OPEN_STREAMS } from './exchanges.js';

/** Given by the response's type, for tests: `x/json-documents` and so on. */
function framing(request: RequestHead | null, response: ResponseHead | null, from: string): BodyFraming {
  const head = from === 'client' ? request : response;
  const type = (head && fieldValue(head.fields, 'content-type')) ?? '';
  return type.startsWith('x/') ? (type.slice(2) as BodyFraming) : 'whole';
}

const stage = (connection: Connection) => exchangeStage(connection, framing);
const all = (drafts: Draft[], connection = CONNECTION) => said(stage(connection), context(drafts, connection));
const read = (drafts: Draft[], connection?: Connection): string[] => exchangeWords(all(drafts, connection)).slice(1);
const events = (drafts: Draft[]): ExchangeEvent[] =>
  all(drafts).filter((item): item is ExchangeEvent => item.kind !== 'notice' && item.kind !== 'protocol');

const GET = C('GET /a HTTP/1.1\r\n\r\n');
const ok = (body: string | Uint8Array, ...fields: string[]): string =>
  `HTTP/1.1 200 OK\r\n${fields.map((field) => `${field}\r\n`).join('')}Content-Length: ${body.length}\r\n\r\n${Buffer.from(body as string, 'latin1').toString('latin1')}`;
const watch = (framing: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: x/${framing}\r\nTransfer-Encoding: chunked\r\n\r\n`;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const zipped = (text: string): string => gzipSync(Buffer.from(text, 'latin1')).toString('latin1');
const message = (text: string): string => `\x00\x00\x00${String.fromCharCode(text.length)}${text}`;

const CASES: Record<string, [Draft[], string[]]> = {
  'a request and a response with bodies': [
    [C('PUT /a HTTP/1.1\r\nContent-Length: 4\r\n\r\nab'), C('cd'), S(ok('xyz').slice(0, -1)), S('z'), closed()],
    ['request PUT /a "abcd" 1-2 @2', 'response PUT /a 200 "xyz" 3-4 @4', 'over PUT /a 200 @4'],
  ],
  'a body that ends with the connection': [
    [GET, S('HTTP/1.1 200 OK\r\n\r\nx'), closed()],
    ['request GET /a 1-1 @1', 'response GET /a 200 "x" 2-3 @3', 'over GET /a 200 @3'],
  ],
  'a request that is never answered': [
    [GET, closed(null, 'reset')],
    ['request GET /a 1-1 @1', 'over GET /a - @2 no response'],
  ],
  'a response without request': [
    [S(ok('x')), closed()],
    ['response ? ? 200 "x" 1-1 @1', 'over ? ? 200 @1 no request'],
  ],
  'a body with a gap': [
    [GET, S(ok('abcdef').slice(0, -4)), gap('server', 2), S('ef'), closed()],
    ['request GET /a 1-1 @1', 'response GET /a 200 "abef" 2-4 @4 cut', 'over GET /a 200 @4'],
  ],
  'a body cut by a reset': [
    [GET, S(ok('abcdef').slice(0, -4)), closed(null, 'reset')],
    ['request GET /a 1-1 @1', 'response GET /a 200 "ab" 2-2 @3 cut', 'over GET /a 200 @3'],
  ],
  'a watch: the response with its head, events as they come': [
    [GET, S(watch('json-documents')), S(chunk('{"a":1}\n{"b"')), S(chunk(':2}\n')), S('0\r\n\r\n'), closed()],
    [
      ...['request GET /a 1-1 @1', 'response GET /a 200 2-2 @2', 'item < "{\\"a\\":1}" 3-3 @3'],
      ...['item < "{\\"b\\":2}" 3-4 @4', 'over GET /a 200 @5'],
    ],
  ],
  'a watch cut by the end of the capture inside an event': [
    [GET, S(watch('json-documents') + chunk('{"a":')), closed(null, 'end')],
    [...['request GET /a 1-1 @1', 'response GET /a 200 2-2 @2', 'item < "{\\"a\\":" 2-2 @3 cut', 'over GET /a 200 @3']],
  ],
  'a protobuf watch': [
    [
      GET,
      S(watch('length-prefixed') + chunk(message('ab'))),
      S(chunk(message('cd').slice(0, 5))),
      S(chunk('d')),
      closed(),
    ],
    [
      ...['request GET /a 1-1 @1', 'response GET /a 200 2-2 @2', 'item < "ab" 2-2 @2', 'item < "cd" 3-4 @4'],
      'over GET /a 200 @5',
    ],
  ],
  'gRPC both ways': [
    [
      C('POST /s/M HTTP/1.1\r\nContent-Type: x/grpc\r\nContent-Length: 6\r\n\r\n'),
      C('\x00\x00\x00\x00\x01q'),
      S(`${watch('grpc')}${chunk('\x00\x00\x00\x00\x01r')}0\r\ngrpc-status: 0\r\n\r\n`),
      closed(),
    ],
    [
      ...['request POST /s/M 1-1 @1', 'item > "q" 2-2 @2', 'response POST /s/M 200 3-3 @3', 'item < "r" 3-3 @3'],
      'over POST /s/M 200 @3',
    ],
  ],
  'an upgrade': [
    [
      C('GET /a HTTP/1.1\r\nUpgrade: other/1\r\nConnection: Upgrade\r\n\r\n'),
      S('HTTP/1.1 101 Switching\r\nUpgrade: other/1\r\nConnection: Upgrade\r\n\r\nhi'),
      C('yo'),
      closed(),
    ],
    [
      ...['request GET /a 1-1 @1', 'response GET /a 101 2-2 @2', 'tunnel < "hi" 2-2 @2', 'tunnel > "yo" 3-3 @3'],
      'over GET /a 101 @4',
    ],
  ],
  'an upgrade with channels': [
    [
      C('GET /a HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
      S('HTTP/1.1 101 X\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n\r\n\x82\x03\x01h'),
      S('i\x82\x02'),
      closed(),
    ],
    [
      ...['request GET /a 1-1 @1', 'response GET /a 101 2-2 @2', 'channel < stdout 2 2-3 @3'],
      ...['channel < null 0 3-3 @4 cut', 'over GET /a 101 @4'],
    ],
  ],
  'a log: the response with its head, pieces as they come': [
    [GET, S(watch('log')), S(chunk('one\n')), S('6\r\ntwo'), gap('server', 3), S('\r\n5\r\nthree'), closed()],
    [
      ...['request GET /a 1-1 @1', 'response GET /a 200 2-2 @2', 'channel < log 4 3-3 @3', 'channel < log 3 4-4 @4'],
      ...['channel < log 5 6-6 @6 cut', 'over GET /a 200 @7'],
    ],
  ],
};

describe('exchanges', () => {
  for (const [name, [drafts, expected]] of Object.entries(CASES)) {
    it(name, () => expect(read(drafts)).toEqual(expected));
    // A tunnel's pieces are what they were.
    if (name === 'an upgrade' || name.startsWith('a log')) continue;
    it(`${name}, byte by byte`, () => {
      expect(exchangeWords(said(stage(CONNECTION), byteByByte(context(drafts)))).slice(1)).toEqual(expected);
    });
  }

  it('are one object in all their events', () => {
    const drafts = [GET, S(`${watch('json-documents')}${chunk('{}')}0\r\nA: b\r\n\r\n`), closed()];
    const found = new Set(events(drafts).map((event) => event.exchange));
    expect(found.size).toBe(1);
    expect([...found][0]).toMatchObject({ stream: null, trailers: ['A', 'b'], upgraded: null, connection: CONNECTION });
  });

  it('name the protocol of an upgrade', () => {
    const [{ exchange }] = events(CASES['an upgrade'][0]);
    expect(exchange.upgraded).toBe('other/1');
  });

  it('have the HTTP/2 stream id', () => {
    const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00';
    // HEADERS on stream 5: `:method: GET`, `:scheme: http`, `:path: /` from the static table, END_STREAM, END_HEADERS.
    const found = events([C(`${preface}\x00\x00\x03\x01\x05\x00\x00\x00\x05\x82\x86\x84`)]);
    expect(found.map((event) => [event.kind, event.exchange.stream])).toEqual([
      ['request', 5],
      ['exchange-end', 5],
    ]);
  });

  it('decode bodies on demand, and have no body if there is none', () => {
    const zipped = gzipSync('hello');
    const [request, response] = events([GET, S(ok(zipped, 'Content-Encoding: gzip', 'Content-Type: text/plain'))]);
    expect(request).toMatchObject({ kind: 'request', body: null });
    expect(response).toMatchObject({ body: { length: zipped.length, contentType: 'text/plain', complete: true } });
  });

  it('inflate compressed gRPC messages', () => {
    const zipped = gzipSync('hello');
    const body = `\x01\x00\x00\x00${String.fromCharCode(zipped.length)}${zipped.toString('latin1')}`;
    expect(read([GET, S(ok(body, 'Content-Type: x/grpc', 'grpc-encoding: gzip'))])).toContain('item < "hello" 2-2 @2');
  });

  it('cut a stream in gzip while it comes, as far as it came', () => {
    const head = watch('json-documents').replace('\r\n\r\n', '\r\nContent-Encoding: GZIP\r\n\r\n');
    // Behind the chunk's size and ten bytes of gzip's head, eleven hold the first document and some of the second.
    const second = chunk(zipped('{"b":2}{"c":3}'));
    const pieces = [S(head), S(chunk(zipped('{"a":1}'))), S(second.slice(0, 25)), S(second.slice(25)), closed()];
    const items = read([GET, ...pieces]).filter((item) => item.startsWith('item'));
    expect(items).toEqual([
      'item < "{\\"a\\":1}" 3-3 @3',
      'item < "{\\"b\\":2}" 4-4 @4',
      'item < "{\\"c\\":3}" 4-5 @5',
    ]);
  });

  it('read a watch in gzip whose head is before the capture', () => {
    const events = [zipped(message('\x0a\x05ADDED\x12\x01x')), zipped(message('\x0a\x05ADDED\x12\x01y'))];
    expect(read([...events.map((event) => S(chunk(event))), closed()], LATE)).toEqual([
      'item < "\\n\\u0005ADDED\\u0012\\u0001x" 1-1 @1',
      'item < "\\n\\u0005ADDED\\u0012\\u0001y" 2-2 @2',
      'over ? ? - @3 no request',
    ]);
  });

  it('inflate a body whose head is before the capture, by its first bytes', () => {
    const [response] = all([S(chunk(zipped('some text'))), S('0\r\n\r\n')], LATE).filter(
      (item) => item.kind === 'response',
    );
    expect(Buffer.from(response.body!.read().bytes).toString()).toBe('some text');
  });

  it('cut a stream in another coding when it is over', () => {
    const zipped = deflateSync('{"a":1}{"b":2}');
    const response = ok(zipped, 'Content-Type: x/json-documents', 'Content-Encoding: deflate');
    const items = ['item < "{\\"a\\":1}" 2-2 @2', 'item < "{\\"b\\":2}" 2-2 @2'];
    expect(read([GET, S(response), closed()]).slice(1)).toEqual([
      'response GET /a 200 2-2 @2',
      ...items,
      'over GET /a 200 @2',
    ]);
  });

  it('report a compressed stream that cannot be decoded', () => {
    const response = ok('xxx', 'Content-Type: x/json-documents', 'Content-Encoding: zstd');
    expect(read([GET, S(response), closed()])).toContain('! kubernetes.undecodable');
  });

  it('go on with a watch after a gap', () => {
    const lost = [gap('server', 100), S(chunk('{"type":"B"}\n')), S('0\r\n\r\n'), closed()];
    expect(read([GET, S(watch('json-documents') + chunk('{"type":"A"}\n').slice(0, -5)), ...lost]).slice(1)).toEqual([
      ...['response GET /a 200 2-2 @2', 'item < "{\\"type\\":\\"A" 2-2 @3 cut'],
      ...['item < "{\\"type\\":\\"B\\"}" 4-4 @4', 'over GET /a 200 @5'],
    ]);
  });

  it('report how much of a stream belongs to no message', () => {
    const lost = [gap('server', 100), S(chunk('rest}')), S('0\r\n\r\n'), closed()];
    const items = all([GET, S(watch('json-documents') + chunk('{"type":"A"}').slice(0, -3)), ...lost]);
    expect(items).toContainEqual(
      expect.objectContaining({ code: 'http.resynchronised', detail: expect.stringMatching(/^5 bytes/) }),
    );
  });

  it('read the events of a watch whose head is before the capture', () => {
    const event = message('\x0a\x05ADDED\x12\x01x');
    expect(read([S(chunk(event)), S(chunk(event)), closed()], LATE)).toEqual([
      ...['item < "\\n\\u0005ADDED\\u0012\\u0001x" 1-1 @1', 'item < "\\n\\u0005ADDED\\u0012\\u0001x" 2-2 @2'],
      'over ? ? - @3 no request',
    ]);
  });

  it('give what is left of a response whose head is before the capture', () => {
    expect(read([S(chunk('some text')), S('0\r\n\r\n')], LATE)).toEqual([
      'response ? ? - "some text" 1-1 @2 cut',
      'over ? ? - @2 no request',
    ]);
  });

  it('keep a body only up to the limit', () => {
    const piece = 'x'.repeat(1 << 20);
    const body = Array.from({ length: 17 }, () => S(piece));
    const items = all([GET, S(`HTTP/1.1 200 OK\r\nContent-Length: ${17 << 20}\r\n\r\n`), ...body]);
    expect(items.filter((item) => item.kind === 'notice').map((item) => item.code)).toEqual(['limit.body']);
    const response = items.find((item) => item.kind === 'response');
    expect(response).toMatchObject({ complete: true, body: { length: 17 << 20, complete: false } });
  });

  it('end the oldest stream where too many are open', () => {
    const stage = exchanges({ framing });
    const words: string[] = [];
    for (let stream = 1; stream <= 2 * MAX_OPEN_STREAMS + 1; stream += 2) {
      const head: RequestHead = {
        kind: 'request-head',
        version: '2',
        method: 'GET',
        target: `/${stream}`,
        fields: [],
        partial: [],
      };
      const origin = originOf(stream);
      const event: HttpEvent = {
        kind: 'head',
        connection: CONNECTION,
        stream,
        from: 'client',
        head,
        first: origin,
        last: origin,
        complete: true,
      };
      words.push(...exchangeWords(stage.feed(event)));
    }
    const request = 'request GET /1 1-1 @8193 cut';
    expect(words).toEqual(['! limit.streams', request, 'over GET /1 - @8193 no response']);
  });

  it('every exchange is over once, with all its events before that', () => {
    const drafts = Object.values(CASES).flatMap(([drafts]) => drafts.slice(0, -1));
    const over = new Set<unknown>();
    for (const event of events(drafts)) {
      expect(over.has(event.exchange)).toBe(false);
      if (event.kind === 'exchange-end') over.add(event.exchange);
    }
    expect(over.size).toBeGreaterThan(3);
  });

  it('pass notices and reports on', () => {
    const opaque = (connection: Connection): StreamEvent => ({
      kind: 'opaque',
      connection,
      origin: originOf(1),
      reason: 'bad-tag',
      detail: '',
    });
    expect(exchangeWords(all([opaque]))).toEqual(['= encrypted']);
  });
});

describe('a response before the end of its request', () => {
  const POST = C('POST /a HTTP/1.1\r\nContent-Length: 400\r\n\r\nab');
  const refused = S('HTTP/1.1 429 Too Many Requests\r\nContent-Length: 2\r\n\r\nno');
  const earlyIn = (drafts: Draft[]): unknown[] =>
    events(drafts).flatMap((event) => (event.kind === 'response' ? [event.isEarly] : []));

  it('is early where nothing of the request is missing', () => {
    expect(earlyIn([POST, refused, closed()])).toEqual([true]);
    expect(earlyIn([C('POST /a HTTP/1.1\r\nContent-Length: 2\r\n\r\nab'), refused, closed()])).toEqual([undefined]);
  });

  it('is not known to be early where the end of the request may be what is missing', () => {
    expect(earlyIn([POST, gap('client', 398), refused, closed()])).toEqual([undefined]);
    expect(earlyIn([POST, S('HTTP/1.1 429 Too Many Requests\r\nContent-Length: 2\r\n\r\nn'), closed()])).toEqual([
      undefined,
    ]);
  });
});

it('the end of a response is whole only if its client had not gone before', () => {
  const isWholeIn = (drafts: Draft[]): unknown[] =>
    events(drafts).flatMap((event) => (event.kind === 'exchange-end' ? [event.isWhole] : []));
  const [begin, last] = [S(watch('json-documents') + chunk('{"type":"A"}\n')), S('0\r\n\r\n')];
  expect(isWholeIn([GET, begin, last, closed('client'), closed('server')])).toEqual([true]);
  expect(isWholeIn([GET, begin, closed('client'), last, closed('server')])).toEqual([false]);
  expect(isWholeIn([GET, begin, closed('server'), closed('client')])).toEqual([false]);
});
