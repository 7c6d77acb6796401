// Requests counted by `kubeseq top`, held against the API server's own audit log; findings, of planted loops and fights and of no others.

import { beforeAll, describe, expect, it } from 'vitest';
import {
  DEFAULT_THRESHOLDS,
  type Message,
  type Participant,
  renderTopText,
  SORT_KEYS,
  type SortKey,
  TopCollector,
  type TopReport,
} from '../../src/index.js';
import { ParticipantRegistry } from '../../src/kubernetes/placed/identity/participant-registry.js';
import type { GroupKeyName } from '../../src/top/group-keys.js';
import { kubeseq } from '../kit/command.js';
import { exists, fixtureLines, fixturePath } from '../kit/fixtures.js';
import { changed, type Given } from '../kit/messages.js';
import { observeWhole, type WholeFixture, WITH_CAPTURES } from '../kit/whole-fixtures.js';

interface AuditEntry {
  readonly auditID: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  /** These are missing where the log was reduced to what other tests need. */
  readonly userAgent?: string;
  readonly requestReceivedTimestamp?: string;
  readonly objectRef?: { readonly resource: string; readonly subresource?: string };
}

const whole = new Map<string, WholeFixture>();
beforeAll(async () => {
  for (const name of WITH_CAPTURES) whole.set(name, await observeWhole(name));
}, 600_000);

function topOf(messages: Iterable<Message>, by: readonly GroupKeyName[] = ['client', 'verb', 'resource']): TopReport {
  const collector = new TopCollector({ by, limit: 100_000, thresholds: DEFAULT_THRESHOLDS });
  for (const message of messages) collector.add(message);
  return collector.result();
}

/** µs since the epoch. */
function microseconds(time: string): number {
  return Date.parse(`${time.slice(0, 19)}Z`) * 1000 + Number(/\.(\d{6})/.exec(time)?.[1] ?? 0);
}

/** Entries by their ids, in the stage that came last. */
function auditLog(name: string): readonly AuditEntry[] {
  return [...new Map(fixtureLines<AuditEntry>(`${name}/audit.jsonl`).map((entry) => [entry.auditID, entry])).values()];
}

/**
 * Messages of requests that the API server's log can have. The others are: those on connections of API servers themselves, which are in the logs of some
 * fixtures only, and left out of all; those to other servers, which have logs of their own; those whose response is not there or has no
 * audit id, as they did not get as far as the log (but for 101, which never has one); those after the last entry of the log.
 */
function loggable(messages: readonly Message[], log: readonly AuditEntry[]): readonly Message[] {
  const responses = new Map(messages.filter(({ kind }) => kind === 'response').map((one) => [one.exchange, one]));
  const ids = new Set(log.map(({ auditID }) => auditID));
  const ended = messages.filter(({ auditId }) => ids.has(auditId ?? ''));
  const end = Number((ended.at(-1)?.time ?? 0n) / 1000n);
  const own = new Set(
    messages
      .filter(({ kind, from }) => kind === 'request' && from.component === 'kube-apiserver')
      .map(({ connection }) => connection),
  );
  const exchanges = new Set(
    messages
      .filter(({ kind, protocol, connection, to, exchange }) => {
        const response = responses.get(exchange);
        return (
          kind === 'request' &&
          protocol === 'kubernetes' &&
          !own.has(connection) &&
          to.component === 'kube-apiserver' &&
          response !== undefined &&
          (response.auditId !== undefined || response.status === 101) &&
          Number(response.time / 1000n) <= end
        );
      })
      .map(({ exchange }) => exchange),
  );
  return messages.filter(({ exchange }) => exchanges.has(exchange));
}

const LOGGED = WITH_CAPTURES.filter((name) => exists(`${name}/audit.jsonl`));

