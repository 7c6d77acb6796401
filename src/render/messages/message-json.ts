// A message as one JSON object, with the field names and formats of the contract: the line of `messages -o ndjson`, and
// the messages inside a diagram's JSON. Written field by field into bytes because it is the hot end of the whole
// pipeline: JSON.stringify of a fresh object took as long as reading the capture.

import { CAUSE_KINDS, FIELD_ROWS, type LineForm } from '../../kubernetes/messages/fields.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { presentFields } from '../../kubernetes/messages/present-fields.js';
import { jsonText } from '../escape/json-text.js';
import { writeTime } from '../time.js';
import { asciiBytes, LineBuffer } from './line-buffer.js';
import { nullable, text, writeIdentity, writeParticipants, writeRequest } from './message-parts.js';

export interface MessageJsonOptions {
  /** Names of the captures, where there are several. */
  readonly captures?: readonly string[];
  /** Digits of a second's fraction that each capture has: 6 or 9. */
  readonly digits: (capture: number) => number;
}

/** One JSON object without line breaks. */
export function messageLine(message: Message, options: MessageJsonOptions): string {
  writeMessage(LINE, message, options);
  return LINE.text();
}

/** The same as an object, for the outputs that take their fields from it. */
export function messageJson(message: Message, options: MessageJsonOptions): Record<string, unknown> {
  return JSON.parse(messageLine(message, options)) as Record<string, unknown>;
}

/** Writes what `messageLine` gives. */
export function writeMessage(out: LineBuffer, message: Message, options: MessageJsonOptions): void {
  const { stream, frames } = message;
  const digits = options.digits(message.capture);
  out.fixed(K_SEQ);
  out.number(message.seq);
  out.fixed(K_TIME);
  writeTime(out, message.time, digits);
  if (message.started !== message.time) {
    out.fixed(K_STARTED);
    writeTime(out, message.started, digits);
  }
  writeParticipants(out, message);
  out.fixed(K_LABEL);
  out.quoted(message.label);
  out.fixed(K_EXCHANGE);
  out.number(message.exchange);
  out.fixed(K_CONNECTION);
  out.repeated(message.connection);
  out.fixed(K_STREAM);
  if (stream === null) out.fixed(K_NULL);
  else out.number(stream);
  out.fixed(K_FRAMES);
  out.number(frames[0]);
  out.byte(COMMA);
  out.number(frames[1]);
  out.byte(BRACKET);
  if (options.captures !== undefined) {
    text(out, K_CAPTURE, options.captures[message.capture] ?? '');
    if (message.lastCapture !== undefined) text(out, K_LAST_CAPTURE, options.captures[message.lastCapture] ?? '');
  }
  out.fixed(message.complete ? K_COMPLETE : K_INCOMPLETE);
  if (message.inferred !== undefined) json(out, K_INFERRED, message.inferred);
  number(out, K_CAUSED_BY, message.causedBy);
  if (message.cause !== undefined) writeCause(out, message.cause);
  writeRequest(out, message);
  const isCall = message.rpcMethod !== undefined;
  const { indices, count } = presentFields(message);
  for (let i = 0; i < count; i++) {
    const row = REST[indices[i]];
    if (row !== null && (isCall || !row.isOfCall))
      row.write(out, row.key, message[row.name] as never, message, options);
  }
  out.byte(BRACE);
}

function writeCause(out: LineBuffer, { seq, how, certain, others }: NonNullable<Message['cause']>): void {
  out.fixed(K_CAUSE);
  out.number(seq);
  out.fixed(K_HOW[how]);
  out.fixed(certain ? K_CERTAIN : K_UNCERTAIN);
  if (others !== undefined) json(out, K_OTHERS, others);
  out.byte(BRACE);
}

function writeObject(out: LineBuffer, object: NonNullable<Message['object']>): void {
  writeIdentity(out, object);
  if (object.resourceVersion === null) nullable(out, K_RESOURCE_VERSION, null);
  else if (object.resourceVersion !== undefined) once(out, K_RESOURCE_VERSION, object.resourceVersion);
  number(out, K_GENERATION, object.generation);
  text(out, K_DELETION, object.deletionTimestamp);
  if (object.owners !== undefined) json(out, K_OWNERS, object.owners);
  number(out, K_ITEMS, object.items);
  number(out, K_ROWS, object.rows);
  if (object.row !== undefined) json(out, K_ROW, object.row);
  out.byte(BRACE);
}

