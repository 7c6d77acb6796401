// Reads a block of a spool: its columns at once, texts and packed values when they are needed.

import { EMPTY_BYTES } from '../core/bytes/bytes.js';
import { FIELD_ROWS, type FieldName, KINDS } from '../kubernetes/messages/fields.js';
import type { Message, Participant, Protocol } from '../kubernetes/messages/message.js';
import { BlockColumns, type BlockPlace } from './block-layout.js';
import { BlockTexts } from './block-texts.js';
import type { SpoolSource } from './spool-storage.js';
import { ValueUnpacker, type WantedTexts } from './value-unpacker.js';

/** What messages are searched for. */
export interface Wanted {
  /** Names, uids and references (`RESOURCE/NAME`) of objects. */
  readonly names: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
  /** Numbers of participants who send, receive or pass on. */
  readonly participants: ReadonlySet<number>;
}

export class BlockReader {
  readonly columns: BlockColumns = new BlockColumns();
  readonly #source: SpoolSource;
  readonly #participants: readonly Participant[];
  #place: BlockPlace = NO_PLACE;
  #texts: BlockTexts | null = null;
  #values: ValueUnpacker | null = null;
  // Blocks are alike: their bytes go where those of the last one were.
  #textBytes = EMPTY_BYTES;
  #valueBytes = EMPTY_BYTES;

  constructor(source: SpoolSource, participants: readonly Participant[]) {
    this.#source = source;
    this.#participants = participants;
  }

  /** Messages in the block. */
  get count(): number {
    return this.#place.count;
  }

  open(place: BlockPlace): void {
    this.#place = place;
    this.#texts = null;
    this.#values = null;
    this.#source.read(this.columns.bytes, place.offset);
  }

  /** @returns for each message, 1 if one of the texts stands in a field that names objects, or a participant has part in it. */
  mentions({ names, namespaces, participants }: Wanted): Uint8Array {
    const rows = new Uint8Array(this.count);
    const texts = this.#allTexts();
    const [wantedNames, wantedNamespaces] = [texts.find(names), texts.find(namespaces)];
    if (wantedNames === null && wantedNamespaces === null && participants.size === 0) return rows;
    const wanted = { names: wantedNames ?? EMPTY_BYTES, namespaces: wantedNamespaces ?? EMPTY_BYTES };
    const { from, to } = this.columns;
    for (let row = 0; row < this.count; row++) {
      const hasPart = participants.has(from[row]) || participants.has(to[row]);
      if (hasPart || fieldsMention(this.#valuesOf(row), wanted, participants)) rows[row] = 1;
    }
    return rows;
  }

  /** Name of a message's connection. */
  connection(row: number): string {
    return this.#valuesOf(row).text();
  }

  message(row: number): Message {
    const values = this.#valuesOf(row);
    const { time, started, seq, exchange, causedBy, from, to, kind } = this.columns;
    const connection = values.text();
    const fields = this.#fields(values);
    const protocol = values.text() as Protocol;
    const fromName = values.value() as Message['fromName'];
    const toName = values.value() as Message['toName'];
    const label = values.text() as Message['label'];
    const stream = values.value() as number | null;
    const capture = values.uint();
    const lastCapture = values.value() as number | undefined;
    const frames: readonly [number, number] = [values.uint(), values.uint()];
    const complete = values.value() as boolean;
    const inferred = values.value() as Message['inferred'];
    const cause = values.value() as Message['cause'];
    const viaNames = values.value() as Message['viaNames'];
    const message: Message = {
      seq: seq[row],
      time: time[row],
      started: started[row],
      kind: KINDS[kind[row]],
      protocol,
      from: this.#participants[from[row]],
      to: this.#participants[to[row]],
      fromName,
      toName,
      label,
      exchange: exchange[row],
      connection,
      stream,
      capture,
      lastCapture,
      frames,
      complete,
      inferred,
      causedBy: causedBy[row] === 0 ? undefined : causedBy[row],
      cause,
      viaNames,
    };
    return Object.assign(message, fields);
  }

  #fields(values: ValueUnpacker): Partial<Message> {
    const fields: Record<string, unknown> = {};
    for (let left = values.uint(); left > 0; left--) {
      const index = values.uint();
      const value = values.value();
      fields[NAMES[index]] = index === VIA ? (value as number[]).map((one) => this.#participants[one]) : value;
    }
    return fields;
  }

  /** The packed values of a message, read from their beginning. */
  #valuesOf(row: number): ValueUnpacker {
    const values = this.#allValues();
    values.seek(row === 0 ? 0 : this.columns.end[row - 1]);
    return values;
  }

  #allTexts(): BlockTexts {
    if (this.#texts === null) {
      const { texts, textBytes } = this.#place;
      const begin = this.#valuesBegin() + this.#place.values;
      const ends = new Uint32Array(texts);
      this.#source.read(new Uint8Array(ends.buffer), begin);
      this.#textBytes = atLeast(this.#textBytes, textBytes);
      this.#source.read(this.#textBytes.subarray(0, textBytes), begin + ends.byteLength);
      this.#texts = new BlockTexts(this.#textBytes, ends);
    }
    return this.#texts;
  }

  #allValues(): ValueUnpacker {
    if (this.#values === null) {
      const { values } = this.#place;
      this.#valueBytes = atLeast(this.#valueBytes, values);
      this.#source.read(this.#valueBytes.subarray(0, values), this.#valuesBegin());
      this.#values = new ValueUnpacker(this.#valueBytes, this.#allTexts());
    }
    return this.#values;
  }

  #valuesBegin(): number {
    return this.#place.offset + this.columns.bytes.length;
  }
}

/** @param values of a message, at their beginning. */
function fieldsMention(values: ValueUnpacker, wanted: WantedTexts, participants: ReadonlySet<number>): boolean {
  // The connection names no object.
  values.uint();
  for (let left = values.uint(); left > 0; left--) {
    const index = values.uint();
    const isMentioned =
      index === VIA
        ? (values.value() as number[]).some((one) => participants.has(one))
        : values.mentions(wanted) && NAMING[index];
    if (isMentioned) return true;
  }
  return false;
}

/** The same bytes, or more where they are too few. */
function atLeast(bytes: Uint8Array, length: number): Uint8Array {
  return bytes.length >= length ? bytes : new Uint8Array(length + (length >> 2));
}

const NO_PLACE: BlockPlace = { offset: 0, bytes: 0, count: 0, values: 0, texts: 0, textBytes: 0 };
const NAMES: readonly string[] = FIELD_ROWS.map(([name]) => name);
const VIA = NAMES.indexOf('via');
/** Fields in which objects are named. */
const NAMING_FIELDS: ReadonlySet<string> = new Set([
  'namespace',
  'name',
  'object',
  'k8sEvent',
  'claims',
  'missing',
  'appliedFor',
  'release',
] satisfies FieldName[]);
const NAMING: readonly boolean[] = NAMES.map((name) => NAMING_FIELDS.has(name));