describe('requests', () => {
  it.each(LOGGED)('of %s by User-Agent and verb are those of the audit log', (name) => {
    const { messages, notices, first } = whole.get(name)!;
    const log = auditLog(name);
    const counted = loggable(messages, log);
    const requests = counted.filter(({ kind }) => kind === 'request').map(({ time }) => Number(time / 1000n));
    const last = Math.max(...messages.map(({ time }) => Number(time / 1000n)));
    const hasAgents = log.some(({ userAgent }) => userAgent !== undefined);
    const expected: Record<string, number> = {};
    for (const { userAgent, user, verb, objectRef, requestReceivedTimestamp } of log) {
      if (user.username === 'system:apiserver') continue;
      const time = requestReceivedTimestamp === undefined ? null : microseconds(requestReceivedTimestamp);
      // The log begins before the capture, or ends after it.
      if (time !== null && (time < Number(first / 1000n) || time > last)) continue;
      const { resource, subresource } = objectRef ?? {};
      const what = hasAgents ? userAgent : subresource === undefined ? resource : `${resource}/${subresource}`;
      const key = `${what ?? ''} ${verb}`;
      expected[key] = (expected[key] ?? 0) + 1;
    }
    expect(requests.length).toBeGreaterThan(5);
    // Logs that were reduced to what other tests need have no User-Agent: there it is the resource, in some without its subresource.
    const hasSubresources = log.some(({ objectRef }) => objectRef?.subresource !== undefined);
    const counts: Record<string, number> = {};
    for (const { values, requests } of topOf(counted, [hasAgents ? 'agent' : 'resource', 'verb']).rows) {
      const [what, verb] = values;
      const named = hasAgents || hasSubresources ? what : what.replace(/(?<=.)\/.*/, '');
      const key = `${what.startsWith('/') ? '' : named} ${verb}`;
      counts[key] = (counts[key] ?? 0) + requests;
    }
    // Of connections that are older than the capture some heads refer to fields that were sent before it: the User-Agent, or verb and path
    // as well. The log knows them, so they are those that are missing elsewhere: of each verb as many.
    const isLate = notices.some(({ code }) => code === 'http2.hpack-state-lost');
    const unknown = Object.fromEntries(Object.entries(counts).filter(([key]) => isLate && key.startsWith(' ')));
    const known = Object.fromEntries(Object.entries(counts).filter(([key]) => unknown[key] === undefined));
    const missing: Record<string, number> = {};
    for (const [key, count] of Object.entries(expected)) {
      const verb = ` ${key.split(' ').at(-1)}`;
      const left = count - (known[key] ?? 0);
      if (left < 0) expect(`${key}: ${known[key]}`).toBe(`${key}: ${count}`);
      if (left > 0) missing[verb] = (missing[verb] ?? 0) + left;
      if (unknown[verb] !== undefined || unknown[' '] !== undefined) known[key] = count;
    }
    expect(known).toEqual(expected);
    const { [' ']: withoutVerb = 0, ...withVerb } = unknown;
    const rest = Object.fromEntries(
      Object.entries(missing).map(([verb, count]) => [verb, count - (withVerb[verb] ?? 0)]),
    );
    expect(Object.values(rest).filter((count) => count < 0)).toEqual([]);
    expect(Object.values(rest).reduce((a, b) => a + b, 0)).toBe(withoutVerb);
  });
});

