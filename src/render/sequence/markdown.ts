// A sequence as a part of a Markdown page: the mermaid text in its fence, or in several with an overview first where one
// would be too long for the renderer. Escaped text holds no backticks, so nothing of a capture can close a fence.

import type { Sequence } from '../../diagram/model.js';
import { escapeMarkdown } from '../escape/markdown-escape.js';
import { type MermaidOptions, renderMermaid } from './mermaid.js';
import { renderOverview, shortTitles } from './overview.js';
import { MAX_PART, partsOf } from './parts.js';

export function renderMarkdown(sequence: Sequence, options: MermaidOptions = {}, limit: number = MAX_PART): string {
  const parts = partsOf(sequence, (part) => renderMermaid(part, { ...options, start: LONG_NUMBER }).length, limit);
  if (parts.length === 1) return mermaidFence(renderMermaid(sequence, options));
  const out = [`The story in ${parts.length} parts, and an overview first.\n`];
  out.push(mermaidFence(renderOverview(sequence, parts, limit)));
  parts.forEach(({ titles, sequence: part, first, last }, i) => {
    const range = last < first ? '' : `, arrows ${first} to ${last}`;
    out.push(`**Part ${i + 1} of ${parts.length}**: ${escapeMarkdown(shortTitles(titles))}${range}\n`);
    out.push(mermaidFence(renderMermaid(part, { ...options, start: first })));
  });
  return out.join('\n');
}

function mermaidFence(text: string): string {
  return `\`\`\`mermaid\n${text}\`\`\`\n`;
}

/** Lengths are those of pictures whose first number is as long as any will be. */
const LONG_NUMBER = 999_999;
