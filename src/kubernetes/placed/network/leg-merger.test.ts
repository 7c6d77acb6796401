import { describe, expect, it } from 'vitest';
import { measured } from '../../../../test/kit/measured.js';
import { timesAsMuch } from '../../../../test/kit/powers.js';
import type { Origin } from '../../../core/origin.js';
import type { Exchange, ExchangeEvent } from '../../../http/exchange-event.js';
import type { Connection } from '../../../tcp/stream-event.js';
import { LegMerger, type MergedEvent } from './leg-merger.js';

const MS = 1_000_000n;
const CLIENT = { address: '198.18.0.3', port: 50_000 };
const SERVICE = { address: '203.0.113.33', port: 80 };
const POD = { address: '198.18.1.9', port: 8080 };
const NODE = { address: '192.0.2.11', port: 50_001 };

let connections = 0;
let frames = 0;

function connection(client = CLIENT, server = SERVICE): Connection {
  connections += 1;
  const name = `${client.address}:${client.port}-${server.address}:${server.port}`;
  return { id: connections, client, server, name, roles: 'handshake' };
}

function origin(ms: number): Origin {
  frames += 1;
  return { capture: 0, frame: frames, time: BigInt(Math.round(ms * 1000)) * (MS / 1000n) };
}

function legMerger(live = false): LegMerger {
  return new LegMerger({ isService: (address) => address === SERVICE.address, live });
}

function numbered(into: LegMerger, of: Connection, ms = 0, client = 100_000, server = 200_000): void {
  into.onInitialSequenceNumbers({
    kind: 'numbers',
    connection: of,
    origin: origin(ms),
    from: 'server',
    client,
    server,
  });
}

function exchange(of: Connection, target = '/'): Exchange {
  const request = {
    kind: 'request-head',
    version: '1.1',
    method: 'GET',
    target,
    fields: ['Host', 'web'],
    partial: [],
  } as const;
  const response = { kind: 'response-head', version: '1.1', status: 200, fields: [], partial: [] } as const;
  return { connection: of, stream: null, request, response, trailers: null, upgraded: null };
}

function piece(kind: 'request' | 'response', of: Exchange, ms: number, complete = true): ExchangeEvent {
  const at = origin(ms);
  return { kind, exchange: of, first: at, last: at, at, complete, body: null };
}

const over = (of: Exchange, ms: number, responseSeen = true): ExchangeEvent => ({
  kind: 'exchange-end',
  exchange: of,
  at: origin(ms),
  requestSeen: true,
  responseSeen,
});

/** What passed: kind, by which addresses, with how many copies, as part of whose exchange. */
function words(passed: readonly MergedEvent[] | null): string[] {
  return (passed ?? []).map(({ event, of, copies }) => {
    const own = event.exchange === of ? '' : ` of ${of.connection.server.address}`;
    return `${event.kind} ${event.exchange.connection.server.address} +${copies.length}${own}`;
  });
}

describe('what came on two legs', () => {
  it('passes once, by the leg nearest the client, whichever comes first', () => {
    const stage = legMerger();
    const [before, behind] = [connection(), connection(CLIENT, POD)];
    numbered(stage, before);
    numbered(stage, behind);
    const [a, b] = [exchange(before), exchange(behind)];
    expect(words(stage.feed(piece('request', a, 1)))).toEqual([]);
    expect(words(stage.feed(piece('request', b, 1.1)))).toEqual(['request 203.0.113.33 +1']);
    expect(words(stage.feed(piece('response', b, 2)))).toEqual([]);
    expect(words(stage.feed(piece('response', a, 2.1)))).toEqual(['response 203.0.113.33 +1']);
    expect([...words(stage.feed(over(b, 3))), ...words(stage.feed(over(a, 3)))]).toEqual([
      'exchange-end 203.0.113.33 +0',
    ]);
    expect(stage.notices().map(({ detail }) => detail)).toEqual([
      '2 messages were seen again on 1 translated connection',
    ]);
  });

  it('has the way from the client by way of the Service to the Pod, whichever leg was seen first', () => {
    const stage = legMerger();
    const [behind, before] = [connection(CLIENT, POD), connection()];
    numbered(stage, behind);
    numbered(stage, before);
    stage.feed(piece('request', exchange(before), 1));
    const [passed] = stage.feed(piece('request', exchange(behind), 1.1)) ?? [];
    const via = [{ ...SERVICE, isProxy: false }];
    expect(passed.path).toEqual({ client: CLIENT, server: POD, via, isProxied: false });
    expect(passed.event.exchange.connection).toBe(before);
  });

  it('on three: translated, then masqueraded', () => {
    const stage = legMerger();
    const legs = [connection(), connection(CLIENT, POD), connection(NODE, POD)];
    for (const leg of legs) numbered(stage, leg);
    const passed = legs.flatMap((leg, i) => stage.feed(piece('request', exchange(leg), 1 + i / 10)) ?? []);
    expect(words(passed)).toEqual(['request 203.0.113.33 +2']);
    const via = [{ ...SERVICE, isProxy: false }];
    expect(passed[0].path).toEqual({ client: CLIENT, server: POD, via, isProxied: false });
  });

  it('keeps equal requests apart, in their order', () => {
    const stage = legMerger();
    const [before, behind] = [connection(), connection(CLIENT, POD)];
    numbered(stage, before);
    numbered(stage, behind);
    const passed = [1, 2, 3].flatMap((ms) => [
      ...(stage.feed(piece('request', exchange(before), ms)) ?? []),
      ...(stage.feed(piece('request', exchange(behind), ms + 0.1)) ?? []),
    ]);
    expect(words(passed)).toEqual(Array(3).fill('request 203.0.113.33 +1'));
    expect(
      passed.map(({ event, copies }) => event.kind !== 'exchange-end' && copies[0].frames[0] - event.first.frame),
    ).toEqual([1, 1, 1]);
  });
});

