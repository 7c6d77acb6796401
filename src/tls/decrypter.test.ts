import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/kit/runs.js';
import {
  clear,
  connection,
  extension,
  type HandMade,
  handMade,
  hello,
  kinds,
  message,
  origin,
  plaintext,
  recut,
  run,
  Sealer,
  streamEvents,
  TLS13_SUITES,
  type Turn,
  turn,
} from '../../test/kit/tls-peers.js';
import type { Notice } from '../core/notice.js';
import type { StreamEvent } from '../tcp/stream-event.js';
import { tlsDecrypter } from './decrypter.js';
import { secretStore } from './key-log.js';

function decrypt(keyLog: string | null, events: readonly StreamEvent[], final = true) {
  const secrets = secretStore();
  secrets.final = final;
  if (keyLog !== null) secrets.add(keyLog);
  return run(tlsDecrypter(secrets)(events[0].connection), events);
}

function opaqueOf(out: readonly (StreamEvent | Notice)[]) {
  return out.flatMap((item) => (item.kind === 'opaque' ? [[item.reason, item.detail]] : []));
}

function gap(from: 'client' | 'server', length: number | null, frame = 50): StreamEvent {
  return { kind: 'gap', connection: connection(), from, origin: origin(frame), length };
}

/** Events of turns with a gap of so many bytes in place of the turns for which `lose` is true. */
function withLoss(turns: readonly Turn[], lose: (index: number) => boolean, known = true): StreamEvent[] {
  return streamEvents(turns).map((event, i) =>
    event.kind === 'data' && lose(i - 1)
      ? { ...gap(event.from, known ? event.bytes.length : null), origin: event.origin }
      : event,
  );
}

describe('plaintext', () => {
  it('passes by as the very same events', () => {
    const events = streamEvents([
      turn('client', Buffer.from('GET / HTTP/1.1\r\n\r\n')),
      turn('server', Buffer.from('HTTP/1.1 204 No Content\r\n\r\n')),
    ]);
    const stage = tlsDecrypter(secretStore())(connection());
    const first = stage.feed(events[0]);
    expect(first[0]).toBe(events[0]);
    expect(stage.feed(events[1])).toEqual([events[1]]);
    expect(stage.feed(events[2])[0]).toBe(events[2]);
    expect(stage.feed(events[3])[0]).toBe(events[3]);
    expect(stage.end()).toEqual([]);
  });

  it.each(['\x00', '\x16', '\x16\x03', '\x16\x02\x01', '\x15\x03\x09', '\x17a', ''])('%j stays what it is', (text) => {
    const events = streamEvents([turn('client', Buffer.from(text, 'latin1')), turn('server', Buffer.from('ok'))]);
    const out = decrypt('', events);
    expect(plaintext(out).client.toString('latin1')).toBe(text);
    expect(plaintext(out).server.toString()).toBe('ok');
    expect(kinds(out)).toBe('established data closed');
  });

  it('keeps gaps and order while it is undecided', () => {
    const events = streamEvents([turn('client', Buffer.from('\x16')), turn('client', Buffer.from('x'))]);
    events.splice(2, 0, gap('client', 5));
    expect(kinds(decrypt('', events))).toBe('established data gap data closed');
  });
});

describe.each(TLS13_SUITES)('TLS 1.3 by hand, $cipher $tagLength', (suite) => {
  it('follows key updates of both directions, padding and records that share a piece', () => {
    const h = handMade({ suite });
    const turns = [
      ...h.handshake,
      turn(
        'client',
        h.client.data('one '),
        h.client.keyUpdate(),
        h.client.data('two '),
        h.client.seal(23, 'three', 200),
      ),
      turn('server', h.server.data('uno '), h.server.keyUpdate()),
      turn('server', h.server.keyUpdate(), h.server.data('dos')),
      turn('server', h.server.closeNotify()),
    ];
    for (const size of [100_000, 1, 20]) {
      const out = decrypt(h.keyLog, streamEvents(recut(turns, () => size)));
      expect(kinds(out)).toBe('established tls-established data closed');
      expect(plaintext(out).client.toString()).toBe('one two three');
      expect(plaintext(out).server.toString()).toBe('uno dos');
    }
  });
});

it('a Finished over two records: the new keys are in force behind it, and a KeyUpdate is followed', () => {
  const h = handMade();
  const secret = /CLIENT_HANDSHAKE_TRAFFIC_SECRET \w+ (\w+)/.exec(h.keyLog)![1];
  const sealer = new Sealer(TLS13_SUITES[0], Buffer.from(secret, 'hex'));
  const finished = message(20, Buffer.alloc(32, 7));
  const flight = turn('client', sealer.seal(22, finished.subarray(0, 20)), sealer.seal(22, finished.subarray(20)));
  const data = turn('client', h.client.keyUpdate(), h.client.data('new keys'));
  const out = decrypt(h.keyLog, streamEvents([h.clientHello, h.serverHello, h.serverFlight, flight, data]));
  expect(kinds(out)).toBe('established tls-established data closed');
  expect(plaintext(out).client.toString()).toBe('new keys');
});

