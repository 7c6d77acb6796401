import { expect, it } from 'vitest';
import { HiddenValues } from './hidden-values.js';
import { redactionOf } from './redaction.js';

it('values that are not shown are told apart, and nothing of them is told', () => {
  const values = new HiddenValues();
  expect(values.redacted('hunter2')).toBe('REDACTED (7 characters, value 1)');
  expect(values.redacted('hunter3')).toBe('REDACTED (7 characters, value 2)');
  expect(values.redacted('hunter2')).toBe('REDACTED (7 characters, value 1)');
  expect(values.redactedSecret('aHVudGVyMg==')).toBe('REDACTED (value 3)');
  for (const left of [
    '',
    'REDACTED',
    'REDACTED (7 characters)',
    'REDACTED (7 characters, value 1)',
    'REDACTED (value 3)',
  ]) {
    expect(values.redacted(left)).toBe(left);
    expect(values.redactedSecret(left)).toBe(left);
  }
});

it('of a Secret the length is not told', () => {
  const redaction = redactionOf({ numbersHidden: true });
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
