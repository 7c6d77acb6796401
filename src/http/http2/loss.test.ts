// Late starts and gaps: what can be told is told, nothing is invented.
import { describe, expect, it } from 'vitest';
import {
  Conversation,
  connection,
  data,
  dataEvent,
  frame,
  getRoot,
  headers,
  inserts,
  literals,
  ok,
  PREFACE,
  ping,
  reset,
  settings,
  settingsAck,
} from '../../../test/kit/http2-kit.js';
import { http2Session } from './session.js';

const NEWEST = Buffer.from([0xbe]);

const start = (): Conversation => {
  const c = connection();
  return new Conversation(c, http2Session(c)).client(PREFACE, settings).server(settings, settingsAck);
};
const late = (): Conversation => {
  const c = connection('port');
  return new Conversation(c, http2Session(c));
};

describe('a late start', () => {
  it('reads an answer whose request was before the capture', () => {
    const talk = late().server(data(5, 'event')).server(data(5, 'event')).end();
    expect(talk.lines()).toEqual(['5 server null incomplete', '5 server body eventevent', '5 server end incomplete']);
  });

  it('marks fields that refer to earlier entries, with one notice', () => {
    const talk = late()
      .client(headers(7, Buffer.concat([literals(':method', 'GET'), NEWEST]), true), headers(9, NEWEST, true))
      .server(headers(7, ok, true));
    expect(talk.lines()).toEqual([
      'notice http2.hpack-state-lost',
      '7 client GET null incomplete',
      '7 client end',
      '9 client null null incomplete',
      '9 client end',
      '7 server 200',
      '7 server end',
    ]);
    expect(talk.said[1]).toMatchObject({ head: { partial: [{ name: null, value: null, slot: -1 }] } });
  });

  it('learns the table again from what is inserted', () => {
    const talk = late().client(
      headers(7, inserts(':method', 'GET', ':path', '/again'), true),
      headers(9, Buffer.from([0xbf, 0xbe]), true),
    );
    expect(talk.lines().slice(-2)).toEqual(['9 client GET /again', '9 client end']);
  });

  it('takes a last lone block as trailers where the request is not there, as a head where it is', () => {
    const before = late().server(headers(7, NEWEST, true));
    expect(before.lines().slice(1)).toEqual([
      '7 server null incomplete',
      '7 server trailers ',
      '7 server end incomplete',
    ]);
    const after = late()
      .client(headers(7, getRoot, true))
      .server(headers(7, NEWEST, true));
    expect(after.lines().slice(3)).toEqual(['7 server null incomplete', '7 server end']);
  });

  it('trailers of an answer that began before', () => {
    const talk = late().server(data(5, 'x'), headers(5, literals('grpc-status', '0'), true), data(5, 'late'));
    expect(talk.lines()).toEqual([
      '5 server null incomplete',
      '5 server body x',
      '5 server trailers grpc-status 0',
      '5 server end incomplete',
    ]);
  });

  it('finds the first frame after the rest of another, and reports what was skipped', () => {
    const talk = late().server(Buffer.alloc(100, 97)).server(headers(5, ok), data(5, 'x')).end();
    expect(talk.lines()).toEqual([
      'server unread 100',
      'notice http.resynchronised',
      '5 server 200',
      '5 server body x',
      '5 server end incomplete',
    ]);
  });

  it('finds frames inside a segment by a chain of three', () => {
    const talk = late().server(Buffer.alloc(50, 97), ping, headers(5, ok), data(5, 'x'), Buffer.from([0]));
    expect(talk.lines().slice(2)).toEqual(['5 server 200', '5 server body x']);
  });

  it('a preface proves the start, and the SETTINGS that answer it the other one', () => {
    const talk = late()
      .client(PREFACE, settings, headers(1, getRoot, true))
      .server(settings, headers(1, inserts(':status', '200')))
      .server(headers(3, Buffer.from([0xc0]), true))
      .end();
    expect(talk.lines()).toContain('notice http2.malformed');
    expect(talk.lines()).not.toContain('notice http2.hpack-state-lost');
  });

  it('bytes that never are frames are counted', () => {
    const talk = late();
    for (let i = 0; i < 200; i++) talk.server(Buffer.alloc(1000, 97));
    expect(talk.end().lines()).toEqual(['server unread 200000', 'notice http.resynchronised']);
  });
});

