import { beforeAll, describe, expect, it } from 'vitest';
import {
  heardOf,
  latin,
  MASK,
  type Sent,
  SpdyHeaders,
  spdyControl,
  spdyData,
  webSocket,
} from '../../../test/kit/channel-kit.js';
import { WebSocketChannels } from '../websocket/channels.js';
import { MAX_SPDY_STREAMS, SpdyChannels } from './channels.js';
import { MAX_CONTROL_BYTES } from './frames.js';

const FIN = 1;
const opened: Record<string, Uint8Array> = {};
const replies: Uint8Array[] = [];
const NAMES = ['error', 'stdin', 'stdout', 'stderr', 'resize', 'data'];

beforeAll(async () => {
  const client = new SpdyHeaders();
  const server = new SpdyHeaders();
  for (const [i, name] of NAMES.entries()) {
    opened[name] = await client.open(2 * i + 1, name);
    replies.push(await server.reply(2 * i + 1));
  }
  opened['strange'] = await client.open(21, 'strange');
});

const C = (...parts: Uint8Array[]): Sent => ['client', Buffer.concat(parts)];
const S = (...parts: Uint8Array[]): Sent => ['server', Buffer.concat(parts)];
const read = (sent: readonly Sent[]) => heardOf(new SpdyChannels(), sent);
const all = (): Uint8Array[] => NAMES.map((name) => opened[name]);

describe('channels of SPDY', () => {
  it('each stream is what it was opened as', () => {
    const sent = [
      C(...all()),
      S(...replies, spdyData(5, latin('out')), spdyData(7, latin('errors'))),
      C(spdyData(3, latin('in')), spdyData(9, latin('{}')), spdyData(11, latin('GET /'))),
    ];
    expect(read(sent).words).toEqual([
      ...['< stdout 3 2-2', '< stderr 6 2-2', '> stdin 2 3-3', '> resize 2 3-3', '> data 5 3-3'],
    ]);
  });

  it('byte by byte', () => {
    const bytes = (sent: Sent): Sent[] => [...(sent[1] as Uint8Array)].map((byte) => [sent[0], Uint8Array.of(byte)]);
    const sent = [...bytes(C(...all())), ...bytes(S(...replies, spdyData(5, latin('out'))))];
    const found = read(sent);
    expect(found.pieces.map(({ channel, size, complete }) => [channel, size, complete])).toEqual([['stdout', 3, true]]);
    expect(found.pieces[0].last.frame - found.pieces[0].first.frame).toBe(10);
  });

  it('pings, settings, windows and GOAWAY emit nothing; neither does an empty DATA frame', () => {
    const control = [4, 6, 7, 9].map((type) => spdyControl(type, new Uint8Array(8)));
    expect(read([C(...all(), ...control, spdyData(3, latin(''), FIN))])).toMatchObject({ pieces: [], troubles: [] });
  });

  it('an unknown stream, and one of an unknown type, have sizes only', () => {
    expect(
      read([C(...all(), opened['strange']), S(spdyData(21, latin('ab')), spdyData(99, latin('c')))]).words,
    ).toEqual(['< null 2 2-2', '< null 1 2-2']);
  });

  it('a stream is over when both sides sent FIN, or one reset it', () => {
    const reset = spdyControl(3, latin('\0\0\0\x05\0\0\0\x05'));
    const sent = [
      C(...all(), spdyData(11, latin('a'), FIN)),
      S(
        spdyData(11, latin('b')),
        spdyData(11, latin('c'), FIN),
        spdyData(11, latin('d')),
        reset,
        spdyData(5, latin('e')),
      ),
    ];
    expect(read(sent).words).toEqual(['> data 1 1-1', '< data 1 2-2', '< data 1 2-2', '< null 1 2-2', '< null 1 2-2']);
  });

  it('the error stream is kept, over several frames', () => {
    const sent = [C(...all()), S(spdyData(1, latin('{"status"')), spdyData(1, latin(':"Success"}'), FIN))];
    const reports = read(sent).pieces.map(({ report }) => Buffer.from(report as Uint8Array).toString('latin1'));
    expect(reports).toEqual(['{"status"', '{"status":"Success"}']);
  });

  it('inside a WebSocket', () => {
    const wrap = ([from, bytes]: Sent): Sent => [
      from,
      webSocket(bytes as Uint8Array, from === 'client' ? { mask: MASK } : {}),
    ];
    const whole = C(...all());
    const half = (whole[1] as Uint8Array).length >> 1;
    const sent: Sent[] = [
      wrap(['client', (whole[1] as Uint8Array).subarray(0, half)]),
      wrap(['client', (whole[1] as Uint8Array).subarray(half)]),
      wrap(S(spdyData(11, latin('answer')))),
    ];
    expect(heardOf(new WebSocketChannels('SPDY/3.1+portforward.k8s.io', '/portforward'), sent).words).toEqual([
      '< data 6 3-3',
    ]);
  });
});

