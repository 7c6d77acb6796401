// TLS that is not agreed on, made by hand after RFC 8446 and RFC 5246: with keys, without, and cut anywhere.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  connection,
  finished,
  handMade,
  origin,
  recut,
  run,
  Sealer,
  streamEvents,
  TLS13_SUITES,
  type Turn,
  turn,
} from '../../test/kit/tls-peers.js';
import type { EndReason, StreamEvent } from '../tcp/stream-event.js';
import { tlsDecrypter } from './decrypter.js';
import { secretStore } from './key-log.js';

const ASKED = '; asked for localhost';
const BAD_CERTIFICATE = Uint8Array.from([2, 42]);
const CLEAR_ALERT = (description: number): Uint8Array => Uint8Array.from([21, 3, 3, 0, 2, 2, description]);

function outcome(turns: readonly Turn[], keyLog: string, end: (events: StreamEvent[]) => StreamEvent[] = (e) => e) {
  const secrets = secretStore();
  secrets.add(keyLog);
  const events = end(streamEvents(turns));
  const out = run(tlsDecrypter(finished(secrets))(connection()), events);
  const said = out.filter((item) => item.kind === 'failed');
  const notices = out.filter(({ kind }) => kind === 'notice').flatMap((item) => ('code' in item ? [item.code] : []));
  // Emitted once on each of both ways, at the same frame.
  expect(notices.filter((code) => code === 'tls.refused' || code === 'tls.unfinished')).toHaveLength(said.length);
  // The hello has this server name (handMade).
  for (const { detail } of said) expect(detail.endsWith(ASKED)).toBe(true);
  return said.map(({ by, detail, origin: { frame } }) => ({ by, detail: detail.slice(0, -ASKED.length), frame }));
}

/** What the client sends in its handshake epoch in place of a Finished. */
function alertOf({ keyLog }: { readonly keyLog: string }): Turn {
  const secret = /CLIENT_HANDSHAKE_TRAFFIC_SECRET \S+ (\S+)/.exec(keyLog)![1];
  return turn('client', new Sealer(TLS13_SUITES[0], Buffer.from(secret, 'hex')).seal(21, BAD_CERTIFICATE));
}

describe('an alert of the client behind the flight of the server, TLS 1.3', () => {
  const hand = handMade();
  const turns = [hand.clientHello, hand.serverHello, hand.serverFlight, alertOf(hand)];

  it('is reported by its name, if the key log has its secrets', () => {
    expect(outcome(turns, hand.keyLog)).toEqual([
      { by: 'client', detail: 'the client sends bad_certificate', frame: 5 },
    ]);
  });

  it('is recognised by its length, without secrets', () => {
    expect(outcome(turns, '')).toEqual([
      { by: 'client', detail: 'the client sent an alert, which cannot be read', frame: 5 },
    ]);
  });

  it('is neither a Finished nor data of the same length', () => {
    const finish = [hand.clientHello, hand.serverHello, hand.serverFlight, hand.clientFlight];
    for (const keyLog of [hand.keyLog, '']) {
      expect(outcome(finish, keyLog)).toEqual([]);
      expect(outcome([...finish, turn('client', handMade().client.data('{}'))], keyLog)).toEqual([]);
    }
  });

  it('is the same however the stream is cut', () => {
    const whole = [hand.keyLog, ''].map((keyLog) => outcome(turns, keyLog).map(({ by, detail }) => ({ by, detail })));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }), (sizes) => {
        let at = 0;
        const cut = recut(turns, () => sizes[at++ % sizes.length]);
        expect([hand.keyLog, ''].map((k) => outcome(cut, k).map(({ by, detail }) => ({ by, detail })))).toEqual(whole);
      }),
      { numRuns: 200 },
    );
  });
});

