// Writes an export: messages with redacted details, participants, captures and connections, one JSON object a line (docs/export.md).
//
//   {"kubeseq":"0.1.0","kind":"export","format":1, …}       first
//   {"kind":"participant","id":1,"name":"kubectl", …}       before the first message that names it, again when it changed
//   {"seq":1,"time": … ,"participants":[1,2], … ,"body": … }    a message, as `messages -o ndjson --bodies` has it
//   {"kind":"notice", …}                                    in its place
//   {"kind":"connection", …} {"kind":"capture", …}          last, for summaries

import type { CaptureReport } from '../capture/frame.js';
import { append } from '../core/collections/many.js';
import type { Notice } from '../core/notice.js';
import type { ProtocolFound } from '../http/http-event.js';
import type { Message, Participant } from '../kubernetes/messages/message.js';
import { jsonText } from '../render/escape/json-text.js';
import { detailsText } from '../render/messages/details-json.js';
import { messageLine } from '../render/messages/message-json.js';
import { formatTime } from '../render/time.js';
import type { StreamBytes } from '../tcp/stream-event.js';
import { VERSION } from '../version.js';
import type { ParticipantLine } from './participants.js';
import type { ExportedItem } from './saved.js';

export interface SavedWriterOptions {
  /** Names of the captures; may grow while they are read. */
  readonly captures: readonly string[];
  readonly redacted: boolean;
  readonly digits: (capture: number) => number;
}

export class SavedWriter {
  readonly #options: SavedWriterOptions;
  readonly #ids = new Map<Participant, number>();
  /** What was written of each participant, by id. */
  readonly #written: string[] = [];
  readonly #protocols = new Map<number, ProtocolFound>();
  readonly #connections: StreamBytes[] = [];
  readonly #reports: CaptureReport[] = [];
  /** What came before the first frame. */
  readonly #early: ExportedItem[] = [];
  #begun = false;

  constructor(options: SavedWriterOptions) {
    this.#options = options;
  }

  /**
   * @param items one batch of what was learnt.
   * @param first ns since the epoch: the first frame.
   * @returns text in pieces of about 1 MiB.
   */
  *feed(items: readonly ExportedItem[], first: bigint | null): Generator<string> {
    // The head has the time of the first frame, before which notices can come.
    if (!this.#begun && first === null && items.every(({ kind }) => kind !== 'message')) append(this.#early, items);
    else yield* this.#items(this.#early.length === 0 ? items : [...this.#early.splice(0), ...items], first);
  }

  *#items(items: readonly ExportedItem[], first: bigint | null): Generator<string> {
    let out = items.length === 0 ? '' : this.#head(first);
    for (const item of items) if (item.kind === 'message') out += this.#participants(item.message);
    for (const item of items) {
      if (item.kind === 'message') out += this.#message(item.message);
      else if (item.kind === 'notice') out += this.#notice(item);
      else if (item.kind === 'protocol') this.#protocols.set(item.connection.id, item);
      else if (item.kind === 'stream-bytes') this.#connections.push(item);
      else if (item.kind === 'capture-report') this.#reports.push(item);
      if (out.length < PIECE) continue;
      yield out;
      out = '';
    }
    if (out !== '') yield out;
  }

  /** Ids of the participants of a message that is written elsewhere: its sender, its receiver, those that it passed. */
  participantIds(message: Message): number[] {
    this.#participants(message);
    return this.#idsOf(message);
  }

  *end(first: bigint | null): Generator<string> {
    yield* this.#items(this.#early.splice(0), first);
    let out = this.#head(first);
    for (const [participant, id] of this.#ids) out += this.#participant(participant, id, true);
    yield out;
    for (const stream of this.#connections) yield this.#connection(stream);
    for (const report of this.#reports) yield this.#report(report);
  }

  #head(first: bigint | null): string {
    if (this.#begun) return '';
    this.#begun = true;
    const { captures, redacted } = this.#options;
    return line({
      kubeseq: VERSION,
      kind: 'export',
      format: FORMAT,
      redacted,
      captures,
      first: first === null ? null : formatTime(first, 9),
    });
  }

  #participants({ from, to, via }: Message): string {
    let out = this.#known(from) + this.#known(to);
    if (via !== undefined) for (const one of via) out += this.#known(one);
    return out;
  }

  #known(participant: Participant): string {
    const id = this.#ids.get(participant);
    return id === undefined ? this.#introduced(participant) : this.#participant(participant, id, false);
  }

  #introduced(participant: Participant): string {
    const { process } = participant;
    // Its process first: a reader needs no record that is still to come.
    const before = process === participant ? '' : this.#known(process);
    const id = this.#ids.size + 1;
    this.#ids.set(participant, id);
    return before + this.#participant(participant, id, false);
  }

  #participant(participant: Participant, id: number, last: boolean): string {
    const { name, component, tier, process, perNode } = participant;
    const manager = process === participant ? id : this.#ids.get(process);
    const before = manager === undefined ? this.#introduced(process) : '';
    const record: ParticipantLine = {
      id,
      name,
      component,
      tier,
      process: manager ?? this.#ids.get(process) ?? id,
      known: participant.shortId !== null,
      perNode,
    };
    const text = jsonText(last ? { ...record, evidence: participant.evidence } : record);
    if (this.#written[id] === text) return before;
    this.#written[id] = text;
    return `${before}{"kind":"participant",${text.slice(1)}\n`;
  }

  #message(message: Message): string {
    const { captures, digits } = this.#options;
    const own = messageLine(message, { captures: captures.length > 1 ? captures : undefined, digits });
    const participants = `,"participants":[${this.#idsOf(message).join(',')}]`;
    return `${own.slice(0, -1)}${participants}${detailsText(message)}}\n`;
  }

  #idsOf({ from, to, via = NOBODY }: Message): number[] {
    return [from, to, ...via].map((one) => this.#ids.get(one) ?? 0);
  }

  #notice({ code, detail, origin, connection, stream }: Notice): string {
    const where =
      origin === undefined ? null : { capture: origin.capture, frame: origin.frame, time: formatTime(origin.time, 9) };
    return line({ kind: 'notice', code, detail, ...where, connection, stream });
  }

  #connection({ connection, bytes, md5 }: StreamBytes): string {
    const found = this.#protocols.get(connection.id);
    const turned = found !== undefined && found.connection.name !== connection.name;
    return line({
      kind: 'connection',
      connection: connection.name,
      roles: connection.roles,
      bytes,
      md5,
      protocol: found?.protocol,
      why: found?.why,
      detail: found?.detail,
      ...(turned ? { turned: found.connection.name } : null),
    });
  }

  #report({ kind: _, first, last, ...report }: CaptureReport): string {
    return line({
      kind: 'capture',
      ...report,
      first: first === null ? null : formatTime(first, 9),
      last: last === null ? null : formatTime(last, 9),
    });
  }
}

function line(record: object): string {
  return `${jsonText(record)}\n`;
}

const NOBODY: readonly Participant[] = [];
/** Raised when a reader of an older version would misread. */
export const FORMAT = 1;
/** Characters that are gathered before they are written. */
const PIECE = 1024 * 1024;
