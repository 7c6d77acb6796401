// Prints what `explain` answers: the evidence of each message, or its chain of causes.

import { escapeTerminal, explain, renderCauseChain } from '../../index.js';
import type { ExplainedMessages, Presentation } from './results.js';

export function explanationText(
  { messages, seqs, more, isChain }: ExplainedMessages,
  { first, captures }: Presentation,
): string {
  const parts = seqs.map((seq) =>
    isChain
      ? renderCauseChain(messages, seq, first)
      : (explain(messages, seq, captures) ?? []).map((line) => `${escapeTerminal(line)}\n`).join(''),
  );
  if (more.length > 0) parts.push(`and ${more.length} more messages in this frame: ${more.join(', ')}\n`);
  return parts.join('\n');
}