describe('a gap', () => {
  it('inside a DATA frame takes only that part of the body', () => {
    const body = frame(0, 1, 1, Buffer.alloc(100, 97));
    const talk = start()
      .client(headers(1, getRoot, true))
      .server(headers(1, inserts(':status', '200')), body.subarray(0, 19))
      .lose('server', 80)
      .server(body.subarray(99), headers(3, NEWEST, true));
    expect(talk.lines().slice(2)).toEqual([
      '1 server 200',
      `1 server body ${'a'.repeat(10)}`,
      '1 server gap 80',
      `1 server body ${'a'.repeat(10)}`,
      '1 server end incomplete',
      '3 server 200',
      '3 server end',
    ]);
  });

  it('up to the exact end of a DATA frame keeps the place', () => {
    const body = frame(0, 1, 1, Buffer.alloc(100, 97));
    const talk = start()
      .client(headers(1, getRoot, true))
      .server(headers(1, ok), body.subarray(0, 9))
      .lose('server', 100)
      .server(headers(3, ok, true));
    expect(talk.lines().slice(3)).toEqual([
      '1 server gap 100',
      '1 server end incomplete',
      '3 server 200',
      '3 server end',
    ]);
  });

  it('over the pad length byte of a DATA frame emits no byte of it', () => {
    const padded = frame(0, 8, 1, Buffer.from('\x05body?????', 'latin1'));
    const talk = start()
      .server(headers(1, ok), padded.subarray(0, 9))
      .lose('server', 1)
      .server(padded.subarray(10), data(1, 'more', true));
    expect(talk.lines()).toEqual([
      '1 server 200',
      '1 server gap 1',
      '1 server gap 9',
      '1 server body more',
      '1 server end incomplete',
    ]);
  });

  it('inside a frame without messages costs nothing', () => {
    const talk = start()
      .client(ping.subarray(0, 12))
      .lose('client', 5)
      .client(headers(1, getRoot, true));
    expect(talk.lines()).toEqual(['1 client GET /', '1 client end']);
  });

  it('inside a header block: fields before it are known, the table is not', () => {
    const block = headers(1, Buffer.concat([inserts(':method', 'GET', ':path', '/x'), literals('a', 'b')]), true);
    const talk = start()
      .client(block.subarray(0, block.length - 3))
      .lose('client', 3)
      .client(headers(3, Buffer.concat([NEWEST, literals('c', 'd')]), true));
    expect(talk.lines()).toEqual([
      '1 client GET /x incomplete',
      '1 client end',
      'notice http2.hpack-state-lost',
      '3 client null null incomplete',
      '3 client end',
    ]);
  });

  it('inside the padding of a header block never makes fields of padding', () => {
    const padded = Buffer.concat([Buffer.from([30]), getRoot, Buffer.alloc(30)]);
    const whole = frame(1, 0xd, 1, padded);
    const talk = start()
      .client(whole.subarray(0, whole.length - 10))
      .lose('client', 10);
    expect(talk.said[0]).toMatchObject({
      kind: 'head',
      complete: false,
      head: { fields: [':scheme', 'http', ':authority', 'a'] },
    });
  });

  it('in a block of several frames: the rest of the block means nothing', () => {
    const parts = [getRoot.subarray(0, 20), getRoot.subarray(20)];
    const lost = frame(1, 1, 1, parts[0]);
    const talk = start()
      .client(lost.subarray(0, 20))
      .lose('client', lost.length - 20)
      .client(frame(9, 4, 1, parts[1]), headers(3, getRoot, true));
    expect(talk.lines()).toEqual(['1 client null null incomplete', '1 client end', '3 client GET /', '3 client end']);
  });

  it('beyond a frame: bodies may have lost bytes, the next frame is searched for', () => {
    const talk = start()
      .client(headers(1, getRoot, true), headers(3, getRoot, true))
      .server(headers(1, inserts(':status', '200')), headers(3, NEWEST), data(1, 'x'))
      .lose('server', 5000)
      .server(Buffer.alloc(30, 97))
      .server(data(1, 'y', true), headers(3, NEWEST, true), ping);
    expect(talk.lines().slice(4)).toEqual([
      '1 server 200',
      '3 server 200',
      '1 server body x',
      '1 server gap null',
      '3 server gap null',
      'server unread 30',
      'notice http.resynchronised',
      '1 server body y',
      '1 server end incomplete',
      'notice http2.hpack-state-lost',
      '3 server trailers ',
      '3 server end incomplete',
    ]);
  });

  it('of unknown length is never bridged', () => {
    const body = frame(0, 0, 1, Buffer.alloc(100, 97));
    const talk = start().server(headers(1, ok), body.subarray(0, 50)).lose('server', null).server(data(1, 'z'), ping);
    expect(talk.lines()).toEqual([
      '1 server 200',
      `1 server body ${'a'.repeat(41)}`,
      '1 server gap 59',
      '1 server gap null',
      '1 server body z',
    ]);
  });

  it('that took requests: their answers are read, those of finished streams are not', () => {
    const talk = start()
      .client(headers(1, getRoot, true))
      .server(headers(1, ok, true))
      .lose('client', 500)
      .client(headers(9, getRoot, true), ping)
      .server(data(1, 'late'), headers(5, ok, true), headers(9, ok, true));
    expect(talk.lines().slice(4)).toEqual([
      '9 client GET /',
      '9 client end',
      '5 server 200',
      '5 server end',
      '9 server 200',
      '9 server end',
    ]);
  });

  it('in the preface is bridged where it lies within', () => {
    const c = connection();
    const talk = new Conversation(c, http2Session(c))
      .client(PREFACE.subarray(0, 4))
      .lose('client', 20)
      .client(settings, headers(1, getRoot, true));
    expect(talk.lines()).toEqual(['1 client GET /', '1 client end']);
  });

  it('is no preface where the start was not captured', () => {
    const talk = late()
      .lose('client', 24)
      .client(headers(9, NEWEST, true), ping);
    expect(talk.lines()).toContain('9 client null null incomplete');
  });

  it('first of all: the beginning is not there', () => {
    const c = connection();
    const talk = new Conversation(c, http2Session(c))
      .lose('client', 100)
      .client(headers(1, Buffer.concat([getRoot, NEWEST])), ping);
    expect(talk.lines()).toEqual(['notice http2.hpack-state-lost', '1 client GET / incomplete']);
  });

  it('bytes that look like frames but hold no header block are not believed', () => {
    const illegal = literals('Upper', 'case', '', '');
    const talk = start()
      .client(headers(1, getRoot, true))
      .lose('client', 500)
      .client(ping, ping, headers(3, illegal, true), ping)
      .client(headers(5, getRoot, true), ping)
      .end();
    expect(talk.lines().filter((line) => /^\d+ client \w+ /.test(line))).toEqual(['1 client GET /', '5 client GET /']);
  });

  it('streams far beyond those that were opened are not believed', () => {
    const talk = start()
      .client(headers(1, getRoot, true))
      .lose('client', 500)
      .client(headers(900_001, getRoot, true));
    expect(talk.end().lines()).not.toContain('900001 client GET /');
    expect(talk.lines()).toContain(`client unread ${9 + getRoot.length}`);
  });

  it('again and again is emitted once a body', () => {
    const talk = start()
      .client(headers(1, getRoot, true))
      .server(headers(1, ok));
    for (let i = 0; i < 20; i++) talk.lose('server', 5000);
    expect(talk.lines().filter((line) => line.includes('gap'))).toHaveLength(1);
  });
});

