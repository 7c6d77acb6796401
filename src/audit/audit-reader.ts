// Reads an API server's audit log (JSON lines, or one array), and tells such a log from other files.

import type { CaptureReport } from '../capture/frame.js';
import { concat, copyOf, text } from '../core/bytes/bytes.js';
import { type LineReader, Lines, MAX_LINE_BYTES } from '../core/bytes/lines.js';
import { type Notice, notice } from '../core/notice.js';
import { compareTimes } from '../core/origin.js';
import { counted } from '../core/quantity.js';
import type { Stage } from '../core/stage.js';
import type { ExchangeEvent } from '../http/exchange-event.js';
import { type AuditEvent, auditEventOf, type LoggedRecord, recordOf } from './audit-event.js';
import { AuditExchanges, type ReadLoggedHead } from './audit-exchanges.js';
import { isLogEntry, isOfOtherService, logEntryEvent } from './log-entry.js';

interface NumberedEvent {
  readonly event: AuditEvent;
  /** Of its record in the array. */
  readonly number: number;
}

export type AuditItem = ExchangeEvent | Notice | CaptureReport;

/**
 * Bytes of a log → exchanges in the order of time. Frames are its lines, or the records of its array, from 1. Notices: `audit.requests-only`, `capture.damaged`,
 * `exchange.no-response`.
 */
