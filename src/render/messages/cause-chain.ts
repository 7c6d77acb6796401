// Renders the way from the first cause to a message for a terminal: a line for each message, and how it follows from the one before.

import { indexMessages } from '../../diagram/message-index.js';
import type { CAUSE_KINDS } from '../../kubernetes/messages/field-values.js';
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
  if (chain.length === 0) return '';
  const lines = chain.reverse().map((message) => `${stepLine(message, first)}\n`);
  const [begin] = chain;
  if (begin?.causedBy !== undefined && index.causeOf(begin) === undefined)
    lines.unshift(`${'…'.padStart(TIME_WIDTH)}  message ${begin.causedBy}, which is not among the messages\n`);
  const head = `the causes of message ${seq}, the first cause first; in seconds since the first frame\n`;
  return `${head}${lines.join('')}`;
}

function stepLine({ seq, time, from, to, label, cause }: Message, first: bigint): string {
  const ends = escapeTerminal(`${from.name} → ${to.name}: ${label}`);
  const sure = cause?.certain === true || cause?.how === 'response' ? 'certain' : 'not certain';
  const how = cause === undefined ? '' : ` (because of the line above: ${WORDS[cause.how]}, ${sure})`;
  return `${formatOffset(time - first).padStart(TIME_WIDTH)}  message ${seq}: ${ends}${how}`;
}

/** What the message above is to this one. */
const WORDS: Readonly<Record<(typeof CAUSE_KINDS)[number], string>> = {
  response: 'its request',
  forwarded: 'the request that is forwarded',
  webhook: 'the request that is to be admitted',
  store: 'the request that needs the store',
  pull: 'the request for the container',
  stream: 'the request for the stream',
  list: 'the version from which it resumes',
  write: 'the write of this version',
  notification: 'the watch event that triggered it',
  requeue: 'the watch event that triggered the turn before, too',
};
const TIME_WIDTH = 11;
