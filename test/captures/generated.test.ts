// Captures made of exchanges that are known, with everything that happens to packets: any segmentation, order, loss,
// repetition, tunnels, link types, both address families, the snap length. What is decodable is decoded, what is not is told.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { captureReader } from '../../src/capture/capture-reader.js';
import { concat } from '../../src/core/bytes/bytes.js';
import { type Message, MessageStage, type Notice } from '../../src/index.js';
import {
  be16,
  be32,
  conversation,
  ethernet,
  ip,
  type Packet,
  pcap,
  pcapng,
  type Sent,
  START,
  type Turn,
  tcp,
  udp,
  vlan,
} from '../kit/packetiser.js';
import { runs } from '../kit/runs.js';

interface Exchange {
  readonly verb: 'GET' | 'POST' | 'DELETE';
  readonly name: string;
  readonly status: 200 | 201 | 404;
  /** Bytes of the answer's body. */
  readonly size: number;
  readonly chunked: boolean;
}

interface Shape {
  readonly exchanges: readonly Exchange[];
  readonly segmentSize: number;
  readonly wrap: keyof typeof WRAPS;
  readonly sixth: boolean;
  readonly pcapng: boolean;
  readonly clientSeq: number;
}

const exchange: fc.Arbitrary<Exchange> = fc.record({
  verb: fc.constantFrom('GET', 'POST', 'DELETE'),
  name: fc.stringMatching(/^[a-z][a-z0-9-]{0,12}$/),
  status: fc.constantFrom(200, 201, 404),
  size: fc.integer({ min: 0, max: 3000 }),
  chunked: fc.boolean(),
});

/** What a TCP packet may be wrapped in, and the link type of its file. */
const WRAPS = {
  ethernet: { linkType: 1, wrap: (packet: Uint8Array) => ethernet(packet) },
  vlan: { linkType: 1, wrap: (packet: Uint8Array) => ethernet(vlan(7, typeOf(packet), packet), 0x8100) },
  qinq: {
    linkType: 1,
    wrap: (packet: Uint8Array) => ethernet(vlan(7, 0x8100, vlan(8, typeOf(packet), packet)), 0x88a8),
  },
  cooked1: { linkType: 113, wrap: (packet: Uint8Array) => concat([new Uint8Array(14), be16(typeOf(packet)), packet]) },
  cooked2: { linkType: 276, wrap: (packet: Uint8Array) => concat([be16(typeOf(packet)), new Uint8Array(18), packet]) },
  raw: { linkType: 101, wrap: (packet: Uint8Array) => packet },
  vxlan: {
    linkType: 1,
    wrap: (packet: Uint8Array) =>
      ethernet(
        ip('192.0.2.8', '192.0.2.9', 17, udp(5555, 4789, concat([be32(0x08000000), be32(0x700), ethernet(packet)]))),
      ),
  },
  geneve: {
    linkType: 1,
    wrap: (packet: Uint8Array) =>
      ethernet(
        ip(
          '192.0.2.8',
          '192.0.2.9',
          17,
          udp(5555, 6081, concat([be16(0), be16(0x6558), be32(0x700), ethernet(packet)])),
        ),
      ),
  },
  gre: {
    linkType: 1,
    wrap: (packet: Uint8Array) =>
      ethernet(ip('192.0.2.8', '192.0.2.9', 47, concat([be16(0), be16(typeOf(packet)), packet]))),
  },
  'ip in ip': {
    linkType: 1,
    wrap: (packet: Uint8Array) => ethernet(ip('192.0.2.8', '192.0.2.9', packet[0] >> 4 === 6 ? 41 : 4, packet)),
  },
} as const;
const typeOf = (packet: Uint8Array): number => (packet[0] >> 4 === 6 ? 0x86dd : 0x0800);

const shape: fc.Arbitrary<Shape> = fc.record({
  exchanges: fc.array(exchange, { minLength: 1, maxLength: 6 }),
  segmentSize: fc.constantFrom(1, 7, 100, 536, 1448, 9000),
  wrap: fc.constantFrom(...(Object.keys(WRAPS) as (keyof typeof WRAPS)[])),
  sixth: fc.boolean(),
  pcapng: fc.boolean(),
  clientSeq: fc.constantFrom(1000, 0xffffff00, 0x7fffff00),
});

