// Reads saved messages: an export, the plain lines of `messages -o ndjson`, a picture's JSON. Knows the format (docs/export.md); trusts
// none of it: what is no message is a notice, text and bodies pass through the redaction once more.

import type { CaptureReport } from '../capture/frame.js';
import { NOTICE_CODES, type Notice, type NoticeCode, notice } from '../core/notice.js';
import type { Stage } from '../core/stage.js';
import type { ProtocolFound } from '../http/http-event.js';
import type { Message } from '../kubernetes/message.js';
import type { NamingRule } from '../kubernetes/speakers.js';
import type { Connection, StreamBytes } from '../tcp/stream-event.js';
import { Contexts, type SavedRedaction, savedDetails } from './details.js';
import { Lines, MAX_LINE_BYTES } from './lines.js';
import { basicsOf, isCount, isRecord, type Line, optionalsOf, timeOf, translatedOf, viaOf } from './message-fields.js';
import type { SavedCapture, SavedItem } from './saved.js';
import { isTier, SavedSpeakers } from './speakers.js';
import { FORMAT } from './write.js';

export interface SavedReaderOptions {
  /** Index of the file among the command's arguments. */
  readonly capture: number;
  /** Gives an index to a further capture of which the file tells. */
  readonly nextCapture: () => number;
  readonly redaction: SavedRedaction;
  /** Keep heads and bodies. */
  readonly bodies?: boolean;
  readonly naming?: readonly NamingRule[];
}

type Out = SavedItem | SavedCapture;

/** Messages, notices and reports in the order of the file. Notices of its own: capture.damaged, capture.truncated. */
export function savedReader(options: SavedReaderOptions): Stage<Uint8Array, Out> {
  return new SavedReader(options);
}

class SavedReader implements Stage<Uint8Array, Out> {
  readonly #options: SavedReaderOptions;
  readonly #lines = new Lines();
  readonly #speakers: SavedSpeakers;
  readonly #contexts = new Contexts();
  /** Indices of the captures, as the file names and as it numbers them. */
  readonly #captures = new Map<string, number>();
  readonly #numbered: number[] = [];
  readonly #digits = new Map<number, 6 | 9>();
  /** Lines of a picture's JSON so far; null: the file has one record a line. */
  #document: string[] | null = null;
  #gathered = 0;
  #out: Out[] = [];
  #first: bigint | null = null;
  #last: bigint | null = null;
  #read = 0;
  #damaged = 0;
  #reported = false;
  #ended = false;
  #connections = 0;

  constructor(options: SavedReaderOptions) {
    this.#options = options;
    this.#speakers = new SavedSpeakers(options.capture * SPEAKERS_A_FILE, options.naming ?? []);
  }

