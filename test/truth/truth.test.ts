// What kubeseq reads from a real capture, held against the API server's own audit log and against an independent
// decoder's findings: nothing missing, nothing invented.

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Message, messageJson, observe, SummaryCollector } from '../../src/index.js';
import { fixture, fixtureLines } from '../kit/fixtures.js';
import { summaryOf } from '../kit/summaries.js';

interface Truth {
  readonly kind: string;
  readonly tcp: string;
  readonly h2: number | null;
  readonly method: string;
  readonly target: string;
  readonly status: number | null;
  readonly auditId: string | null;
  readonly userAgent: string | null;
  readonly requestFrame: number;
  readonly responseFrame: number | null;
  readonly type: string;
  readonly objectKind: string;
  readonly apiVersion: string;
  readonly namespace: string | null;
  readonly name: string | null;
  readonly resourceVersion: string | null;
  readonly uid: string | null;
  readonly client: number;
  readonly server: number;
  readonly clientMd5: string;
  readonly serverMd5: string;
}

interface Audit {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly objectRef?: Record<string, string>;
  readonly responseStatus?: { readonly code?: number };
}

type Line = Record<string, unknown>;

async function decode(
  name: string,
  keys: string | null,
): Promise<{ lines: Line[]; messages: Message[]; summary: ReturnType<SummaryCollector['result']>; late: string[] }> {
  const messages: Message[] = [];
  const late: string[] = [];
  const collector = new SummaryCollector([name], { streams: true });
  const bytes = (async function* () {
    yield fixture(name);
  })();
  const keyLogs = keys === null ? [] : [Buffer.from(fixture(keys)).toString('latin1')];
  for await (const batch of observe([bytes], {
    newHash: () => createHash('md5'),
    keyLogs,
    // The truth has commands whole.
    reveal: { commands: true },
  })) {
    for (const item of batch) {
      collector.add(item);
      if (item.kind === 'message') messages.push(item.message);
      else if (item.kind === 'notice' && item.code === 'tls.mid-session') late.push(item.connection as string);
    }
  }
  const lines = messages.map((message) => messageJson(message, { digits: () => 6 }));
  return { lines, messages, summary: collector.result(), late };
}

/** Equal as multisets: what is on one side only, at most a few of each. */
function differences(
  mine: readonly unknown[],
  theirs: readonly unknown[],
): { onlyMine: string[]; onlyTheirs: string[] } {
  const count = new Map<string, number>();
  for (const one of mine) count.set(JSON.stringify(one), (count.get(JSON.stringify(one)) ?? 0) + 1);
  for (const one of theirs) count.set(JSON.stringify(one), (count.get(JSON.stringify(one)) ?? 0) - 1);
  const entries = [...count];
  return {
    onlyMine: entries.filter(([, n]) => n > 0).map(([key]) => key),
    onlyTheirs: entries.filter(([, n]) => n < 0).map(([key]) => key),
  };
}

/** Statuses that the audit log has otherwise than the wire: its own words are in the captures' description. */
const KNOWN_STATUS: Record<string, number> = { 'errors-http1': 2 };

interface Case {
  readonly folder: string;
  readonly capture: string;
  readonly truth: string;
  readonly keys: string | null;
  /** The audit log has more than this capture: it is of another host too. */
  readonly part?: true;
}

const CASES: readonly Case[] = [
  { folder: 'run-nginx-http1', capture: 'capture.pcap', truth: 'capture', keys: null },
  { folder: 'errors-http1', capture: 'capture.pcap', truth: 'capture', keys: null },
  { folder: 'run-nginx-tls', capture: 'capture.pcap', truth: 'capture', keys: 'keys.log' },
  { folder: 'run-nginx-tls', capture: 'capture-with-secrets.pcapng', truth: 'capture', keys: null },
  { folder: 'clients-tls', capture: 'capture.pcap', truth: 'capture', keys: 'keys.log' },
  { folder: 'boot-etcd-tls', capture: 'capture.pcap', truth: 'capture', keys: 'keys.log' },
  { folder: 'deployment-tls', capture: 'control-plane.pcap', truth: 'control-plane', keys: 'keys.log' },
  { folder: 'exec-logs-portforward-tls', capture: 'capture.pcap', truth: 'capture', keys: 'keys.log' },
  { folder: 'pod-network-tls', capture: 'control-plane.pcap', truth: 'control-plane', keys: 'keys.log' },
  { folder: 'pod-network-tls', capture: 'node-1.pcap', truth: 'node-1', keys: 'keys.log', part: true },
];

