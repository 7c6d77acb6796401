// Reads a message's fields from the bytes of a line in exactly the form in which this project writes lines (render/messages), without
// parsing its head and body. Any other line is left to JSON.parse, which is slow beside it.

import { asciiBytes } from '../render/messages/line-buffer.js';
import { readLaterFields } from './later-fields.js';
import { LineCursor } from './line-cursor.js';
import { K_PARTICIPANTS } from './members.js';
import { isConnection, readKind, readProtocol } from './message-fields.js';
import type { SavedFields } from './saved-fields.js';
import { TimeReader } from './saved-time.js';

export class SavedLineParser {
  readonly #cursor = new LineCursor();
  readonly #bodies: boolean;

  /** @param bodies keep heads and bodies. */
  constructor(bodies: boolean) {
    this.#bodies = bodies;
  }

  /**
   * @param bytes borrowed; a line feed stands behind the line, which begins at `start`.
   * @param into takes the fields.
   * @returns the position of the line feed; -1 where the line is not of that form: what it holds is not known.
   */
  parse(bytes: Uint8Array, start: number, into: SavedFields): number {
    const cursor = this.#cursor;
    cursor.begin(bytes, start);
    if (!readBasics(cursor, into)) return -1;
    into.clear();
    if (!readLaterFields(cursor, into) || !this.#readRest(into)) return -1;
    return bytes[cursor.at] === LINE_FEED ? cursor.at : -1;
  }

  /** What an export has besides. */
  #readRest(into: SavedFields): boolean {
    const cursor = this.#cursor;
    if (cursor.skips(K_PARTICIPANTS) && !readIds(cursor, into)) return false;
    if (cursor.skips(K_HEADERS)) {
      if (this.#bodies) into.headers = cursor.value();
      if (this.#bodies ? into.headers === undefined : !cursor.skipsValue()) return false;
    }
    if (cursor.skips(K_BODY)) {
      if (this.#bodies) into.body = cursor.value();
      if (this.#bodies ? into.body === undefined : !cursor.skipsValue()) return false;
    }
    return cursor.skipsByte(CLOSE_BRACE);
  }
}

/** What every message has, up to its frames. */
function readBasics(cursor: LineCursor, into: SavedFields): boolean {
  if (!cursor.skips(K_SEQ)) return false;
  into.seq = cursor.count();
  if (into.seq === 0 || !cursor.skips(K_TIME)) return false;
  const time = TIME.read(cursor);
  if (time === null) return false;
  into.time = time;
  into.digits = cursor.digits;
  into.started = time;
  if (cursor.skips(K_STARTED)) {
    const started = TIME.read(cursor);
    if (started === null) return false;
    into.started = started;
  }
  if (!cursor.skips(K_KIND)) return false;
  const kind = readKind(cursor.text());
  if (kind === undefined || !cursor.skips(K_PROTOCOL)) return false;
  const protocol = readProtocol(cursor.text());
  if (protocol === undefined || !cursor.skips(K_FROM)) return false;
  const from = cursor.text() ?? '';
  if (from === '' || !cursor.skips(K_TO)) return false;
  const to = cursor.text() ?? '';
  if (to === '' || !cursor.skips(K_LABEL)) return false;
  const label = cursor.text();
  if (label === undefined || !cursor.skips(K_EXCHANGE)) return false;
  into.kind = kind;
  into.protocol = protocol;
  into.from = from;
  into.to = to;
  into.label = label;
  into.exchange = cursor.count();
  if (into.exchange === 0 || !cursor.skips(K_CONNECTION)) return false;
  const connection = cursor.text();
  if (connection === undefined || !isConnection(connection) || !cursor.skips(K_STREAM)) return false;
  into.connection = connection;
  into.stream = cursor.skips(K_NULL) ? null : cursor.count();
  if (into.stream === 0 || !cursor.skips(K_FRAMES)) return false;
  const first = cursor.count();
  if (first === 0 || !cursor.skipsByte(COMMA)) return false;
  const last = cursor.count();
  into.frames = [first, last];
  return last !== 0 && cursor.skipsByte(CLOSE_BRACKET);
}

/** Ids of the participants. */
function readIds(cursor: LineCursor, into: SavedFields): boolean {
  const from = cursor.count();
  if (from === 0 || !cursor.skipsByte(COMMA)) return false;
  const to = cursor.count();
  if (to === 0) return false;
  into.fromId = from;
  into.toId = to;
  if (cursor.skipsByte(CLOSE_BRACKET)) return true;
  const ids: number[] = [];
  while (cursor.skipsByte(COMMA)) {
    const id = cursor.count();
    if (id === 0) return false;
    ids.push(id);
  }
  into.viaIds = ids;
  return cursor.skipsByte(CLOSE_BRACKET);
}

const LINE_FEED = 0x0a;
const COMMA = 0x2c;
const CLOSE_BRACKET = 0x5d;
const CLOSE_BRACE = 0x7d;
const TIME = new TimeReader();
const K_SEQ = asciiBytes('{"seq":');
const K_TIME = asciiBytes(',"time":');
const K_STARTED = asciiBytes(',"started":');
const K_KIND = asciiBytes(',"kind":');
const K_PROTOCOL = asciiBytes(',"protocol":');
const K_FROM = asciiBytes(',"from":');
const K_TO = asciiBytes(',"to":');
const K_LABEL = asciiBytes(',"label":');
const K_EXCHANGE = asciiBytes(',"exchange":');
const K_CONNECTION = asciiBytes(',"connection":');
const K_STREAM = asciiBytes(',"stream":');
const K_NULL = asciiBytes('null');
const K_FRAMES = asciiBytes(',"frames":[');
const K_HEADERS = asciiBytes(',"headers":');
const K_BODY = asciiBytes(',"body":');
