import { describe, expect, it } from 'vitest';
import {
  Conversation,
  connection,
  data,
  frame,
  getRoot,
  headers,
  inserts,
  inWords,
  literals,
  ok,
  PREFACE,
  ping,
  reset,
  settings,
  settingsAck,
  text,
} from '../../../test/kit/http2-kit.js';
import type { Side } from '../../tcp/stream-event.js';
import { http2Protocol, http2Session } from './session.js';

const start = (): Conversation => {
  const c = connection();
  return new Conversation(c, http2Session(c)).client(PREFACE, settings).server(settings, settingsAck);
};

describe('a connection from its start', () => {
  it('emits heads, bodies and ends of both sides', () => {
    const talk = start()
      .client(headers(1, literals(':method', 'POST', ':path', '/x', 'a', 'b')), data(1, 'ping', true))
      .server(headers(1, ok), data(1, 'po'), data(1, 'ng'), data(1, '', true))
      .end();
    expect(talk.lines()).toEqual([
      '1 client POST /x',
      '1 client body ping',
      '1 client end',
      '1 server 200',
      '1 server body pong',
      '1 server end',
    ]);
  });

  it('gives method, target and status their places and leaves the other fields in order', () => {
    const { said } = start()
      .client(headers(1, getRoot, true))
      .server(headers(1, ok));
    expect(said.flatMap((item) => (item.kind === 'head' ? [item.head] : []))).toEqual([
      {
        kind: 'request-head',
        version: '2',
        method: 'GET',
        target: '/',
        fields: [':scheme', 'http', ':authority', 'a'],
        partial: [],
      },
      { kind: 'response-head', version: '2', status: 200, fields: ['server', 'test'], partial: [] },
    ]);
  });

  it('gives a head the frames of its first and last byte', () => {
    const block = headers(1, getRoot, true);
    const { said } = start().client(block.subarray(0, 4)).client(block.subarray(4, 20)).client(block.subarray(20));
    expect(said[0]).toMatchObject({ kind: 'head', first: { frame: 3 }, last: { frame: 5 } });
  });

  it('keeps streams apart', () => {
    const talk = start()
      .client(headers(1, getRoot, true), headers(3, getRoot, true))
      .server(headers(3, ok), headers(1, ok), data(1, 'one', true), data(3, 'three', true));
    expect(talk.lines().slice(4)).toEqual([
      '3 server 200',
      '1 server 200',
      '1 server body one',
      '1 server end',
      '3 server body three',
      '3 server end',
    ]);
  });

  it('emits trailers, also of a response without anything else', () => {
    const talk = start()
      .client(headers(1, getRoot, true), headers(3, getRoot, true))
      .server(headers(1, ok), data(1, 'x'), headers(1, literals('grpc-status', '0'), true))
      .server(headers(3, literals(':status', '200', 'grpc-status', '5'), true));
    expect(talk.lines().slice(4)).toEqual([
      '1 server 200',
      '1 server body x',
      '1 server trailers grpc-status 0',
      '1 server end',
      '3 server 200',
      '3 server end',
    ]);
  });

  it('leaves out 1xx heads, but not 101', () => {
    const talk = start()
      .client(headers(1, getRoot))
      .server(headers(1, literals(':status', '100')), headers(1, literals(':status', '103')), headers(1, ok));
    expect(talk.lines().slice(1)).toEqual(['1 server 200']);
  });

  it('joins CONTINUATION frames, over packets', () => {
    const parts = [getRoot.subarray(0, 5), getRoot.subarray(5, 6), getRoot.subarray(6)];
    const talk = start()
      .client(frame(1, 1, 1, parts[0]), frame(9, 0, 1, parts[1]))
      .client(frame(9, 4, 1, parts[2]));
    expect(talk.lines()).toEqual(['1 client GET /', '1 client end']);
    expect(talk.said[0]).toMatchObject({ first: { frame: 3 }, last: { frame: 4 } });
  });

  it('strips padding and priority', () => {
    const padded = Buffer.concat([Buffer.from([3]), Buffer.from([0, 0, 0, 0, 15]), getRoot, Buffer.alloc(3)]);
    const talk = start()
      .client(frame(1, 0x2c, 1, padded), frame(0, 8, 1, Buffer.from('\x02body\0\0', 'latin1')))
      .client(frame(0, 9, 1, Buffer.from('\x00', 'latin1')));
    expect(talk.lines()).toEqual(['1 client GET /', '1 client body body', '1 client end']);
  });

  it('skips frames without messages, known and unknown', () => {
    const talk = start()
      .client(frame(2, 0, 1, Buffer.alloc(5)), ping, frame(8, 0, 0, Buffer.from([0, 0, 1, 0])))
      .client(frame(0xfa, 0xff, 7, Buffer.alloc(1000)), headers(1, getRoot, true));
    expect(talk.lines()).toEqual(['1 client GET /', '1 client end']);
  });

  it('takes promised requests, and their blocks fill the table', () => {
    const promised = Buffer.concat([Buffer.from([0, 0, 0, 2]), inserts(':method', 'GET', ':path', '/p')]);
    const talk = start()
      .client(headers(1, getRoot, true))
      .server(frame(5, 4, 1, promised), headers(2, Buffer.concat([ok, Buffer.from([0xbe])])), data(2, 'p', true));
    expect(talk.lines().slice(2)).toEqual([
      '2 client GET /p',
      '2 client end',
      '2 server 200',
      '2 server body p',
      '2 server end',
    ]);
    expect(talk.said[4]).toMatchObject({ head: { fields: ['server', 'test', ':path', '/p'] } });
  });
});