describe.each(CASES)('$folder/$capture', async ({ folder: name, capture, truth: truthName, keys, part }) => {
  const decoded = await decode(`${name}/${capture}`, keys === null ? null : `${name}/${keys}`);
  const { summary } = decoded;
  const truth = fixtureLines<Truth>(`${name}/${truthName}.truth.jsonl`);
  // The API server's connection to itself is older than the capture: the independent decoder has nothing of it, and the
  // audit log neither. What kubeseq reads there is held against the truth by late-start.test.ts's means, not here.
  const late = new Set(decoded.late);
  const messages = decoded.messages.filter((one) => API_DOORS.has(one.protocol) && !late.has(one.connection));
  const lines = decoded.lines.filter(
    (one) => API_DOORS.has(one['protocol'] as string) && !late.has(one['connection'] as string),
  );
  const exchanges = new Map<unknown, { request?: Line; response?: Line }>();
  for (const line of lines) {
    const exchange = exchanges.get(line['exchange']) ?? {};
    if (line['kind'] === 'request') exchange.request = line;
    if (line['kind'] === 'response') exchange.response = line;
    exchanges.set(line['exchange'], exchange);
  }

  it('has every request of the truth with its answer, and no other', () => {
    const mine = [...exchanges.values()].flatMap(({ request, response }) => {
      // What was seen before and after address translation is one message; the truth has it as often as it was seen.
      const copies = request?.['translated'] as Line[] | undefined;
      return [request, ...(copies ?? [])].map((place, i) => [
        place?.['connection'],
        request?.['method'],
        request?.['target'],
        request?.['userAgent'] ?? null,
        response?.['status'] ?? null,
        response?.['auditId'] ?? null,
        firstFrame(place),
        firstFrame([response, ...((response?.['translated'] as Line[] | undefined) ?? [])][i]) ?? null,
      ]);
    });
    const theirs = truth
      .filter(({ kind }) => kind === 'request')
      .map((t) => [t.tcp, t.method, t.target, t.userAgent, t.status, t.auditId, t.requestFrame, t.responseFrame]);
    expect(theirs.length).toBeGreaterThan(20);
    expect(differences(mine, theirs)).toEqual({ onlyMine: [], onlyTheirs: [] });
  });

  it('has every watch event of the truth, and no other', () => {
    const mine = lines
      .filter((line) => line['kind'] === 'event')
      .map((line) => {
        const object = line['object'] as Line;
        return [
          line['connection'],
          line['type'],
          object['apiVersion'],
          object['kind'],
          object['namespace'],
          object['name'],
          object['resourceVersion'],
          object['uid'],
        ];
      });
    const theirs = truth
      .filter(({ kind }) => kind === 'watch-event')
      .map((t) => [t.tcp, t.type, t.apiVersion, t.objectKind, t.namespace, t.name, t.resourceVersion, t.uid]);
    expect(theirs.length).toBeGreaterThan(15);
    expect(differences(mine, theirs)).toEqual({ onlyMine: [], onlyTheirs: [] });
  });

  it('words every request as the audit log does', () => {
    const byAudit = new Map([...exchanges.values()].map((one) => [one.response?.['auditId'], one]));
    const wrong: unknown[] = [];
    let statuses = 0;
    const upgraded = new Set(truth.filter(({ status }) => status === 101).map(({ target }) => target));
    for (const entry of fixtureLines<Audit>(`${name}/audit.jsonl`)) {
      const found = byAudit.get(entry.auditID);
      if (found?.request === undefined) {
        // A switch of protocols is answered without an Audit-Id.
        if (upgraded.has(entry.requestURI) || part === true) continue;
        wrong.push(['missing', entry.requestURI]);
        continue;
      }
      const ref = entry.objectRef ?? {};
      const { request, response } = found;
      const mine = [request['verb'], request['target'], ...FIELDS.map((field) => request[field] || undefined)];
      const theirs = [entry.verb, entry.requestURI, ...FIELDS.map((field) => ref[field] || undefined)];
      if (JSON.stringify(mine) !== JSON.stringify(theirs)) wrong.push([mine, theirs]);
      // The log does not know the name of what a create's body names.
      if (
        ref['name'] === undefined
          ? request['name'] !== undefined && request['verb'] !== 'create'
          : request['name'] !== ref['name']
      ) {
        wrong.push(['name', request['name'], ref['name']]);
      }
      const code = entry.responseStatus?.code;
      if (entry.stage === 'ResponseComplete' && code !== response?.['status']) statuses += 1;
    }
    expect(wrong).toEqual([]);
    expect(statuses).toBe(KNOWN_STATUS[name] ?? 0);
  });

  it('has the bytes and the MD5 of both directions of every connection', () => {
    expect(differences(streamsOf(summary), streamsIn(truth))).toEqual({ onlyMine: [], onlyTheirs: [] });
  });

  it('numbers messages from 1 in the order of their times', () => {
    expect(decoded.lines.map((line) => line['seq'])).toEqual(decoded.lines.map((_, i) => i + 1));
    const times = decoded.messages.map((message) => message.time);
    expect(times.every((time, i) => i === 0 || times[i - 1] <= time)).toBe(true);
  });

  it('names the write behind an event only where the write made that version', () => {
    const bySeq = new Map(decoded.messages.map((message) => [message.seq, message]));
    const responses = new Map(
      decoded.messages.filter((one) => one.kind === 'response').map((one) => [one.exchange, one]),
    );
    let checked = 0;
    for (const event of messages) {
      if (event.kind !== 'event' || event.causedBy === undefined) continue;
      const write = bySeq.get(event.causedBy) as Message;
      const made = responses.get(write.exchange)?.object;
      expect(write.seq).toBeLessThan(event.seq);
      if (made?.uid == null || made.kind === 'Status' || write.verb === 'delete') continue;
      checked += 1;
      expect(made.uid).toBe(event.object?.uid);
      if (event.type !== 'DELETED' || made.resourceVersion === event.object?.resourceVersion) {
        expect(made.resourceVersion).toBe(event.object?.resourceVersion);
        continue;
      }
      // Who takes the last finalizer is answered with the object as it was; etcd deletes it while that request is out.
      const removed = decoded.messages.find(
        (one) => one.protocol === 'etcd' && one.kind === 'event' && one.revision === event.object?.resourceVersion,
      );
      expect(Number(made.resourceVersion)).toBeLessThan(Number(event.object?.resourceVersion));
      expect([removed?.type, bySeq.get(removed?.causedBy ?? 0)?.causedBy]).toEqual(['DELETE', write.seq]);
    }
    expect(checked).toBeGreaterThan(name === 'clients-tls' ? 0 : part === true ? 10 : 20);
  });
});

