import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  finished,
  type HandMade,
  handMade,
  kinds,
  loopback,
  plaintext,
  recut,
  run,
  streamEvents,
  TLS13_SUITES,
  type Turn,
  turn,
} from '../../../test/kit/tls-peers.js';
import { tlsDecrypter } from '../decrypter.js';
import { secretStore } from '../key-log.js';
import { suiteById } from '../suites.js';
import { CONNECTION_WORK, KeyTrials, SELDOM_WORK } from './key-trials.js';

const LATE = { roles: 'port' } as const;

function open(turns: readonly Turn[], keyLog: string, over: object = LATE) {
  const secrets = secretStore();
  secrets.add(keyLog);
  const events = streamEvents(turns, over);
  const out = run(tlsDecrypter(finished(secrets))(events[0].connection), events);
  const details = out.flatMap((item) => (item.kind === 'notice' ? [`${item.code}: ${item.detail}`] : []));
  return { out, details, text: plaintext(out), kinds: kinds(out) };
}

function talk(h: HandMade): Turn[] {
  return [
    turn('server', h.server.data('event 1')),
    turn('client', h.client.data('ack')),
    turn('server', h.server.data('event 2'), h.server.data('event 3')),
  ];
}

/** Lines of other handshakes, older and newer than the one that matters. */
function among(h: HandMade, count = 20): string {
  const others = () => Array.from({ length: count }, () => handMade().keyLog).join('');
  return others() + h.keyLog + others();
}

describe('a connection older than the capture', () => {
  it.each([
    [TLS13_SUITES[0], 0, 0],
    [TLS13_SUITES[0], 60, 1087],
    [TLS13_SUITES[0], 2047, 5_000_000_000],
    [TLS13_SUITES[0], 200_000, 3],
    [TLS13_SUITES[1], 415, 577],
    [TLS13_SUITES[1], 700_000, 12_000],
    [TLS13_SUITES[2], 64, 1900],
  ])('opens: %o, client from record %i, server from record %i', (suite, clientSeq, serverSeq) => {
    const h = handMade({ suite, clientSeq, serverSeq });
    const { text, kinds: said, details } = open(talk(h), among(h));
    expect(text.server.toString()).toBe('event 1event 2event 3');
    expect(text.client.toString()).toBe('ack');
    expect(said).toBe('established tls-established data tls.mid-session data closed');
    expect(details).toEqual([
      `tls.mid-session: opened with the secrets of client random ${h.clientRandom.slice(0, 8)}…: ` +
        `the client from record ${clientSeq} on, the server from record ${serverSeq} on`,
    ]);
  });

  it('opens though one direction sends nothing', () => {
    const h = handMade({ serverSeq: 500 });
    const { text, details } = open([turn('server', h.server.data('event'))], among(h));
    expect(text.server.toString()).toBe('event');
    expect(details[0]).toContain('nothing read from the client, the server from record 500 on');
  });

  it('opens though the ports are misleading', () => {
    const h = handMade({ clientSeq: 5, serverSeq: 900 });
    const swapped = talk(h).map(({ from, bytes }) => turn(from === 'client' ? 'server' : 'client', bytes));
    const { text, details } = open(swapped, among(h));
    expect(text.client.toString()).toBe('event 1event 2event 3');
    expect(details[0]).toContain('client and server are the other way round');
  });

  it('opens where the capture begins inside a record', () => {
    const h = handMade({ serverSeq: 70, clientSeq: 9 });
    const first = h.server.data(Buffer.alloc(3000, 1));
    const { text } = open([turn('server', first.subarray(1448)), ...talk(h)], among(h));
    expect(text.server.toString()).toBe('event 1event 2event 3');
    expect(text.client.toString()).toBe('ack');
  });

  it('opens where the first records are tickets and padded ones', () => {
    const h = handMade({ serverSeq: 1 });
    const odd = turn('server', h.server.seal(22, Buffer.alloc(100, 4)), h.server.seal(23, 'padded', 60));
    const { text } = open([odd, turn('server', h.server.data('short')), ...talk(h)], among(h));
    expect(text.server.toString()).toContain('short');
    expect(text.server.toString()).toContain('event 3');
  });

  it('opens where only the ServerHello of the handshake was captured', () => {
    const h = handMade();
    const { text, kinds: said } = open([h.serverHello, h.serverFlight, h.clientFlight, ...talk(h)], among(h));
    expect(text.server.toString()).toBe('event 1event 2event 3');
    expect(text.client.toString()).toBe('ack');
    expect(said).not.toContain('gap');
  });

  it('opens where only the client was captured', () => {
    const h = handMade();
    const { text } = open([h.clientHello, h.clientFlight, turn('client', h.client.data('GET /'))], among(h), {});
    expect(text.client.toString()).toBe('GET /');
  });

  it('reads the same however it is cut', () => {
    const h = handMade({ clientSeq: 3, serverSeq: 44 });
    for (const size of [1, 5, 17]) {
      const { text } = open(
        recut(talk(h), () => size),
        among(h, 3),
      );
      expect(text.server.toString()).toBe('event 1event 2event 3');
    }
  });

  it('goes on after a key update', () => {
    const h = handMade({ clientSeq: 3, serverSeq: 44 });
    const before = talk(h);
    const more = [turn('server', h.server.keyUpdate()), turn('server', h.server.data('new keys'))];
    expect(open([...before, ...more], among(h)).text.server.toString()).toContain('new keys');
  });
});