describe('streams of HTTP/2', () => {
  const onStream = (of: Connection, stream: number, fields: readonly string[]): Exchange => ({
    ...exchange(of),
    stream,
    response: { kind: 'response-head', version: '2', status: 200, fields, partial: [] },
  });
  const legs = (stage: LegMerger): [Connection, Connection] => {
    const both: [Connection, Connection] = [connection(), connection(CLIENT, POD)];
    for (const one of both) numbered(stage, one);
    return both;
  };

  it('are one by their number, and the more complete copy is emitted', () => {
    const stage = legMerger();
    const [before, behind] = legs(stage);
    const [a, b] = [onStream(before, 1, []), onStream(behind, 1, ['audit-id', 'x'])];
    stage.feed(piece('response', b, 1, false));
    const [passed] = stage.feed(piece('response', a, 1.1, false)) ?? [];
    expect(words([passed])).toEqual([`response ${POD.address} +1 of ${SERVICE.address}`]);
    const [c, d] = [onStream(before, 3, ['audit-id', 'y']), onStream(behind, 3, [])];
    stage.feed(piece('response', c, 2, false));
    expect(words(stage.feed(piece('response', d, 2.1, false)))).toEqual([`response ${SERVICE.address} +1`]);
  });

  it('that come after the wait are not emitted again', () => {
    const stage = legMerger();
    const [before, behind] = legs(stage);
    const [a, b] = [onStream(before, 1, []), onStream(behind, 1, [])];
    stage.feed(piece('request', a, 1));
    const passed = stage.settle(2000n * MS);
    expect(words(passed)).toEqual([`request ${SERVICE.address} +0`]);
    expect(words(stage.feed(piece('request', b, 3000)))).toEqual([]);
    expect(passed[0].copies).toHaveLength(1);
    expect(words(stage.feed(over(b, 3001)))).toEqual([]);
  });
});

describe('what came on one leg only', () => {
  it('passes by itself, after a while, in order with all else', () => {
    const stage = legMerger();
    const [before, behind, other] = [connection(), connection(CLIENT, POD), connection(NODE, SERVICE)];
    numbered(stage, before);
    numbered(stage, behind);
    const a = exchange(before);
    expect(words(stage.feed(piece('request', a, 1)))).toEqual([]);
    expect(words(stage.feed(piece('request', exchange(other), 50)))).toEqual([]);
    expect(words(stage.feed(piece('request', exchange(other), 102)))).toEqual([
      'request 203.0.113.33 +0',
      'request 203.0.113.33 +0',
      'request 203.0.113.33 +0',
    ]);
    const b = exchange(behind, '/lost');
    stage.feed(piece('request', b, 200));
    // The next piece of the same connection comes when nobody waits for the first any more.
    expect(words(stage.feed(piece('response', b, 400)))).toEqual(['request 198.18.1.9 +0']);
    expect(words(stage.feed(over(b, 401)))).toEqual([]);
    expect(words(stage.end())).toEqual(['response 198.18.1.9 +0', 'exchange-end 198.18.1.9 +0']);
    expect(stage.notices()).toEqual([]);
  });

  it('belongs to the exchange of which the other leg has the rest', () => {
    const stage = legMerger();
    const [before, behind] = [connection(), connection(CLIENT, POD)];
    numbered(stage, before);
    numbered(stage, behind);
    const [a, b] = [exchange(before), exchange(behind)];
    stage.feed(piece('request', a, 1));
    stage.feed(piece('request', b, 1));
    stage.feed(piece('response', b, 2));
    stage.feed(over(b, 3));
    stage.feed(over(a, 4, false));
    const passed = stage.end();
    expect(words(passed)).toEqual(['response 198.18.1.9 +0 of 203.0.113.33', 'exchange-end 203.0.113.33 +0']);
    expect(passed[1].event).toMatchObject({ requestSeen: true, responseSeen: true });
  });

  it('is emitted from the leg that has it whole', () => {
    const stage = legMerger();
    const [before, behind] = [connection(), connection(CLIENT, POD)];
    numbered(stage, before);
    numbered(stage, behind);
    const [a, b] = [exchange(before), exchange(behind)];
    stage.feed(piece('request', a, 1, false));
    const passed = stage.feed(piece('request', b, 1));
    expect(words(passed)).toEqual(['request 198.18.1.9 +1 of 203.0.113.33']);
    expect(passed?.[0].copies[0].connection).toBe(before.name);
  });
});

