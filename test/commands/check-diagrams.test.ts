// What kubeseq draws from a capture holds on that capture: diagrams of every fixture, and every way it can be drawn.

import { describe, expect, it } from 'vitest';
import { nondeterministicExchanges } from '../../src/diagram/folding/nondeterminism.js';
import { indexMessages } from '../../src/diagram/message-index.js';
import { arrowsOf } from '../../src/diagram/model.js';
import {
  buildSequence,
  check,
  type DiagramOptions,
  ExpectationText,
  expectationsOf,
  ObservationIndex,
  observe,
  parseFollow,
  renderMarkdown,
  renderMermaid,
  SavedWriter,
  stableExpectation,
} from '../../src/index.js';
import type { Seen } from '../kit/diagrams.js';
import { TRIES_ALL } from '../kit/runs.js';
import { observeWhole } from '../kit/whole-fixtures.js';

const CASES = [
  ...[
    'run-nginx-http1',
    'run-nginx-tls',
    'errors-http1',
    'exec-logs-portforward-tls',
    'clients-tls',
    'deployment-tls',
    'boot-etcd-tls',
  ],
  ...[
    'late-start-mixed',
    'late-start-tls',
    'throttle-tls',
    'docker-engine-api',
    'pod-network-tls',
    'trouble-tls',
    'helm-tls',
  ],
  ...['bootstrap-tls', 'autoscaled-tls', 'gitops-tls', 'argocd-tls'],
];

const ALL = new Set(['kubernetes', 'kubelet', 'etcd', 'cri', 'registry', 'docker', 'http', 'grpc'] as const);
const WAYS: [string, DiagramOptions][] = [
  ['as it is', {}],
  ['with all layers', { layers: ALL }],
  ['by component', { by: 'component', layers: ALL }],
  ['followed', { follow: parseFollow('pod/nginx', 'default') ?? undefined }],
  ['with everything', { all: true, layers: ALL }],
];

/** What `export` writes of a fixture. */
async function exported(folder: string): Promise<string> {
  const { captures, items, pipeline, first } = await observeWhole(folder);
  const writer = new SavedWriter({ captures, redacted: true, digits: (capture) => pipeline.digits(capture) });
  return [...writer.feed(items, first), ...writer.end(first)].join('');
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function gathered(batches: ReturnType<typeof observe>): Promise<Seen> {
  const messages: Seen['messages'][number][] = [];
  const notices: Seen['notices'][number][] = [];
  for await (const batch of batches)
    for (const item of batch) {
      if (item.kind === 'message') messages.push(item.message);
      else if (item.kind === 'notice') notices.push(item);
    }
  return { messages, notices };
}

function holds(source: string, messages: Seen['messages'], name: string): void {
  const [{ diagram }] = expectationsOf(source, false, name);
  const verdict = check(diagram, new ObservationIndex(messages));
  expect(verdict.failures.map(({ line, arrow, nearest }) => ({ line, arrow, why: nearest?.differences }))).toEqual([]);
  expect([verdict.met, verdict.undecided]).toEqual([true, null]);
}

describe.each(CASES.map((folder, i) => [folder, i] as const))('%s', (folder, i) => {
  const seen = observeWhole(folder);
  /** With RUNS=full all ways; else the first one and another one than for the next capture. */
  const tried = (ways: typeof WAYS): typeof WAYS => (TRIES_ALL ? ways : [ways[i % ways.length]]);

  it.each(TRIES_ALL ? WAYS : [WAYS[0], WAYS[1 + (i % (WAYS.length - 1))]])(
    'drawn %s, holds on its capture',
    async (_, options) => {
      const { messages, notices } = await seen;
      const sequence = buildSequence({ messages, notices }, options);
      holds(renderMermaid(sequence), messages, folder);
      // A page has the same in parts that GitHub draws, each an expectation that can be read.
      const page = renderMarkdown(sequence);
      const parts = page.match(/^```mermaid$/gm) ?? [];
      expect(parts.length).toBeGreaterThan(0);
      expect(expectationsOf(page, true, folder)).toHaveLength(parts.length);
    },
  );

  it.each(tried(WAYS.slice(0, 2)))('drawn %s from an export, holds on the export', async (_, options) => {
    const saved = Buffer.from(await exported(folder));
    const observation = await gathered(observe([oneChunk(saved)]));
    holds(renderMermaid(buildSequence(observation, options)), observation.messages, folder);
  });

  // Everything is told as it was.
  it.each(tried(WAYS.filter(([, { all }]) => all !== true)))(
    'as other runs may do the same, drawn %s, holds, and moves and leaves out what it may',
    async (_, options) => {
      const { messages, notices } = await seen;
      const { sequence } = stableExpectation({ messages, notices }, options);
      holds(renderMermaid(sequence), messages, folder);
      // With the names open that differ from run to run, as `check --update` writes it.
      holds(new ExpectationText(indexMessages(messages)).diagram(sequence), messages, folder);
      const chance = nondeterministicExchanges(indexMessages(messages));
      const usual = buildSequence(
        { messages, notices },
        { ...options, selected: ({ exchange }) => !chance.has(exchange) },
      );
      const drawn = (steps: typeof usual.steps) => arrowsOf(steps).map(({ message }) => message.seq);
      expect(drawn(sequence.steps).sort()).toEqual(drawn(usual.steps).sort());
      expect(drawn(sequence.steps).filter((seq) => chance.has(messages[seq - 1].exchange))).toEqual([]);
    },
  );
});
