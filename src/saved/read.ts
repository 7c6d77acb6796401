// Reads saved messages: an export, the lines of `messages -o ndjson`, or a diagram's JSON (docs/export.md). A record that is none of the
// format's is a notice.

import type { CaptureReport } from '../capture/frame.js';
import { text } from '../core/bytes/bytes.js';
import { type LineReader, Lines, MAX_LINE_BYTES } from '../core/bytes/lines.js';
import { NOTICE_CODES, type Notice, type NoticeCode, notice } from '../core/notice.js';
import { isRecord } from '../core/record.js';
import type { Stage } from '../core/stage.js';
import type { NamingRule } from '../kubernetes/placed/identity/participant-registry.js';
import type { Redaction } from '../redaction/redaction.js';
import { SavedCaptures } from './captures.js';
import { connectionItems } from './connections.js';
import { isConnection, isCount, readFields, type SavedLine } from './message-fields.js';
import { SavedMessages } from './messages.js';
import { savedParticipantName } from './participant-names.js';
import { isTier, SavedParticipants } from './participants.js';
import type { SavedCapture, SavedItem } from './saved.js';
import { SavedFields } from './saved-fields.js';
import { timeOf } from './saved-time.js';
import { type RowGroupColumns, readRow, type TableCaptures } from './table/rows.js';
import { FORMAT } from './write.js';

export interface SavedReaderOptions {
  /** Index of the file among the command's arguments. */
  readonly capture: number;
  /** Gives an index to a further capture that the file is from. */
  readonly nextCapture: () => number;
  readonly redaction: Redaction;
  /** Keep heads and bodies. */
  readonly bodies?: boolean;
  readonly naming?: readonly NamingRule[];
}

export type SavedReaderOutput = SavedItem | SavedCapture;

/** Messages, notices and reports in the order of the file. Notices of its own: capture.damaged, capture.truncated. */
export function savedReader(options: SavedReaderOptions): Stage<Uint8Array, SavedReaderOutput> {
  return new SavedReader(options);
}

export class SavedReader implements Stage<Uint8Array, SavedReaderOutput> {
  readonly #options: SavedReaderOptions;
  readonly #lines = new Lines();
  readonly #participants: SavedParticipants;
  readonly #captures: SavedCaptures;
  readonly #messages: SavedMessages;
  readonly #fields = new SavedFields();
  readonly #lineReader: LineReader = {
    take: (bytes, start, end) => this.#line(bytes, start, end),
    tooLong: () => {
      if (!this.#ended) this.#broken();
    },
  };
  /** Lines of a diagram's JSON so far; null: the file has one record a line. */
  #document: string[] | null = null;
  #gathered = 0;
  #out: SavedReaderOutput[] = [];
  #last: bigint | null = null;
  #read = 0;
  #damaged = 0;
  #reported = false;
  #ended = false;
  #connections = 0;

  constructor(options: SavedReaderOptions) {
    this.#options = options;
    const { capture, nextCapture, redaction, bodies, naming = [] } = options;
    this.#participants = new SavedParticipants(capture * PARTICIPANTS_PER_FILE, naming);
    this.#captures = new SavedCaptures(capture, nextCapture, (item) => this.#out.push(item));
    this.#messages = new SavedMessages(this.#participants, this.#captures, redaction, bodies === true);
  }

  feed(bytes: Uint8Array): readonly SavedReaderOutput[] {
    this.#lines.feed(bytes, this.#lineReader);
    return this.#take();
  }

