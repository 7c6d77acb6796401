import { describe, expect, it } from 'vitest';
import { spdyControl, spdyData } from '../../test/kit/channel-kit.js';
import { EMPTY_BYTES } from '../core/bytes/bytes.js';
import { seemsSpdy } from './detect-unreadable.js';

const text = (words: string): Uint8Array => Buffer.from(words, 'latin1');
const join = (...parts: Uint8Array[]): Uint8Array => Buffer.concat(parts);
const PING = spdyControl(6, Uint8Array.of(0, 0, 0, 1));
const GET = text('GET / HTTP/1.1\r\nHost: a\r\n\r\n');

const FRAMES: [string, Uint8Array][] = [
  ['a request in a frame', spdyData(3, GET)],
  ['two pieces', join(spdyData(1, text('a')), spdyData(5, text('b')))],
  ['a ping', PING],
  ['a piece and the beginning of another', join(PING, spdyData(3, GET).subarray(0, 5))],
  ['the end of a stream', join(PING, spdyData(3, EMPTY_BYTES, 1))],
];

const OTHERS: [string, Uint8Array][] = [
  ['nothing', EMPTY_BYTES],
  ['a request', GET],
  ['the head of a frame alone', spdyData(3, GET).subarray(0, 8)],
  ['a frame that is not whole', spdyData(3, GET).subarray(0, 20)],
  ['a server’s stream', spdyData(2, GET)],
  ['an empty piece that ends nothing', spdyData(3, EMPTY_BYTES)],
  ['frames, and then a line', join(PING, GET)],
  ['HTTP/2 SETTINGS', Uint8Array.of(0, 0, 0, 4, 0, 0, 0, 0, 0)],
  ['HTTP/2 DATA', join(Uint8Array.of(0, 0, 5, 0, 1, 0, 0, 0, 1), text('hello'))],
  ['HTTP/2 WINDOW_UPDATE', Uint8Array.of(0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 1, 0, 0)],
  ['HTTP/2 PING', Uint8Array.of(0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8)],
];

describe('seemsSpdy', () => {
  it.each(FRAMES)('%s: frames, from either side', (_, bytes) => {
    expect(seemsSpdy({ client: bytes, server: EMPTY_BYTES })).toBe(true);
    expect(seemsSpdy({ client: EMPTY_BYTES, server: bytes })).toBe(true);
  });

  it.each(OTHERS)('%s: none', (_, bytes) => {
    expect(seemsSpdy({ client: bytes, server: EMPTY_BYTES })).toBe(false);
  });
});