describe('findings', () => {
  it('are the recorded hot loop and the recorded fight, and none in any other fixture', () => {
    const found = [...whole].flatMap(([name, { messages }]) =>
      topOf(messages).findings.map(({ kind, what }) => `${name}: ${kind}: ${what}`),
    );
    // None has four nodes.
    expect(found.filter((one) => one.includes(': whole-watch: '))).toEqual([]);
    // As the script that recorded them sent it: lab/recordings/main.js.
    expect(found.filter((one) => /: (?:hot-loop|fight): /.test(one))).toEqual([
      expect.stringMatching(
        /^fight-tls: hot-loop: get configmaps shop\/settings 115 times in 1\d s, and nothing changed$/,
      ),
      expect.stringMatching(
        /^fight-tls: fight: undo each other's change of spec\.replicas in deployments\.apps shop\/web: 2 and 7, 10 times in /,
      ),
    ]);
  });

  it('are a planted hot loop, from its first request on', () => {
    const [request, response] = exchangeWhere(({ verb, name }) => verb === 'get' && name !== undefined);
    // 150 times in 15 s.
    const { findings } = topOf(repeated([[request, response]], 150, 100_000_000n));
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ kind: 'hot-loop', count: 150, messages: [1, 3, 5, 7, 9, 299] });
    expect(findings[0].clients.map(({ name }) => name)).toEqual([request.from.name]);
    expect(findings[0].what).toMatch(/^get .* 150 times in 15 s, and nothing changed$/);
    // As often, but slower than five a second.
    expect(topOf(repeated([[request, response]], 150, 250_000_000n)).findings).toEqual([]);
    // As often, but another version each time.
    const changing = repeated([[request, response]], 150, 100_000_000n).map((one) =>
      one.kind === 'response' ? changed(one, { object: { ...one.object!, resourceVersion: String(one.seq) } }) : one,
    );
    expect(topOf(changing).findings).toEqual([]);
  });

  it('are a planted fight: the field, both values, both clients', () => {
    const { pieces, clients } = planted();
    const { findings } = topOf(repeated(pieces, 3, 1_000_000_000n));
    expect(findings.map(({ kind }) => kind)).toEqual(['fight']);
    expect(new Set(findings[0].clients.map(({ name }) => name))).toEqual(new Set(clients));
    expect(findings[0].what).toMatch(/^undo each other's change of spec\.replicas in deployments\.apps default\/web: /);
    expect(findings[0].what).toMatch(/: (?:2 and 7|7 and 2), \d times in /);
    // Two rounds are two undone changes: one too few.
    expect(topOf(repeated(pieces, 2, 1_000_000_000n)).findings).toEqual([]);
    // One client alone.
    const alone = repeated(pieces, 5, 1_000_000_000n).map((one) =>
      one.kind === 'request' ? changed(one, { from: pieces[0][0].from }) : one,
    );
    expect(topOf(alone).findings).toEqual([]);
  });
});