describe('an alert of the server', () => {
  const hand = handMade();

  it('in clear, in answer to the hello', () => {
    expect(outcome([hand.clientHello, turn('server', CLEAR_ALERT(70))], '')).toEqual([
      { by: 'server', detail: 'the server sends protocol_version', frame: 3 },
    ]);
  });

  it('of a number that has no name', () => {
    expect(outcome([hand.clientHello, turn('server', CLEAR_ALERT(99))], '')[0].detail).toBe(
      'the server sends alert 99',
    );
  });

  it('behind the Finished of the client: it did not like what that showed', () => {
    const required = turn('server', hand.server.seal(21, Uint8Array.from([2, 116])));
    const turns = [...hand.handshake, turn('client', hand.client.data('GET /')), required];
    expect(outcome(turns, hand.keyLog)).toEqual([
      { by: 'server', detail: 'the server sends certificate_required', frame: 7 },
    ]);
  });

  it('is no failure if the server sent data before: OpenSSL sends one when its peer just closes', () => {
    const used = handMade();
    const late = [
      turn('server', used.server.data('HTTP/1.1 200')),
      turn('server', used.server.seal(21, Buffer.from([2, 50]))),
    ];
    expect(outcome([...used.handshake, ...late], used.keyLog)).toEqual([]);
  });

  it.each([0, 90, 100])('is none that ends in order: %i', (description) => {
    expect(outcome([hand.clientHello, turn('server', CLEAR_ALERT(description))], '')).toEqual([]);
  });
});

describe('a hello', () => {
  const hand = handMade();
  const broken = (reason: EndReason) => (events: StreamEvent[]) => [
    ...events.filter(({ kind }) => kind !== 'closed'),
    { kind: 'closed', connection: connection(), from: null, origin: origin(3002), reason } as const,
  ];

  it.each([
    ['reset', "the server sent nothing after the client's hello, the server closed after 3.0 s"],
    ['aborted', "the server sent nothing after the client's hello, the client closed after 3.0 s"],
  ] as const)('without a response: %s', (reason, detail) => {
    expect(outcome([hand.clientHello], '', broken(reason))).toEqual([{ by: 'unfinished', detail, frame: 2 }]);
  });

  it('that may still be answered, where the capture ends', () => {
    expect(outcome([hand.clientHello], '', broken('end'))).toEqual([]);
    expect(outcome([hand.clientHello], '', broken('idle'))).toEqual([]);
  });

  it('that the server has, and did not answer for a second and more until the capture ends', () => {
    const waited = (ms: number) => (events: StreamEvent[]) => [
      ...events.filter(({ kind }) => kind !== 'closed'),
      {
        kind: 'closed',
        connection: connection(),
        from: null,
        origin: origin(ms),
        reason: 'end',
        isDelivered: true,
      } as const,
    ];
    const detail = "the server acknowledged the client's hello, and sent nothing for 3.0 s";
    expect(outcome([hand.clientHello], '', waited(3002))).toEqual([{ by: 'unfinished', detail, frame: 2 }]);
    expect(outcome([hand.clientHello], '', waited(900))).toEqual([]);
    expect(outcome([hand.clientHello, hand.serverHello], '', waited(3002))).toEqual([]);
  });

  it('whose client does not finish', () => {
    const turns = [hand.clientHello, hand.serverHello, hand.serverFlight];
    expect(outcome(turns, '', broken('aborted'))).toEqual([
      {
        by: 'unfinished',
        detail: 'the client closed after 3.0 s, and the client had not finished its handshake',
        frame: 2,
      },
    ]);
    expect(outcome([...turns, hand.clientFlight], '', broken('aborted'))).toEqual([]);
  });

  it.each([
    ['HTTP/1.1 400 Bad Request\r\n\r\n', 'the server speaks plain HTTP: 400 Bad Request'],
    ['HTTP/1.0 503\r\n', 'the server speaks plain HTTP: 503'],
    ['HTTP/1.1 400 Bad\u001b[31m Request\r\n', 'the server answered with bytes that are no TLS'],
    ['220 mail.example ESMTP\r\n', 'the server answered with bytes that are no TLS'],
  ])('that is answered in plain text: %j', (text, detail) => {
    const plain = turn('server', Buffer.from(text));
    expect(outcome([hand.clientHello, plain], '')).toEqual([{ by: 'unfinished', detail, frame: 2 }]);
  });

  it('behind which bytes are missing proves nothing', () => {
    const gap = (events: StreamEvent[]): StreamEvent[] => {
      const at = { connection: connection(), origin: origin(2) };
      return [
        ...events.slice(0, 2),
        { kind: 'gap', ...at, from: 'server', length: 900 },
        ...broken('reset')(events).slice(2),
      ];
    };
    expect(outcome([hand.clientHello], '', gap)).toEqual([]);
  });

  it('of a connection whose beginning was not captured proves nothing', () => {
    const secrets = finished(secretStore());
    const late = connection({ roles: 'port' });
    const events = streamEvents([hand.clientHello, turn('server', CLEAR_ALERT(40))], { roles: 'port' });
    expect(run(tlsDecrypter(secrets)(late), events).filter(({ kind }) => kind === 'failed')).toEqual([]);
  });
});