describe('live', () => {
  it('nothing waits but a copy that comes first; places are added later', () => {
    const stage = legMerger(true);
    const [before, behind] = [connection(), connection(CLIENT, POD)];
    numbered(stage, before);
    numbered(stage, behind);
    const [a, b] = [exchange(before), exchange(behind)];
    const [asked] = stage.feed(piece('request', a, 1)) ?? [];
    expect(words([asked])).toEqual(['request 203.0.113.33 +0']);
    expect(words(stage.feed(piece('request', b, 1.1)))).toEqual([]);
    expect(asked.copies).toHaveLength(1);
    expect(words(stage.feed(piece('response', b, 2)))).toEqual([]);
    expect(words(stage.feed(piece('response', a, 2.1)))).toEqual(['response 203.0.113.33 +1']);
  });
});

describe('what is not joined', () => {
  const cases: [string, () => [Connection, Connection], (stage: LegMerger, a: Connection, b: Connection) => void][] = [
    [
      'another number of the server',
      () => [connection(), connection(CLIENT, POD)],
      (stage, a, b) => {
        numbered(stage, a);
        numbered(stage, b, 0, 100_000, 200_001);
      },
    ],
    [
      'the same numbers much later',
      () => [connection(), connection(CLIENT, POD)],
      (stage, a, b) => {
        numbered(stage, a, 0);
        numbered(stage, b, 101);
      },
    ],
    [
      'other clients with numbers that a program made up',
      () => [connection(), connection(NODE, POD)],
      (stage, a, b) => {
        numbered(stage, a, 0, 1000, 5000);
        numbered(stage, b, 0, 1000, 5000);
      },
    ],
    [
      'the same ends: a connection that began anew',
      () => [connection(), connection()],
      (stage, a, b) => {
        numbered(stage, a);
        numbered(stage, b);
      },
    ],
  ];

  it.each(cases)('%s', (_, make, number) => {
    const stage = legMerger();
    const [a, b] = make();
    number(stage, a, b);
    expect(stage.feed(piece('request', exchange(a), 200))).toBeNull();
    expect(stage.feed(piece('request', exchange(b), 200))).toBeNull();
  });

  it('pieces that differ pass both', () => {
    const stage = legMerger();
    const [before, behind] = [connection(), connection(CLIENT, POD)];
    numbered(stage, before);
    numbered(stage, behind);
    stage.feed(piece('request', exchange(before, '/a'), 1));
    stage.feed(piece('request', exchange(behind, '/b'), 1));
    expect(words(stage.end())).toEqual(['request 203.0.113.33 +0', 'request 198.18.1.9 +0']);
  });
});

describe('bounds', () => {
  measured('many connections with the same numbers cost no more than as many others', () => {
    const number = (apart: number) => (n: number) => {
      const stage = legMerger();
      const from = (address: string, i: number) => connection({ address, port: i }, POD);
      for (let i = 0; i < n; i++) numbered(stage, from('192.0.2.1', i), 0, 100_000 + i * apart, 200_000 + i * apart);
      for (let i = 0; i < n; i++) numbered(stage, from('192.0.2.2', i), 0, 300_000 + i, 200_000 + i * apart);
    };
    const [same, others] = [number(0), number(1000)];
    expect(timesAsMuch(same, others, 20_000, 2)).toBeLessThan(2);
  });

  it('a silent leg holds a limited number of pieces', () => {
    const stage = legMerger();
    const [before, behind] = [connection(), connection(CLIENT, POD)];
    numbered(stage, before);
    numbered(stage, behind);
    let passed = 0;
    for (let i = 0; i < 30_000; i++)
      passed += (stage.feed(piece('request', exchange(before, `/${i}`), 1)) ?? []).length;
    expect(passed).toBe(20_000);
    expect(stage.end()).toHaveLength(10_000);
  });
});