it('a promise without its stream opens none, but its block fills the table', () => {
  const talk = start().client(headers(1, getRoot, true));
  talk.server(frame(5, 0, 1, Buffer.from([0, 0])), frame(9, 4, 1, getRoot)).server(headers(1, ok, true));
  expect(talk.lines().slice(2)).toEqual(['notice http2.malformed', '1 server 200', '1 server end']);
});

describe('endings', () => {
  it('a reset ends both sides, and what was in flight means nothing', () => {
    const talk = start()
      .client(headers(1, getRoot, true))
      .server(headers(1, ok), data(1, 'x'))
      .client(reset(1))
      .server(data(1, 'late'), headers(1, literals('grpc-status', '1'), true))
      .end();
    expect(talk.lines().slice(2)).toEqual(['1 server 200', '1 server body x', '1 server end incomplete']);
  });

  it('a reset before the response means that there will be none', () => {
    const talk = start().client(headers(1, getRoot)).server(reset(1)).end();
    expect(talk.lines()).toEqual(['1 client GET /', '1 client end incomplete', '1 server end incomplete']);
  });

  it.each([
    [
      'client',
      start()
        .client(headers(1, getRoot, true), reset(1))
        .end(),
    ],
    [
      'server',
      start()
        .client(headers(1, getRoot, true))
        .server(reset(1))
        .end(),
    ],
    [
      'server',
      start()
        .client(headers(1, getRoot, true))
        .closed(null, 'reset'),
    ],
    [
      'client',
      start()
        .client(headers(1, getRoot, true))
        .closed(null, 'aborted'),
    ],
    [
      'client',
      start()
        .client(headers(1, getRoot, true))
        .closed('client')
        .closed('server')
        .closed(null),
    ],
    [
      'server',
      start()
        .client(headers(1, getRoot, true))
        .closed('server')
        .closed('client')
        .closed(null),
    ],
    [
      undefined,
      start()
        .client(headers(1, getRoot, true))
        .closed(null, 'idle'),
    ],
    [
      undefined,
      start()
        .client(headers(1, getRoot, true))
        .end(),
    ],
  ])('the side that broke it off: %s (%#)', (by, talk) => {
    const ends = talk.said.filter((item) => item.kind === 'end' && item.from === 'server');
    expect(ends.map((item) => ('cut' in item ? item.cut?.by : undefined))).toEqual([by]);
  });

  const goaway = frame(7, 0, 0, Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]));
  const rest = Buffer.alloc(30, 97);

  it.each<[string, Side | undefined, (talk: Conversation) => Conversation]>([
    ['it may be among the lost frames', undefined, (talk) => talk.lose('server', 500).closed('client').closed(null)],
    ['they were lost before it was sent', 'client', (talk) => talk.closed('client').closed(null)],
    ['lost again', undefined, (talk) => talk.lose('server', 500).client(reset(3))],
    ['not lost again', 'client', (talk) => talk.client(reset(3))],
    ['not read again', undefined, (talk) => talk.server(rest).closed(null, 'reset')],
    ["not answered, by the server's GOAWAY", 'server', (talk) => talk.server(goaway, ping, ping)],
  ])('the side that broke it off, after a loss: %s', (_, by, end) => {
    const talk = start()
      .client(headers(1, getRoot, true))
      .lose('server', 500)
      .client(headers(3, getRoot, true));
    const ends = end(talk).said.filter((item) => item.kind === 'end' && item.from === 'server' && item.stream === 3);
    expect(ends).toMatchObject([{ cut: by === undefined ? undefined : { by } }]);
  });

  it('the first response after a loss was broken off by no side, either', () => {
    const talk = start()
      .client(headers(1, getRoot, true))
      .lose('server', 500)
      .client(reset(1));
    expect(talk.said.at(-1)).toMatchObject({ kind: 'end', from: 'server', cut: undefined });
  });

  it('GOAWAY ends the streams that will not be answered', () => {
    const talk = start()
      .client(headers(1, getRoot, true), headers(3, getRoot, true))
      .server(goaway, headers(1, ok, true));
    expect(talk.lines().slice(4)).toEqual([
      'notice http2.goaway',
      '3 server end incomplete',
      '1 server 200',
      '1 server end',
    ]);
    expect(talk.said.find((item) => item.kind === 'end' && !item.complete)).toMatchObject({
      cut: { by: 'server', how: 'GOAWAY', code: 0, isUnprocessed: true },
    });
  });

  it('a stream that the server refused can be sent again; one that it ended with another code cannot', () => {
    const cutBy = (code: number) =>
      start()
        .client(headers(1, getRoot, true))
        .server(frame(3, 0, 1, Buffer.from([0, 0, 0, code])))
        .said.flatMap((item) => (item.kind === 'end' && item.from === 'server' ? [item.cut] : []));
    expect(cutBy(7)).toEqual([{ by: 'server', how: 'RST_STREAM', code: 7, silentNs: 0n, isUnprocessed: true }]);
    expect(cutBy(2)).toEqual([{ by: 'server', how: 'RST_STREAM', code: 2, silentNs: 0n }]);
  });

  it.each([
    ['too_many_pings', 'ENHANCE_YOUR_CALM too_many_pings, of the server'],
    ['token=hunter2', 'ENHANCE_YOUR_CALM, of the server'],
  ])('of the debug text of GOAWAY only what libraries write is told: %s', (text, detail) => {
    const payload = Buffer.concat([Buffer.from([0, 0, 0, 1, 0, 0, 0, 11]), Buffer.from(text)]);
    const talk = start()
      .client(headers(1, getRoot, true))
      .server(frame(7, 0, 0, payload))
      .closed('server');
    expect(talk.said.find((item) => item.kind === 'notice')).toMatchObject({ code: 'http2.goaway', detail });
    expect(talk.said.at(-1)).toMatchObject({ kind: 'end', cut: { by: 'server', how: 'GOAWAY', code: 11 } });
  });

  it('a FIN of one side cuts what that side had not finished', () => {
    const talk = start()
      .client(headers(1, getRoot))
      .closed('client')
      .server(headers(1, ok, true));
    expect(talk.lines()).toEqual(['1 client GET /', '1 client end incomplete', '1 server 200', '1 server end']);
  });

  it.each(['closed', 'end'])('%s cuts all that is open, once', (how) => {
    const talk = start()
      .client(headers(1, getRoot, true))
      .server(headers(1, ok), data(1, 'x'));
    if (how === 'closed') talk.closed(null, 'reset').closed(null);
    talk.end();
    expect(talk.lines().slice(-1)).toEqual(['1 server end incomplete']);
    expect(talk.lines()).toHaveLength(5);
  });

  it('a head that is cut by the end is emitted as far as it reaches', () => {
    const talk = start().client(headers(1, getRoot).subarray(0, 40)).end();
    expect(talk.lines()).toEqual([
      '1 client GET null incomplete',
      '1 client end incomplete',
      '1 server end incomplete',
    ]);
  });

  it('what cannot be read any more ends everything', () => {
    const talk = start().client(headers(1, getRoot, true));
    const last = { capture: 0, frame: 9, time: 9n };
    talk.feed({ kind: 'opaque', connection: talk.connection, origin: last, reason: 'bad-tag', detail: '' });
    expect(talk.lines().slice(2)).toEqual(['1 server end incomplete']);
  });
});