describe('what cannot be read', () => {
  const h = handMade();
  const turns = [...h.handshake, turn('client', h.client.data('x')), turn('server', h.server.data('y'))];

  it('no secrets', () => {
    const out = decrypt(handMade().keyLog, streamEvents(turns));
    expect(kinds(out)).toBe('established tls-established opaque tls.no-secret closed');
    expect(opaqueOf(out)).toEqual([
      ['no-secret', `no secrets for client random ${h.clientRandom.slice(0, 8)}… in the key log`],
    ]);
    expect(out.find(({ kind }) => kind === 'tls-established')).toMatchObject({ sni: 'localhost', alpn: null });
  });

  it('no key log at all', () => {
    expect(opaqueOf(decrypt(null, streamEvents(turns)))[0][1]).toMatch(/^no key log was given/);
  });

  it.each([
    ['that is empty', ''],
    ['without a secret', '# SSL/TLS secrets log file\n'],
  ])('a key log %s', (_, keyLog) => {
    const random = h.clientRandom.slice(0, 8);
    const [[, detail]] = opaqueOf(decrypt(keyLog, streamEvents(turns)));
    expect(detail).toBe(`no secrets at all in the key log (client random ${random}…)`);
  });

  it.each([
    [0xc09b, 0x0304, 'cipher suite 0xc09b is not supported'],
    [0x002f, 0x0301, 'protocol version 0x0301 is not supported'],
    [0x1301, 0x7f12, 'protocol version 0x7f12 is not supported'],
    [0x002f, 0x0304, 'TLS_RSA_WITH_AES_128_CBC_SHA in another version is not supported'],
  ])('suite 0x%s, version %s', (suite, version, detail) => {
    const server = hello(2, Buffer.alloc(32), Buffer.from([suite >>> 8, suite & 0xff, 0]), [
      extension(43, Buffer.from([version >>> 8, version & 0xff])),
    ]);
    const out = decrypt(h.keyLog, streamEvents([h.clientHello, turn('server', clear(server)), ...turns.slice(2)]));
    expect(opaqueOf(out)).toEqual([['unsupported-suite', detail]]);
    expect(kinds(out)).toBe('established opaque tls.unsupported-suite closed');
  });

  it('wrong secrets', () => {
    const wrong = handMade().keyLog.replaceAll(/ [0-9a-f]{64} /g, ` ${h.clientRandom} `);
    const more = Array.from({ length: 10 }, () => turn('server', h.server.data('z')));
    const out = decrypt(wrong, streamEvents([...turns, ...more]));
    expect(opaqueOf(out)).toEqual([
      ['bad-tag', expect.stringMatching(/^8 records up to frame \d+ do not verify with the secrets of client random /)],
    ]);
    expect(out.filter(({ kind }) => kind === 'data')).toEqual([]);
  });

  it('records at first, then something else', () => {
    const out = decrypt('', streamEvents([turn('client', Buffer.from('\x16\x03\x01\xff\xff hello', 'latin1'))]));
    expect(opaqueOf(out)).toEqual([['not-tls', 'the client sent bytes that are no TLS records']]);
  });

  it('gives only closed events afterwards', () => {
    const out = decrypt('', streamEvents([...turns, ...turns]));
    expect(out.slice(out.findIndex(({ kind }) => kind === 'opaque') + 2).every(({ kind }) => kind === 'closed')).toBe(
      true,
    );
    expect(out.filter(({ kind }) => kind === 'opaque')).toHaveLength(1);
    expect(out.filter(({ kind }) => kind === 'closed')).toHaveLength(3);
  });
});

