// Real gRPC connections of an API server to its etcd, with what an independent decoder found in them.
import { describe, expect, it } from 'vitest';
import { fixtureLines } from '../../../test/kit/fixtures.js';
import { connections, type HttpItem, inWords, read } from '../../../test/kit/http2-kit.js';
import type { StreamEvent } from '../../tcp/stream-event.js';
import { fieldValue } from '../http-event.js';

interface Rpc {
  tcp: string;
  h2: number;
  service: string | null;
  method: string | null;
  requests: number;
  responses: number;
  status: number | null;
}

/** What was said of one stream, in the words of the truth file. */
function rpcsOf(tcp: string, said: readonly HttpItem[]): Map<string, Omit<Rpc, 'tcp' | 'h2'>> {
  const rpcs = new Map<
    string,
    { service: string | null; method: string | null; requests: number; responses: number; status: number | null }
  >();
  const bodies = new Map<string, Buffer[]>();
  for (const item of said) {
    if (item.kind === 'notice' || item.kind === 'unread') continue;
    const key = `${tcp} ${item.stream}`;
    const rpc = rpcs.get(key) ?? { service: null, method: null, requests: 0, responses: 0, status: null };
    rpcs.set(key, rpc);
    if (item.kind === 'head' && item.head.kind === 'request-head') {
      [, rpc.service, rpc.method] = item.head.target?.split('/') ?? ['', null, null];
    }
    const fields = item.kind === 'head' ? item.head.fields : item.kind === 'trailers' ? item.fields : [];
    const status = fieldValue(fields, 'grpc-status');
    if (status !== undefined) rpc.status = Number(status);
    if (item.kind === 'body') {
      const side = `${key} ${item.from}`;
      bodies.set(side, [...(bodies.get(side) ?? []), Buffer.from(item.bytes)]);
    }
  }
  for (const [side, pieces] of bodies) {
    const body = Buffer.concat(pieces);
    let messages = 0;
    for (let at = 0; at + 5 <= body.length; at += 5 + body.readUInt32BE(at + 1)) messages++;
    const [client, stream, from] = side.split(' ');
    rpcs.get(`${client} ${stream}`)![from === 'client' ? 'requests' : 'responses'] = messages;
  }
  return rpcs;
}

function truthOf(name: string): Map<string, Omit<Rpc, 'tcp' | 'h2'>> {
  return new Map(
    fixtureLines<Rpc & Record<string, unknown>>(`http2/${name}.truth.jsonl`).map(
      ({ tcp, h2, service, method, requests, responses, status }) => [
        `${tcp} ${h2}`,
        { service, method, requests, responses, status },
      ],
    ),
  );
}

describe('from the first packet', () => {
  const all = connections('etcd', 'handshake');

  it('422 calls: service, method, messages both ways, status', () => {
    const found = new Map([...all].flatMap(([tcp, events]) => [...rpcsOf(tcp, read(events))]));
    expect(found.size).toBe(422);
    expect(found).toEqual(truthOf('etcd'));
  });

  it('nothing is incomplete but what was still open', () => {
    for (const events of all.values()) {
      const said = read(events);
      expect(said.filter((item) => item.kind === 'notice' || (item.kind === 'head' && !item.complete))).toEqual([]);
    }
  });

  it('byte by byte the same', () => {
    for (const events of all.values()) {
      const bytewise = events.flatMap((event): StreamEvent[] =>
        event.kind === 'data' ? [...event.bytes].map((byte) => ({ ...event, bytes: Uint8Array.of(byte) })) : [event],
      );
      expect(inWords(read(bytewise))).toEqual(inWords(read(events)));
    }
  });
});

describe('from the middle', () => {
  it('76 calls: known where they can be, never otherwise', () => {
    const all = connections('etcd-late', 'port');
    const found = new Map([...all].flatMap(([tcp, events]) => [...rpcsOf(tcp, read(events))]));
    const truth = truthOf('etcd-late');
    expect([...found.keys()].sort()).toEqual([...truth.keys()].sort());
    for (const [key, rpc] of truth) {
      const { service, method, requests, responses } = rpc;
      expect({ key, ...found.get(key) }).toMatchObject({ key, requests, responses });
      if (method !== null) expect({ key, ...found.get(key) }).toMatchObject({ key, service, method });
    }
  });

  it('any start gives only what the whole gives: no path, no method, no status differs', () => {
    for (const events of connections('etcd', 'port').values()) {
      const truth = new Map<string, unknown>();
      for (const item of read(
        events.map((event) => ({ ...event, connection: { ...event.connection, roles: 'handshake' } })),
      ))
        if (item.kind === 'head') truth.set(`${item.stream} ${item.from}`, item.head);
      for (const part of [0.1, 0.37, 0.5, 0.81]) {
        for (const item of read(events.slice(Math.floor(events.length * part)))) {
          if (item.kind !== 'head') continue;
          const { head } = item;
          const whole = truth.get(`${item.stream} ${item.from}`) as typeof head;
          if (head.kind === 'request-head' && whole.kind === 'request-head') {
            expect([null, whole.method]).toContain(head.method);
            expect([null, whole.target]).toContain(head.target);
          } else if (head.kind === 'response-head' && whole.kind === 'response-head') {
            expect([null, whole.status]).toContain(head.status);
          }
          for (let i = 0; i < head.fields.length; i += 2)
            expect(fieldValue(whole.fields, head.fields[i])).toBe(head.fields[i + 1]);
        }
      }
    }
  });
});
