import { expect, it } from 'vitest';
import { CONNECTION, originOf } from '../../test/http1-kit.js';
import { LostTimes } from './exchange-times.js';

const NAME = CONNECTION.name;
const ms = (value: number): bigint => BigInt(value) * 1_000_000n;
const at = (value: number) => ({ ...originOf(1), time: ms(value) });
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
  expect(times.take(NAME, ms(1300), ms(1950))).toEqual({
    ...{ connectMs: 1000, syns: 2, tlsMs: 250 },
    ...{ sendMs: 400, sent: 2, waitMs: 250 },
  });
  expect(times.take(NAME, ms(2000), ms(2001))).toBeUndefined();
});

it('does not know how long the server took, where its response was the acknowledgment', () => {
  const times = new LostTimes();
  times.add({ kind: 'lost-time', of: 'sending', connection: NAME, from: ms(1300), until: ms(1700), sent: 2 });
  expect(times.take(NAME, ms(1300), ms(1700))).toEqual({ sendMs: 400, sent: 2 });
});

it('leaves out a TLS that was answered soon', () => {
  const times = new LostTimes();
  times.onTlsEstablished(hello(1000, 1099));
  expect(times.take(NAME, ms(1300), ms(1301))).toBeUndefined();
});
