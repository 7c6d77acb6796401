// Writes traces, of all messages or of those that a diagram draws.

import { arrowsOf, type Message, type TraceOptions, VERSION } from '../../index.js';
import type { DrawnDiagram, Presentation } from './results.js';

export interface TraceWriter {
  /** Characters that can be taken. */
  readonly length: number;
  /** @param message in order. */
  add(message: Message): void;
  take(): string;
  /** After the last message. @returns what was not taken yet. */
  end(): string;
}

/** @param shown of captures whose first frame was read. */
export function traceOptions(
  { isAll, story }: Pick<TraceOptions, 'isAll' | 'story'>,
  { first, captures }: Presentation,
): TraceOptions {
  return { version: VERSION, first, captures, isAll, story };
}

/** Spans of the drawn messages. An exchange is whole, also where only one of its messages is drawn. */
export function diagramTrace(writer: TraceWriter, { sequence, observation }: DrawnDiagram): string {
  const drawn = new Set(arrowsOf(sequence.steps).map(({ message }) => message));
  const exchanges = new Set([...drawn].map(({ exchange }) => exchange));
  const isHead = ({ kind }: Message): boolean => kind === 'request' || kind === 'response';
  for (const message of observation.messages)
    if (drawn.has(message) || (isHead(message) && exchanges.has(message.exchange))) writer.add(message);
  return writer.end();
}
