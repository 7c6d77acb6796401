// A control plane of two API servers behind a load balancer that passes TLS through (HAProxy), a proxy that is asked to
// CONNECT (tinyproxy), kubectl proxy. Truth: the audit logs of both API servers, which know who each client is by its
// certificate; they see the balancer's address only (fixtures/balanced-tls/README.md).

import { beforeAll, describe, expect, it } from 'vitest';
import type { Message, Notice } from '../../src/index.js';
import { fixture, fixtureLines } from '../kit/fixtures.js';
import { filtered, lossy, observed } from '../kit/observed.js';

const FOLDER = 'balanced-tls';
const keyLogs = [Buffer.from(fixture(`${FOLDER}/keys.log`)).toString('utf8')];
const capture = (name: string): Uint8Array => fixture(`${FOLDER}/${name}.pcap`);

interface Audit {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  /** Address of the API server. */
  readonly server: string;
  readonly requestURI: string;
  readonly responseStatus: { readonly code: number };
}

const AUDIT = fixtureLines<Audit>(`${FOLDER}/audit.jsonl`);
const BALANCER = [192, 0, 2, 10];
const isLine = ({ kind }: Message): boolean => kind === 'request' || kind === 'response';

/** As the API server calls whom a message names. */
function userOf(name: string): string {
  const node = /^kubelet \((node-\d)\)$/.exec(name);
  if (node !== null) return `system:node:${node[1]}`;
  return name.startsWith('kubectl') ? 'kubernetes-admin' : `system:${name.replace(/ \(.*/, '')}`;
}

/** The connections that the balancer opened, and no others. */
function behind(file: Uint8Array): Uint8Array {
  // Linux cooked v2, IPv4 without options, TCP.
  const isOf = (record: Uint8Array): boolean => {
    const [from, to] = [48, 52].map((at) => record.subarray(at, at + 4));
    const [server, client] = record[56] * 256 + record[57] === 6443 ? [from, to] : [to, from];
    return BALANCER.every((byte, i) => client[i] === byte) && (server[3] === 11 || server[3] === 12);
  };
  return filtered(file, (record) => record[16] === 8 && isOf(record));
}

let messages: Message[] = [];
let notices: Notice[] = [];
const answers = (): Message[] =>
  messages.filter(({ kind, protocol }) => kind === 'response' && protocol === 'kubernetes');
const requestOf = (answer: Message): Message | undefined =>
  messages.find(({ kind, exchange }) => kind === 'request' && exchange === answer.exchange);

