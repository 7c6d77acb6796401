// Holds the fields of one message as its line has them, before any redaction.

import { EMPTY_DRAFT } from '../kubernetes/messages/draft.js';
import { type Captured, FIELD_ROWS, type ReadableField } from '../kubernetes/messages/fields.js';
import type { Cause, MessageKind, Protocol } from '../kubernetes/messages/message.js';

/** Where the same message was seen with other addresses. */
export interface SavedCopy {
  readonly connection: string;
  readonly frames: readonly [number, number];
  /** Name of the capture; null: the line names none. */
  readonly capture: string | null;
}

/** A reader fills the same object for each line, so that no line leaves garbage of its own. What is undefined is not on the line, or not of its field's type. */
export class SavedFields {
  seq = 0;
  /** ns since the epoch. */
  time = 0n;
  /** ns since the epoch. */
  started = 0n;
  /** Digits of the fraction of a second. */
  digits: 6 | 9 = 6;
  kind: MessageKind = 'request';
  protocol: Protocol = 'kubernetes';
  from = '';
  to = '';
  label = '';
  exchange = 0;
  connection = '';
  stream: number | null = null;
  frames: readonly [number, number] = NO_FRAMES;
  complete = false;
  /** Ids of participants in an export, which may be any value. */
  fromId: unknown = undefined;
  toId: unknown = undefined;
  viaIds: readonly unknown[] = NOTHING;
  /** Name of the capture; null: the line names none. */
  capture: string | null = null;
  lastCapture: string | undefined = undefined;
  inferred: readonly string[] | undefined = undefined;
  causedBy: number | undefined = undefined;
  cause: Cause | undefined = undefined;
  target: string | undefined = undefined;
  userAgent: string | undefined = undefined;
  patch: readonly unknown[] | undefined = undefined;
  via: readonly string[] | undefined = undefined;
  translated: readonly SavedCopy[] | undefined = undefined;
  headers: unknown = undefined;
  body: unknown = undefined;
  /** Fields that depend on no other, in a draft that has nothing else. */
  readonly values: { -readonly [Name in ReadableField]: Captured<Name> | undefined } = { ...EMPTY_DRAFT };
}

/** Of a line that has none. */
export const NO_FRAMES: readonly [number, number] = [1, 1];
export const NOTHING: readonly unknown[] = [];
/** Fields that depend on no other, with what reads them. */
export const READERS = FIELD_ROWS.flatMap(([name, { read }]) =>
  read === undefined ? [] : [[name as ReadableField, read] as const],
);
