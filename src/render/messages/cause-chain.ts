// Renders the way from the first cause to a message for a terminal: a line for each message, and how it follows from the one before.

import { indexMessages } from '../../diagram/message-index.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { escapeTerminal } from '../escape/terminal-escape.js';
import { formatOffset } from '../time.js';

/**
 * @param messages in order. @param seq of the message to which the way leads.
 * @param first ns since the epoch: the first frame, zero of the printed times.
 * @returns empty: no message has this number.
 */
export function renderCauseChain(messages: readonly Message[], seq: number, first: bigint): string {
  const index = indexMessages(messages);
  const chain: Message[] = [];
  // Each cause is another message, also where causes of saved messages lead in a circle.
  const seen = new Set<Message>();
  for (let at = index.withSeq(seq); at !== undefined && !seen.has(at); at = index.causeOf(at)) {
    seen.add(at);
    chain.push(at);
  }
  const lines = chain.reverse().map((message) => `${stepLine(message, first)}\n`);
  const [begin] = chain;
  if (begin?.causedBy !== undefined && index.causeOf(begin) === undefined)
    lines.unshift(`${'…'.padStart(TIME_WIDTH)}  message ${begin.causedBy}, which is not among the messages\n`);
  return lines.join('');
}

function stepLine({ seq, time, from, to, label, cause }: Message, first: bigint): string {
  const ends = escapeTerminal(`${from.name} → ${to.name}: ${label}`);
  const sure = cause?.certain === true || cause?.how === 'response' ? 'certain' : 'not certain';
  const how = cause === undefined ? '' : ` (${cause.how}, ${sure})`;
  return `${formatOffset(time - first).padStart(TIME_WIDTH)}  message ${seq}: ${ends}${how}`;
}

const TIME_WIDTH = 11;