  feed(bytes: Uint8Array): readonly Out[] {
    for (const line of this.#lines.feed(bytes)) this.#line(line);
    return this.#take();
  }

  end(): readonly Out[] {
    const rest = this.#lines.end();
    if (rest !== undefined) this.#line(rest);
    if (this.#document !== null) this.#picture(this.#document);
    if (this.#damaged > 1) {
      const more = `${this.#damaged - 1} more lines of saved messages could not be read`;
      this.#out.push(notice('capture.damaged', more));
    }
    if (!this.#reported) this.#out.push(this.#ownReport());
    return this.#take();
  }

  #line(line: string | null): void {
    if (this.#lines.number === 1 && line === '{') this.#document = [];
    if (this.#document !== null && line !== null) this.#gather(line);
    else this.#saved(line);
  }

  /** A picture's JSON (`diagram -o json`) is one document over many lines. */
  #gather(line: string): void {
    this.#gathered += line.length;
    if (this.#gathered <= MAX_LINE_BYTES) this.#document?.push(line);
  }

  /** Its messages, as lines have them. */
  #picture(lines: readonly string[]): void {
    const picture = this.#gathered > MAX_LINE_BYTES ? null : parsed(lines.join('\n'));
    const messages = picture === null || !Array.isArray(picture['messages']) ? [null] : picture['messages'];
    for (const one of messages) if (!isRecord(one) || !this.#message(one)) this.#broken();
  }

  #saved(line: string | null): void {
    if (this.#ended || line === '') return;
    const record = line === null ? null : parsed(line);
    if (record === null || !this.#record(record)) this.#broken();
  }

  /** @returns false where the line is none of the format's. */
  #record(record: Line): boolean {
    switch (record['kind']) {
      case 'request':
      case 'response':
      case 'event':
      case 'data':
        return this.#message(record);
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
    const detail = `line ${this.#lines.number} is no saved message, or is too long; it was left out`;
    this.#out.push(notice('capture.damaged', detail));
  }

  #head(record: Line): boolean {
    if (this.#read > 0 || this.#numbered.length > 0) {
      const detail = `another export begins in line ${this.#lines.number}; give each file by itself`;
      this.#out.push(notice('capture.damaged', detail));
      this.#ended = true;
      return true;
    }
    if (record['format'] !== FORMAT) return false;
    const files = Array.isArray(record['captures']) ? record['captures'].filter((one) => typeof one === 'string') : [];
    this.#first = timeOf(record['first']);
    for (const file of files.slice(0, MAX_CAPTURES)) this.#numbered.push(this.#captureOf(file));
    this.#read += 1;
    return true;
  }

  #participant(record: Line): boolean {
    const { id, name, component, process, tier, evidence } = record;
    if (!isCount(id) || !isCount(process) || typeof name !== 'string' || typeof component !== 'string') return false;
    if (name === '' || !isTier(tier)) return false;
    const { text } = this.#options.redaction;
    const told = Array.isArray(evidence) ? evidence.filter((one) => typeof one === 'string').map(text) : undefined;
    const [known, perNode] = [record['known'] === true, record['perNode'] === true];
    this.#speakers.learn({ id, name, component, process, tier, known, perNode, evidence: told });
    return true;
  }

  #message(line: Line): boolean {
    const { redaction, bodies } = this.#options;
    const basics = basicsOf(line, redaction);
    if (basics === null) return false;
    const { digits, ...own } = basics;
    const ids = Array.isArray(line['speakers']) ? (line['speakers'] as readonly unknown[]) : [];
    const from = this.#speakers.speaker(ids[0] as number, basics.from);
    const to = this.#speakers.speaker(ids[1] as number, basics.to);
    const optional = optionalsOf(line, redaction);
    const capture = this.#captureOf(typeof line['capture'] === 'string' ? line['capture'] : null, digits, own.started);
    const last = line['lastCapture'];
    const lastCapture = typeof last === 'string' ? this.#captureOf(last, digits, own.started) : undefined;
    const causedBy = isCount(line['causedBy']) ? line['causedBy'] : undefined;
    if (own.kind === 'request') {
      const dash = own.connection.indexOf('-');
      this.#speakers.hear(from, addressOf(own.connection.slice(0, dash)), optional.userAgent);
      this.#speakers.hear(to, addressOf(own.connection.slice(dash + 1)), undefined);
    }
    const via = viaOf(line);
    const by = via?.map((name, i) => this.#speakers.speaker(ids[i + 2] as number, name));
    const translated = translatedOf(line, (file) => (file === null ? capture : this.#captureOf(file)));
    const message: Message = {
      ...own,
      ...optional,
      ...(via === undefined ? null : { via: by, viaNames: via.map((name, i) => by?.[i].fixedName ?? name) }),
      ...(translated === undefined ? null : { translated }),
      from,
      to,
      fromName: from.fixedName ?? basics.from,
      toName: to.fixedName ?? basics.to,
      capture,
      ...(lastCapture === undefined ? null : { lastCapture }),
      ...(causedBy === undefined ? null : { causedBy }),
    };
    const context = this.#contexts.of(message);
    this.#read += 1;
    this.#last = message.time;
    this.#out.push({
      kind: 'message',
      message: bodies === true ? { ...message, details: savedDetails(line, message, context, redaction) } : message,
    });
    return true;
  }

  #notice(record: Line): boolean {
    const { code, detail, frame, connection } = record;
    if (typeof code !== 'string' || !Object.hasOwn(NOTICE_CODES, code) || typeof detail !== 'string') return false;
    const time = timeOf(record['time']);
    const capture = this.#numbered[record['capture'] as number] ?? this.#options.capture;
    const origin = time !== null && isCount(frame) ? { capture, frame, time } : undefined;
    const where: Pick<Notice, 'origin' | 'connection'> = {
      ...(origin === undefined ? null : { origin }),
      ...(typeof connection === 'string' ? { connection } : null),
    };
    this.#out.push(notice(code as NoticeCode, this.#options.redaction.text(detail), where));
    return true;
  }

  #connection(record: Line): boolean {
    const { roles, bytes, md5, protocol, why, turned } = record;
    this.#connections += 1;
    const id = this.#options.capture * CONNECTIONS_A_FILE + this.#connections;
    const connection = connectionOf(id, record['connection'], roles);
    if (connection === null || !isRecord(bytes)) return false;
    const { client, server } = bytes;
    if (!Number.isSafeInteger(client) || !Number.isSafeInteger(server)) return false;
    if (typeof protocol === 'string' && PROTOCOLS.has(protocol)) {
      const found = turned === undefined ? connection : (connectionOf(id, turned, 'content') ?? connection);
      this.#out.push({
        kind: 'protocol',
        connection: found,
        protocol: protocol as ProtocolFound['protocol'],
        ...(typeof why === 'string' ? { why: this.#options.redaction.text(why) } : null),
      });
    }
    const hashes =
      isRecord(md5) && typeof md5['client'] === 'string' && typeof md5['server'] === 'string'
        ? { client: md5['client'], server: md5['server'] }
        : null;
    const counted: StreamBytes = {
      kind: 'stream-bytes',
      connection,
      bytes: { client: client as number, server: server as number },
      md5: hashes,
    };
    this.#out.push(counted);
    return true;
  }

  #report(record: Line): boolean {
    const { format, linkTypes, frames, bytes, digits, truncated } = record;
    const capture = this.#numbered[record['capture'] as number];
    if (capture === undefined || !(format === 'pcap' || format === 'pcapng' || format === 'messages')) return false;
    if (!Number.isSafeInteger(frames) || !Number.isSafeInteger(bytes) || !Array.isArray(linkTypes)) return false;
    this.#reported = true;
    this.#out.push({
      kind: 'capture-report',
      capture,
      format,
      linkTypes: linkTypes.filter((one) => Number.isSafeInteger(one)),
      frames: frames as number,
      bytes: bytes as number,
      first: timeOf(record['first']),
      last: timeOf(record['last']),
      digits: digits === 9 ? 9 : 6,
      truncated: truncated === true,
    });
    return true;
  }

  /** Of a file that has no reports: plain messages, or an export that was cut. */
  #ownReport(): CaptureReport {
    const isCut = this.#numbered.length > 0;
    if (isCut) this.#out.push(notice('capture.truncated', 'the export ends before its reports'));
    const { capture } = this.#options;
    return {
      kind: 'capture-report',
      capture,
      format: this.#read === 0 ? 'unknown' : 'messages',
      linkTypes: [],
      frames: 0,
      bytes: 0,
      first: this.#first,
      last: this.#last,
      digits: this.#digits.get(capture) ?? 6,
      truncated: isCut,
    };
  }

  /**
   * Index of a capture. The first of a file has the file's own.
   * @param file null: the file names none, as there is only one.
   */
  #captureOf(file: string | null, digits?: 6 | 9, time?: bigint): number {
    const name = file ?? '';
    let capture = file === null ? this.#options.capture : this.#captures.get(name);
    const isNew = capture === undefined || (file === null && !this.#captures.has(name));
    if (capture === undefined) {
      const isFirst = this.#captures.size === 0;
      capture = isFirst || this.#captures.size >= MAX_CAPTURES ? this.#options.capture : this.#options.nextCapture();
    }
    if (isNew) this.#captures.set(name, capture);
    const known = this.#digits.get(capture);
    if (isNew || (digits !== undefined && known !== digits)) {
      this.#first ??= time ?? null;
      if (digits !== undefined) this.#digits.set(capture, digits);
      this.#out.push({ kind: 'saved-capture', capture, file, digits: digits ?? known ?? 6, first: this.#first });
    }
    return capture;
  }

  #take(): readonly Out[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }
}

function parsed(line: string): Line | null {
  try {
    const value = JSON.parse(line) as unknown;
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** @param name `CLIENTIP:PORT-SERVERIP:PORT`. */
function connectionOf(id: number, name: unknown, roles: unknown): Connection | null {
  if (typeof name !== 'string') return null;
  const ends = name.split('-');
  if (ends.length !== 2) return null;
  const [client, server] = ends.map((end) => ({
    address: addressOf(end),
    port: Number(end.slice(end.lastIndexOf(':') + 1)),
  }));
  if (!Number.isInteger(client.port) || !Number.isInteger(server.port)) return null;
  return { id, client, server, name, roles: roles === 'handshake' || roles === 'content' ? roles : 'port' };
}

function addressOf(endpoint: string): string {
  return endpoint.slice(0, endpoint.lastIndexOf(':'));
}

const PROTOCOLS = new Set(['http/1', 'http/2', 'encrypted', 'silent', 'unknown']);
/** Captures that one export may tell of; people give a handful. */
const MAX_CAPTURES = 1000;
// Ids only have to differ between files.
const SPEAKERS_A_FILE = 1_000_000;
const CONNECTIONS_A_FILE = 2 ** 40;