export class AuditReader implements Stage<Uint8Array, AuditItem> {
  readonly #capture: number;
  readonly #lines = new Lines();
  readonly #exchanges: AuditExchanges;
  readonly #lineReader: LineReader = {
    take: (bytes, start, end) => this.#line(text(bytes, start, end)),
    tooLong: () => this.#broken(),
  };
  #out: AuditItem[] = [];
  #bytes = 0;
  /** null: it is no array. undefined: nothing was read yet but white space. */
  #array: ArrayRecords | null | undefined;
  /** Records of an array so far. */
  #records = 0;
  /** Of an array, which may have the newest first. */
  #held: NumberedEvent[] = [];
  #heldBytes = 0;
  #events = 0;
  /** Entries of other services. */
  #others = 0;
  #damaged = 0;
  #firstDamaged = 0;
  #first: bigint | null = null;
  #last: bigint | null = null;

  /** @param capture index of the log among the captures of a command. @param readHead as of AuditExchanges. */
  constructor(capture: number, readHead?: ReadLoggedHead) {
    this.#capture = capture;
    this.#exchanges = new AuditExchanges(capture, readHead);
  }

  feed(bytes: Uint8Array): readonly AuditItem[] {
    this.#bytes += bytes.length;
    if (this.#array === undefined) this.#begin(bytes);
    if (this.#array instanceof ArrayRecords) this.#array.feed(bytes, (record) => this.#record(record));
    else this.#lines.feed(bytes, this.#lineReader);
    return this.#take();
  }

  end(): readonly AuditItem[] {
    this.#lines.end(this.#lineReader);
    if (this.#array?.isOpen === true) this.#record(null);
    this.#releaseArray();
    for (const event of this.#exchanges.end()) this.#out.push(event);
    if (this.#damaged > 0) {
      const others = this.#damaged === 1 ? '' : `, and ${this.#damaged - 1} more`;
      const detail = `${this.#unit} ${this.#firstDamaged} of the audit log is no event, or is too long${others}; left out`;
      this.#out.push(notice('capture.damaged', detail));
    }
    if (this.#events > 0) {
      const others = this.#others === 0 ? '' : `; ${this.#others} of other services left out`;
      const events = counted(this.#events, 'event');
      this.#out.push(notice('audit.requests-only', `${events} of an audit log${others}`));
    }
    this.#out.push({
      kind: 'capture-report',
      capture: this.#capture,
      format: this.#events === 0 ? 'unknown' : 'audit',
      linkTypes: [],
      frames: this.#number,
      bytes: this.#bytes,
      first: this.#first,
      last: this.#last,
      digits: 6,
      truncated: false,
    });
    return this.#take();
  }

  /** Number of the line or the record that was read last. */
  get #number(): number {
    return this.#array instanceof ArrayRecords ? this.#records : this.#lines.number;
  }

  get #unit(): string {
    return this.#array instanceof ArrayRecords ? 'record' : 'line';
  }

  #begin(bytes: Uint8Array): void {
    const first = bytes.find((byte) => byte > SPACE);
    if (first !== undefined) this.#array = first === OPEN_BRACKET ? new ArrayRecords(MAX_LINE_BYTES) : null;
  }

  /** @param record its bytes; null: it is too long, or cut. */
  #record(record: Uint8Array | null): void {
    this.#records += 1;
    if (record === null) {
      this.#broken();
      return;
    }
    this.#heldBytes += record.length;
    this.#line(text(record, 0, record.length));
    if (this.#heldBytes > MAX_ARRAY_BYTES) this.#releaseArray();
  }

  /** `gcloud logging read` has the newest entry first, if it is not asked for another order; those of one moment are turned round, too. */
  #releaseArray(): void {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    if (held.length > 1 && held[0].event.reached > held[held.length - 1].event.reached) held.reverse();
    held.sort((a, b) => compareTimes(a.event.reached, b.event.reached));
    for (const { event, number } of held) this.#event(event, number);
  }

  #line(line: string): void {
    if (line.trim() === '') return;
    const records = eventsIn(line);
    if (records.length === 0) this.#broken();
    for (const record of records) {
      if (isOfOtherService(record)) {
        this.#others += 1;
        continue;
      }
      const event = isLogEntry(record) ? logEntryEvent(record) : auditEventOf(record);
      if (event === null) this.#broken();
      else if (this.#array instanceof ArrayRecords) this.#held.push({ event, number: this.#number });
      else this.#event(event, this.#number);
    }
  }

  #event(event: AuditEvent, number: number): void {
    this.#events += 1;
    if (this.#first === null || event.received < this.#first) this.#first = event.received;
    if (this.#last === null || event.reached > this.#last) this.#last = event.reached;
    for (const one of this.#exchanges.feed(event, number)) this.#out.push(one);
  }

  #broken(): void {
    if (this.#damaged === 0) this.#firstDamaged = this.#number;
    this.#damaged += 1;
  }

  #take(): readonly AuditItem[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }
}

/** Whether a file that begins so is an audit log, in one of the forms that this file reads. @param first text of its beginning. */
export function isAuditLog(first: string): boolean {
  if (ARRAY.test(first)) return EVENT.test(first.slice(0, MAX_BEGINNING));
  const line = first.trimStart().split('\n', 1)[0].slice(0, MAX_BEGINNING);
  return BEGINNING.test(line) && EVENT.test(line);
}

/** A record, or one behind its time, as CloudWatch exports to S3. */
const BEGINNING = /^(?:\d{4}-\d\d-\d\dT[\d:.]+Z\s+)?\{/;
/** An array of records, as `gcloud` prints it over many lines. */
const ARRAY = /^\s*\[\s*\{/;
/** Names of an event's fields, escaped inside an envelope; the type of an entry of Cloud Logging. */
const EVENT = /\\*"(?:auditID|requestURI)\\*"\s*:|"type\.googleapis\.com\/google\.cloud\.audit\.AuditLog"/;
/** Limit in bytes: of the first line, by which a log is recognised: an event has its id and URI before its objects. */
export const MAX_BEGINNING = 16_384;
/** Limit in bytes: text of the records of an array that are put in the order of time; a larger one must be in that order. */
const MAX_ARRAY_BYTES = 256 * 1024 * 1024;
const OPEN_BRACKET = 0x5b;
/** Bytes up to it are white space in JSON. */
const SPACE = 0x20;

export class ArrayRecords {
  readonly #limit: number;
  /** Of a record whose end is still to come. */
  #parts: Uint8Array[] = [];
  #length = 0;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;

  /** @param limit bytes of one record. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @param bytes borrowed. @param take gets the bytes of each record; null: one that is beyond the limit. */
  feed(bytes: Uint8Array, take: (record: Uint8Array | null) => void): void {
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (this.#isInText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isInText = false;
      } else if (byte === QUOTE) this.#isInText = true;
      else if (byte === OPEN_BRACE) {
        if (this.#depth === 0) start = at;
        this.#depth += 1;
      } else if (byte === CLOSE_BRACE && this.#depth > 0) {
        this.#depth -= 1;
        if (this.#depth > 0) continue;
        this.#push(bytes.subarray(start, at + 1));
        take(this.#length > this.#limit ? null : concat(this.#parts));
        this.#parts = [];
        this.#length = 0;
      }
    }
    if (this.#depth > 0) this.#push(bytes.subarray(start));
  }

  /** Whether a record has begun that has not ended. */
  get isOpen(): boolean {
    return this.#depth > 0;
  }

  #push(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length <= this.#limit) this.#parts.push(copyOf(part));
    else this.#parts = [];
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The events in a line of JSON, each as the API server or Cloud Logging wrote it; empty: there are none. */
export function eventsIn(line: string): readonly LoggedRecord[] {
  const record = parsed(line.startsWith('{') ? line : line.slice(Math.max(0, line.indexOf('{'))));
  return record === undefined ? NONE : within(record, MAX_ENVELOPES);
}

function within(record: LoggedRecord, left: number): readonly LoggedRecord[] {
  if (typeof record['auditID'] === 'string' && typeof record['stage'] === 'string') return [record];
  if (isLogEntry(record)) return [record];
  if (left === 0) return NONE;
  for (const open of ENVELOPES) {
    const inside = open(record);
    const found = inside.flatMap((one) => within(one, left - 1));
    if (found.length > 0) return found;
  }
  return NONE;
}

/** What collectors wrap events in; each gives what is inside, nothing where the line is not theirs. */
const ENVELOPES: readonly ((record: LoggedRecord) => readonly LoggedRecord[])[] = [
  // The webhook backend sends lists (k8s.io/apiserver, plugin/pkg/audit/webhook).
  ({ kind, items }) => (kind === 'EventList' && Array.isArray(items) ? records(items) : []),
  // Amazon EKS: what `aws logs filter-log-events` and an Insights query give.
  (record) => textIn(record['message'] ?? record['@message']),
  ({ events }) => (Array.isArray(events) ? records(events) : []),
  // Azure AKS: diagnostic settings, categories kube-audit and kube-audit-admin.
  ({ properties }) => textIn(recordOf(properties)?.['log']),
  // fluentd, Fluent Bit, containerd's and Docker's JSON of a log that goes to standard output.
  ({ log }) => textIn(log),
  ({ log_processed: processed }) => textIn(processed),
];

function records(values: readonly unknown[]): readonly LoggedRecord[] {
  return values.map(recordOf).filter((one) => one !== undefined);
}

/** A record, or the text of one. */
function textIn(value: unknown): readonly LoggedRecord[] {
  const record = typeof value === 'string' ? parsed(value) : recordOf(value);
  return record === undefined ? NONE : [record];
}

function parsed(text: string): LoggedRecord | undefined {
  if (!text.includes('"')) return undefined;
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const NONE: readonly LoggedRecord[] = [];
/** Limit: envelopes inside each other: a list of a collector's records is two. */
const MAX_ENVELOPES = 3;
