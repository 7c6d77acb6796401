// What goes wrong is told as well as what goes right: a webhook denies and is gone, an API server is killed and comes
// back, another one takes one request at a time.

import { describe, expect, it } from 'vitest';
import { arrowsOf, type Step } from '../../src/diagram/model.js';
import { buildSequence, type Sequence } from '../../src/index.js';
import { decode, observedTogether } from '../kit/diagrams.js';
import { fixtureLines } from '../kit/fixtures.js';
import { conversation, packets, pcap, START } from '../kit/packetiser.js';

const SECOND = 1_000_000_000n;

describe('trouble-tls', async () => {
  const { messages, notices } = await observedTogether(['trouble-tls/capture.pcap'], 'trouble-tls/keys.log');
  const bySeq = new Map(messages.map((one) => [one.seq, one]));
  const answers = new Map(messages.filter((one) => one.kind === 'response').map((one) => [one.exchange, one]));
  const sequence = buildSequence({ messages, notices });
  const lines = told(sequence);
  const truth = fixtureLines<Record<string, string | null>>('trouble-tls/capture.truth.jsonl');

  it('calls of the webhook are the webhook’s, each because of the write that it judges, with its verdict', () => {
    const calls = messages.filter((one) => one.kind === 'request' && one.to.component === 'webhook');
    expect(calls).toHaveLength(truth.filter((one) => one.kind === 'request' && one.tcp?.endsWith(':9443')).length);
    expect(
      calls.map((one) => [
        one.from.name,
        one.to.name,
        one.label,
        bySeq.get(one.causedBy ?? 0)?.label,
        answers.get(one.exchange)?.label,
      ]),
    ).toEqual([
      [
        'kube-apiserver',
        'webhook guard.lab.example',
        '[REQ] POST /validate - CREATE configmaps good',
        '[REQ] POST /api/v1/namespaces/default/configmaps - good',
        '[RESP] 200 OK, allowed',
      ],
      [
        'kube-apiserver',
        'webhook guard.lab.example',
        '[REQ] POST /validate - CREATE configmaps forbidden-one',
        '[REQ] POST /api/v1/namespaces/default/configmaps - forbidden-one',
        '[RESP] 200 OK, denied: names with "forbidden" are not allowed here',
      ],
      [
        'kube-apiserver',
        'webhook guard.lab.example',
        '[REQ] POST /validate - UPDATE configmaps good',
        '[REQ] PATCH /api/v1/namespaces/default/configmaps/good',
        '[RESP] 200 OK, allowed',
      ],
    ]);
    const statuses = calls.map((one) => {
      const id = answers.get(bySeq.get(one.causedBy ?? 0)?.exchange ?? 0)?.auditId;
      const audit = fixtureLines<{ auditID: string; stage: string; responseStatus?: { code: number } }>(
        'trouble-tls/audit.jsonl',
      );
      return audit.find((entry) => entry.auditID === id && entry.stage === 'ResponseComplete')?.responseStatus?.code;
    });
    expect(statuses).toEqual([201, 403, 200]);
  });

  it('every ERROR event is there; expired watches are noted once a component, with their number', () => {
    const errors = messages.filter((one) => one.kind === 'event' && one.type === 'ERROR');
    expect(errors).toHaveLength(65);
    expect(truth.filter((one) => one.kind === 'watch-event' && one.type === 'ERROR')).toHaveLength(65);
    expect(lines).toContain('16 watches of kube-scheduler request a version that is too old, and list again');
    expect(lines).toContain('48 watches of kube-controller-manager request a version that is too old, and list again');
    const drawn = arrowsOf(sequence.steps).filter((one) => one.message.type === 'ERROR');
    expect(drawn.map((one) => one.message.to.name).sort()).toEqual([
      'curl',
      'kube-controller-manager',
      'kube-scheduler',
    ]);
  });

  it('a list after an expired watch is caused by the event that ended it: same program, resource and selectors', () => {
    const after = messages.filter((one) => one.kind === 'request' && bySeq.get(one.causedBy ?? 0)?.type === 'ERROR');
    expect(after.length).toBeGreaterThan(60);
    for (const request of after) {
      const error = bySeq.get(request.causedBy ?? 0);
      const watch = messages.find((one) => one.kind === 'request' && one.exchange === error?.exchange);
      expect([request.from.name, request.resource, request.apiGroup]).toEqual([
        watch?.from.name,
        watch?.resource,
        watch?.apiGroup,
      ]);
      expect(request.seq).toBeGreaterThan(error?.seq ?? Infinity);
    }
  });

  it('a resumed watch requests the version that it received last', () => {
    const resumed = messages.filter(
      (one) =>
        one.verb === 'watch' &&
        one.kind === 'request' &&
        bySeq.get(one.causedBy ?? 0)?.type !== 'ERROR' &&
        one.causedBy !== undefined,
    );
    expect(resumed.length).toBeGreaterThan(50);
    for (const request of resumed) {
      const asked = new URL(request.target ?? '', 'https://x').searchParams.get('resourceVersion');
      expect(bySeq.get(request.causedBy ?? 0)?.object?.resourceVersion).toBe(asked);
    }
  });

  it('resumed and refused watches are noted once a component, with their number', () => {
    const watches = truth.filter((one) => one.kind === 'request' && /[?&]watch=(?:true|1)/.test(one.target ?? ''));
    const refused = watches.filter((one) => (one.status as unknown) === 403);
    const by = (name: string): number => refused.filter((one) => one.userAgent?.startsWith(name)).length;
    expect(lines).toContain(`${by('kube-controller-manager')} watches of kube-controller-manager are refused`);
    expect(lines).toContain(`${by('kube-scheduler')} watches of kube-scheduler are refused`);
    expect(lines).toContain('10 watches of kube-controller-manager resume from the version that they received last');
    const drawn = arrowsOf(sequence.steps).filter((one) => one.message.verb === 'watch');
    expect(drawn.filter((one) => answers.get(one.message.exchange)?.status === 403)).toHaveLength(2);
  });

  it('352 refused connections are counted where they were', () => {
    // As tshark has it: connections without a byte that end in a reset.
    expect(notices.filter((one) => one.code === 'tcp.refused')).toHaveLength(352);
    const counted = lines.flatMap((line) => /^(\d+) connections? refused/.exec(line)?.[1] ?? []).map(Number);
    expect(counted).toEqual([168, 1, 183]);
    // Only behind the first of them does the server answer somebody again.
    const back = lines.flatMap((line) => (/^answers again after|^no answer after that/.test(line) ? [line] : []));
    expect(back).toEqual(['answers again after 3.0 s', 'no answer after that', 'no answer after that']);
    expect(lines).toContain('352 connections were refused, or reset before a byte was sent');
  });

  it('the reasons stand beside the failures: denied, changed by another, webhook gone', () => {
    expect(lines).toContain(
      'admission webhook "guard.lab.example" denied the request: names with "forbidden" are not allowed here',
    );
    expect(lines.some((line) => line.startsWith('Conflict: Operation cannot be fulfilled on configmaps "good"'))).toBe(
      true,
    );
    expect(lines.some((line) => line.includes('failed calling webhook "guard.lab.example"'))).toBe(true);
    const at = (part: string): number => lines.findIndex((line) => line.includes(part));
    expect(at('denied the request')).toBeLessThan(at('Conflict:'));
    expect(at('Conflict:')).toBeLessThan(at('168 connections refused'));
    expect(at('168 connections refused')).toBeLessThan(at('failed calling webhook'));
  });

  it('is short, and accounts for every message', () => {
    expect(sequence.drawn).toBeLessThan(70);
    const folded = Object.values(sequence.folded).reduce((sum, count) => sum + count, 0);
    expect(sequence.drawn + folded).toBe(messages.length);
  });
});

