// Calls to etcd and to a container runtime in real captures, held against what an independent decoder found: nothing
// missing, nothing invented, nothing named otherwise; and causes across doors held against uids and revisions.

import { describe, expect, it } from 'vitest';
import { fixture, fixtureLines } from '../../../../test/kit/fixtures.js';
import { connections } from '../../../../test/kit/http2-kit.js';
import type { Notice } from '../../../core/notice.js';
import { pipe } from '../../../core/stage.js';
import { httpDetect } from '../../../http/detect.js';
import type { BodyOutput } from '../../../http/exchange/exchange-bodies.js';
import { exchanges } from '../../../http/exchange/exchanges.js';
import type { HttpEvent, ProtocolFound } from '../../../http/http-event.js';
import { PROTOCOLS } from '../../../http/protocols.js';
import { observe, SummaryCollector } from '../../../index.js';
import { redactionOf } from '../../../redaction/redaction.js';
import type { StreamEvent } from '../../../tcp/stream-event.js';
import { bodyFraming } from '../../api/framing.js';
import { interpreter } from '../../interpreter.js';
import type { Message } from '../../messages/message.js';

interface Truth {
  readonly kind: string;
  readonly tcp: string;
  readonly h2: number;
  readonly service: string | null;
  readonly method: string | null;
  readonly requests: number;
  readonly status: number | null;
  readonly startedBeforeCapture?: boolean;
}

const RPC = new Set(['etcd', 'cri', 'grpc']);

async function decode(names: readonly string[], keys?: string): Promise<{ messages: Message[]; rpcs: number }> {
  const captures = names.map(async function* (name) {
    yield fixture(`${name}.pcap`);
  });
  const keyLogs = keys === undefined ? [] : [Buffer.from(fixture(keys)).toString('latin1')];
  const messages: Message[] = [];
  const summary = new SummaryCollector([...names], { streams: false });
  for await (const batch of observe(captures, { keyLogs }))
    for (const item of batch) {
      summary.add(item);
      if (item.kind === 'message') messages.push(item.message);
    }
  return { messages, rpcs: summary.result().rpcs };
}

/** Calls by connection and stream, with their messages. */
function callsOf(messages: readonly Message[]): Map<string, Message[]> {
  const calls = new Map<string, Message[]>();
  for (const message of messages) {
    if (!RPC.has(message.protocol)) continue;
    const key = `${message.connection} ${message.stream}`;
    calls.set(key, [...(calls.get(key) ?? []), message]);
  }
  return calls;
}

const nameOf = (calls: readonly Message[]): string[] => [
  ...new Set(calls.filter((one) => one.rpcMethod != null).map((one) => `${one.service}/${one.rpcMethod}`)),
];

describe.each([
  { name: 'boot-etcd-tls/capture', calls: 974, named: 974, from: 'kube-apiserver', to: 'etcd' },
  { name: 'deployment-tls/control-plane', calls: 708, named: 708, from: 'kube-apiserver', to: 'etcd' },
  { name: 'deployment-tls/node-1', calls: 247, named: 247, from: 'kubelet', to: 'container-runtime' },
  { name: 'late-start-mixed/capture', calls: 76, named: 76, from: 'kube-apiserver', to: 'etcd' },
])('$name', async ({ name, calls: count, named, from, to }) => {
  const { messages, rpcs } = await decode([name]);
  const calls = callsOf(messages);
  const truth = fixtureLines<Truth>(`${name}.truth.jsonl`).filter(({ kind }) => kind === 'rpc');

  it(`${count} calls, each once, and no other`, () => {
    expect([...calls.keys()].sort()).toEqual(truth.map(({ tcp, h2 }) => `${tcp} ${h2}`).sort());
    expect(calls.size).toBe(count);
    expect(rpcs).toBe(count);
    for (const { tcp, h2, startedBeforeCapture } of truth) {
      const requests = calls.get(`${tcp} ${h2}`)?.filter(({ kind }) => kind === 'request') ?? [];
      expect([tcp, h2, requests.length]).toEqual([tcp, h2, startedBeforeCapture === true ? 0 : 1]);
    }
  });

  it('service and method of each where the truth names them; more may be named, marked as inferred', () => {
    let found = 0;
    for (const { tcp, h2, service, method } of truth) {
      const call = calls.get(`${tcp} ${h2}`) ?? [];
      const names = nameOf(call);
      found += names.length;
      if (method !== null) expect([tcp, h2, names]).toEqual([tcp, h2, [`${service}/${method}`]]);
      else expect(call.filter((one) => one.rpcMethod !== null && one.inferred === undefined)).toEqual([]);
    }
    expect(found).toBe(named);
  });

  it('the status of each', () => {
    for (const { tcp, h2, status } of truth) {
      const response = calls.get(`${tcp} ${h2}`)?.find(({ kind }) => kind === 'response');
      expect([tcp, h2, response?.grpcStatus ?? null]).toEqual([tcp, h2, status]);
    }
  });

  it('participants', () => {
    for (const message of [...calls.values()].flat()) {
      const [client, server] = message.from.component === to ? [message.to, message.from] : [message.from, message.to];
      expect([client.component, server.component]).toEqual([from, to]);
    }
  });

  it('a response answers its request', () => {
    for (const call of calls.values()) {
      const request = call.find(({ kind }) => kind === 'request');
      for (const one of call) if (one.kind === 'response') expect(one.causedBy).toBe(request?.seq);
    }
  });
});

