import { describe, expect, it } from 'vitest';
import { data, frame, getRoot, headers, ok, PREFACE, ping, settings } from '../../../test/kit/http2-kit.js';
import { detectHttp2 } from './detect.js';
import { http2Protocol } from './session.js';

const NONE = new Uint8Array(0);
const ask = (client: Uint8Array, server: Uint8Array, handshakeSeen: boolean) =>
  http2Protocol.detect({ client, server }, handshakeSeen);

describe('detection from the start', () => {
  it.each([
    ['the preface', PREFACE, NONE, 'yes'],
    ['a part of it', PREFACE.subarray(0, 10), NONE, 'more'],
    ['nothing', NONE, NONE, 'more'],
    ['HTTP/1.1', Buffer.from('GET / HTTP/1.1\r\n'), NONE, 'no'],
    ['a method that begins like it', Buffer.from('PROPFIND / HTTP/1.1\r\n'), NONE, 'no'],
    ['TLS', Buffer.from('160301020001', 'hex'), NONE, 'no'],
    ['SETTINGS of a server that speaks first', NONE, settings, 'yes'],
    ['a part of them', NONE, settings.subarray(0, 5), 'more'],
    ['another protocol whose server speaks first', NONE, Buffer.from('SSH-2.0-OpenSSH'), 'no'],
    ['frames where the preface is missing', Buffer.concat([settings, ping, ping]), NONE, 'yes'],
  ])('%s', (_, client, server, verdict) => expect(ask(client, server, true)).toBe(verdict));
});

describe('detection of a late start', () => {
  it.each([
    ['one whole frame of the server', NONE, ping, 'yes'],
    ['one whole frame with an object in it', NONE, data(5, '{"type":"ADDED"}'), 'yes'],
    ['one whole frame with anything in it', NONE, data(5, 'x'), 'more'],
    ['the end of a stream', NONE, data(5, '', true), 'more'],
    ['a request on an even stream', headers(8, getRoot, true), NONE, 'more'],
    ['a block that HPACK cannot decode', headers(7, Buffer.from('ffffffffffff', 'hex'), true), NONE, 'more'],
    ['empty frames that end nothing', Buffer.concat([ping, data(5, ''), data(5, '')]), NONE, 'more'],
    ['an error that there is none of', frame(3, 0, 5, Buffer.from([0, 0, 1, 0])), NONE, 'more'],
    ['a CONTINUATION of nothing', Buffer.concat([ping, frame(9, 4, 5, ok)]), NONE, 'more'],
    [
      'frames that were proven before bytes are missing',
      NONE,
      Buffer.concat([ping, ping, ping, Buffer.alloc(9, 98)]),
      'yes',
    ],
    ['a request of the client', headers(7, getRoot, true), NONE, 'yes'],
    [
      'two frame headers, the second frame cut',
      NONE,
      Buffer.concat([headers(5, ok), data(5, 'abc').subarray(0, 10)]),
      'yes',
    ],
    ['the rest of a frame, then three', NONE, Buffer.concat([Buffer.alloc(99, 98), ping, ping, data(5, 'x')]), 'yes'],
    ['text', Buffer.from('GET / HTTP/1.1\r\n'), NONE, 'more'],
    ['zeros', NONE, Buffer.alloc(500), 'more'],
    ['text for long', NONE, Buffer.alloc(40_000, 98), 'no'],
    ['a preface', PREFACE, NONE, 'yes'],
    ['a preface of the side that was taken for the server', NONE, PREFACE, 'yes'],
    ['an unknown frame type', NONE, frame(77, 0, 1, Buffer.alloc(3)), 'more'],
  ])('%s', (_, client, server, verdict) => expect(ask(client, server, false)).toBe(verdict));
});

it('is the one that the protocol offers', () => expect(http2Protocol.detect).toBe(detectHttp2));