describe('one that does not open', () => {
  const h = handMade({ clientSeq: 3, serverSeq: 44 });

  it('reports that no secret fits', () => {
    const { out, text, kinds: said } = open(talk(h), among(handMade()));
    expect(said).toBe('established opaque tls.no-handshake closed');
    expect(text.server.length + text.client.length).toBe(0);
    expect(out.find(({ kind }) => kind === 'opaque')).toMatchObject({
      reason: 'no-handshake',
      detail: 'the handshake is not in the capture; none of the 41 TLS 1.3 secrets in the key log fits',
    });
  });

  it('reports that there is no key log', () => {
    expect(open(talk(h), '').details).toEqual([
      'tls.no-handshake: the handshake is not in the capture; a key log that holds its secrets could open it',
    ]);
  });

  it('reports that it is TLS 1.2', async () => {
    const client = { maxVersion: 'TLSv1.2' } as const;
    const recorded = await loopback({ client, sizes: [100, 200, 100, 200, 100, 200] });
    const start = recorded.turns.findIndex(({ bytes }) => bytes[0] === 23);
    expect(open(recorded.turns.slice(start), recorded.keyLog + handMade().keyLog).details).toEqual([
      'tls.no-handshake: the handshake is not in the capture; it is TLS 1.2, which without its handshake only its keys open (kubeseq keys, beside the capture)',
    ]);
  });

  it('is plain if it looks plain', () => {
    const { kinds: said } = open([turn('server', Buffer.from('HTTP/1.1 200 OK\r\n\r\n'))], among(h));
    expect(said).toBe('established data closed');
  });
});

