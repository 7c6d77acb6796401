import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  heardOf,
  latin,
  MASK,
  type Sent,
  SpdyHeaders,
  sizesOf,
  spdyData,
  webSocket,
} from '../../../test/kit/channel-kit.js';
import type { Side } from '../../tcp/stream-event.js';
import { DockerStream } from '../framing/docker-stream.js';
import { SpdyChannels } from '../spdy/channels.js';
import { WebSocketChannels } from '../websocket/channels.js';
import type { ChannelReader } from './channel.js';

const READERS: Record<string, () => ChannelReader> = {
  websocket: () => new WebSocketChannels('v5.channel.k8s.io', '/exec'),
  base64: () => new WebSocketChannels('base64.channel.k8s.io', '/exec'),
  'spdy in a websocket': () => new WebSocketChannels('SPDY/3.1+portforward.k8s.io', '/portforward'),
  spdy: () => new SpdyChannels(),
  docker: () => new DockerStream(true),
};

/** What each side of an ordinary conversation sends, whole. */
const CONVERSATIONS: Record<string, { client: Uint8Array; server: Uint8Array }> = {};

beforeAll(async () => {
  const client = new SpdyHeaders();
  const opened = [await client.open(1, 'error'), await client.open(3, 'stdout'), await client.open(5, 'data')];
  const spdy = {
    client: Buffer.concat([...opened, spdyData(5, latin('question')), spdyData(5, latin(''), 1)]),
    server: Buffer.concat([3, 300, 0, 70_000].map((size) => spdyData(3, new Uint8Array(size)))),
  };
  const masked = (payload: Uint8Array): Uint8Array => webSocket(payload, { mask: MASK });
  const texts = ['\x01one', '\x03{"status":"Success"}', '\x02two'].map((text) => webSocket(latin(text)));
  const sizes = [100, 200, 70_000].map((size) => webSocket(new Uint8Array(size).fill(1)));
  CONVERSATIONS['websocket'] = { client: masked(latin('\0ls\n')), server: Buffer.concat([...texts, ...sizes]) };
  CONVERSATIONS['base64'] = {
    client: webSocket(latin('0bHM='), { opcode: 1, mask: MASK }),
    server: webSocket(latin('1bHMK'), { opcode: 1 }),
  };
  CONVERSATIONS['spdy'] = spdy;
  CONVERSATIONS['spdy in a websocket'] = {
    client: masked(spdy.client),
    server: Buffer.concat([webSocket(spdy.server.subarray(0, 20)), webSocket(spdy.server.subarray(20))]),
  };
  const docker = (type: number, size: number) => [
    Uint8Array.of(type, 0, 0, 0, 0, 0, size >> 8, size & 255),
    new Uint8Array(size),
  ];
  CONVERSATIONS['docker'] = {
    client: latin('ls'),
    server: Buffer.concat([...docker(1, 300), ...docker(2, 5), ...docker(1, 0)]),
  };
});

const cut = (from: Side, bytes: Uint8Array, places: readonly number[]): Sent[] => {
  const at = [0, ...places.map((place) => place % bytes.length).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i): Sent => [from, bytes.subarray(at[i], end)]);
};

describe.each(Object.keys(READERS))('%s', (name) => {
  it('any cut of the bytes yields the same', () => {
    const { client, server } = CONVERSATIONS[name];
    const whole = sizesOf(
      heardOf(READERS[name](), [
        ['client', client],
        ['server', server],
      ]),
    );
    expect(whole.length).toBeGreaterThan(1);
    const places = fc.array(fc.nat(), { maxLength: 30 });
    fc.assert(
      fc.property(places, places, (ofClient, ofServer) => {
        // docker's client sends no frames: its pieces are what they are.
        const asked = name === 'docker' ? ([['client', client]] as Sent[]) : cut('client', client, ofClient);
        expect(sizesOf(heardOf(READERS[name](), [...asked, ...cut('server', server, ofServer)]))).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });

  it('byte by byte, too', () => {
    const { client, server } = CONVERSATIONS[name];
    const each = (from: Side, bytes: Uint8Array): Sent[] => [...bytes].map((byte) => [from, Uint8Array.of(byte)]);
    const whole = sizesOf(
      heardOf(READERS[name](), [
        ['client', client],
        ['server', server],
      ]),
    );
    const asked = name === 'docker' ? ([['client', client]] as Sent[]) : each('client', client);
    expect(sizesOf(heardOf(READERS[name](), [...asked, ...each('server', server)]))).toEqual(whole);
  });

  it('hostile bytes and gaps: nothing throws, and nothing is counted that did not come', () => {
    const piece = fc.oneof(
      { weight: 6, arbitrary: fc.uint8Array({ maxLength: 40 }) },
      { weight: 1, arbitrary: fc.oneof(fc.nat(50), fc.constant(null)) },
      { weight: 3, arbitrary: fc.tuple(fc.nat(), fc.nat(255)) },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom<Side>('client', 'server'), piece), { maxLength: 20 }), (drawn) => {
        const sent = drawn.map(([from, one]): Sent => {
          if (!Array.isArray(one)) return [from, one as Uint8Array | number | null];
          // An ordinary conversation with one byte changed.
          const spoilt = Uint8Array.from(CONVERSATIONS[name][from].subarray(0, 400));
          spoilt[one[0] % spoilt.length] = one[1];
          return [from, spoilt];
        });
        let came = 0;
        for (const [, bytes] of sent) if (bytes instanceof Uint8Array) came += bytes.length;
        const { pieces } = heardOf(READERS[name](), sent);
        const told = pieces.reduce((sum, { size, complete }) => (complete ? sum + size : sum), 0);
        expect(told).toBeLessThanOrEqual(came);
        expect(pieces.every(({ size, first, last }) => size >= 0 && first.frame <= last.frame)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
