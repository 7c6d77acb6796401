// A cluster in which everything was running when the capture began: attach, exec and port-forward through all their hops, a
// group that another API server serves, a custom resource. Truth: the API server's audit log, whose ids both hops of a
// request have, and what was done (fixtures/attach-aggregated-tls/README.md).

import { beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '../../src/index.js';
import { kubeseq } from '../kit/command.js';
import { fixture, fixtureLines } from '../kit/fixtures.js';
import { filtered, observed } from '../kit/observed.js';
import { observeWhole } from '../kit/whole-fixtures.js';

const FOLDER = 'attach-aggregated-tls';
const keyLogs = [Buffer.from(fixture(`${FOLDER}/keys.log`)).toString('utf8')];
const capture = (name: string): Uint8Array => fixture(`${FOLDER}/${name}.pcap`);
const AGGREGATED = 'aggregated-apiserver wardle.example.com';

interface Audit {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly responseStatus?: { readonly code: number };
}

let messages: readonly Message[] = [];
/** Commands are hidden. */
const pathOf = (target: string | undefined): string | undefined => target?.split('?')[0];
const requestOf = (answer: Message): Message | undefined =>
  messages.find(({ kind, exchange }) => kind === 'request' && exchange === answer.exchange);
const bySeq = (seq: number | undefined): Message | undefined => messages.find((one) => one.seq === seq);
const nameOf = ({ from, to, label }: Message): string => `${from.name} → ${to.name}: ${label}`;

/** What led to a message, the message last. */
function wayTo(message: Message | undefined): string[] {
  return message === undefined ? [] : [...wayTo(bySeq(message.causedBy)), nameOf(message)];
}

/** A capture without the packets of a port. */
function without(port: number, file: Uint8Array): Uint8Array {
  // Linux cooked v2, IPv4 without options, TCP.
  const isOf = (record: Uint8Array): boolean =>
    [56, 58].some((at) => record[at] === port >> 8 && record[at + 1] === (port & 0xff));
  return filtered(file, (record) => !isOf(record));
}

describe('all places together', () => {
  beforeAll(async () => {
    ({ messages } = await observeWhole(FOLDER));
  });

  it('every request of the audit log is there with its verb and status', () => {
    const log = fixtureLines<Audit>(`${FOLDER}/audit.jsonl`).filter(({ stage }) => stage !== 'RequestReceived');
    const answers = messages.filter(({ kind, protocol }) => kind === 'response' && protocol === 'kubernetes');
    const missing = log.filter(({ auditID, verb, requestURI, responseStatus, requestReceivedTimestamp }) => {
      const found = answers.find((answer) => {
        const request = requestOf(answer);
        if (answer.auditId !== undefined && answer.auditId !== auditID) return false;
        const isSame = request?.verb === verb && answer.status === responseStatus?.code;
        // An upgrade's answer has no id (k8s.io/apiserver endpoints/filters/audit.go).
        const ns = BigInt(Date.parse(requestReceivedTimestamp)) * 1_000_000n;
        const away = Number((request?.time ?? 0n) - ns);
        return (
          isSame &&
          (answer.auditId === auditID || (pathOf(request?.target) === pathOf(requestURI) && Math.abs(away) < 100e6))
        );
      });
      return found === undefined;
    });
    expect(log.length).toBeGreaterThan(80);
    expect(missing).toEqual([]);
  });

  it("requests to an aggregated API server come from the API server, and a client's request is their cause", () => {
    const asked = messages.filter(({ kind, to }) => kind === 'request' && to.name === AGGREGATED);
    expect(asked).toHaveLength(10);
    expect(new Set(asked.map(({ from }) => from.name))).toEqual(new Set(['kube-apiserver']));
    const ids = new Map<string, Message[]>();
    for (const answer of messages.filter(({ auditId, kind }) => kind === 'response' && auditId !== undefined))
      ids.set(answer.auditId!, [...(ids.get(answer.auditId!) ?? []), requestOf(answer)!]);
    const pairs = [...ids.values()].filter((requests) => requests.length === 2);
    expect(pairs).toHaveLength(10);
    for (const [one, other] of pairs) {
      const [first, second] = one.to.name === AGGREGATED ? [other, one] : [one, other];
      expect(second.to.name).toBe(AGGREGATED);
      if (!first.target!.startsWith('/openapi/')) expect(second.causedBy).toBe(first.seq);
    }
  });

  it.each(['attach', 'exec', 'portforward'])('%s goes through all hops', (what) => {
    const [stream] = messages.filter(({ label }) => label === `[REQ] POST /${what}/REDACTED - web`);
    const [kubectl, apiServer, call, last] = wayTo(stream).map((one) => one.replace(/[?(].*$/, '').trim());
    expect(kubectl).toBe(`kubectl → kube-apiserver: [REQ] GET /api/v1/namespaces/default/pods/web/${what}`);
    const path = {
      attach: '/attach/default/web/web',
      exec: '/exec/default/web/web',
      portforward: '/portForward/default/web',
    };
    expect(apiServer).toBe(`kube-apiserver → kubelet`);
    expect(bySeq(bySeq(stream.causedBy)?.causedBy)?.label).toContain(path[what as 'exec']);
    expect(call).toBe('kubelet');
    const method = { attach: 'Attach', exec: 'Exec', portforward: 'PortForward' }[what as 'exec'];
    expect(bySeq(stream.causedBy)?.rpcMethod).toBe(method);
    expect(last).toBe('kubelet');
    expect(nameOf(stream)).toBe(`kubelet (node-1) → container-runtime (node-1): [REQ] POST /${what}/REDACTED - web`);
    expect(stream).toMatchObject({ resource: 'pods', subresource: what, namespace: 'default', name: 'web' });
  });

  it('what passes a hop passes the next one', () => {
    const pieces = messages.filter(({ kind, channel }) => kind === 'data' && channel === 'stdin');
    const hops = [
      'kubectl → kube-apiserver',
      'kube-apiserver → kubelet (node-1)',
      'kubelet (node-1) → container-runtime (node-1)',
    ];
    for (const hop of hops) {
      const here = pieces.filter(({ from, to }) => `${from.name} → ${to.name}` === hop);
      // hello, exit; abc
      expect(here.map(({ bytes }) => bytes)).toEqual([6, 5, 4]);
    }
  });

  it('the addresses that a runtime streams to are not shown', () => {
    const plain = messages.map((one) => ({
      ...one,
      ...{ from: one.from.name, to: one.to.name, request: one.request?.seq, details: undefined },
      ...{ about: one.about?.name, reportsOn: one.reportsOn?.name },
    }));
    const told = JSON.stringify(plain, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
    expect(told).toContain('/attach/REDACTED');
    for (const token of TOKENS) expect(told).not.toContain(token);
  });
});

describe('the node alone', () => {
  it('names its programs and their requests', async () => {
    ({ messages } = await observed([capture('node-1')], { keyLogs }));
    const streams = messages.filter(({ label }) => label.startsWith('[REQ] POST') && label.endsWith('REDACTED - web'));
    expect(streams.map((one) => wayTo(one).length)).toEqual([3, 3, 3, 3]);
    const participants = new Set(streams.map(({ from, to }) => `${from.name} → ${to.name}`));
    expect(participants).toEqual(new Set(['kubelet (node-1) → container-runtime (node-1)']));
  });

  it('does so where the calls to the runtime are not in the capture', async () => {
    ({ messages } = await observed([without(3500, capture('node-1'))], { keyLogs }));
    expect(messages.some(({ rpcMethod }) => rpcMethod !== undefined)).toBe(false);
    const streams = messages.filter(({ label }) => label.startsWith('[REQ] POST') && label.endsWith('REDACTED - web'));
    expect(streams.map((one) => wayTo(one).map((hop) => hop.replace(/^.*: /, '').replace(/\?.*$/, '')))).toEqual([
      ['[REQ] POST /attach/default/web/web', '[REQ] POST /attach/REDACTED - web'],
      ['[REQ] POST /exec/default/web/web', '[REQ] POST /exec/REDACTED - web'],
      ['[REQ] POST /exec/default/web/web', '[REQ] POST /exec/REDACTED - web'],
      ['[REQ] POST /portForward/default/web', '[REQ] POST /portforward/REDACTED - web'],
    ]);
    const participants = new Set(streams.map(({ from, to }) => `${from.name} → ${to.name}`));
    expect(participants).toEqual(new Set(['kubelet (node-1) → container-runtime']));
  });
});

/** As `tshark -r node-1.pcap -d tcp.port==3501,http -Y http.request -T fields -e http.request.uri` shows them. */
const TOKENS = ['MJW9BF_V', 'AQuL7sj5', 'q6RtWZqh', '66ecLzSD'];

describe('the aggregated API server alone', () => {
  const folder = `fixtures/${FOLDER}`;
  const { stdout } = kubeseq([
    ...['messages', '-q', '-o', 'ndjson', `${folder}/aggregated.pcap.gz`],
    ...['--keylog', `${folder}/keys.log.gz`],
  ]);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly kind: string; readonly from: string } & Record<string, unknown>);

  it('names no client for requests that are forwarded over one connection, and gives them no trigger', () => {
    const asked = lines.filter(({ kind, protocol }) => kind === 'request' && protocol === 'kubernetes');
    const handedOn = asked.filter(({ connection }) => String(connection).endsWith(':17443'));
    const unsaid = handedOn.filter(({ userAgent }) => userAgent === undefined);
    expect(unsaid.length).toBeGreaterThan(4);
    expect(new Set(unsaid.map(({ from }) => from))).toEqual(new Set(['client 192.0.2.10']));
    expect(unsaid.filter(({ causedBy }) => causedBy !== undefined)).toEqual([]);
    expect(handedOn.filter(({ userAgent }) => userAgent !== undefined).map(({ from }) => from)).toContain('kubectl');
  });

  it('events of kubectl get --watch have the same write as their cause as other deliveries of the version', () => {
    type Told = { readonly kind: string; readonly resourceVersion: string; readonly row?: { readonly uid: string } };
    const events = lines.filter(({ kind, object }) => kind === 'event' && object !== undefined);
    const tables = events.filter(({ object }) => (object as Told).kind === 'Table');
    expect(tables).toHaveLength(3);
    for (const { object, causedBy } of tables) {
      const { resourceVersion } = object as Told;
      const others = events.filter((one) => (one['object'] as Told).resourceVersion === resourceVersion);
      expect(others.length).toBeGreaterThan(1);
      expect(others.map((one) => one['causedBy'])).toContain(causedBy);
      expect(causedBy).toBeGreaterThan(0);
    }
  });
});
