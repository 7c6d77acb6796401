// Reads the members of a JSON object that stand in a fixed order, each by the reader of its row.

import { asciiBytes } from '../render/messages/line-buffer.js';
import type { LineCursor } from './line-cursor.js';

/** A member of an object. Members stand in the order of their rows, so that none can come twice. */
export interface MemberRow<Into> {
  /** `,"name":` */
  readonly key: Uint8Array;
  readonly read: (cursor: LineCursor, into: Into) => void;
  /** Index of the row that followed it on the last line: most lines are like others before them. */
  next: number;
}

export type Rows<Into> = readonly MemberRow<Into>[];

export function rowsOf<Into>(readers: readonly (readonly [string, MemberRow<Into>['read']])[]): Rows<Into> {
  return readers.map(([name, read], index) => ({ key: asciiBytes(`,"${name}":`), read, next: index + 1 }));
}

/** Reads the members that are there. @returns false where one is not of the usual form. */
export function readMembers<Into>(rows: Rows<Into>, cursor: LineCursor, into: Into): boolean {
  let next = 0;
  let last: MemberRow<Into> | null = null;
  for (;;) {
    const index: number = last === null ? indexOf(rows, 0, cursor) : indexAfter(rows, last, next, cursor);
    if (index === rows.length) return true;
    last = rows[index];
    next = index + 1;
    last.read(cursor, into);
    if (cursor.failed) return false;
  }
}

function indexAfter<Into>(rows: Rows<Into>, last: MemberRow<Into>, from: number, cursor: LineCursor): number {
  const { next } = last;
  if (next < rows.length && cursor.skips(rows[next].key)) return next;
  if (isEnd(cursor)) return rows.length;
  const index = indexOf(rows, from, cursor);
  if (index < rows.length) last.next = index;
  return index;
}

/** The first row from `from` on whose key stands here; the number of rows: none. */
function indexOf<Into>(rows: Rows<Into>, from: number, cursor: LineCursor): number {
  for (let i = from; i < rows.length; i++) if (cursor.skips(rows[i].key)) return i;
  return rows.length;
}

/** Whether the members are over: no row needs to be looked at. */
function isEnd(cursor: LineCursor): boolean {
  const { at } = cursor;
  const isOver = cursor.skipsByte(CLOSE_BRACE) || cursor.skips(K_PARTICIPANTS);
  cursor.at = at;
  return isOver;
}

const CLOSE_BRACE = 0x7d;
/** What follows the fields of a message in an export. */
export const K_PARTICIPANTS = asciiBytes(',"participants":[');