describe('throttle-tls', async () => {
  const { messages, notices } = await observedTogether(['throttle-tls/capture.pcap'], 'throttle-tls/keys.log');
  const sequence = buildSequence({ messages, notices });

  it('answers of a storm are counted kind by kind, as many as the audit log has', () => {
    const counts = new Map<number, number>();
    for (const step of sequence.steps)
      for (const one of arrowsOf([step])) {
        const { status, kind, to } = one.message;
        if (kind !== 'response' || to.name !== 'curl') continue;
        counts.set(status ?? 0, (counts.get(status ?? 0) ?? 0) + (step.kind === 'loop' ? step.times : 1));
      }
    const audit = fixtureLines<{ userAgent: string; stage: string; responseStatus: { code: number } }>(
      'throttle-tls/audit.jsonl',
    );
    const expected = new Map<number, number>();
    for (const one of audit)
      if (one.userAgent.startsWith('curl') && one.stage === 'ResponseComplete')
        expected.set(one.responseStatus.code, (expected.get(one.responseStatus.code) ?? 0) + 1);
    expect([...counts].sort()).toEqual([...expected].sort());
    expect(counts.get(429)).toBe(11);
  });

  it('the storm is a dozen loops, with when to come back', () => {
    expect(sequence.drawn).toBeLessThanOrEqual(14);
    expect(told(sequence)).toContain('Retry-After: 1');
  });
});