describe('tunnels', () => {
  it('CONNECT: the target is the authority, and what follows is a tunnel', () => {
    const talk = start()
      .client(headers(1, literals(':method', 'CONNECT', ':authority', 'h:443')))
      .server(headers(1, literals(':status', '200')), data(1, 'hi'));
    expect(talk.lines()).toEqual([
      '1 client CONNECT h:443',
      '1 server 200',
      '1 server upgraded tcp',
      '1 server body hi',
    ]);
  });

  it('extended CONNECT names its protocol (RFC 8441)', () => {
    const request = literals(':method', 'CONNECT', ':protocol', 'websocket', ':path', '/exec', ':scheme', 'https');
    const talk = start()
      .client(headers(1, request))
      .server(headers(1, literals(':status', '200')));
    expect(talk.lines().slice(-1)).toEqual(['1 server upgraded websocket']);
  });

  it('a refused CONNECT is no tunnel', () => {
    const talk = start()
      .client(headers(1, literals(':method', 'CONNECT', ':authority', 'h:443')))
      .server(headers(1, literals(':status', '502'), true));
    expect(talk.lines().slice(1)).toEqual(['1 server 502', '1 server end']);
  });
});

describe('an upgrade from HTTP/1.1 (h2c)', () => {
  it('stream 1 is the request for the switch, even without a handshake', () => {
    const c = connection('port');
    const talk = new Conversation(c, http2Protocol.open(c, 'h2c-response'))
      .server(settings, headers(1, ok), data(1, 'x', true))
      .client(PREFACE, settings, headers(3, getRoot, true));
    expect(talk.lines()).toEqual(['1 server 200', '1 server body x', '1 server end', '3 client GET /', '3 client end']);
  });
});