describe('which side is the client', () => {
  const unsure = (): Conversation => {
    const c = connection('port', 50_001, 50_000);
    return new Conversation(c, http2Session(c));
  };

  it('clear ports are believed at once', () => {
    expect(late().server(data(5, 'x')).lines()).toEqual(['5 server null incomplete', '5 server body x']);
  });

  it('a request head from the other side turns the connection round', () => {
    const talk = unsure()
      .server(headers(7, getRoot, true))
      .client(headers(7, ok), data(7, 'x', true))
      .end();
    expect(talk.lines()).toEqual(['7 client GET /', '7 client end', '7 server 200', '7 server body x', '7 server end']);
    expect(talk.said[0]).toMatchObject({
      connection: { id: 1, roles: 'content', name: '192.0.2.2:50000-192.0.2.1:50001', client: { port: 50_000 } },
    });
  });

  it.each([
    ['a status from the client', 'client', ok],
    ['a request from the server', 'server', literals(':scheme', 'http')],
  ] as const)('%s is proof', (_, from, block) => {
    const talk = unsure();
    talk.feed(dataEvent(talk.connection, from, headers(7, block), 1));
    expect(talk.said[0]).toMatchObject({ kind: 'head', connection: { roles: 'content' } });
  });

  it('events wait for it', () => {
    const talk = unsure().client(data(5, 'body'));
    expect(talk.lines()).toEqual([]);
    expect(talk.client(headers(7, ok)).lines()).toEqual([
      '5 server null incomplete',
      '5 server body body',
      '7 server 200',
    ]);
  });

  it('not for ever', () => {
    const talk = unsure();
    for (let i = 0; i < 70; i++) talk.client(data(5, 'x'.repeat(1000)));
    expect(talk.lines()[0]).toBe('5 client null null incomplete');
    expect(talk.end().lines().slice(-2)).toEqual(['5 client end incomplete', '5 server end incomplete']);
  });

  it('buffered events are emitted at the end', () => {
    expect(unsure().client(data(5, 'x')).end().lines()).toEqual([
      '5 client null null incomplete',
      '5 client body x',
      '5 client end incomplete',
      '5 server end incomplete',
    ]);
  });

  it('a preface of the server turns it too', () => {
    const talk = unsure().server(PREFACE, settings, headers(1, getRoot), reset(1));
    expect(talk.lines().slice(0, 1)).toEqual(['1 client GET /']);
  });
});
