// Lists which of its optional fields a message has: most messages have few of the many.

import { FIELD_ROWS, type FieldName } from './fields.js';
import type { Message } from './message.js';

/** The optional fields of one message. */
export interface PresentFields {
  /** Index in FIELD_ROWS of each, in that order; what follows the first `count` is from other messages. */
  readonly indices: Uint8Array;
  readonly count: number;
}

type OptionalFields = Pick<Message, Exclude<FieldName & keyof Message, 'seq'>>;

/**
 * The fields that a message has, of those after the ones that it shares with all messages.
 *
 * `for … in` is a tenth of the cost of looking up the names of a list one after the other.
 *
 * @returns the same object each time.
 */
export function presentFields(message: OptionalFields): PresentFields {
  const { indices } = PRESENT;
  let count = 0;
  let last = 0;
  let isSorted = true;
  for (const name in message) {
    if (message[name as keyof OptionalFields] === undefined) continue;
    const index = OPTIONAL.get(name);
    if (index === undefined) continue;
    if (index < last) isSorted = false;
    last = index;
    indices[count++] = index;
  }
  if (!isSorted) indices.subarray(0, count).sort();
  PRESENT.count = count;
  return PRESENT;
}

const FIRST_OPTIONAL = FIELD_ROWS.findIndex(([name]) => name === 'method');
/** Index in FIELD_ROWS by name. */
const OPTIONAL: ReadonlyMap<string, number> = new Map(
  FIELD_ROWS.flatMap(([name], index) => (index < FIRST_OPTIONAL ? [] : [[name, index]])),
);
const PRESENT = { indices: new Uint8Array(FIELD_ROWS.length), count: 0 };