describe('other findings', () => {
  it('are retries at a constant interval, not with a back-off, and not of requests at the same time', () => {
    const [request, response] = exchangeWhere(({ verb, name }) => verb === 'get' && name !== undefined);
    const failing: Exchange = [request, changed(response, { status: 500 })];
    const kinds = (messages: readonly Message[]): string[] => topOf(messages).findings.map(({ kind }) => kind);
    expect(kinds(repeated([failing], 10, 100_000_000n))).toEqual(['retries']);
    expect(kinds(repeated([failing], 9, 100_000_000n))).toEqual([]);
    expect(kinds(repeated([failing], 20, 2_000_000_000n))).toEqual([]);
    // Twice as long each time.
    const backingOff = repeated([failing], 20, 100_000_000n).map((one, i) => {
      const time = 1_000_000_000_000n + 20_000_000n * (1n << BigInt(i >> 1)) + BigInt(i & 1);
      return changed(one, { time });
    });
    expect(kinds(backingOff)).toEqual([]);
    // All requests, then all responses.
    const flood = repeated([failing], 20, 1_000n).sort(
      (a, b) => Number(a.kind === 'response') - Number(b.kind === 'response'),
    );
    expect(kinds(flood)).toEqual([]);
  });

  it('are lists again and again, and large ones without a limit', () => {
    const [request, response] = exchangeWhere(({ verb }) => verb === 'list');
    const listing = (target: string, items: number): Exchange => [
      changed(request, { target, name: undefined }),
      changed(response, { object: { ...response.object!, items } } as Given),
    ];
    const found = (exchange: Exchange, times: number): string[] =>
      topOf(repeated([exchange], times, 3_000_000_000n)).findings.map(({ kind, count }) => `${kind} ${count}`);
    expect(found(listing('/api/v1/pods', 3), 10)).toEqual(['relists 10']);
    expect(found(listing('/api/v1/pods', 3), 9)).toEqual([]);
    expect(found(listing('/api/v1/pods?limit=500&continue=x', 500), 20)).toEqual([]);
    // What has no watch can only be listed again.
    const [list, listed] = listing('/apis/metrics.k8s.io/v1beta1/pods', 3);
    expect(found([changed(list, { apiGroup: 'metrics.k8s.io' } as Given), listed], 20)).toEqual([]);
    // An API server that forwards asks as often as its clients do.
    const extension = { ...request.to, tier: 'extensions' as const };
    expect(found([changed(list, { from: request.to, to: extension }), listed], 20)).toEqual([]);
    expect(found(listing('/api/v1/pods', 500), 1)).toEqual(['unpaged-list 1']);
    expect(found(listing('/api/v1/pods', 499), 1)).toEqual([]);
    expect(found(listing('/api/v1/pods?limit=500', 500), 1)).toEqual([]);
    expect(found(listing('/api/v1/pods?resourceVersion=0', 5000), 1)).toEqual([]);
  });

  it('are instances of one program that each watch a whole resource, once changes are delivered to them', () => {
    const found = (agents: readonly string[], given: Given = {}, event: Given = {}): string[] => {
      const messages = agents.flatMap((agent, i) => watchBy(clients.client(`192.0.2.${i}`, agent, 1), given, event));
      return topOf(messages.map((one, i) => changed(one, { seq: i + 1 }))).findings.map(
        ({ kind, what, count }) => `${kind} ${count}: ${what}`,
      );
    };
    const clients = new ParticipantRegistry();
    const agents = (count: number, agent = 'node-agent/v1.2'): string[] => Array.from({ length: count }, () => agent);
    const { changes, target } = watched();
    expect(changes).toBeGreaterThan(20);
    expect(found(agents(4))).toEqual([
      `whole-watch 4: is one of 4 instances that each watch all pods: ${4 * changes} changes delivered`,
    ]);
    // Three replicas of a controller.
    expect(found(agents(3))).toEqual([]);
    // As many programs as watches.
    expect(found(['a-agent/v1', 'b-agent/v1', 'c-agent/v1', 'd-agent/v1', 'e-agent/v1'])).toEqual([]);
    expect(found(agents(5), { target: `${target}&fieldSelector=spec.nodeName%3Dnode-1` })).toEqual([]);
    expect(found(agents(5), { target: `${target}&labelSelector=app%3Dweb` })).toEqual([]);
    expect(found(agents(5), { target: '/api/v1/namespaces/shop/pods?watch=true', namespace: 'shop' })).toEqual([]);
    // What was there before is a list, however it is delivered.
    expect(found(agents(5), {}, { initial: true })).toEqual([]);
    expect(found(agents(5), {}, { type: 'BOOKMARK' })).toEqual([]);
    // What a kubelet watches is settled by its release.
    expect(found(agents(5, 'kubelet/v1.34.4 (linux/amd64) kubernetes/0123456'))).toEqual([]);
  });

  it('are clients without a name', () => {
    const [request, response] = exchangeWhere(({ verb, name }) => verb === 'get' && name !== undefined);
    const found = (userAgent: string | undefined, times: number): string[] =>
      topOf(repeated([[changed(request, { userAgent }), response]], times, 3_000_000_000n)).findings.map(
        ({ what }) => what,
      );
    expect(found('Go-http-client/2.0', 20)).toEqual(['sends the User-Agent Go-http-client/2.0: 20 times in 57 s']);
    expect(found('Go-http-client/2.0', 19)).toEqual([]);
    expect(found('shop-controller/v1', 20)).toEqual([]);
    // Over HTTP/2 it may have been sent before the capture.
    expect(found(undefined, 20)).toEqual([]);
  });
});

