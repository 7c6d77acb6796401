// Answers in the labels of their requests: on every fixture, held against the diagram with an arrow for each.

import { describe, expect, it } from 'vitest';
import { type Arrow, arrowsOf, type Step } from '../../src/diagram/model.js';
import { buildSequence, foldAnswers, renderMermaid, type Sequence } from '../../src/index.js';
import { kubeseq } from '../kit/command.js';
import { capturedFixtures } from '../kit/fixture-observations.js';
import { parseMermaid } from '../kit/mermaid.js';
import { TRIES_ALL } from '../kit/runs.js';
import { observeWhole } from '../kit/whole-fixtures.js';

describe.each(capturedFixtures().map((name, i) => [name, i] as const))('%s', (name, i) => {
  it('loses no answer, and keeps the arrows of those that tell something', { timeout: 60_000 }, async () => {
    const drawn = buildSequence(await observeWhole(name));
    const folded = foldAnswers(drawn);
    const [before, after] = [arrowsOf(drawn.steps), arrowsOf(folded.steps)];
    expect(seqsIn(after)).toEqual(before.map(({ message }) => message.seq).sort((a, b) => a - b));
    // Its parser takes longer than all else: every third one; with RUNS=full all.
    if (TRIES_ALL || i % 3 === 0) await parseMermaid(renderMermaid(folded));
    const shown = new Set(after.map(({ message }) => message.seq));
    for (const { message } of before) {
      if (shown.has(message.seq)) continue;
      expect([message.kind, message.status ?? 200, message.grpcStatus ?? 0]).toEqual([
        'response',
        expect.any(Number),
        0,
      ]);
      expect(message.status ?? 200).toBeLessThan(300);
    }
    for (const { message, summary } of after) {
      if (summary === undefined) continue;
      const answer = before.find((one) => one.message.exchange === message.exchange && one.message.kind === 'response');
      const taken = answer?.message.latencyMs;
      expect(summary.words).toContain(` → ${answer?.message.status ?? 'OK'}`);
      const [, number, unit] = /, ([\d.]+) (ms|s)$/.exec(summary.words) ?? [];
      // As the message itself has it, to a tenth.
      if (number !== undefined && taken !== undefined)
        expect(Math.abs(Number(number) * (unit === 's' ? 1000 : 1) - taken)).toBeLessThanOrEqual(
          taken < 10 ? 0.051 : taken < 1000 ? 0.51 : 51,
        );
    }
    const count = before.length - after.length;
    const line = folded.coverage.others.find((one) => /^\d+ answers? stands? in the label/.test(one));
    expect(Number(line?.split(' ')[0] ?? 0)).toBe(count);
  });
});

it('keeps an answer that was overtaken by what its request caused, that failed, and that was late', async () => {
  const sequence = buildSequence(await observeWhole('run-nginx-http1'));
  const answers = responses(foldAnswers(sequence));
  // Its DELETE is answered after the kubelet received the event (capture.truth.jsonl.gz: 1042, 1043, 1046).
  expect(answers.map(({ message }) => message.seq)).toContain(1046);
  expect(answers.map(({ message }) => message.seq)).not.toContain(1041);
  const failing = responses(foldAnswers(buildSequence(await observeWhole('errors-http1'))));
  expect(failing.some(({ message }) => (message.status ?? 0) >= 400)).toBe(true);
  const slow = sequence.steps.map((step): Step => {
    if (step.kind !== 'arrow' || step.message.seq !== 1041) return step;
    return { ...step, message: { ...step.message, latencyMs: 1000 } };
  });
  expect(responses(foldAnswers({ ...sequence, steps: slow })).map(({ message }) => message.seq)).toContain(1041);
});

it('is an option of the command; data keep every message', () => {
  const args = ['fixtures/run-nginx-http1/capture.pcap.gz', '-q', '--answers', 'folded'];
  expect(kubeseq(args).stdout).toMatch(/%% 1040, 1041\n.*GET .*→ 200, \d+(?:\.\d)? ms/);
  const seqs = JSON.parse(kubeseq([...args, '-o', 'json']).stdout).messages.map(({ seq }: { seq: number }) => seq);
  expect(seqs).toContain(1041);
});

function responses({ steps }: Sequence): readonly Arrow[] {
  return arrowsOf(steps).filter(({ message }) => message.kind === 'response');
}

function seqsIn(arrows: readonly Arrow[]): readonly number[] {
  return arrows
    .flatMap(({ message, summary }) => (summary === undefined ? [message.seq] : summary.seqs.split(', ').map(Number)))
    .sort((a, b) => a - b);
}