describe('many connections and a long key log', () => {
  const others = (count: number): string =>
    Array.from({ length: count }, () => {
      const [random, client, server] = [32, 32, 32].map((size) => randomBytes(size).toString('hex'));
      return `CLIENT_TRAFFIC_SECRET_0 ${random} ${client}\nSERVER_TRAFFIC_SECRET_0 ${random} ${server}\n`;
    }).join('');
  const late = (count: number, suite = TLS13_SUITES[0]): HandMade[] =>
    Array.from({ length: count }, () => handMade({ suite, clientSeq: 50, serverSeq: 90 }));
  const logOf = (connections: readonly HandMade[]): string => connections.map(({ keyLog }) => keyLog).join('');

  /** @returns how each ended, one after the other as they are in a capture. */
  function openAll(connections: readonly HandMade[], keyLog: string): string[] {
    const secrets = secretStore();
    secrets.add(keyLog);
    const decrypter = tlsDecrypter(finished(secrets));
    return connections.map((h) => {
      const events = streamEvents(talk(h), LATE);
      const out = run(decrypter(events[0].connection), events);
      return out.some(({ kind }) => kind === 'opaque') ? kinds(out) : plaintext(out).server.toString();
    });
  }

  it('opens all of them', () => {
    const connections = late(150);
    const opened = openAll(connections, others(1500) + logOf(connections) + others(1500));
    expect(opened).toEqual(connections.map(() => 'event 1event 2event 3'));
  });

  it('opens those whose secrets are there, whatever comes before them', () => {
    const [lost, found] = [late(12), late(3)];
    const opened = openAll([...lost, ...found], others(1000) + logOf(found) + others(1000));
    expect(new Set(opened.slice(0, 12))).toEqual(new Set(['established limit.trials opaque tls.no-handshake closed']));
    expect(opened.slice(12)).toEqual(found.map(() => 'event 1event 2event 3'));
  });

  it('goes on with what the connection before did not come to', () => {
    const connections = late(5);
    const opened = openAll(connections, logOf(connections) + others(25_000));
    expect(opened[0]).toBe('established limit.trials opaque tls.no-handshake closed');
    expect(opened.slice(2)).toEqual(connections.slice(2).map(() => 'event 1event 2event 3'));
  });
});

describe('work', () => {
  it('for further records of a direction is a part of it', () => {
    const [lost, found] = [handMade({ clientSeq: 5 }), handMade({ clientSeq: 7 })];
    const secrets = secretStore();
    secrets.add(found.keyLog);
    const trials = new KeyTrials(secrets);
    const [suite] = [suiteById(0x1301)!];
    const search = (h: HandMade, size: number, again: boolean) => {
      const work = { left: CONNECTION_WORK, isIncomplete: false };
      const rungs = [{ suite, count: Number.POSITIVE_INFINITY }];
      const keys = trials.search(
        h.client.data(Buffer.alloc(size)),
        'client',
        trials.candidates(null, 0),
        rungs,
        again,
        work,
      );
      return { keys, work };
    };
    let tries = 0;
    while (!search(lost, 16_000, true).work.isIncomplete && tries < 10_000) tries += 1;
    // Two roles of one candidate, 130 µs each.
    expect(Math.abs(tries * 2 * 130 - SELDOM_WORK)).toBeLessThan(SELDOM_WORK / 10);
    expect(search(found, 16_000, true).keys).toBeNull();
    expect(search(found, 16_000, false).keys).toMatchObject({ side: 'client', role: 'client' });
  });

  it('is bounded, and the limit is reported', () => {
    const keyLog = Array.from({ length: 1500 }, (_, i) => {
      const random = i.toString(16).padStart(64, '0');
      const secret = (i + 1).toString(16).padStart(64, '0');
      return `CLIENT_TRAFFIC_SECRET_0 ${random} ${secret}\nSERVER_TRAFFIC_SECRET_0 ${random} ${secret}\n`;
    }).join('');
    const h = handMade();
    const secrets = secretStore();
    secrets.add(keyLog);
    const reports: number[] = [];
    const progress = (work: number, limit: number) => reports.push(work / limit);
    const events = streamEvents(talk(h), LATE);
    const out = run(tlsDecrypter(finished(secrets), { progress })(events[0].connection), events);
    expect(kinds(out)).toBe('established limit.trials opaque tls.no-handshake closed');
    // One does not deny the other.
    expect(out.flatMap((item) => (item.kind === 'notice' ? [item.detail] : []))).toEqual([
      'not all of 1500 secrets were tried',
      expect.stringMatching(/none of the 1500 TLS 1\.3 secrets in the key log fits, as far as they were tried$/),
    ]);
    expect(reports.length).toBeGreaterThan(1);
    expect(reports.at(-1)).toBeLessThan(0.2);
  });
});