describe('after a loss', () => {
  const words = ['one ', 'two ', 'three ', 'four ', 'five '];

  it.each(TLS13_SUITES)('continues at the next record and reports how much plaintext is missing, $cipher', (suite) => {
    const h = handMade({ suite });
    const turns = [...h.handshake, ...words.map((word) => turn('server', h.server.data(word)))];
    const out = decrypt(
      h.keyLog,
      withLoss(turns, (i) => i === 5 || i === 6),
    );
    expect(plaintext(out).server.toString()).toBe('one four five ');
    expect(out.filter(({ kind }) => kind === 'gap')).toMatchObject([{ from: 'server', length: 'two three '.length }]);
    expect(opaqueOf(out)).toEqual([]);
  });

  it('does so where it begins and ends inside records', () => {
    const h = handMade();
    const records = Buffer.concat(words.map((word) => h.server.data(word)));
    for (const [from, to] of [
      [30, 40],
      [3, 60],
      [26, 27],
    ]) {
      const events = streamEvents([
        ...h.handshake,
        turn('server', records.subarray(0, from)),
        turn('server', records.subarray(from, to)),
        turn('server', records.subarray(to)),
      ]).map((event) => (event.origin.frame === 7 ? gap('server', to - from) : event));
      const out = decrypt(h.keyLog, events);
      const missing = out.find((item) => item.kind === 'gap');
      const got = plaintext(out).server.length;
      expect(missing?.kind === 'gap' && missing.length! + got).toBe(words.join('').length);
    }
  });

  it('a loss of unknown length is a gap of unknown length', () => {
    const h = handMade();
    const turns = [...h.handshake, ...words.map((word) => turn('client', h.client.data(word)))];
    const out = decrypt(
      h.keyLog,
      withLoss(turns, (i) => i === 5, false),
    );
    expect(out.find(({ kind }) => kind === 'gap')).toMatchObject({ length: null });
    expect(plaintext(out).client.toString()).toBe('one three four five ');
  });

  it('a flipped bit costs one record', () => {
    const h = handMade();
    const records = words.map((word) => h.server.data(word));
    records[2][9] ^= 1;
    const out = decrypt(h.keyLog, streamEvents([...h.handshake, turn('server', ...records)]));
    expect(plaintext(out).server.toString()).toBe('one two four five ');
    expect(out.find(({ kind }) => kind === 'gap')).toMatchObject({ length: 'three '.length });
  });

  it('finds the traffic keys where the end of the handshake is lost', () => {
    const h = handMade();
    const turns = [...h.handshake, ...words.map((word) => turn('server', h.server.data(word)))];
    const out = decrypt(
      h.keyLog,
      withLoss(turns, (i) => i === 2),
    );
    expect(plaintext(out).server.toString()).toBe(words.join(''));
  });

  it('finds the next keys where a key update is lost', () => {
    const h = handMade();
    const turns = [
      ...h.handshake,
      turn('client', h.client.data('one ')),
      turn('client', h.client.keyUpdate()),
      turn('client', h.client.data('two')),
    ];
    const out = decrypt(
      h.keyLog,
      withLoss(turns, (i) => i === 5),
    );
    expect(plaintext(out).client.toString()).toBe('one two');
  });

  it('gives up where nothing after it verifies', () => {
    const h = handMade();
    const other = handMade();
    const turns = [...h.handshake, ...Array.from({ length: 12 }, () => turn('server', other.server.data('?')))];
    const out = decrypt(
      h.keyLog,
      withLoss(turns, (i) => i === 4),
    );
    expect(opaqueOf(out)).toEqual([
      ['bytes-missing', expect.stringMatching(/^bytes missing before frame \d+, and no record after them verifies$/)],
    ]);
  });

  it('a record cut by the end of the capture is a gap', () => {
    const h = handMade();
    const whole = h.server.data('whole');
    const cut = h.server.data('never ends').subarray(0, 20);
    const out = decrypt(h.keyLog, streamEvents([...h.handshake, turn('server', whole), turn('server', cut)]));
    expect(kinds(out)).toBe('established tls-established data closed gap closed');
    expect(plaintext(out).server.toString()).toBe('whole');
  });
});

describe('order', () => {
  it('close_notify ends a direction before the FIN, and once', () => {
    const h = handMade();
    const out = decrypt(
      h.keyLog,
      streamEvents([...h.handshake, turn('server', h.server.data('x'), h.server.closeNotify())]),
    );
    const closed = out.flatMap((item) => (item.kind === 'closed' ? [[item.from, item.origin.frame]] : []));
    expect(closed).toEqual([
      ['server', 6],
      ['client', 7],
      [null, 9],
    ]);
  });

  it('the client may be captured before the server that it answers', () => {
    const h = handMade();
    const data = turn('client', h.client.data('early bird'));
    const out = decrypt(h.keyLog, streamEvents([h.clientHello, h.clientFlight, data, h.serverHello, h.serverFlight]));
    expect(plaintext(out).client.toString()).toBe('early bird');
    expect(kinds(out)).toBe('established tls-established data closed');
  });

  it('the ends may be taken for each other', () => {
    const h = handMade();
    const turns = [...h.handshake, turn('client', h.client.data('c')), turn('server', h.server.data('s'))];
    const swapped = turns.map(({ from, bytes }) => turn(from === 'client' ? 'server' : 'client', bytes));
    const out = decrypt(h.keyLog, streamEvents(swapped, { roles: 'port' }));
    expect(plaintext(out)).toEqual({ client: Buffer.from('s'), server: Buffer.from('c') });
  });
});

