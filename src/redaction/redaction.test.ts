import { expect, it } from 'vitest';
import { HiddenValues, redactionOf } from './redaction.js';

it('numbers hidden values, and shows nothing of them', () => {
  const values = new HiddenValues();
  expect(values.redacted('hunter2')).toBe('REDACTED (value 1)');
  expect(values.redacted('hunter3')).toBe('REDACTED (value 2)');
  expect(values.redacted('hunter2')).toBe('REDACTED (value 1)');
  // Earlier versions wrote lengths.
  for (const left of ['', 'REDACTED', 'REDACTED (7 characters, value 1)', 'REDACTED (value 1)', 'REDACTED (value 3)'])
    expect(values.redacted(left)).toBe(left);
});

it('hides the length of a secret', () => {
  const redaction = redactionOf({ numbersPlaceholders: true });
  const secret = (password: string): unknown =>
    redaction.object(
      { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'db' }, data: { password } },
      { resource: 'secrets' },
    );
  expect(secret('aHVudGVyMg==')).toMatchObject({ metadata: { name: 'db' }, data: { password: 'REDACTED (value 1)' } });
  expect(secret('aHVudGVyMw==')).toMatchObject({ data: { password: 'REDACTED (value 2)' } });
  expect(redactionOf().object({ kind: 'Secret', apiVersion: 'v1', data: { a: 'b' } }, {})).toMatchObject({
    data: { a: 'REDACTED' },
  });
});