/** Whatever is told otherwise than in the audit log. @param isLossy what is not known is not told. */
function differences(entries: readonly Audit[], isLossy = false): string[] {
  const isOther = (told: unknown, is: unknown): boolean => (isLossy && told === undefined ? false : told !== is);
  return entries.flatMap(({ auditID, verb, user, requestURI, responseStatus }) => {
    const told = answers().filter((answer) => answer.auditId === auditID);
    if (isLossy && told.length === 0) return [];
    if (told.length !== 1) return [`${told.length} times: ${verb} ${requestURI}`];
    const [answer] = told;
    const request = requestOf(answer);
    const isUnknown = isLossy && !/^(?:kubelet \(node|kube-|kubectl)/.test(answer.to.name);
    return [
      ...(isOther(request?.verb, verb) || isOther(request?.target, requestURI) ? ['request'] : []),
      ...(isOther(answer.status, responseStatus.code) ? ['status'] : []),
      ...(isUnknown || userOf(answer.to.name) === user.username ? [] : [answer.to.name]),
    ].map((what) => `${what}: ${verb} ${requestURI} of ${user.username}`);
  });
}

describe('where the load balancer runs, both of its sides', () => {
  beforeAll(async () => {
    ({ messages, notices } = await observed([capture('load-balancer')], { keyLogs }));
  });

  it('every request that an API server logged is shown once, with its client', () => {
    expect(AUDIT.length).toBe(406);
    expect(differences(AUDIT)).toEqual([]);
  });

  it('nothing else is shown', () => {
    const known = new Set(AUDIT.map(({ auditID }) => auditID));
    expect(answers().filter(({ auditId }) => !known.has(auditId ?? ''))).toEqual([]);
  });

  it('by the API server that logged it', () => {
    const servers = new Map(AUDIT.map(({ auditID, server }) => [auditID, server]));
    const names = new Map<string, Set<string>>();
    for (const { from, auditId } of answers()) {
      const server = servers.get(auditId!)!;
      names.set(from.name, (names.get(from.name) ?? new Set()).add(server));
    }
    expect([...names].map(([name, at]) => [name, [...at]])).toEqual([
      ['kube-apiserver', ['192.0.2.12']],
      ['kube-apiserver (192.0.2.11)', ['192.0.2.11']],
    ]);
  });

  it('with the frames of both sides, by way of the balancer', () => {
    const api = messages.filter((message) => isLine(message) && message.protocol === 'kubernetes');
    expect(api.filter(({ via }) => via?.[0].component.startsWith('proxy ') !== true)).toEqual([]);
    for (const { connection, translated } of api) {
      expect(connection).toMatch(/-(?:192\.0\.2\.10|\[?2001:db8::10\]?):/);
      const behindIt = translated?.filter((copy) => /^192\.0\.2\.10:\d+-192\.0\.2\.1[12]:6443$/.test(copy.connection));
      expect(behindIt).toHaveLength(1);
    }
  });

  it('health checks are no refusals', () => {
    expect(notices.filter(({ code }) => code === 'tcp.refused')).toEqual([]);
  });
});

describe('where packets are missing', () => {
  it.each([200, 50, 10])('one in %i: what either side has of a request is shown once', async (every) => {
    ({ messages } = await observed([lossy(capture('load-balancer'), every)], { keyLogs }));
    const found = differences(AUDIT, true);
    // Where a handshake is among what is missing, a side may be opened too late to be joined.
    const twice = found.filter((one) => one.startsWith('2 times'));
    expect(found.filter((one) => !twice.includes(one))).toEqual([]);
    expect(twice.length / AUDIT.length).toBeLessThan(every === 10 ? 0.01 : 0.001);
    const heard = new Set(answers().flatMap(({ auditId }) => auditId ?? []));
    expect(heard.size / AUDIT.length).toBeGreaterThan(every === 10 ? 0.9 : 0.99);
  });
});

describe('behind the load balancer alone, where all have its address', () => {
  beforeAll(async () => {
    ({ messages } = await observed([behind(capture('load-balancer'))], { keyLogs }));
  });

  it('kubelets are distinguished by their connections', () => {
    expect(differences(AUDIT)).toEqual([]);
    expect(new Set(messages.map(({ from }) => from.name))).toContain('kubelet (node-2)');
  });
});

describe('where the client runs', () => {
  it('requests that `kubectl proxy` forwards come from it, and the original requests are their causes', async () => {
    const seen = await observed([capture('client')], { keyLogs });
    const bySeq = new Map(seen.messages.map((one) => [one.seq, one]));
    const asked = seen.messages.filter(({ connection, kind }) => kind === 'request' && connection.startsWith('127.'));
    expect(asked.map(({ verb, from, to }) => [verb, from.name, to.name])).toEqual([
      ['get', 'kubectl', 'proxy 192.0.2.30'],
      ['patch', 'kubectl', 'proxy 192.0.2.30'],
    ]);
    const handed = seen.messages.filter(({ causedBy, kind }) => kind === 'request' && causedBy !== undefined);
    expect(handed.map(({ verb, from, to }) => [verb, from.name, to.name])).toEqual([
      ['get', 'proxy 192.0.2.30', 'kube-apiserver'],
      ['patch', 'proxy 192.0.2.30', 'kube-apiserver'],
    ]);
    expect(handed.map(({ causedBy }) => bySeq.get(causedBy!))).toEqual(asked);
    // Both hops have the id that the API server gave the request.
    const idsOf = (requests: readonly Message[]) =>
      requests.map(({ seq }) => seen.messages.find((one) => one.kind === 'response' && one.causedBy === seq)?.auditId);
    expect(idsOf(handed)).toEqual(idsOf(asked));
  });

  it('the balancer is what answers; the CONNECT is read through', async () => {
    const seen = await observed([capture('client')], { keyLogs });
    const ids = seen.messages.flatMap(({ auditId }) => auditId ?? []);
    const own = AUDIT.filter(({ user }) => user.username === 'kubernetes-admin').map(({ auditID }) => auditID);
    expect([...new Set(ids)].sort()).toEqual(own.sort());
    const through = seen.messages.filter(({ connection }) => connection.includes(':3128'));
    expect(through.map(({ label }) => label)).toEqual([
      '[REQ] CONNECT 192.0.2.10:6443',
      '[RESP] 200 OK',
      '[REQ] POST /api/v1/namespaces/default/pods - proxied',
      '[RESP] 201 Created',
    ]);
  });
});
