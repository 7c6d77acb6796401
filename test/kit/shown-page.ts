// A page, made in memory or by the command, and what its model shows, without a browser.

import { expect } from 'vitest';
import { type ChartRow, type Model, modelOf } from '../../src/explorer/model.js';
import { type Choice, firstChoice, seenRows } from '../../src/explorer/visibility.js';
import { type DiagramOptions, explorerData, renderHtml } from '../../src/index.js';
import { kubeseq } from './command.js';
import { viewIn } from './page-data.js';
import type { WholeFixture } from './whole-fixtures.js';

export interface ShownPage {
  readonly html: string;
  readonly model: Model;
}

/** A line of `messages -o ndjson`. */
export interface Line {
  readonly [field: string]: unknown;
  readonly seq: number;
  readonly time: string;
  readonly kind: string;
  readonly label: string;
  readonly exchange: number;
  readonly from: string;
  readonly to: string;
  readonly verb?: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly status?: number;
  readonly latencyMs?: number;
  readonly causedBy?: number;
  readonly cause?: { readonly certain: boolean; readonly others?: readonly number[] };
  readonly object?: { readonly kind: string; readonly namespace: string | null; readonly name: string | null };
  readonly k8sEvent?: { readonly kind: string; readonly name: string };
  readonly body?: unknown;
}

/** The page of a whole fixture. */
export function pageOf(seen: WholeFixture, options: DiagramOptions = {}): ShownPage {
  const part = { text: '', sha256: '' };
  const { first, name } = seen;
  const head = { first, digits: () => 6, title: name, version: '0' };
  const html = renderHtml(explorerData(seen, options), { ...head, script: part, style: part });
  return { html, model: modelOf(viewIn(html)) };
}

/** The page that the command writes. */
export function writtenPage(args: readonly string[]): ShownPage {
  const { status, stdout, stderr } = kubeseq(['diagram', '-q', '-o', 'html', ...args]);
  expect([status, stderr]).toEqual([0, '']);
  return { html: stdout, model: modelOf(viewIn(stdout)) };
}

/** Messages as the command prints them. */
export function linesOf(args: readonly string[]): Line[] {
  const { stdout } = kubeseq(['messages', '-q', '-o', 'ndjson', ...args]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** Messages that the diagram draws. */
export function drawnLines(args: readonly string[]): Line[] {
  return (JSON.parse(kubeseq(['diagram', '-q', '-o', 'json', ...args]).stdout) as { messages: Line[] }).messages;
}

/** `seq` of each arrow that the diagram draws as mermaid text. */
export function drawnSeqs(args: readonly string[]): number[] {
  const text = kubeseq(['diagram', '-q', ...args]).stdout;
  return [...text.matchAll(/^ *%% (\d+)$/gm)].map(([, seq]) => Number(seq));
}

/** What a reader sees. @param change what the reader chooses; without it the page as it opens. */
export function shownRows(model: Model, change: (choice: Choice) => void = () => {}): ChartRow[] {
  const choice = firstChoice(model);
  change(choice);
  const seen = seenRows(model, choice);
  return model.rows.filter(({ index }) => seen[index] === 'shown');
}

export const seqsOf = (rows: readonly { readonly seq: number }[]): number[] => rows.map(({ seq }) => seq);

/** Unfolds everything. */
export function unfoldAll({ view }: Model, choice: Choice): void {
  view.folds.forEach((_, i) => void choice.unfolded.add(i));
}
