// A capture in which everything was running when it began, against the API server's own audit log: every entry found,
// one to one, and no exchange that is not on the wire.

import { describe, expect, it } from 'vitest';
import { type Message, observe } from '../../src/index.js';
import { fixture, fixtureLines } from '../kit/fixtures.js';
import { observeWhole } from '../kit/whole-fixtures.js';

interface Audit {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly userAgent: string;
  readonly requestReceivedTimestamp: string;
  readonly objectRef?: Readonly<Record<string, string>>;
  readonly responseStatus?: { readonly code: number };
}

interface Pair {
  request?: Message;
  response?: Message;
}

async function live(): Promise<Message[]> {
  const keyLogs = [Buffer.from(fixture('late-start-tls/keys.log')).toString('utf8')];
  const bytes = (async function* () {
    yield fixture('late-start-tls/capture.pcap');
  })();
  const messages: Message[] = [];
  for await (const batch of observe([bytes], { keyLogs, live: true }))
    for (const item of batch) if (item.kind === 'message') messages.push(item.message);
  return messages;
}

function exchangesOf(messages: readonly Message[]): Map<number, Pair> {
  const exchanges = new Map<number, Pair>();
  for (const message of messages) {
    if (message.protocol !== 'kubernetes' || (message.kind !== 'request' && message.kind !== 'response')) continue;
    const pair = exchanges.get(message.exchange) ?? {};
    exchanges.set(message.exchange, pair);
    pair[message.kind] = message;
  }
  return exchanges;
}

/** Status, verb, resource, namespace and name; a create's name is the body's, which the log has only of the answer. */
function isSame({ request, response }: Pair, entry: Audit): boolean {
  const ref = entry.objectRef ?? {};
  const isNamed = entry.verb === 'create' && ref['name'] === undefined ? true : request?.name === ref['name'];
  return (
    request?.verb === entry.verb &&
    request.resource === ref['resource'] &&
    request.namespace === ref['namespace'] &&
    isNamed &&
    response?.status === entry.responseStatus?.code &&
    Math.abs(Number(request.time - nanoseconds(entry.requestReceivedTimestamp))) <= 100e6
  );
}

/** `2026-11-21T04:41:10.559853Z` has microseconds, more than Date knows. */
function nanoseconds(time: string): bigint {
  return BigInt(Date.parse(`${time.slice(0, 19)}Z`)) * 1_000_000n + BigInt(time.slice(20, 26)) * 1000n;
}

function matchAll(messages: readonly Message[], entries: readonly Audit[]): { matched: [Pair, Audit][]; left: Pair[] } {
  const left = new Map(exchangesOf(messages));
  const matched: [Pair, Audit][] = [];
  for (const entry of entries) {
    for (const [number, pair] of left) {
      if (!isSame(pair, entry)) continue;
      matched.push([pair, entry]);
      left.delete(number);
      break;
    }
  }
  return { matched, left: [...left.values()] };
}

describe('late-start-tls', async () => {
  const log = fixtureLines<Audit>('late-start-tls/audit.jsonl');
  const started = new Set(log.filter((one) => one.stage === 'ResponseStarted').map((one) => one.auditID));
  const entries = log.filter(
    ({ stage, auditID }) => stage === 'ResponseStarted' || (stage === 'ResponseComplete' && !started.has(auditID)),
  );
  const { messages } = await observeWhole('late-start-tls');
  const { matched, left } = matchAll(messages, entries);

  it('every entry of the audit log is matched by one exchange', () => {
    expect(entries).toHaveLength(39);
    expect(matched).toHaveLength(39);
  });

  it('their Audit-Ids, groups, versions, subresources and programs are right too', () => {
    for (const [{ request, response }, { auditID, objectRef, userAgent }] of matched) {
      expect(response?.auditId).toBe(auditID);
      expect([request?.apiGroup ?? '', request?.apiVersion, request?.subresource]).toEqual([
        objectRef?.['apiGroup'] ?? '',
        objectRef?.['apiVersion'],
        objectRef?.['subresource'],
      ]);
      expect(userAgent.split('/')[0]).toBe(request?.from.component);
    }
  });

  it('what is left was sent by the API server to itself, which its log leaves out', () => {
    expect(left.map(({ request }) => [request?.connection, request?.label])).toEqual([
      ['::1:52574-::1:6443', '[REQ] GET /api/v1/namespaces/default/limitranges'],
      ['::1:52574-::1:6443', expect.stringMatching(/^\[REQ\] PUT …\/namespaces\/kube-system\/leases\/apiserver-/)],
    ]);
    for (const { request, response } of left) {
      expect(request?.frames[0]).toBeGreaterThan(0);
      expect(response?.frames[0]).toBeGreaterThan(request?.frames[1] as number);
    }
  });

  it('a concluded field is marked so, and no header is invented', () => {
    for (const { request, response } of exchangesOf(messages).values()) {
      const inferred = request?.inferred ?? [];
      expect(inferred.filter((field) => ['method', 'target', 'userAgent'].includes(field))).toEqual([]);
      for (const field of inferred) expect(request?.[field as keyof Message]).toBeDefined();
      if (request?.method === undefined || request.target === undefined) expect(inferred).toContain('verb');
      if (response?.complete === true) expect(response.inferred ?? []).not.toContain('status');
    }
  });

  it('read live, nothing waits, and only what its response alone shows is missing', async () => {
    const found = matchAll(await live(), entries);
    expect(found.matched.length).toBeGreaterThanOrEqual(37);
    expect(found.left).toHaveLength(41 - found.matched.length);
  });
});