describe('capture order is not sending order', () => {
  it('an answer that was captured before its request joins it', () => {
    const talk = start()
      .server(headers(1, ok, true), headers(5, ok, true))
      .client(headers(1, getRoot, true), headers(3, getRoot, true), headers(5, getRoot, true));
    expect(talk.lines().filter((line) => line.startsWith('5'))).toEqual([
      '5 server 200',
      '5 server end',
      '5 client GET /',
      '5 client end',
    ]);
  });
});

describe('frames that break the protocol', () => {
  it.each([
    ['DATA on stream 0', data(0, 'x')],
    ['a PING of seven bytes', frame(6, 0, 0, Buffer.alloc(7))],
    ['SETTINGS of seven bytes', frame(4, 0, 0, Buffer.alloc(7))],
    ['a frame longer than anyone allowed', Buffer.from([0x7f, 0, 0, 0, 0, 0, 0, 0, 1])],
    ['a CONTINUATION of nothing', frame(9, 4, 1, getRoot)],
    ['a header block of another stream inside one', Buffer.concat([frame(1, 0, 1, getRoot), headers(3, getRoot)])],
  ])('%s: a notice, and reading goes on where frames are proven', (_, bad) => {
    const talk = start()
      .client(headers(7, getRoot, true))
      .client(bad)
      .client(headers(9, getRoot, true))
      .end();
    expect(talk.lines()).toContain('notice http2.malformed');
    expect(talk.lines()).toContain('9 client GET /');
  });

  it('a frame as long as the other side allowed is no fault', () => {
    const allows = frame(4, 0, 0, Buffer.from([0, 5, 0, 0x7f, 0xff, 0xff]));
    const talk = start()
      .server(allows)
      .client(headers(1, getRoot), frame(0, 1, 1, Buffer.alloc(3_000_000, 97)))
      .end();
    expect(talk.lines().filter((line) => line.startsWith('notice'))).toEqual([]);
  });

  it('does not report the same fault twice', () => {
    const talk = start();
    for (let i = 0; i < 10; i++) talk.client(ping, data(0, 'x'), ping);
    expect(talk.lines().filter((line) => line === 'notice http2.malformed')).toHaveLength(1);
  });
});

describe('different roles', () => {
  it('large fields arrive whole', () => {
    const block = Buffer.concat([
      literals(':method', 'GET', ':path', '/'),
      Buffer.from([0, 1, 120]),
      text('v'.repeat(90_000)),
    ]);
    const parts = [0, 1, 2, 3, 4, 5].map((i) => block.subarray(i * 16_384, (i + 1) * 16_384));
    const frames = parts.map((part, i) => frame(i === 0 ? 1 : 9, i === 5 ? 4 : 0, 1, part));
    const { said } = start().client(...frames);
    expect(said[0]).toMatchObject({ kind: 'head', complete: true, head: { fields: ['x', 'v'.repeat(90_000)] } });
  });

  it('without bytes there is no output', () => {
    const c = connection();
    expect(inWords([...http2Session(c).end()])).toEqual([]);
  });
});
