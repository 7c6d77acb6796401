import { expect, it } from 'vitest';
import { CONNECTION, originOf } from '../../../test/kit/http1-kit.js';
import { EMPTY_BYTES } from '../../core/bytes/bytes.js';
import { LostTimes } from './exchange-times.js';

const NAME = CONNECTION.name;
const ms = (value: number): bigint => BigInt(value) * 1_000_000n;
const at = (value: number) => ({ ...originOf(1), time: ms(value) });
const body = {
  length: 1,
  contentType: '',
  contentEncoding: '',
  complete: true,
  read: () => ({ bytes: EMPTY_BYTES, complete: true }),
};
const answered = (first: number, last = first, stalls: [number, number][] = []) => ({
  first: at(first),
  last: at(last),
  complete: true,
  body,
  stalls: stalls.map(([since, until]) => ({ since: ms(since), until: ms(until) })),
});
const hello = (from: number, until: number) =>
  ({
    kind: 'tls-established',
    connection: CONNECTION,
    origin: at(until),
    hello: at(from),
    version: '1.3',
    suite: 'TLS_AES_128_GCM_SHA256',
    sni: null,
    alpn: null,
    clientRandom: null,
  }) as const;

it('has the parts of the first exchange of a connection: connecting, TLS, sending, waiting', () => {
  const times = new LostTimes();
  times.add({ kind: 'lost-time', of: 'connecting', connection: NAME, from: ms(0), until: ms(1000), sent: 2 });
  times.onTlsEstablished(hello(1001, 1251));
  times.add({ kind: 'lost-time', of: 'sending', connection: NAME, from: ms(1300), until: ms(1700), sent: 2 });
  expect(times.take(NAME, ms(1300), answered(1950))).toEqual({
    ...{ connectMs: 1000, syns: 2, tlsMs: 250 },
    ...{ sendMs: 400, sent: 2, waitMs: 250 },
  });
  expect(times.take(NAME, ms(2000), answered(2001))).toBeUndefined();
});

it('does not know how long the server took, where its response was the acknowledgment', () => {
  const times = new LostTimes();
  times.add({ kind: 'lost-time', of: 'sending', connection: NAME, from: ms(1300), until: ms(1700), sent: 2 });
  expect(times.take(NAME, ms(1300), answered(1700))).toEqual({ sendMs: 400, sent: 2 });
});

it('leaves out a TLS that was answered soon', () => {
  const times = new LostTimes();
  times.onTlsEstablished(hello(1000, 1099));
  expect(times.take(NAME, ms(1300), answered(1301))).toBeUndefined();
});

it('tells what receiving a whole response took, from 100 ms on', () => {
  const times = new LostTimes();
  expect(times.take(NAME, ms(0), answered(10, 260))).toEqual({ receiveMs: 250 });
  expect(times.take(NAME, ms(0), answered(10, 109))).toBeUndefined();
  // What is streamed, and what the capture has not whole.
  expect(times.take(NAME, ms(0), { ...answered(10, 260), body: null })).toBeUndefined();
  expect(times.take(NAME, ms(0), { ...answered(10, 260), complete: false })).toBeUndefined();
});

it('tells how long its server could send nothing, each time once, where it went on then', () => {
  const times = new LostTimes();
  times.add({ kind: 'lost-time', of: 'stalled', connection: NAME, from: ms(1200), until: ms(1500), sent: 1 });
  // Windows of HTTP/2 and TCP overlap; one was full before the response, another one after it.
  const windows: [number, number][] = [
    [1400, 1600],
    [500, 1100],
    [1900, 2001],
  ];
  expect(times.take(NAME, ms(0), answered(1000, 2000, windows))).toEqual({ receiveMs: 1000, stalledMs: 500 });
  expect(times.take(NAME, ms(1990), answered(3000, 3200))).toEqual({ receiveMs: 200 });
});