describe('what is missing or wrong', () => {
  const data = spdyData(5, latin('abcdef'));

  it('a gap inside a DATA frame', () => {
    const sent: Sent[] = [C(...all()), ['server', data.subarray(0, 10)], ['server', 2], S(data.subarray(12), data)];
    expect(read(sent).words).toEqual(['< stdout 4 2-4 cut', '< stdout 6 4-4']);
  });

  it('a gap between frames', () => {
    const heard = read([C(...all()), ['server', null], S(data)]);
    expect(heard.words).toEqual(['< null 14 3-3 cut']);
    expect(heard.troubles).toEqual([
      'http.malformed bytes are missing between SPDY frames; what the server sent after it is counted only',
    ]);
  });

  it('a gap inside a header block: later streams are not known, earlier ones are', () => {
    const [error, stdin, stdout] = all();
    const sent: Sent[] = [C(error), ['client', stdin.subarray(0, 20)], ['client', stdin.length - 20], C(stdout)];
    const heard = read([...sent, S(spdyData(1, latin('{')), data)]);
    expect(heard.words).toEqual(['< error 1 5-5', '< null 6 5-5']);
    expect(heard.troubles).toEqual(['http.malformed SPDY header blocks of the client cannot be inflated']);
  });

  it('a header block of the other side is no matter', () => {
    const heard = read([C(...all()), S(spdyControl(2, latin('\0\0\0\x05nonsense')), data)]);
    expect(heard.words).toEqual(['< stdout 6 2-2']);
    expect(heard.troubles).toHaveLength(1);
  });

  it('a control frame longer than the limit', () => {
    const long = spdyControl(1, new Uint8Array(MAX_CONTROL_BYTES + 1));
    const heard = read([C(opened['error'], long), S(spdyData(1, latin('{')))]);
    expect(heard.words).toEqual(['< error 1 2-2']);
    expect(heard.troubles).toEqual(['http.malformed SPDY header blocks of the client cannot be inflated']);
  });

  it('another version, or no SPDY', () => {
    const heard = read([['client', latin('\x80\x02\0\x01\0\0\0\0rest')]]);
    expect(heard.words).toEqual(['> null 8 1-1 cut', '> null 4 1-1 cut']);
    expect(heard.troubles).toHaveLength(1);
  });

  it('cut anywhere: nothing throws, and what is emitted is as long as what came', () => {
    for (let end = 1; end < data.length; end++) {
      const { pieces } = read([C(...all()), ['server', data.subarray(0, end)]]);
      expect(pieces.map(({ complete, size }) => [complete, size])).toEqual(end < 8 ? [] : [[false, end - 8]]);
    }
  });

  it('more streams than the limit: the oldest are forgotten', async () => {
    const client = new SpdyHeaders();
    const many: Uint8Array[] = [];
    for (let i = 0; i <= MAX_SPDY_STREAMS; i++) many.push(await client.open(2 * i + 1, 'data'));
    const heard = read([C(...many), S(spdyData(1, latin('a')), spdyData(3, latin('b')))]);
    expect(heard.words).toEqual(['< null 1 2-2', '< data 1 2-2']);
    expect(heard.troubles).toEqual([`limit.streams more than ${MAX_SPDY_STREAMS} SPDY streams`]);
  });
});
