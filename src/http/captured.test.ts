// Real connections of a control plane, with what an independent decoder found in them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixtureLines } from '../../test/kit/fixtures.js';
import { byteByByte, exchangeStage, exchangeWords, said } from '../../test/kit/http1-kit.js';
import { runs as tries } from '../../test/kit/runs.js';
import { connectionsOf, piecesOf } from '../../test/kit/stream-kit.js';
import type { StreamEvent } from '../tcp/stream-event.js';
import type { BodyFraming, Exchange, ExchangeEvent } from './exchange-event.js';
import { fieldValue, type RequestHead, type ResponseHead } from './http-event.js';
import { http1Session } from './http1/session.js';

interface Truth {
  kind: string;
  tcp: string;
  method: string;
  target: string | null;
  status: number;
  userAgent: string | null;
  auditId: string | null;
  requestFrame: number;
  responseFrame: number;
  responseEnded: boolean;
  requestBodyBytes: number;
  responseBodyBytes: number;
  encoding: 'protobuf' | 'json';
  type: string;
  name: string | null;
}

const WATCHES = ['run-nginx-http1', 'errors-http1'];

function framing(request: RequestHead | null, response: ResponseHead | null, from: string): BodyFraming {
  if (from === 'client' || response === null) return 'whole';
  const type = fieldValue(response.fields, 'content-type') ?? '';
  if (type === 'application/vnd.kubernetes.protobuf;stream=watch') return 'length-prefixed';
  const watches = /[?&]watch=(true|1|t)(&|$)/.test(request?.target ?? '');
  return watches && response.status === 200 && type.startsWith('application/json') ? 'json-documents' : 'whole';
}

const read = (events: readonly StreamEvent[]) => said(exchangeStage(events[0].connection, framing), events);

interface Found {
  exchange: Exchange;
  request?: Extract<ExchangeEvent, { kind: 'request' }>;
  response?: Extract<ExchangeEvent, { kind: 'response' }>;
  items: Uint8Array[];
}

function exchangesOf(connections: readonly (readonly StreamEvent[])[]): { found: Found[]; notices: string[] } {
  const found = new Map<Exchange, Found>();
  const notices: string[] = [];
  for (const events of connections) {
    for (const item of read(events)) {
      if (item.kind === 'notice') notices.push(item.code);
      if (!('exchange' in item)) continue;
      const one: Found = found.get(item.exchange) ?? { exchange: item.exchange, items: [] };
      found.set(item.exchange, one);
      if (item.kind === 'request') one.request = item;
      else if (item.kind === 'response') one.response = item;
      else if (item.kind === 'item') one.items.push(item.bytes);
    }
  }
  return { found: [...found.values()], notices };
}

const inTruth = ({ exchange, request, response }: Found) => ({
  tcp: exchange.connection.name,
  method: exchange.request?.method,
  target: exchange.request?.target,
  status: exchange.response?.status,
  userAgent: (exchange.request && fieldValue(exchange.request.fields, 'user-agent')) ?? null,
  auditId: (exchange.response && fieldValue(exchange.response.fields, 'audit-id')) ?? null,
  requestFrame: request?.first.frame,
  responseFrame: response?.first.frame,
  requestBodyBytes: request?.body?.length ?? 0,
});
const wanted = (truth: readonly Truth[]) =>
  truth
    .filter(({ kind }) => kind === 'request')
    .map((line) => {
      const { tcp, method, target, status, userAgent, auditId, requestFrame, responseFrame, requestBodyBytes } = line;
      return { tcp, method, target, status, userAgent, auditId, requestFrame, responseFrame, requestBodyBytes };
    });
const sorted = (lines: readonly object[]): string[] => lines.map((line) => JSON.stringify(line)).sort();

/** How many of each, by connection, target and encoding. */
function counted(lines: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of lines) counts[line] = (counts[line] ?? 0) + 1;
  return counts;
}

