// `-o otlp` and `-o perfetto` of every fixture, held against the published formats, the messages themselves and each other.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kubeseq, ROOT } from '../kit/command.js';
import { exists } from '../kit/fixtures.js';
import { type Schema, violations } from '../kit/json-schema.js';
import { TRIES_ALL } from '../kit/runs.js';
import { type TraceEvent, traceViolations, tracksOf } from '../kit/trace-events.js';

interface KeyValue {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: string;
    readonly boolValue?: boolean;
    readonly arrayValue?: { readonly values: readonly KeyValue['value'][] };
  };
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly links?: readonly (Pick<Span, 'traceId' | 'spanId'> & { readonly attributes: readonly KeyValue[] })[];
  readonly status: { readonly code?: number; readonly message?: string };
}

interface Line {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

interface MessageLine {
  readonly seq: number;
  readonly time: string;
  readonly started?: string;
  readonly kind: string;
  readonly exchange: number;
  readonly from: string;
  readonly to: string;
  readonly status?: number;
  readonly grpcStatus?: number;
  readonly label: string;
  readonly traceparent?: string;
  readonly cause?: { readonly seq: number; readonly how: string; readonly others?: readonly number[] };
}

const SCHEMA = JSON.parse(readFileSync(join(ROOT, 'test/kit/otlp-trace.schema.json'), 'utf8')) as Schema;
/** Captures of a fixture: those of several places are one observation. */
const capturesOf = (name: string): string[] =>
  readdirSync(join(ROOT, 'fixtures', name))
    .filter((file) => /\.pcap(?:ng)?\.gz$/.test(file) && file !== 'capture-with-secrets.pcapng.gz')
    .map((file) => `fixtures/${name}/${file}`);
const FIXTURES = readdirSync(join(ROOT, 'fixtures'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && capturesOf(entry.name).length > 0)
  .map(({ name }) => name);

function argsOf(name: string): string[] {
  const keys = exists(`${name}/keys.log`) ? ['--keylog', `fixtures/${name}/keys.log.gz`] : [];
  return ['-q', ...capturesOf(name), ...keys];
}

const linesOf = <T>(args: readonly string[]): T[] =>
  kubeseq([...args])
    .stdout.split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
const spansOf = (lines: readonly Line[]): Span[] =>
  lines.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  );
const attribute = (of: { readonly attributes: readonly KeyValue[] }, key: string): KeyValue['value'] =>
  of.attributes.find((one) => one.key === key)?.value ?? {};
const seqOf = (of: { readonly attributes: readonly KeyValue[] }): number =>
  Number(attribute(of, 'kubeseq.seq').intValue);
const idOf = ({ traceId, spanId }: Pick<Span, 'traceId' | 'spanId'>): string => `${traceId}/${spanId}`;
const nanoseconds = (time: string): bigint => {
  const [second, fraction] = time.slice(0, -1).split('.');
  return BigInt(Date.parse(`${second}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
};

it('has fixtures', () => expect(FIXTURES.length).toBeGreaterThan(25));

// Every third one; with RUNS=full all.
describe.each(FIXTURES.filter((_, i) => TRIES_ALL || i % 3 === 1))('%s', (name) => {
  const args = argsOf(name);
  const messages = linesOf<MessageLine>(['messages', '-o', 'ndjson', ...args]);
  const bySeq = new Map(messages.map((message) => [message.seq, message]));
  const lines = linesOf<Line>(['messages', '-o', 'otlp', ...args]);
  const spans = spansOf(lines);
  const byId = new Map(spans.map((span) => [idOf(span), span]));

  it('is OTLP', () => {
    for (const line of lines) expect(violations(SCHEMA, line).slice(0, 5)).toEqual([]);
    for (const { attributes } of spans) expect(new Set(attributes.map(({ key }) => key)).size).toBe(attributes.length);
    expect(byId.size).toBe(spans.length);
  });

  it('has a span for each exchange, and for each event and piece of a stream', () => {
    const heads = messages.filter(({ kind }) => kind === 'request' || kind === 'response');
    const exchanges = new Map<number, MessageLine>();
    for (const message of heads) if (!exchanges.has(message.exchange)) exchanges.set(message.exchange, message);
    const parts = messages.filter(({ kind }) => kind !== 'request' && kind !== 'response');
    const expected = [...exchanges.values(), ...parts].map(({ seq }) => seq);
    expect(spans.map(seqOf).sort((a, b) => a - b)).toEqual(expected.sort((a, b) => a - b));
    for (const span of spans) {
      const message = bySeq.get(seqOf(span))!;
      expect(attribute(span, 'kubeseq.label').stringValue).toBe(message.label);
      expect(span.startTimeUnixNano.slice(0, -3)).toBe(
        String(nanoseconds(message.started ?? message.time)).slice(0, -3),
      );
      expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true);
    }
  });

  it('has errors where an answer is one, and says what is missing', () => {
    const answers = new Map(
      messages.flatMap((message) => (message.kind === 'response' ? [[message.exchange, message] as const] : [])),
    );
    const last = messages.reduce((so, { time }) => (nanoseconds(time) > so ? nanoseconds(time) : so), 0n);
    const ended = new Set(
      messages.flatMap(({ kind, exchange }) => (kind === 'event' || kind === 'data' ? [exchange] : [])),
    );
    const asked = spans.filter(({ kind }) => kind === 3);
    expect(asked.length > 0).toBe(messages.some(({ kind }) => kind === 'request' || kind === 'response'));
    for (const span of asked) {
      const first = bySeq.get(seqOf(span))!;
      const answer = answers.get(first.exchange);
      const isError = (answer?.status ?? 0) >= 400 || (answer?.grpcStatus ?? 0) !== 0;
      expect(span.status.code ?? 0, span.name).toBe(isError ? 2 : 0);
      const missing = attribute(span, 'kubeseq.missing').stringValue;
      if (first.kind === 'response') expect(missing).toBe('no request in the capture');
      else if (answer !== undefined) expect(missing).toBeUndefined();
      else expect(missing).toBe('no answer in the capture');
      if (answer === undefined && !ended.has(first.exchange))
        expect(BigInt(span.endTimeUnixNano) / 1000n).toBe(last / 1000n);
    }
  });

  it('links to the spans of causes, and only has parents that the wire or the exchange has', () => {
    const spanOf = new Map<number, Span>(spans.map((span) => [seqOf(span), span]));
    expect(spanOf.size).toBe(spans.length);
    const firsts = new Map<number, number>();
    for (const { kind, exchange, seq } of messages)
      if ((kind === 'request' || kind === 'response') && !firsts.has(exchange)) firsts.set(exchange, seq);
    for (const span of spans) {
      const message = bySeq.get(seqOf(span))!;
      const { cause } = message;
      const causes = cause === undefined || cause.how === 'response' ? [] : [cause.seq, ...(cause.others ?? [])];
      const outside = (attribute(span, 'kubeseq.causes_outside').arrayValue?.values ?? []).map(({ intValue }) =>
        Number(intValue),
      );
      // Every message of the fixture is selected, and none of its causes is too long ago.
      expect(outside).toEqual([]);
      expect((span.links ?? []).map(seqOf)).toEqual(causes);
      for (const link of span.links ?? []) {
        const to = byId.get(idOf(link));
        const of = bySeq.get(seqOf(link))!;
        expect(to).toBe(spanOf.get(of.kind === 'event' || of.kind === 'data' ? of.seq : firsts.get(of.exchange)!));
      }
      const trace = /^\w\w-(\w{32})-(\w{16})-/.exec(message.traceparent ?? '');
      if (message.kind === 'request' && trace !== null)
        expect([span.traceId, span.parentSpanId]).toEqual([trace[1], trace[2]]);
      else if (span.kind === 3) expect(span.parentSpanId).toBeUndefined();
      else if (span.parentSpanId !== undefined) {
        const parent = byId.get(`${span.traceId}/${span.parentSpanId}`)!;
        expect(bySeq.get(seqOf(parent))!.exchange).toBe(message.exchange);
      } else expect(firsts.get(message.exchange)).toBeUndefined();
    }
  });

  it('is a trace of Chrome', () => {
    const trace = JSON.parse(kubeseq(['messages', '-o', 'perfetto', ...args]).stdout) as {
      traceEvents: TraceEvent[];
    };
    expect(traceViolations(trace).slice(0, 5)).toEqual([]);
    const flows = trace.traceEvents.filter(({ flow_in }) => flow_in === true);
    // No arrow leads back in time: an effect can begin before its cause does, by the clock of the capture.
    const begin = (seq: number): bigint => {
      const { kind, exchange, started, time } = bySeq.get(seq)!;
      const first = kind === 'event' || kind === 'data' ? undefined : messages.find((one) => one.exchange === exchange);
      return nanoseconds(first?.started ?? first?.time ?? started ?? time);
    };
    const caused = messages.filter(
      ({ cause, seq }) => cause !== undefined && cause.how !== 'response' && begin(cause.seq) <= begin(seq),
    );
    expect(flows.map((flow) => flow.name).sort()).toEqual(caused.map(({ cause }) => cause!.how).sort());
    const told = trace.traceEvents.flatMap(({ args: more }) => (more?.['kubeseq.label'] === undefined ? [] : [more]));
    expect(told.length).toBe(spans.length);
    // Every message once: a request and its response are one slice.
    const seqs = told.flatMap((more) => [
      ...new Set([more['kubeseq.seq'], more['kubeseq.response.seq'] ?? more['kubeseq.seq']]),
    ]);
    expect(seqs.sort((a, b) => Number(a) - Number(b))).toEqual(messages.map(({ seq }) => seq));
  });
});

describe('of a diagram', () => {
  const args = ['-q', 'fixtures/run-nginx-http1/capture.pcap.gz', '--follow', 'pods/nginx'];
  const { stdout } = kubeseq(['diagram', '-o', 'json', ...args]);
  const drawnSeqs = new Set([...stdout.matchAll(/"seq": ?(\d+)/g)].map(([, seq]) => Number(seq)));

  it('are the drawn messages alone, and the rest of their exchanges', () => {
    const spans = spansOf(linesOf<Line>(['diagram', '-o', 'otlp', ...args]));
    expect(spans.length).toBeGreaterThan(10);
    for (const span of spans) {
      const answer = Number(attribute(span, 'kubeseq.response.seq').intValue);
      expect(drawnSeqs.has(seqOf(span)) || drawnSeqs.has(answer), attribute(span, 'kubeseq.label').stringValue).toBe(
        true,
      );
    }
    for (const link of spans.flatMap(({ links = [] }) => links))
      expect(spans.some((span) => idOf(span) === idOf(link))).toBe(true);
    expect(violations(SCHEMA, linesOf<Line>(['diagram', '-o', 'otlp', ...args])[0])).toEqual([]);
    const trace = JSON.parse(kubeseq(['diagram', '-o', 'perfetto', ...args]).stdout);
    expect(traceViolations(trace)).toEqual([]);
  });

  it('has a track for what each participant asks for or watches', () => {
    const trace = JSON.parse(kubeseq(['diagram', '-o', 'perfetto', ...args]).stdout) as { traceEvents: TraceEvent[] };
    const names = new Map(
      trace.traceEvents.flatMap(({ name, pid, args: more }) =>
        name === 'process_name' ? [[pid, more?.['name']]] : [],
      ),
    );
    const tracks = [...tracksOf(trace)].map((one) => one.replace(/^\d+/, (pid) => String(names.get(Number(pid)))));
    // What they send (capture.truth.jsonl.gz).
    expect(tracks).toEqual(
      expect.arrayContaining([
        'kubectl create pods',
        'kube-scheduler watch pods',
        'kube-scheduler create pods/binding',
      ]),
    );
    expect(tracks.some((one) => /ADDED|MODIFIED|DELETED/.test(one))).toBe(false);
  });

  // The stories with most arrows.
  it.each([
    ['deployment-tls', 'deployment/web'],
    ['not-starting-tls', 'deployment/two', '-n', 'team'],
    ['helm-tls', 'deployment/shop-web'],
    ['workloads-tls', 'statefulset/db'],
  ])('has at most 40 tracks for a story of %s: %s', (name, ...follow) => {
    const trace = JSON.parse(kubeseq(['diagram', '-o', 'perfetto', ...argsOf(name), '--follow', ...follow]).stdout) as {
      traceEvents: TraceEvent[];
    };
    expect(traceViolations(trace)).toEqual([]);
    const tracks = tracksOf(trace);
    expect(tracks.size).toBeGreaterThan(5);
    expect(tracks.size).toBeLessThanOrEqual(40);
  });

  it('is the same file each time', () => {
    const once = kubeseq(['messages', '-o', 'otlp', ...args]).stdout;
    expect(kubeseq(['messages', '-o', 'otlp', ...args]).stdout).toBe(once);
  });
});

describe('--trace story', () => {
  const args = argsOf('deployment-tls');
  const storyOf = (...more: string[]): Span[] =>
    spansOf(linesOf<Line>([...more, '-o', 'otlp', '--trace', 'story', ...args]));
  const tracesOf = (spans: readonly Span[]): number => new Set(spans.map(({ traceId }) => traceId)).size;
  const named = (spans: readonly Span[], name: string, of: string): Span[] =>
    spans.filter((span) => span.name === name && attribute(span, 'kubeseq.name').stringValue === of);

  it('the life of one object, with what it caused, is one trace', () => {
    const followed = ['diagram', '--follow', 'deploy/web'];
    const before = spansOf(linesOf<Line>([...followed, '-o', 'otlp', ...args]));
    const spans = storyOf(...followed);
    expect(tracesOf(before)).toBeGreaterThan(50);
    expect(tracesOf(spans)).toBe(1);
    expect(spans.map(seqOf)).toEqual(before.map(seqOf));
  });

  it('a parent is a certain cause, or the watch of an event; every other cause is a link', () => {
    const messages = linesOf<MessageLine & { readonly cause?: { readonly certain: boolean } }>([
      'messages',
      '-o',
      'ndjson',
      ...args,
    ]);
    const bySeq = new Map(messages.map((message) => [message.seq, message]));
    const spans = storyOf('messages');
    const bySpan = new Map(spans.map((span) => [span.spanId, span]));
    let certain = 0;
    for (const span of spans) {
      const { seq, kind, exchange, cause } = bySeq.get(seqOf(span)) as (typeof messages)[number];
      const parent = span.parentSpanId === undefined ? undefined : bySpan.get(span.parentSpanId);
      if (cause !== undefined && cause.how !== 'response' && span.links === undefined)
        expect(attribute(span, 'kubeseq.causes_outside').arrayValue).toBeDefined();
      if (span.parentSpanId === undefined) continue;
      expect(parent?.traceId, `message ${seq}`).toBe(span.traceId);
      const isOfWatch = kind !== 'request' && bySeq.get(seqOf(parent as Span))?.exchange === exchange;
      const isCause =
        cause?.certain === true && cause.how !== 'response' && span.links?.[0].spanId === span.parentSpanId;
      expect(isOfWatch || isCause, `message ${seq}`).toBe(true);
      if (isCause) certain += 1;
    }
    expect(certain).toBeGreaterThan(500);
  });

  it('without --follow there is a trace for each object', () => {
    const spans = storyOf('messages');
    const deployment = named(spans, 'create deployments', 'web').map(({ traceId }) => traceId);
    expect(deployment).toHaveLength(1);
    const about = [
      ['update deployments/status', 'web'],
      ['create replicasets', 'web-64c966cf88'],
      ['update replicasets/status', 'web-64c966cf88'],
      ['ADDED ReplicaSet', 'web-64c966cf88'],
    ];
    for (const [name, of] of about) {
      const found = named(spans, name, of);
      expect(found.length, `${name} ${of}`).toBeGreaterThan(0);
      expect(new Set(found.map(({ traceId }) => traceId))).toEqual(new Set(deployment));
    }
    const other = named(spans, 'get namespaces', 'kube-system').map(({ traceId }) => traceId);
    expect(other.length).toBeGreaterThan(1);
    expect(new Set(other).size).toBe(1);
    expect(other).not.toContain(deployment[0]);
  });

  it('is of traces alone', () => {
    const { stderr, status } = kubeseq(['messages', '--trace', 'story', '-o', 'ndjson', ...args]);
    expect(stderr).toContain('--trace chooses the traces of -o otlp; -o ndjson has none');
    expect(status).toBe(2);
  });
});
