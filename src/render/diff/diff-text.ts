// A difference as `diff -u` prints it: lines that both flows have begin with a blank, the first's alone with -, the
// second's alone with +. Nothing where there is no difference. Captured text passes through terminal-escape.ts only.

import { createTwoFilesPatch } from 'diff';
import type { Difference, DiffLine } from '../../diff/compare.js';
import type { Item } from '../../diff/item.js';
import { escapeTerminal } from '../escape/terminal-escape.js';

/** How lines are coloured; identity where there is no colour. */
export interface DiffPaint {
  added(text: string): string;
  removed(text: string): string;
  place(text: string): string;
}

export const PLAIN_DIFF: DiffPaint = { added: (text) => text, removed: (text) => text, place: (text) => text };

export function renderDiffText(difference: Difference, names: readonly [string, string], paint = PLAIN_DIFF): string {
  if (difference.lines.every(({ kind }) => kind === 'same')) return '';
  const side = (left: DiffLine['kind']): string =>
    difference.lines
      .filter(({ kind }) => kind !== left)
      .map(({ item }) => `${arrowText(item)}\n`)
      .join('');
  const [before, after] = names.map(escapeTerminal);
  const patch = createTwoFilesPatch(before, after, side('added'), side('removed'), '', '', { context: CONTEXT });
  // The library writes an index line that diff -u has not, and a tab where a file has no time.
  const lines = patch.split('\n').filter((line) => !line.startsWith('==='));
  return lines.map((line) => painted(line.trimEnd(), paint)).join('\n');
}

/** `kubectl ->> kube-apiserver: [REQ] GET /api/v1/pods`, as a diagram has it. */
export function arrowText({ from, to, kind, label }: Item): string {
  return escapeTerminal(`${from} ${kind === 'response' ? '-->>' : '->>'} ${to}: ${label}`);
}

function painted(line: string, paint: DiffPaint): string {
  if (line.startsWith('@@')) return paint.place(line);
  if (line.startsWith('+')) return paint.added(line);
  return line.startsWith('-') ? paint.removed(line) : line;
}

/** As diff -u has it. */
const CONTEXT = 3;
