// Makes the writers of traces, which `messages` and `diagram` share.

import { type Message, OtlpWriter, PerfettoWriter, VERSION } from '../../index.js';
import type { Session } from '../input/session.js';

const TRACE_FORMATS = ['otlp', 'perfetto'] as const;

export type TraceFormat = (typeof TRACE_FORMATS)[number];

export const TRACE_ENDINGS = {
  '.otlp.json': 'otlp',
  '.otlp.jsonl': 'otlp',
  '.perfetto.json': 'perfetto',
} as const;

export interface TraceWriter {
  /** Characters that can be taken. */
  readonly length: number;
  /** @param message in order. */
  add(message: Message): void;
  take(): string;
  /** After the last message. @returns what was not taken yet. */
  end(): string;
}

export function isTraceFormat(format: string): format is TraceFormat {
  return (TRACE_FORMATS as readonly string[]).includes(format);
}

/** @param session whose first frame was read. @param isAll no message is left out by the user. */
export function traceWriter(format: TraceFormat, session: Session, isAll: boolean): TraceWriter {
  const { captureNames: captures } = session;
  const options = { version: VERSION, first: session.firstTime ?? 0n, captures, isAll };
  return format === 'otlp' ? new OtlpWriter(options) : new PerfettoWriter(options);
}
