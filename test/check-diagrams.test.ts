// What kubeseq draws from a capture holds on that capture: every diagram of every fixture, in every way it can be drawn.

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { nondeterministicExchanges } from '../src/diagram/folding/nondeterminism.js';
import { indexMessages } from '../src/diagram/message-index.js';
import { arrowsOf } from '../src/diagram/model.js';
import {
  buildSequence,
  check,
  type DiagramOptions,
  ExpectationText,
  expectationsOf,
  MessageStage,
  ObservationIndex,
  observe,
  type PipelineItem,
  parseFollow,
  renderMarkdown,
  renderMermaid,
  SavedWriter,
  stableExpectation,
} from '../src/index.js';
import type { Seen } from './diagrams.js';
import { fixture } from './fixtures.js';

const CASES: [string, string[]][] = [
  ['run-nginx-http1', ['capture.pcap']],
  ['run-nginx-tls', ['capture.pcap']],
  ['errors-http1', ['capture.pcap']],
  ['exec-logs-portforward-tls', ['capture.pcap']],
  ['clients-tls', ['capture.pcap']],
  ['deployment-tls', ['control-plane.pcap', 'node-1.pcap']],
  ['boot-etcd-tls', ['capture.pcap']],
  ['late-start-mixed', ['capture.pcap']],
  ['late-start-tls', ['capture.pcap']],
  ['throttle-tls', ['capture.pcap']],
  ['docker-engine-api', ['capture.pcap']],
  ['pod-network-tls', ['control-plane.pcap', 'node-1.pcap']],
  ['trouble-tls', ['capture.pcap']],
  ['helm-tls', ['control-plane.pcap']],
  ['bootstrap-tls', ['control-plane.pcap']],
  ['autoscaled-tls', ['control-plane.pcap']],
  ['gitops-tls', ['control-plane.pcap']],
  ['argocd-tls', ['control-plane.pcap']],
];

const ALL = new Set(['kubernetes', 'kubelet', 'etcd', 'cri', 'registry', 'docker', 'http', 'grpc'] as const);
const WAYS: [string, DiagramOptions][] = [
  ['as it is', {}],
  ['with all layers', { layers: ALL }],
  ['by component', { by: 'component', layers: ALL }],
  ['followed', { follow: parseFollow('pod/nginx', 'default') ?? undefined }],
  ['with everything', { all: true, layers: ALL }],
];

/** What is seen in captures, and what `export` writes of it. */
async function seenIn(folder: string, files: readonly string[]): Promise<Seen & { readonly saved: string }> {
  const pipeline = new MessageStage({ keyLogs: await keys(folder), newHash: () => createHash('md5') });
  const writer = new SavedWriter({ captures: files, redacted: true, digits: (capture) => pipeline.digits(capture) });
  const saved: string[] = [];
  const batches = observe(
    files.map((file) => oneChunk(fixture(`${folder}/${file}`))),
    { pipeline },
  );
  const seen = await gathered(batches, (batch) => saved.push(...writer.feed(batch, pipeline.firstTime)));
  saved.push(...writer.end(pipeline.firstTime));
  return { ...seen, saved: saved.join('') };
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function gathered(
  batches: ReturnType<typeof observe>,
  also: (batch: readonly PipelineItem[]) => void = () => {},
): Promise<Seen> {
  const messages: Seen['messages'][number][] = [];
  const notices: Seen['notices'][number][] = [];
  for await (const batch of batches) {
    also(batch);
    for (const item of batch) {
      if (item.kind === 'message') messages.push(item.message);
      else if (item.kind === 'notice') notices.push(item);
    }
  }
  return { messages, notices };
}

async function keys(folder: string): Promise<string[]> {
  try {
    return [Buffer.from(fixture(`${folder}/keys.log`)).toString('latin1')];
  } catch {
    return [];
  }
}

function holds(source: string, messages: Seen['messages'], name: string): void {
  const [{ diagram }] = expectationsOf(source, false, name);
  const verdict = check(diagram, new ObservationIndex(messages));
  expect(verdict.failures.map(({ line, arrow, nearest }) => ({ line, arrow, why: nearest?.differences }))).toEqual([]);
  expect([verdict.met, verdict.undecided]).toEqual([true, null]);
}

describe.each(CASES)('%s', (folder, files) => {
  const seen = seenIn(folder, files);

  it.each(WAYS)('drawn %s, holds on its capture', async (_, options) => {
    const { messages, notices } = await seen;
    const sequence = buildSequence({ messages, notices }, options);
    holds(renderMermaid(sequence), messages, folder);
    // A page has the same in parts that GitHub draws, each an expectation that can be read.
    const page = renderMarkdown(sequence);
    const parts = page.match(/^```mermaid$/gm) ?? [];
    expect(parts.length).toBeGreaterThan(0);
    expect(expectationsOf(page, true, folder)).toHaveLength(parts.length);
  });

  it.each(WAYS.slice(0, 2))('drawn %s from an export, holds on the export', async (_, options) => {
    const { saved } = await seen;
    const observation = await gathered(observe([oneChunk(Buffer.from(saved))]));
    holds(renderMermaid(buildSequence(observation, options)), observation.messages, folder);
  });

  // Everything is told as it was.
  it.each(WAYS.filter(([, { all }]) => all !== true))(
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
