// A sequence as a Markdown page's part: the mermaid text in its fence. The escaped text holds no backticks, so nothing of
// a capture can close the fence.

import type { Sequence } from '../sequence/model.js';
import { type MermaidOptions, renderMermaid } from './mermaid.js';

export function renderMarkdown(sequence: Sequence, options: MermaidOptions = {}): string {
  return `\`\`\`mermaid\n${renderMermaid(sequence, options)}\`\`\`\n`;
}