function turnsOf(exchanges: readonly Exchange[]): Turn[] {
  return exchanges.flatMap(({ verb, name, status, size, chunked }): Turn[] => {
    const body = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"${name}"},"x":"${'y'.repeat(size)}"}`;
    const coded = chunked ? chunks(body) : body;
    const length = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
    return [
      {
        from: 'client',
        bytes: `${verb} /api/v1/namespaces/default/pods/${name} HTTP/1.1\r\nHost: a\r\nUser-Agent: kubectl/v1\r\n\r\n`,
      },
      { from: 'server', bytes: `HTTP/1.1 ${status} X\r\nContent-Type: application/json\r\n${length}\r\n\r\n${coded}` },
    ];
  });
}

function chunks(body: string): string {
  const half = body.length >> 1;
  const one = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
  return `${one(body.slice(0, half))}${one(body.slice(half))}0\r\n\r\n`;
}

/** What must be found: each exchange, in words. */
const truthOf = (exchanges: readonly Exchange[]): string[] =>
  exchanges.flatMap(({ verb, name, status }) => [
    `request ${verb} ${name} complete`,
    `response ${status} ${name} complete`,
  ]);

function sentOf({ exchanges, segmentSize, sixth, clientSeq }: Shape): Sent[] {
  const [client, server] = sixth ? ['2001:db8::1', '2001:db8::2'] : ['192.0.2.1', '192.0.2.2'];
  return conversation(turnsOf(exchanges), {
    segmentSize,
    clientSeq,
    client: { address: client, port: 40_000 },
    server: { address: server, port: 8080 },
    step: 10_000n,
  });
}

function packetsOf(sent: readonly Sent[], { wrap }: Shape): Packet[] {
  return sent.map((one, i) => ({
    time: START + BigInt(i) * 10_000n,
    bytes: WRAPS[wrap].wrap(ip(one.source.address, one.destination.address, 6, tcp(one))),
  }));
}

function fileOf(list: readonly Packet[], { wrap, pcapng: ng }: Shape): Uint8Array {
  const { linkType } = WRAPS[wrap];
  return ng ? pcapng(list, linkType) : pcap(list, { linkType });
}

interface Read {
  readonly words: string[];
  readonly messages: readonly Message[];
  readonly notices: readonly Notice[];
}

function read(file: Uint8Array): Read {
  const pipeline = new MessageStage();
  const reader = captureReader({ capture: 0 });
  const items = [...reader.feed(file), ...reader.end()].flatMap((item) => [...pipeline.feed(item)]);
  items.push(...pipeline.end());
  const messages = items.flatMap((item) => (item.kind === 'message' ? [item.message] : []));
  return {
    messages,
    notices: items.filter((item): item is Notice => item.kind === 'notice'),
    words: messages.map(wordsOf),
  };
}

function wordsOf({ kind, method, name, status, object, complete }: Message): string {
  const what = kind === 'request' ? `${method} ${name}` : `${status} ${object?.name}`;
  return `${kind} ${what} ${complete ? 'complete' : 'incomplete'}`;
}

/** Moves and repeats packets by at most `WINDOW` places, behind the handshake. */
function disorder<T>(items: readonly T[], shifts: readonly (readonly [number, boolean])[]): T[] {
  const placed = items.flatMap((item, i) => {
    const [shift, twice] = i < 3 ? ([0, false] as const) : shifts[i % shifts.length];
    const moved = { at: i + shift, item };
    return twice ? [moved, { at: i + ((shift * 31) % WINDOW), item }] : [moved];
  });
  return placed.sort((a, b) => a.at - b.at).map(({ item }) => item);
}

const WINDOW = 64;
/** `RUNS=10000 npx vitest run test/captures/generated.test.ts` for the figures of docs/reliability.md. */
const RUNS = runs(20, 60);
const TIMEOUT = 60_000 + 100 * RUNS;
const shifts = fc.array(fc.tuple(fc.integer({ min: 0, max: WINDOW - 1 }), fc.boolean()), {
  minLength: 1,
  maxLength: 100,
});

describe('generated captures', () => {
  it(
    'whatever the segments, links, tunnels, addresses and files: every exchange, and no notice',
    () => {
      fc.assert(
        fc.property(shape, (one) => {
          const { words, notices } = read(fileOf(packetsOf(sentOf(one), one), one));
          expect(words).toEqual(truthOf(one.exchanges));
          expect(notices).toEqual([]);
        }),
        { numRuns: RUNS },
      );
    },
    TIMEOUT,
  );

  it(
    'any order within 64 packets, with repetitions: the same messages',
    () => {
      fc.assert(
        fc.property(shape, shifts, (one, moves) => {
          const { words, notices } = read(fileOf(packetsOf(disorder(sentOf(one), moves), one), one));
          // Lines come in the order in which messages were complete.
          expect([...words].sort()).toEqual(truthOf(one.exchanges).sort());
          expect(notices.filter(({ code }) => code !== 'packet.duplicate' && code !== 'tcp.out-of-window')).toEqual([]);
        }),
        { numRuns: RUNS },
      );
    },
    TIMEOUT,
  );

  it(
    'packets lost: no message is invented or wrong, and what is missing is reported',
    () => {
      fc.assert(
        fc.property(shape, fc.array(fc.nat(9), { minLength: 1, maxLength: 60 }), (one, dice) => {
          const sent = sentOf({ ...one, segmentSize: Math.max(one.segmentSize, 100) });
          const kept = sent.filter((_, i) => dice[i % dice.length] !== 0);
          const lostBytes = sent.some((packet, i) => dice[i % dice.length] === 0 && (packet.payload?.length ?? 0) > 0);
          const { words, notices } = read(fileOf(packetsOf(kept, one), one));
          const truth = truthOf(one.exchanges);
          const complete = words.filter((word) => word.endsWith(' complete'));
          const left = [...truth];
          for (const word of complete) {
            expect(left).toContain(word);
            left.splice(left.indexOf(word), 1);
          }
          // Without an end nothing tells that more was said.
          const ended = kept.includes(sent[sent.length - 3]) && kept.includes(sent[sent.length - 2]);
          if (lostBytes && ended) expect(notices.length).toBeGreaterThan(0);
          if (!lostBytes) expect(complete).toEqual(truth);
        }),
        { numRuns: RUNS },
      );
    },
    TIMEOUT,
  );

  it(
    'cut by the snap length: what is there is read, the rest is reported',
    () => {
      fc.assert(
        fc.property(shape, fc.integer({ min: 100, max: 400 }), (one, snap) => {
          const whole = packetsOf(sentOf({ ...one, segmentSize: 1448 }), one);
          const cut = whole.map((packet) => ({
            ...packet,
            bytes: packet.bytes.slice(0, snap),
            originalLength: packet.bytes.length,
          }));
          const { words, notices } = read(fileOf(cut, one));
          const isCut = whole.some(({ bytes }) => bytes.length > snap);
          const truth = truthOf(one.exchanges);
          const complete = words.filter((word) => word.endsWith(' complete'));
          expect(complete.filter((word) => !truth.includes(word))).toEqual([]);
          if (isCut) expect(notices.some(({ code }) => code === 'packet.cut')).toBe(true);
          else expect(complete).toEqual(truth);
        }),
        { numRuns: RUNS },
      );
    },
    TIMEOUT,
  );

  it(
    'the file cut at any byte: what was complete before stays as it was',
    () => {
      fc.assert(
        fc.property(shape, fc.nat(), (one, nat) => {
          const file = fileOf(packetsOf(sentOf({ ...one, segmentSize: Math.max(one.segmentSize, 100) }), one), one);
          const identity = (message: Message): string =>
            JSON.stringify([message.frames, String(message.time), wordsOf(message)]);
          const whole = new Set(read(file).messages.map(identity));
          const part = read(file.slice(0, 40 + (nat % (file.length - 40))));
          expect(
            part.messages
              .filter(({ complete }) => complete)
              .map(identity)
              .filter((one) => !whole.has(one)),
          ).toEqual([]);
        }),
        { numRuns: RUNS },
      );
    },
    TIMEOUT,
  );
});