it.each(['throttle-tls/capture', 'late-start-tls/capture', 'late-start-mixed/capture', 'deployment-tls/node-1'])(
  '%s has the bytes and the MD5 of both directions of every connection',
  async (name) => {
    const theirs = streamsIn(fixtureLines<Truth>(`${name}.truth.jsonl`));
    expect(theirs.length).toBeGreaterThan(4);
    const mine = streamsOf(await summaryOf(`${name}.pcap`));
    expect(differences(mine, theirs)).toEqual({ onlyMine: [], onlyTheirs: [] });
  },
);

function streamsOf({ streams = [] }: ReturnType<SummaryCollector['result']>): unknown[][] {
  return streams.map((s) => [s.connection, s.bytes.client, s.bytes.server, s.md5.client, s.md5.server]);
}

function streamsIn(truth: readonly Truth[]): unknown[][] {
  return truth
    .filter(({ kind }) => kind === 'stream-bytes')
    .map((t) => [t.tcp, t.client, t.server, t.clientMd5, t.serverMd5]);
}

function firstFrame(line: Line | undefined): number | undefined {
  return (line?.['frames'] as number[] | undefined)?.[0];
}

const API_DOORS = new Set(['kubernetes', 'kubelet', 'http']);
const FIELDS = ['resource', 'subresource', 'namespace', 'apiGroup', 'apiVersion'];