describe.each(WATCHES)('%s', (name) => {
  const truth = fixtureLines<Truth>(`${name}/capture.truth.jsonl`);
  const connections = connectionsOf(`${name}/capture.pcap`);
  const { found, notices } = exchangesOf(connections);

  it('has every request of the truth and none more', () => {
    expect(sorted(found.map(inTruth))).toEqual(sorted(wanted(truth)));
    expect(notices).toEqual([]);
  });

  it('has every body and the end of every response', () => {
    const ends = connections.flatMap((events) => {
      const bytes = new Map<number, number>();
      const lines: string[] = [];
      const frames = new Map<number, number>();
      for (const item of said(http1Session(events[0].connection), events)) {
        if (item.kind === 'notice' || item.kind === 'unread' || item.from === 'client') continue;
        if (item.kind === 'head') frames.set(item.stream, item.first.frame);
        else if (item.kind === 'body') bytes.set(item.stream, (bytes.get(item.stream) ?? 0) + item.bytes.length);
        else if (item.kind === 'end')
          lines.push(`${frames.get(item.stream)} ${bytes.get(item.stream) ?? 0} ${item.complete}`);
      }
      return lines;
    });
    const expected = truth
      .filter(({ kind }) => kind === 'request')
      .map(
        ({ responseFrame, responseBodyBytes, responseEnded }) =>
          `${responseFrame} ${responseBodyBytes} ${responseEnded}`,
      );
    expect(ends.sort()).toEqual(expected.sort());
  });

  it('has every watch event, whole', () => {
    const events = found.flatMap(({ exchange, items }) =>
      items.map((bytes) => {
        const encoding = bytes[0] === 0x7b ? 'json' : 'protobuf';
        const text = Buffer.from(bytes).toString('latin1');
        const type = /"type":"([A-Z]+)"|^\n.([A-Z]+)/.exec(text);
        return `${exchange.connection.name} ${exchange.request?.target} ${encoding} ${type?.[1] ?? type?.[2]}`;
      }),
    );
    const expected = truth.filter(({ kind }) => kind === 'watch-event');
    expect(counted(events)).toEqual(
      counted(expected.map(({ tcp, target, encoding, type }) => `${tcp} ${target} ${encoding} ${type}`)),
    );
  });

  it('is the same byte by byte', () => {
    const some = connections.filter((events) => events.length < 40).slice(0, 60);
    for (const events of some) expect(exchangeWords(read(byteByByte(events)))).toEqual(exchangeWords(read(events)));
    expect(some.length).toBeGreaterThan(40);
  });
});

describe('after losses', () => {
  const name = 'errors-http1';
  const truth = fixtureLines<Truth>(`${name}/capture.truth.jsonl`);
  const pairs = new Set(
    truth
      .filter(({ kind }) => kind === 'request')
      .map((line) => `${line.requestFrame} ${line.responseFrame} ${line.auditId}`),
  );
  const whole = exchangesOf(connectionsOf(`${name}/capture.pcap`)).found;
  const items = new Set(whole.flatMap((one) => one.items.map((bytes) => Buffer.from(bytes).toString('latin1'))));

  it('no pair is wrong and no whole event is another, whichever frames are missing (property)', () => {
    let paired = 0;
    let runs = 0;
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(3, 10, 30, 100), (seed, oneOf) => {
        const drops = (frame: number): boolean => (Math.imul(frame ^ seed, 2654435761) >>> 8) % oneOf === 0;
        const connections = connectionsOf(`${name}/capture.pcap`, drops);
        for (const events of connections) {
          for (const item of read(events)) {
            if (item.kind === 'item' && item.complete)
              expect(items).toContain(Buffer.from(item.bytes).toString('latin1'));
          }
        }
        for (const { exchange, request, response } of exchangesOf(connections).found) {
          if (request === undefined || response === undefined) continue;
          const auditId = fieldValue(exchange.response!.fields, 'audit-id') ?? null;
          expect(pairs).toContain(`${request.first.frame} ${response.first.frame} ${auditId}`);
          paired += 1;
        }
        runs += 1;
      }),
      { numRuns: tries(5, 15) },
    );
    // Losing every third to hundredth frame leaves many whole pairs.
    expect(paired / runs).toBeGreaterThan(60);
  });
});

describe('a capture that begins late', () => {
  const { events, truth } = piecesOf<Truth>('late-start', 'port');
  const { found, notices } = exchangesOf(events);

  it('has every request', () => {
    expect(sorted(found.filter(({ exchange }) => exchange.request !== null).map(inTruth))).toEqual(
      sorted(wanted(truth)),
    );
    expect(notices).toEqual([]);
  });

  it('has every event of the watches whose heads are not in it', () => {
    const orphans = found.filter(({ exchange }) => exchange.request === null);
    const expected = truth.filter(({ kind }) => kind === 'orphan-watch-event');
    expect(counted(orphans.flatMap((one) => one.items.map(() => one.exchange.connection.name)))).toEqual(
      counted(expected.map(({ tcp }) => tcp)),
    );
    expect(expected.length).toBe(52);
    expect(orphans.every((one) => one.response === undefined)).toBe(true);
  });
});

describe('docker', () => {
  const { events, truth } = piecesOf<Truth>('docker', 'handshake');
  const { found, notices } = exchangesOf(events);

  it('has every request, hijacked connections included', () => {
    expect(sorted(found.map(inTruth))).toEqual(sorted(wanted(truth)));
    expect(notices).toEqual([]);
    const upgraded = found.filter(({ exchange }) => exchange.upgraded !== null);
    expect(upgraded.map(({ exchange }) => `${exchange.response?.status} ${exchange.upgraded}`)).toEqual(['101 tcp']);
  });
});