/** A text that no other message is likely to have. */
function once(out: LineBuffer, name: Uint8Array, value: string): void {
  out.fixed(name);
  out.quoted(value);
}

function number(out: LineBuffer, name: Uint8Array, value: number | undefined): void {
  if (value === undefined) return;
  out.fixed(name);
  out.number(value);
}

function json(out: LineBuffer, name: Uint8Array, value: unknown): void {
  out.fixed(name);
  out.json(jsonText(value));
}

type Writer = (out: LineBuffer, name: Uint8Array, value: never, message: Message, options: MessageJsonOptions) => void;

/** How a value that is there is written. */
const WRITERS: Readonly<Record<LineForm, Writer>> = {
  text,
  once,
  'unless empty': (out, name, value: string) => {
    if (value !== '') text(out, name, value);
  },
  nullable,
  number,
  given: (out, name, value: boolean) => {
    if (value) json(out, name, true);
  },
  flag: json,
  json,
  object: (out, _, value: NonNullable<Message['object']>) => writeObject(out, value),
  names: (out, name, via: NonNullable<Message['via']>, { viaNames }) =>
    json(out, name, viaNames ?? via.map((one) => one.name)),
  copies: (out, name, copies: NonNullable<Message['translated']>, _, { captures }) => {
    if (copies.length > 0) json(out, name, copiesJson(copies, captures));
  },
};

/** Where else a message was captured. @param captures names of the captures, where there are several. */
export function copiesJson(
  copies: NonNullable<Message['translated']>,
  captures: readonly string[] | undefined,
): readonly object[] {
  return copies.map(({ connection, capture, frames }) => ({
    connection,
    frames,
    ...(captures === undefined ? null : { capture: captures[capture] ?? '' }),
  }));
}

/** By index in FIELD_ROWS; null: it is written with others, in the head or with the target. */
const REST = FIELD_ROWS.map(([name, { line, section }]) =>
  line === undefined
    ? null
    : { name, key: asciiBytes(`,"${name}":`), write: WRITERS[line], isOfCall: section === 'Remote calls' },
);

const COMMA = 0x2c;
const BRACKET = 0x5d;
const BRACE = 0x7d;
/** Most lines are shorter. */
const LINE = new LineBuffer(4096);

const K_SEQ = asciiBytes('{"seq":');
const K_TIME = asciiBytes(',"time":"');
const K_STARTED = asciiBytes('","started":"');
const K_LABEL = asciiBytes(',"label":');
const K_EXCHANGE = asciiBytes(',"exchange":');
const K_CONNECTION = asciiBytes(',"connection":');
const K_STREAM = asciiBytes(',"stream":');
const K_NULL = asciiBytes('null');
const K_FRAMES = asciiBytes(',"frames":[');
const K_COMPLETE = asciiBytes(',"complete":true');
const K_INCOMPLETE = asciiBytes(',"complete":false');
const K_CAPTURE = asciiBytes(',"capture":');
const K_LAST_CAPTURE = asciiBytes(',"lastCapture":');
const K_INFERRED = asciiBytes(',"inferred":');
const K_CAUSE = asciiBytes(',"cause":{"seq":');
const K_HOW = Object.fromEntries(CAUSE_KINDS.map((how) => [how, asciiBytes(`,"how":"${how}"`)])) as Readonly<
  Record<NonNullable<Message['cause']>['how'], Uint8Array>
>;
const K_CERTAIN = asciiBytes(',"certain":true');
const K_UNCERTAIN = asciiBytes(',"certain":false');
const K_OTHERS = asciiBytes(',"others":');
const K_CAUSED_BY = asciiBytes(',"causedBy":');
const K_RESOURCE_VERSION = asciiBytes(',"resourceVersion":');
const K_GENERATION = asciiBytes(',"generation":');
const K_DELETION = asciiBytes(',"deletionTimestamp":');
const K_OWNERS = asciiBytes(',"owners":');
const K_ITEMS = asciiBytes(',"items":');
const K_ROWS = asciiBytes(',"rows":');
const K_ROW = asciiBytes(',"row":');