describe('causes across layers, deployment-tls from two places', async () => {
  const { messages } = await decode(
    ['deployment-tls/control-plane', 'deployment-tls/node-1'],
    'deployment-tls/keys.log',
  );
  const bySeq = new Map(messages.map((message) => [message.seq, message]));
  const responses = new Map(messages.filter(({ kind }) => kind === 'response').map((one) => [one.exchange, one]));
  const causeOf = ({ causedBy }: Message): Message | undefined => bySeq.get(causedBy ?? 0);

  it('a transaction is caused by the request whose answer has its revision', () => {
    let proven = 0;
    for (const write of messages) {
      const made = responses.get(write.exchange);
      if (write.kind !== 'request' || write.rpcMethod !== 'Txn' || made?.succeeded !== true) continue;
      const cause = causeOf(write);
      if (cause === undefined) continue;
      expect([cause.protocol, cause.kind]).toEqual(['kubernetes', 'request']);
      const answer = responses.get(cause.exchange)?.object;
      // A deletion takes two transactions; a binding's answer has no version.
      if (cause.verb === 'delete' || answer?.resourceVersion == null) continue;
      expect([write.key, answer.resourceVersion]).toEqual([write.key, made.revision]);
      proven += 1;
    }
    expect(proven).toBeGreaterThan(200);
  });

  it('an event of an etcd watch is caused by the transaction of that key and revision', () => {
    const events = messages.filter(({ kind, protocol }) => kind === 'event' && protocol === 'etcd');
    const caused = events.filter(({ causedBy }) => causedBy !== undefined);
    expect(events.length - caused.length).toBeLessThanOrEqual(1);
    for (const event of caused) {
      const write = causeOf(event) as Message;
      expect([write.key, responses.get(write.exchange)?.revision]).toEqual([event.key, event.revision]);
    }
  });

  it('what a kubelet makes its runtime do is caused by an event about that Pod', () => {
    const acting = messages.filter(
      ({ kind, rpcMethod }) => kind === 'request' && /^(?:RunPod|Pull|Create|Start|Stop|Remove)/.test(rpcMethod ?? ''),
    );
    expect(acting).toHaveLength(28);
    for (const request of acting) {
      const cause = causeOf(request) as Message;
      expect([cause.kind, cause.object?.kind, cause.object?.uid]).toEqual(['event', 'Pod', request.object?.uid]);
      expect(cause.to.name).toBe('kubelet (node-1)');
      expect([request.from.name, request.to.name]).toEqual(['kubelet (node-1)', 'container-runtime (node-1)']);
    }
  });
});

describe('begun anywhere, no call is named otherwise than by its path', () => {
  const truth = new Map(
    fixtureLines<Truth>('http2/etcd.truth.jsonl').map((one) => [
      `${one.tcp} ${one.h2}`,
      `${one.service}/${one.method}`,
    ]),
  );

  it.each([0.05, 0.2, 0.37, 0.5, 0.81])('from %d of each connection on', (part) => {
    let inferred = 0;
    for (const events of connections('etcd', 'port').values()) {
      for (const [key, call] of callsOf(interpreted(events.slice(Math.floor(events.length * part))))) {
        for (const name of nameOf(call)) expect([key, name]).toEqual([key, truth.get(key)]);
        if (call.some((one) => one.inferred !== undefined)) inferred += 1;
      }
    }
    expect(inferred).toBeGreaterThan(5);
  });
});

function interpreted(events: readonly StreamEvent[]): Message[] {
  const stage = interpreter({ redaction: redactionOf() });
  const connection = pipe<StreamEvent, HttpEvent | ProtocolFound | Notice, never, BodyOutput>(
    httpDetect(PROTOCOLS)(events[0].connection),
    (item): item is HttpEvent | ProtocolFound | Notice => item !== undefined,
    exchanges({ framing: bodyFraming }),
  );
  const out: (Message | Notice)[] = [];
  const take = (items: readonly BodyOutput[]): void => {
    for (const item of items) if ('exchange' in item) out.push(...stage.feed(item));
  };
  for (const event of events) take(connection.feed(event));
  take(connection.end());
  out.push(...stage.end());
  return out.filter((item): item is Message => item.kind !== 'notice');
}
