// Reads an API server's audit log (JSON lines), and tells such a log from other files.

import type { CaptureReport } from '../capture/frame.js';
import { text } from '../core/bytes/bytes.js';
import { type LineReader, Lines } from '../core/bytes/lines.js';
import { type Notice, notice } from '../core/notice.js';
import type { Stage } from '../core/stage.js';
import type { ExchangeEvent } from '../http/exchange-event.js';
import { auditEventOf } from './audit-event.js';
import { AuditExchanges } from './audit-exchanges.js';
import { eventsIn } from './envelopes.js';

export type AuditItem = ExchangeEvent | Notice | CaptureReport;

/**
 * Bytes of a log → exchanges in the order of time. Frames are its lines, from 1. Notices: `audit.requests-only`, `capture.damaged`,
 * `exchange.no-response`.
 */
export class AuditReader implements Stage<Uint8Array, AuditItem> {
  readonly #capture: number;
  readonly #lines = new Lines();
  readonly #exchanges: AuditExchanges;
  readonly #lineReader: LineReader = {
    takeFrom: () => -1,
    take: (bytes, start, end) => this.#line(text(bytes, start, end)),
    tooLong: () => this.#broken(),
  };
  #out: AuditItem[] = [];
  #bytes = 0;
  #events = 0;
  #damaged = 0;
  #firstDamaged = 0;
  #first: bigint | null = null;
  #last: bigint | null = null;

  /** @param capture index of the log among the captures of a command. */
  constructor(capture: number) {
    this.#capture = capture;
    this.#exchanges = new AuditExchanges(capture);
  }

  feed(bytes: Uint8Array): readonly AuditItem[] {
    this.#bytes += bytes.length;
    this.#lines.feed(bytes, this.#lineReader);
    return this.#take();
  }

  end(): readonly AuditItem[] {
    this.#lines.end(this.#lineReader);
    for (const event of this.#exchanges.end()) this.#out.push(event);
    if (this.#damaged > 0) {
      const others = this.#damaged === 1 ? '' : `, and ${this.#damaged - 1} more`;
      const detail = `line ${this.#firstDamaged} of the audit log is no event, or is too long${others}; left out`;
      this.#out.push(notice('capture.damaged', detail));
    }
    if (this.#events > 0)
      this.#out.push(
        notice('audit.requests-only', `${this.#events} ${this.#events === 1 ? 'event' : 'events'} of an audit log`),
      );
    this.#out.push({
      kind: 'capture-report',
      capture: this.#capture,
      format: this.#events === 0 ? 'unknown' : 'audit',
      linkTypes: [],
      frames: this.#lines.number,
      bytes: this.#bytes,
      first: this.#first,
      last: this.#last,
      digits: 6,
      truncated: false,
    });
    return this.#take();
  }

  #line(line: string): void {
    if (line.trim() === '') return;
    const events = eventsIn(line).map(auditEventOf);
    if (events.length === 0) this.#broken();
    for (const event of events) {
      if (event === null) {
        this.#broken();
        continue;
      }
      this.#events += 1;
      if (this.#first === null || event.received < this.#first) this.#first = event.received;
      if (this.#last === null || event.reached > this.#last) this.#last = event.reached;
      for (const one of this.#exchanges.feed(event, this.#lines.number)) this.#out.push(one);
    }
  }

  #broken(): void {
    if (this.#damaged === 0) this.#firstDamaged = this.#lines.number;
    this.#damaged += 1;
  }

  #take(): readonly AuditItem[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }
}

/** Whether a file that begins so is an audit log, in one of the forms that envelopes.ts reads. @param first text of its beginning. */
export function isAuditLog(first: string): boolean {
  const line = first.trimStart().split('\n', 1)[0].slice(0, MAX_BEGINNING);
  return BEGINNING.test(line) && EVENT.test(line);
}

/** A record, or one behind its time, as CloudWatch exports to S3. */
const BEGINNING = /^(?:\d{4}-\d\d-\d\dT[\d:.]+Z\s+)?\{/;
/** Names of an event's fields, escaped inside an envelope. */
const EVENT = /\\*"(?:auditID|requestURI)\\*"\s*:/;
/** Limit in bytes: of the first line, by which a log is recognised: an event has its id and URI before its objects. */
export const MAX_BEGINNING = 16_384;
