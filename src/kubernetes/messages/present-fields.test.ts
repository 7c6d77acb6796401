import { describe, expect, it } from 'vitest';
import { FIELD_ROWS } from './fields.js';
import type { Message } from './message.js';
import { presentFields } from './present-fields.js';

function namesOf(message: Partial<Message>): string[] {
  const { indices, count } = presentFields(message as Message);
  return [...indices.subarray(0, count)].map((index) => FIELD_ROWS[index][0]);
}

describe('the fields that a message has', () => {
  // A field that is not listed would be neither redacted nor written.
  const listed = FIELD_ROWS.filter(([, { show, line }]) => show !== undefined || line !== undefined);

  it.each(listed)('has %s', (name) => {
    expect(namesOf({ [name]: null })).toEqual([name]);
  });

  it('lists several in the order of the table', () => {
    expect(namesOf({ via: [], status: 404, user: undefined, reason: 'NotFound' } as never)).toEqual([
      'status',
      'reason',
      'via',
    ]);
  });

  it('lists none of the message before', () => {
    namesOf({ status: 200, latencyMs: 1 });
    expect(namesOf({})).toEqual([]);
  });
});