describe('an aggregated API server', async () => {
  const TARGET = '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/web';
  const body = JSON.stringify({
    kind: 'PodMetrics',
    apiVersion: 'metrics.k8s.io/v1beta1',
    metadata: { name: 'web', namespace: 'default' },
  });
  const answer = `HTTP/1.1 200 OK\r\nAudit-Id: a1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const hop = (client: string, server: string, port: number, more: string, start: bigint, step: bigint) =>
    conversation(
      [
        {
          from: 'client',
          bytes: `GET ${TARGET} HTTP/1.1\r\nHost: x\r\nUser-Agent: kubectl/v1.34.4 (linux/amd64)\r\n${more}\r\n`,
        },
        { from: 'server', bytes: answer },
      ],
      { client: { address: client, port: 40000 + port }, server: { address: server, port }, start, step },
    );
  const first = hop('192.0.2.1', '192.0.2.10', 8080, '', START, SECOND);
  // Between the first hop's request and its answer.
  const second = hop(
    '192.0.2.10',
    '198.18.0.9',
    4443,
    'X-Remote-User: kubernetes-admin\r\nAudit-ID: a1\r\n',
    START + (7n * SECOND) / 2n,
    SECOND / 100n,
  );
  const both = [...first, ...second].sort((a, b) => ((a.time ?? 0n) < (b.time ?? 0n) ? -1 : 1));
  const { messages, notices } = await decode(pcap(packets(both)));

  it("is called by the API server, because of a client's request", () => {
    const requests = messages.filter((one) => one.kind === 'request');
    expect(requests.map((one) => [one.from.name, one.to.name, one.causedBy])).toEqual([
      ['kubectl', 'kube-apiserver', undefined],
      ['kube-apiserver', 'aggregated-apiserver metrics.k8s.io', requests[0].seq],
    ]);
  });

  it('is drawn between question and answer', () => {
    const sequence = buildSequence({ messages, notices });
    const names = new Map(sequence.participants.map((one) => [one.id, one.name]));
    expect(arrowsOf(sequence.steps).map((one) => names.get(one.to))).toEqual([
      'kube-apiserver',
      'aggregated-apiserver metrics.k8s.io',
      'kube-apiserver',
      'kubectl',
    ]);
  });
});

/** Everything that is written beside arrows and over loops, in order. */
function told(sequence: Sequence): string[] {
  const linesOf = (step: Step): string[] =>
    step.kind === 'note'
      ? [...step.lines]
      : step.kind === 'loop'
        ? [step.title ?? '', ...step.steps.flatMap(linesOf)]
        : [];
  return sequence.steps.flatMap(linesOf);
}
