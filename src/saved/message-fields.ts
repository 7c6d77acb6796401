// Takes the fields of a message from a saved line, which may hold anything: a field that is not of its type is left out.

import type { Draft } from '../kubernetes/messages/draft.js';
import { isRecord, readNames, readOneOf } from '../kubernetes/messages/field-values.js';
import { CAUSE_KINDS, FIELD_ROWS, KINDS, PROTOCOLS } from '../kubernetes/messages/fields.js';
import type { Cause, MessageKind, Protocol, TranslatedCopy } from '../kubernetes/messages/message.js';

export { isRecord } from '../kubernetes/messages/field-values.js';

export type SavedLine = Readonly<Record<string, unknown>>;

/** What every message has; the rest of a message is optional. */
export interface Basics {
  readonly seq: number;
  readonly time: bigint;
  readonly started: bigint;
  readonly digits: 6 | 9;
  readonly kind: MessageKind;
  readonly protocol: Protocol;
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly exchange: number;
  readonly connection: string;
  readonly stream: number | null;
  readonly frames: readonly [number, number];
  readonly complete: boolean;
}

/** @returns null where the line is no message. */
export function basicsOf(line: SavedLine): Basics | null {
  const { seq, from, to, label, exchange, connection } = line;
  const [kind, protocol] = [readKind(line['kind']), readProtocol(line['protocol'])];
  const time = timeOf(line['time']);
  const started = line['started'] === undefined ? time : timeOf(line['started']);
  if (time === null || started === null || !isCount(seq) || !isCount(exchange)) return null;
  if (kind === undefined || protocol === undefined) return null;
  if (typeof from !== 'string' || typeof to !== 'string' || from === '' || to === '') return null;
  if (typeof label !== 'string' || typeof connection !== 'string' || !CONNECTION.test(connection)) return null;
  const { stream, frames, complete } = line;
  return {
    seq,
    time,
    started,
    digits: (line['time'] as string).length === MICRO_LENGTH ? 6 : 9,
    kind,
    protocol,
    from,
    to,
    label,
    exchange,
    connection,
    stream: isCount(stream) ? stream : null,
    frames: isFrames(frames) ? frames : [1, 1],
    complete: complete === true,
  };
}

/** Fields that depend on no other: one that is not of its row's type is left out. */
export function optionalsOf(line: SavedLine): Partial<Draft> {
  const out: Record<string, unknown> = { inferred: readNames(line['inferred']) };
  for (const [name, { read }] of FIELD_ROWS)
    if (read !== undefined && line[name] !== undefined) out[name] = read(line[name]);
  return out as Partial<Draft>;
}

/** @param seq that is given besides: another one is none. */
export function causeOf(value: unknown, seq: number | undefined): Cause | undefined {
  if (!isRecord(value) || seq === undefined || value['seq'] !== seq) return undefined;
  const how = readHow(value['how']);
  if (how === undefined) return undefined;
  const given = Array.isArray(value['others']) ? value['others'].filter((one) => Number.isSafeInteger(one)) : [];
  const cause = { seq, how, certain: value['certain'] === true };
  return given.length === 0 ? cause : { ...cause, others: given as number[] };
}

/** RFC 3339 in UTC with six or nine digits, as the contract has it. @returns ns since the epoch. */
export function timeOf(value: unknown): bigint | null {
  if (typeof value !== 'string') return null;
  const match = TIME.exec(value);
  if (match === null) return null;
  if (match[1] !== lastSecond) {
    const ms = Date.parse(`${match[1]}Z`);
    if (Number.isNaN(ms)) return null;
    lastSecond = match[1];
    lastNs = BigInt(ms) * 1_000_000n;
  }
  return lastNs + BigInt(match[2].padEnd(9, '0'));
}

/** Names of those whose addresses were translated. */
export function viaOf(line: SavedLine): readonly string[] | undefined {
  const via = line['via'];
  const isList = Array.isArray(via) && via.length > 0 && via.every((one) => typeof one === 'string' && one !== '');
  return isList ? (via as readonly string[]) : undefined;
}

/** @param captureOf index of a capture by its name; null: the line names none. */
export function translatedOf(
  line: SavedLine,
  captureOf: (name: string | null) => number,
): readonly TranslatedCopy[] | undefined {
  const copies = line['translated'];
  if (!Array.isArray(copies)) return undefined;
  const read = copies.filter(isRecord).flatMap(({ connection, frames, capture }): TranslatedCopy[] => {
    if (typeof connection !== 'string' || !CONNECTION.test(connection) || !isFrames(frames)) return [];
    return [{ connection, capture: captureOf(typeof capture === 'string' ? capture : null), frames }];
  });
  return read.length === 0 ? undefined : read;
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function isFrames(value: unknown): value is readonly [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every(isCount);
}

const readKind = readOneOf(KINDS);
const readHow = readOneOf(CAUSE_KINDS);
const readProtocol = readOneOf(PROTOCOLS);
/** As connections are named: `CLIENTIP:PORT-SERVERIP:PORT`. */
export const CONNECTION = /^[0-9a-f.:]{1,60}:\d{1,5}-[0-9a-f.:]{1,60}:\d{1,5}$/;
const TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\.(\d{6}|\d{9})Z$/;
const MICRO_LENGTH = '2026-11-21T04:13:27.123456Z'.length;
// Messages of one second come together: its text is read once.
let lastSecond = '';
let lastNs = 0n;