describe('early data', () => {
  it.each([
    ['accepted', 'GET early '],
    ['rejected', ''],
  ] as const)('%s', (earlyData, expected) => {
    const h = handMade({ earlyData });
    const early = h.early.data('GET early ');
    const end = earlyData === 'accepted' ? [turn('client', h.early.seal(22, Buffer.from([5, 0, 0, 0])))] : [];
    const turns = (before: Turn[], finish: Turn[]) => [
      h.clientHello,
      ...before,
      h.serverHello,
      h.serverFlight,
      ...finish,
      h.clientFlight,
      turn('client', h.client.data('GET later')),
    ];
    const out = decrypt(h.keyLog, streamEvents(turns([turn('client', early)], end)));
    expect(plaintext(out).client.toString()).toBe(`${expected}GET later`);
    expect(kinds(out)).toBe('established tls-established data closed');
  });
});

describe('early data that a HelloRetryRequest refuses (RFC 8446, 4.2.10)', () => {
  const retryRandom = createHash('sha256').update('HelloRetryRequest').digest();

  it.each([1, 20])('%i records of it are passed over', (count) => {
    const h = handMade({ earlyData: 'rejected' });
    const early = Array.from({ length: count }, () => turn('client', h.early.data('GET early ')));
    const suite = Buffer.from([TLS13_SUITES[0].id >>> 8, TLS13_SUITES[0].id & 0xff, 0]);
    const retry = turn('server', clear(hello(2, retryRandom, suite, [extension(43, Buffer.from([3, 4]))])));
    const offer = Buffer.from([0, 2, 0x13, 0x01, 1, 0]);
    const again = turn(
      'client',
      clear(hello(1, Buffer.from(h.clientRandom, 'hex'), offer, [extension(43, Buffer.from([2, 3, 4]))])),
    );
    const before = [h.clientHello, ...early, retry, again, h.serverHello, h.serverFlight, h.clientFlight];
    const data = [turn('client', h.client.data('GET later')), turn('server', h.server.data('OK'))];
    const out = decrypt(h.keyLog, streamEvents([...before, ...data]));
    expect(plaintext(out)).toEqual({ client: Buffer.from('GET later'), server: Buffer.from('OK') });
    expect(kinds(out)).toBe('established tls-established data closed');
  });
});

describe('hostile input', () => {
  const made: HandMade[] = [handMade(), handMade({ suite: TLS13_SUITES[2] })];
  const streams = made.map((h) => ({
    keyLog: h.keyLog,
    turns: [
      ...h.handshake,
      ...Array.from({ length: 20 }, (_, i) =>
        turn(i % 2 === 0 ? 'client' : 'server', (i % 2 === 0 ? h.client : h.server).data('data '.repeat(i))),
      ),
    ] as Turn[],
  }));

  it('is never an exception: flipped, cut, dropped, moved, with secrets and without', () => {
    const change = fc.record({
      turn: fc.nat(23),
      at: fc.nat(400),
      kind: fc.nat(4),
      value: fc.integer({ min: 1, max: 255 }),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...streams),
        fc.array(change, { maxLength: 6 }),
        fc.boolean(),
        fc.boolean(),
        (stream, changes, known, roles) => {
          const turns = stream.turns.map(({ from, bytes }) => ({ from, bytes: Buffer.from(bytes) }));
          for (const { turn: index, at, kind, value } of changes) {
            const target = turns[index % turns.length];
            if (kind === 0) target.bytes[at % Math.max(1, target.bytes.length)] ^= value;
            else if (kind === 1) target.bytes = target.bytes.subarray(0, at);
            else if (kind === 2) turns.splice(index % turns.length, 1);
            else if (kind === 3) target.bytes = Buffer.concat([target.bytes, Buffer.alloc(value, value)]);
            else turns.unshift(turns.pop()!);
            if (turns.length === 0) return;
          }
          const events = streamEvents(turns, { roles: roles ? 'handshake' : 'port' });
          const out = decrypt(known ? stream.keyLog : '', events);
          expect(out.filter((item) => item.kind === 'closed' && item.from === null)).toHaveLength(1);
          expect(out.filter(({ kind }) => kind === 'opaque').length).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: runs(80, 400) },
    );
  });

  it('plaintext that does come out is a part of what was sent', () => {
    const [{ keyLog, turns }] = streams;
    const sent = plaintext(decrypt(keyLog, streamEvents(turns))).server.toString();
    fc.assert(
      fc.property(fc.integer({ min: 1, max: turns.length - 1 }), fc.nat(200), (index, at) => {
        const broken = turns.map(({ from, bytes }) => ({ from, bytes: Buffer.from(bytes) }));
        broken[index].bytes[at % broken[index].bytes.length] ^= 0x40;
        for (const item of decrypt(keyLog, streamEvents(broken))) {
          if (item.kind === 'data' && item.from === 'server')
            expect(sent).toContain(Buffer.from(item.bytes).toString());
        }
      }),
      { numRuns: runs(40, 200) },
    );
  });
});
