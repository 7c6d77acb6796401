// Who stands in a picture and how that is known, as a Markdown table. Captured text passes through markdown-escape.ts only.

import type { Lifeline, Sequence } from '../diagram/model.js';
import { escapeMarkdown } from './escape/markdown-escape.js';

/** Empty where nobody is drawn. */
export function renderParticipants({ participants }: Sequence): string {
  if (participants.length === 0) return '';
  return ['| participant | recognised by |', '| --- | --- |', ...participants.map(row), ''].join('\n');
}

function row({ name, evidence }: Lifeline): string {
  const shown = evidence.slice(0, MAX_EVIDENCE).map(escapeMarkdown);
  if (evidence.length > MAX_EVIDENCE) shown.push(`${evidence.length - MAX_EVIDENCE} more`);
  return `| ${escapeMarkdown(name)} | ${shown.join('<br>')} |`;
}

/** Pieces of evidence that are told; the rest is in `kubeseq explain`. */
const MAX_EVIDENCE = 4;