describe('the command', () => {
  const ARGUMENTS = [
    fixturePath('throttle-tls/capture.pcap.gz'),
    '--keylog',
    fixturePath('throttle-tls/keys.log.gz'),
  ] as const;

  it('prints what the library counts', () => {
    const { stdout, status } = kubeseq(['top', ...ARGUMENTS]);
    expect(status).toBe(0);
    expect(stdout).toBe(renderTopText(topOf(whole.get('throttle-tls')!.messages)));
  });

  it('counts each request once, however often it is asked meanwhile', () => {
    const { messages } = whole.get('throttle-tls')!;
    for (const by of ['status', 'flowschema', 'client'] as const) {
      const collector = new TopCollector({ by: [by], limit: 100, thresholds: DEFAULT_THRESHOLDS });
      for (const message of messages) {
        collector.add(message);
        const { rows, total } = collector.result();
        expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(total.requests);
      }
      expect(collector.result()).toEqual(topOf(messages, [by]));
    }
  });

  it('fits the terminal: texts are shortened, then columns left out, by name', () => {
    for (const columns of [60, 80, 100, 140]) {
      const { stdout } = kubeseq(['top', ...ARGUMENTS], { env: { COLUMNS: String(columns) } });
      const lines = stdout.split('\n');
      const table = lines.slice(2, lines.indexOf('', 2)).filter((line) => !line.startsWith('a wider terminal'));
      expect(table.filter((line) => line.length > columns)).toEqual([]);
      expect(table[0]).toMatch(/^CLIENT +VERB +RESOURCE .*REQUESTS .*P99/);
    }
    const { stdout } = kubeseq(['top', ...ARGUMENTS], { env: { COLUMNS: '60' } });
    expect(stdout).toContain('\na wider terminal, or -w FILE, shows PER-S, ');
  });

  it('sorts by any column, the largest first', () => {
    const report = (sort: SortKey): TopReport => {
      const collector = new TopCollector({
        by: ['client', 'resource'],
        sort,
        limit: 100,
        thresholds: DEFAULT_THRESHOLDS,
      });
      for (const message of whole.get('deployment-tls')!.messages) collector.add(message);
      return collector.result();
    };
    const values = (sort: SortKey): number[] => report(sort).rows.map(SORT_KEYS[sort]);
    for (const sort of Object.keys(SORT_KEYS) as SortKey[])
      expect(values(sort)).toEqual([...values(sort)].sort((a, b) => b - a));
    expect(values('p99')[0]).toBeGreaterThan(values('p99')[1]);
    expect(report('p99').rows[0].values).not.toEqual(report('requests').rows[0].values);
    expect(kubeseq(['top', ...ARGUMENTS, '--sort', 'age']).stderr).toMatch(/--sort age: expected one of .*requests/);
  });

  it('names a subresource with its resource, as RBAC does', () => {
    const resources = topOf(whole.get('deployment-tls')!.messages, ['resource']).rows.map(({ values }) => values[0]);
    for (const one of ['pods', 'pods/binding', 'pods/status', 'deployments/status', 'serviceaccounts/token'])
      expect(resources).toContain(one);
  });

  it('explains each column in its help', () => {
    const { stdout } = kubeseq(['top', '--help']);
    const heads = renderTopText(topOf(whole.get('deployment-tls')!.messages, ['client']))
      .split('\n')[2]
      .split(/ +/);
    for (const head of heads.slice(1)) expect(stdout).toMatch(new RegExp(`\\b${head}\\b.* {2}`));
  });

  it('has the counts of the audit log by status in JSON', () => {
    const { stdout } = kubeseq(['top', ...ARGUMENTS, '-o', 'json', '--by', 'status']);
    const statuses: Record<string, number> = {};
    const log = new Map(
      fixtureLines<{ auditID: string; responseStatus?: { code: number } }>('throttle-tls/audit.jsonl').map((entry) => [
        entry.auditID,
        entry.responseStatus?.code,
      ]),
    );
    for (const code of log.values()) statuses[String(code)] = (statuses[String(code)] ?? 0) + 1;
    const { rows, total } = JSON.parse(stdout) as {
      rows: { status: string; requests: number }[];
      total: TopReport['total'];
    };
    expect(Object.fromEntries(rows.map(({ status, requests }) => [status, requests]))).toEqual(statuses);
    expect(total.throttled).toBe(statuses['429']);
  });

  it('refuses keys that there are not', () => {
    const { stderr, status } = kubeseq(['top', ...ARGUMENTS, '--by', 'client,colour']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/--by client,colour: expected some of client, server, agent/);
  });
});