  /** Records that stand in no line. */
  read(records: readonly SavedLine[]): readonly SavedReaderOutput[] {
    for (const record of records) if (!this.#record(record)) this.#broken();
    return this.#take();
  }

  /** Messages of a table, in the rows from `first` to before `end`. */
  readRows(
    columns: RowGroupColumns,
    first: number,
    end: number,
    captures: TableCaptures,
  ): readonly SavedReaderOutput[] {
    for (let row = first; row < end; row++)
      if (readRow(columns, row, captures, this.#fields)) this.#message();
      else this.#broken();
    return this.#take();
  }

  end(): readonly SavedReaderOutput[] {
    this.#lines.end(this.#lineReader);
    if (this.#document !== null) this.#diagram(this.#document);
    if (this.#damaged > 1) {
      const more = `${this.#damaged - 1} more lines of saved messages could not be read`;
      this.#out.push(notice('capture.damaged', more));
    }
    if (!this.#reported) this.#out.push(this.#ownReport());
    return this.#take();
  }

  #line(bytes: Uint8Array, start: number, end: number): void {
    if (this.#lines.number === 1 && end - start === 1 && bytes[start] === OPEN_BRACE) this.#document = [];
    if (this.#document !== null) this.#gather(text(bytes, start, end));
    else this.#saved(bytes, start, end);
  }

  /** A diagram's JSON (`diagram -o json`) is one document over many lines. */
  #gather(line: string): void {
    this.#gathered += line.length;
    if (this.#gathered <= MAX_LINE_BYTES) this.#document?.push(line);
  }

  /** Its messages, as lines have them. */
  #diagram(lines: readonly string[]): void {
    const diagram = this.#gathered > MAX_LINE_BYTES ? null : parsedRecord(lines.join('\n'));
    const messages = diagram === null || !Array.isArray(diagram['messages']) ? [null] : diagram['messages'];
    for (const one of messages) if (!isRecord(one) || !this.#parsedMessage(one)) this.#broken();
  }

  #saved(bytes: Uint8Array, start: number, end: number): void {
    if (this.#ended || start === end) return;
    const record = parsedRecord(text(bytes, start, end));
    if (record === null || !this.#record(record)) this.#broken();
  }

  /** @returns false where the line is none of the format's. */
  #record(record: SavedLine): boolean {
    switch (record['kind']) {
      case 'request':
      case 'response':
      case 'event':
      case 'data':
      case 'end':
        return this.#parsedMessage(record);
      case 'export':
        return this.#head(record);
      case 'participant':
        return this.#participant(record);
      case 'notice':
        return this.#notice(record);
      case 'connection':
        return this.#connection(record);
      case 'capture':
        return this.#report(record);
      default:
        return false;
    }
  }

  #broken(): void {
    this.#damaged += 1;
    if (this.#damaged > 1) return;
    const { number } = this.#lines;
    const place = number === 0 ? 'a row or record of the table' : `line ${number}`;
    const detail = `${place} is no saved message, or is too long; it was left out`;
    this.#out.push(notice('capture.damaged', detail));
  }

  #head(record: SavedLine): boolean {
    if (this.#read > 0 || this.#captures.areListed) {
      const detail = `another export begins in line ${this.#lines.number}; give each file by itself`;
      this.#out.push(notice('capture.damaged', detail));
      this.#ended = true;
      return true;
    }
    if (record['format'] !== FORMAT) return false;
    const files = Array.isArray(record['captures']) ? record['captures'].filter((one) => typeof one === 'string') : [];
    this.#captures.list(files, timeOf(record['first']));
    this.#read += 1;
    return true;
  }

  #participant(record: SavedLine): boolean {
    const { id, name, component, process, tier, evidence } = record;
    if (!isCount(id) || !isCount(process) || typeof name !== 'string' || typeof component !== 'string') return false;
    if (name === '' || !isTier(tier)) return false;
    const shownEvidence = Array.isArray(evidence)
      ? evidence.filter((one) => typeof one === 'string').map((one) => this.#evidence(one))
      : undefined;
    const [known, perNode] = [record['known'] === true, record['perNode'] === true];
    const { redaction } = this.#options;
    const [named, part] = [name, component].map((one) => savedParticipantName(one, redaction));
    this.#participants.learn({
      id,
      name: named,
      component: part,
      process,
      tier,
      known,
      perNode,
      evidence: shownEvidence,
    });
    return true;
  }

  /** Evidence is in words of this project, with names between them; but a User-Agent may be any text. */
  #evidence(text: string): string {
    const { redaction } = this.#options;
    const quoted = QUOTED_AGENT.exec(text);
    return quoted === null ? redaction.name(text) : `${quoted[1]}${redaction.userAgent(quoted[2])}${quoted[3]}`;
  }

  /** A message of a record that JSON.parse gave. */
  #parsedMessage(record: SavedLine): boolean {
    const isMessage = readFields(record, this.#fields);
    if (isMessage) this.#message();
    return isMessage;
  }

  /** The message whose fields were read. */
  #message(): void {
    const message = this.#messages.read(this.#fields);
    this.#read += 1;
    this.#last = message.time;
    this.#out.push({ kind: 'message', message });
  }

  #notice(record: SavedLine): boolean {
    const { code, detail, frame, connection, stream } = record;
    if (typeof code !== 'string' || !Object.hasOwn(NOTICE_CODES, code) || typeof detail !== 'string') return false;
    const time = timeOf(record['time']);
    const capture = this.#captures.listed(record['capture']) ?? this.#options.capture;
    const origin = time !== null && isCount(frame) ? { capture, frame, time } : undefined;
    const where: Pick<Notice, 'origin' | 'connection' | 'stream'> = {
      ...(origin === undefined ? null : { origin }),
      ...(typeof connection === 'string' && isConnection(connection) ? { connection } : null),
      ...(isCount(stream) ? { stream } : null),
    };
    this.#out.push(notice(code as NoticeCode, this.#options.redaction.name(detail), where));
    return true;
  }

  #connection(record: SavedLine): boolean {
    this.#connections += 1;
    const { capture, redaction } = this.#options;
    const items = connectionItems(record, capture * CONNECTIONS_A_FILE + this.#connections, redaction);
    if (items !== null) this.#out.push(...items);
    return items !== null;
  }

  #report(record: SavedLine): boolean {
    const report = this.#captures.report(record);
    if (report === null) return false;
    this.#reported = true;
    this.#out.push(report);
    return true;
  }

  /** Of a file that has no reports: plain messages, or an export that was cut. */
  #ownReport(): CaptureReport {
    if (this.#captures.areListed) this.#out.push(notice('capture.truncated', 'the export ends before its reports'));
    const report = this.#captures.ownReport(this.#read === 0, this.#last);
    return this.#document === null ? report : { ...report, isDiagram: true };
  }

  #take(): readonly SavedReaderOutput[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }
}

/** A record; null: the text is none. */
export function parsedRecord(line: string): SavedLine | null {
  try {
    const value = JSON.parse(line) as unknown;
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

// Ids only have to differ between files.
const PARTICIPANTS_PER_FILE = 1_000_000;
const CONNECTIONS_A_FILE = 2 ** 40;
const OPEN_BRACE = 0x7b;
/** Evidence of a participant that quotes a User-Agent. */
const QUOTED_AGENT = /^(User-Agent )(.*)( \(frame \d+\))$/s;
