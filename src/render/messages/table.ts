// Renders messages as rows for a terminal: number, time, frame, sender, receiver, label.

import type { Message } from '../../kubernetes/messages/message.js';
import { escapeTerminal } from '../escape/terminal-escape.js';
import type { Paint } from '../sequence/text.js';
import { formatOffset } from '../time.js';

export function tableHead(paint: Paint): string {
  return `${paint.strong(['SEQ'.padStart(6), 'TIME'.padStart(11), 'FRAME'.padStart(7), 'FROM'.padEnd(WIDTH), 'TO'.padEnd(WIDTH), 'MESSAGE'].join('  '))}\n`;
}

/** @param start ns since the epoch: zero of the printed times. */
export function tableRow(message: Message, start: bigint, paint: Paint): string {
  const label = escapeTerminal(message.label);
  const failed = (message.status ?? 0) >= 400 || message.type === 'ERROR';
  const cells = [
    String(message.seq).padStart(6),
    formatOffset(message.time - start).padStart(11),
    String(message.frames[1]).padStart(7),
    escapeTerminal(message.fromName ?? message.from.name).padEnd(WIDTH),
    escapeTerminal(message.toName ?? message.to.name).padEnd(WIDTH),
    failed ? paint.bad(label) : label,
  ];
  return `${cells.join('  ')}\n`;
}

const WIDTH = 24;