type Exchange = readonly [request: Message, response: Message];

/** A real request with its response, of the capture of a Deployment. */
function exchangeWhere(wanted: (request: Message) => boolean): Exchange {
  const { messages } = whole.get('deployment-tls')!;
  for (const request of messages) {
    if (request.kind !== 'request' || request.protocol !== 'kubernetes' || !wanted(request)) continue;
    const response = messages.find(({ kind, exchange }) => kind === 'response' && exchange === request.exchange);
    if (response?.status === 200 && response.object?.resourceVersion != null) return [request, response];
  }
  throw new Error('no such exchange');
}

/** The controller manager's watch of all Pods, with its response and events, as it was captured. */
function watched(): { messages: readonly Message[]; changes: number; target: string } {
  const { messages } = whole.get('deployment-tls')!;
  const isOfAll = ({ kind, verb, resource, namespace, target }: Message): boolean =>
    kind === 'request' &&
    verb === 'watch' &&
    resource === 'pods' &&
    namespace === undefined &&
    !/Sel/.test(`${target}`);
  const request = messages.find((one) => isOfAll(one) && one.from.name === 'kube-controller-manager')!;
  const own = messages.filter(({ exchange }) => exchange === request.exchange);
  const isChange = ({ kind, type, initial }: Message): boolean =>
    kind === 'event' && ['ADDED', 'MODIFIED', 'DELETED'].includes(`${type}`) && initial !== true;
  return { messages: own, changes: own.filter(isChange).length, target: request.target! };
}

/** The same watch by another client. */
function watchBy(client: Participant, request: Given, event: Given): Message[] {
  const { messages } = watched();
  return messages.map((one) => {
    const exchange = one.exchange + client.id * 1_000_000;
    const given = one.kind === 'request' ? request : one.kind === 'event' ? event : {};
    const place = one.kind === 'request' ? { from: client, exchange } : { to: client, exchange };
    return changed(changed(one, given), place);
  });
}

/** Writes of the Deployment by two clients, of which one wants two replicas and the other seven. */
function planted(): { pieces: readonly Exchange[]; clients: readonly string[] } {
  const isOf = (request: Message): boolean => request.resource === 'deployments' && request.name === 'web';
  const written = exchangeWhere((one) => isOf(one) && one.verb === 'update');
  const other = exchangeWhere((one) => one.from.name === 'kubectl');
  const [request, response] = written;
  const body = response.details!.body() as { readonly spec: object };
  const wanting = (replicas: number, by: Given): Exchange => [
    changed(request, by),
    changed(response, {
      details: { fields: () => [], body: () => ({ ...body, spec: { ...body.spec, replicas } }), bodyBytes: () => 0 },
    } as Given),
  ];
  const clients = [request.from.name, other[0].from.name];
  return { pieces: [wanting(2, {}), wanting(7, { from: other[0].from })], clients };
}

/** The exchanges in turn, each with its own numbers and versions where it writes, one every `interval` ns. */
function repeated(exchanges: readonly Exchange[], rounds: number, interval: bigint): Message[] {
  const out: Message[] = [];
  for (let i = 0; i < rounds * exchanges.length; i++) {
    const [request, response] = exchanges[i % exchanges.length];
    const time = 1_000_000_000_000n + BigInt(i) * interval;
    const seq = 2 * i + 1;
    const isWrite = request.verb !== 'get';
    const object = isWrite ? { ...response.object!, resourceVersion: String(1000 + i) } : response.object;
    out.push(
      changed(request, { seq, time, started: time, exchange: seq }),
      changed(response, {
        seq: seq + 1,
        time: time + 1_000_000n,
        started: time + 1_000_000n,
        exchange: seq,
        object,
      } as Given),
    );
  }
  return out;
}
