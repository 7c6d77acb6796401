// Renders messages as rows for a terminal: number, time, frame, sender, receiver, status, latency, label.

import { elapsedText } from '../../core/duration.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { escapeTerminal } from '../escape/terminal-escape.js';
import type { Paint } from '../sequence/text.js';
import { formatOffset } from '../time.js';

export function tableHead(paint: Paint): string {
  return `${paint.strong(['MESSAGE'.padStart(7), 'TIME'.padStart(11), 'FRAME'.padStart(7), 'FROM'.padEnd(WIDTH), 'TO'.padEnd(WIDTH), 'STATUS', 'LATENCY'.padStart(LATENCY), 'LABEL'].join('  '))}\n`;
}

/** @param start ns since the epoch: zero of the printed times. */
export function tableRow(message: Message, start: bigint, paint: Paint): string {
  const label = escapeTerminal(message.label);
  const cells = [
    String(message.seq).padStart(7),
    formatOffset(message.time - start).padStart(11),
    String(message.frames[1]).padStart(7),
    escapeTerminal(message.fromName ?? message.from.name).padEnd(WIDTH),
    escapeTerminal(message.toName ?? message.to.name).padEnd(WIDTH),
    statusText(message).padStart(STATUS),
    latencyText(message).padStart(LATENCY),
    hasFailed(message) ? paint.bad(label) : label,
  ];
  return `${cells.join('  ')}\n`;
}

/** An answer that refuses its request, or the end of a watch with an error. */
export function hasFailed({ status = 0, type }: Message): boolean {
  return status >= 400 || type === 'ERROR';
}

/** Of HTTP; of remote calls, which are always 200, the code of gRPC. */
function statusText({ kind, status, grpcStatus }: Message): string {
  return kind === 'response' ? String(grpcStatus ?? status ?? '') : '';
}

export function latencyText({ latencyMs }: Message): string {
  return latencyMs === undefined ? '' : elapsedText(latencyMs * 1e6);
}

const WIDTH = 24;
const STATUS = 'STATUS'.length;
/** Characters: `59 min 59 s`. */
const LATENCY = 11;
