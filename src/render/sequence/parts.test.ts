import { describe, expect, it } from 'vitest';
import { kubeseqDiagram } from '../../../test/kit/diagrams.js';
import { parseMermaid } from '../../../test/kit/mermaid.js';
import { phasesOf } from '../../diagram/layout/phases.js';
import { arrowsOf, type Sequence } from '../../diagram/model.js';
import { renderMarkdown } from './markdown.js';
import { renderMermaid } from './mermaid.js';
import { MAX_PART, partsOf } from './parts.js';

const FENCE = /^```mermaid\n([\s\S]*?)^```$/gm;
const fences = (markdown: string): string[] => [...markdown.matchAll(FENCE)].map(([, text]) => text);
const lengthOf = (sequence: Sequence): number => renderMermaid(sequence, { start: 999_999 }).length;
const everything = (): Promise<Sequence> => kubeseqDiagram('run-nginx-http1/capture.pcap', { all: true });

describe('a story that fits', () => {
  it('is one diagram', async () => {
    const sequence = await kubeseqDiagram('run-nginx-http1/capture.pcap', { follow: 'pod/nginx' });
    expect(renderMarkdown(sequence)).toBe(`\`\`\`mermaid\n${renderMermaid(sequence)}\`\`\`\n`);
  });
});

describe('a story that does not fit', () => {
  it.each([MAX_PART, 12_000, 4_000])(
    'is split into parts of at most %i characters, which mermaid reads',
    async (limit) => {
      const sequence = await everything();
      const texts = fences(renderMarkdown(sequence, {}, limit));
      expect(texts.length).toBeGreaterThan(3);
      for (const text of texts) expect(text.length).toBeLessThanOrEqual(limit);
      for (const text of texts) await expect(parseMermaid(text)).resolves.toBeDefined();
    },
  );

  it('has every arrow once, in order, under its number', async () => {
    const sequence = await everything();
    const parts = partsOf(sequence, lengthOf);
    expect(parts.flatMap((part) => arrowsOf(part.sequence.steps).map(({ message }) => message.seq))).toEqual(
      arrowsOf(sequence.steps).map(({ message }) => message.seq),
    );
    let next = 1;
    for (const { first, last, sequence: part } of parts) {
      expect(first).toBe(next);
      expect(last - first + 1).toBe(arrowsOf(part.steps).length);
      expect(renderMermaid(part, { start: first })).toMatch(first === 1 ? /autonumber\n/ : `autonumber ${first}\n`);
      next = last + 1;
    }
    expect(next).toBe(arrowsOf(sequence.steps).length + 1);
  });

  it('has no bar that begins or ends outside of its part', async () => {
    for (const { sequence } of partsOf(await everything(), lengthOf, 6_000)) {
      const open = new Set<number>();
      for (const { message, activates, deactivates } of arrowsOf(sequence.steps)) {
        if (activates) open.add(message.exchange);
        if (deactivates) expect(open.delete(message.exchange)).toBe(true);
      }
      expect(open.size).toBe(0);
    }
  });

  it('names in each part only its own participants', async () => {
    for (const { sequence } of partsOf(await everything(), lengthOf)) {
      const used = new Set(arrowsOf(sequence.steps).flatMap(({ from, to }) => [from, to]));
      if (used.size > 0) expect(sequence.participants.map(({ id }) => id).filter((id) => !used.has(id))).toEqual([]);
    }
  });

  it('begins with an overview whose arrows are those of the parts, with their numbers', async () => {
    const sequence = await everything();
    const [overview, ...parts] = fences(renderMarkdown(sequence));
    const numbered = [...overview.matchAll(/^ {4}autonumber (\d+)\n {4}(.*)$/gm)];
    expect(numbered.length).toBeGreaterThan(parts.length / 2);
    const arrows = parts.flatMap((part) => [...part.matchAll(/^ +\S+ --?>>[+-]? .*$/gm)].map(([line]) => line.trim()));
    for (const [, number, line] of numbered)
      expect(arrows[Number(number) - 1].replace(/>>[+-] /, '>> ')).toContain(line.split(': ')[1]);
    expect(overview.match(/Note over .*Part \d+: /g)).toHaveLength(parts.length);
  });
});

describe('phases', () => {
  it('of a Pod that runs and is deleted', async () => {
    const sequence = await kubeseqDiagram('run-nginx-http1/capture.pcap', { follow: 'pod/nginx' });
    const phases = phasesOf(sequence);
    expect(phases.map(({ title }) => title)).toEqual([
      'set-up',
      'create pods',
      'scheduling',
      'the nodes',
      'clean-up: delete pods',
    ]);
    expect(phases[0].from).toBe(0);
    expect(phases[phases.length - 1].to).toBe(sequence.steps.length);
    for (const [i, { from }] of phases.entries()) if (i > 0) expect(from).toBe(phases[i - 1].to);
  });

  it('cover a story without any', async () => {
    const sequence = await kubeseqDiagram('run-nginx-http1/capture.pcap', { all: true });
    const phases = phasesOf({ ...sequence, steps: sequence.steps.slice(0, 20) });
    expect(phases.map(({ from, to }) => [from, to])).toEqual([[0, 20]]);
  });

  it('of nothing are none', async () => {
    const sequence = await kubeseqDiagram('run-nginx-http1/capture.pcap', { follow: 'pod/nginx' });
    expect(phasesOf({ ...sequence, steps: [] })).toEqual([]);
  });
});
