// What writes changed, in labels: on fixtures whose commands are known, and held against the histories of objects.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { arrowsOf, labelOf } from '../../src/diagram/model.js';
import { buildSequence, ChangeWords, HistoryBuilder, renderMermaid, shortLabels } from '../../src/index.js';
import { kubeseq } from '../kit/command.js';
import { capturedFixtures } from '../kit/fixture-observations.js';
import { parseMermaid } from '../kit/mermaid.js';
import { TRIES_ALL } from '../kit/runs.js';
import { observeWhole } from '../kit/whole-fixtures.js';

/** Behind a short label: `: first `, and words. */
const WIDTH = 8 + 40;

describe.each(capturedFixtures().map((name, i) => [name, i] as const))('%s', (name, i) => {
  it('has words that fit, behind the short labels', { timeout: 120_000 }, async () => {
    const observation = await observeWhole(name);
    const changes = new ChangeWords();
    for (const message of observation.messages) changes.feed(message);
    const drawn = buildSequence(observation);
    const short = arrowsOf(shortLabels(drawn).steps).map(labelOf);
    const labelled = shortLabels(drawn, changes.words);
    arrowsOf(labelled.steps).forEach((arrow, i) => {
      const label = labelOf(arrow);
      expect(label.startsWith(short[i])).toBe(true);
      expect(label.length).toBeLessThanOrEqual(short[i].length + WIDTH);
      expect(label === short[i]).toBe(!changes.words.has(arrow.message.seq));
    });
    for (const { seq, kind } of observation.messages)
      if (kind === 'response') expect(changes.words.has(seq)).toBe(false);
    // Its parser takes longer than all else: every third one; with RUNS=full all.
    if (TRIES_ALL || i % 3 === 0) await parseMermaid(renderMermaid(labelled));
  });
});

it('says how the phase of a Pod went on as its history does', { timeout: 60_000 }, async () => {
  const { messages } = await observeWhole('run-nginx-http1');
  const changes = new ChangeWords();
  const history = new HistoryBuilder({ resource: 'pods', group: '', namespace: 'default', name: 'nginx' });
  for (const message of messages) {
    changes.feed(message);
    history.feed(message);
  }
  const phases = history
    .result()
    .incarnations.flatMap(({ steps }) => steps)
    .flatMap((step) => (step.kind === 'version' ? (step.changes ?? []) : []))
    .filter(({ path, before }) => path === 'status.phase' && before !== undefined)
    .map(({ before, after }) => `phase ${before} → ${after}`);
  expect(phases.length).toBeGreaterThan(0);
  const written = messages
    .filter(({ kind, name }) => kind === 'request' && name === 'nginx')
    .flatMap(({ seq }) => /phase \w+ → \w+/.exec(changes.words.get(seq) ?? '') ?? []);
  expect(written).toEqual(phases);
});

it('is an option of the command', () => {
  const files = ['control-plane.pcap.gz', 'node-1.pcap.gz'].map((file) => `fixtures/deployment-tls/${file}`);
  const args = ['--keylog', 'fixtures/deployment-tls/keys.log.gz', '-q', '-o', 'text', '--labels', 'changes'];
  // `kubectl create deployment web --replicas=2`, then `kubectl scale deployment web --replicas=3` (docs/stories/deployment.md).
  const { stdout } = kubeseq([...files, ...args, '--follow', 'deployment/web']);
  expect(stdout).toMatch(/ patch deployment\/scale web: replicas 2 → 3$/m);
  expect(stdout).toMatch(/ Deployment web MODIFIED: replicas 2 → 3$/m);
  const nginx = kubeseq(['fixtures/run-nginx-http1/capture.pcap.gz', ...args.slice(2), '--follow', 'pod/nginx']).stdout;
  expect(nginx).toMatch(/ create pod\/binding nginx: nodeName node-1$/m);
  expect(nginx).toMatch(/ Pod nginx MODIFIED: deletionTimestamp$/m);
});

it('is no expectation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-labels-'));
  try {
    const capture = 'fixtures/run-nginx-http1/capture.pcap.gz';
    for (const [name, labels] of [
      ['short.mmd', 'short'],
      ['changes.md', 'changes'],
    ]) {
      const path = join(folder, name);
      kubeseq([capture, '-q', '--follow', 'pod/nginx', '--labels', labels, '-w', path]);
      for (const command of ['check', 'diff']) {
        const { status, stderr } = kubeseq([command, path, capture]);
        expect(status).toBe(2);
        expect(stderr).toMatch(/its labels are short and match no message; draw it with --labels full/);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
