import { describe, expect, it } from 'vitest';
import { message } from '../../../test/kit/messages.js';
import { redactionOf } from '../../redaction/redaction.js';
import type { Draft } from '../messages/draft.js';
import { describePiece, outcomeOf } from './stream-data.js';

const told = (channel: string | null, size: number, report: string | null = null) => {
  const draft: Draft = { ...message({ kind: 'data' }) };
  describePiece(draft, { channel, size, report: report === null ? null : Buffer.from(report) }, redactionOf());
  const { label, channel: of, bytes, exitCode, reason } = draft;
  return [label, of, bytes, exitCode, reason];
};

/** As a kubelet of 1.34 words it (test: fixtures/exec-logs-portforward-tls). */
const failure = (details: unknown, reason = 'NonZeroExitCode') =>
  JSON.stringify({ metadata: {}, status: 'Failure', message: 'command terminated', reason, details });
const exit = (code: unknown) => failure({ causes: [{ reason: 'ExitCode', message: code }] });

describe('a piece of a channel', () => {
  it.each([
    ['stdout', 12, null, ['[DATA] stdout 12 bytes', 'stdout', 12, undefined, undefined]],
    ['stdin', 1, null, ['[DATA] stdin 1 byte', 'stdin', 1, undefined, undefined]],
    [null, 5, null, ['[DATA] 5 bytes', undefined, 5, undefined, undefined]],
    [
      'error',
      34,
      '{"metadata":{},"status":"Success"}',
      ['[DATA] error: Success (exit code 0)', 'error', 34, 0, undefined],
    ],
    [
      'error',
      9,
      exit('3221225786'),
      ['[DATA] error: exit code 3221225786', 'error', 9, 3_221_225_786, 'NonZeroExitCode'],
    ],
    // No program ends with such a number.
    [
      'error',
      9,
      exit('486337193'),
      ['[DATA] error: Failure NonZeroExitCode', 'error', 9, undefined, 'NonZeroExitCode'],
    ],
    ['error', 9, exit('256'), ['[DATA] error: Failure NonZeroExitCode', 'error', 9, undefined, 'NonZeroExitCode']],
    ['error', 9, exit('3'), ['[DATA] error: exit code 3', 'error', 9, 3, 'NonZeroExitCode']],
    ['error', 9, exit('137'), ['[DATA] error: exit code 137', 'error', 9, 137, 'NonZeroExitCode']],
    [
      'error',
      9,
      failure({}, 'InternalError'),
      ['[DATA] error: Failure InternalError', 'error', 9, undefined, 'InternalError'],
    ],
    ['error', 9, '{"status":"Failure"}', ['[DATA] error: Failure', 'error', 9, undefined, undefined]],
    ['error', 27, 'error forwarding port 80 to', ['[DATA] error 27 bytes', 'error', 27, undefined, undefined]],
  ] as const)('%s %d %s', (channel, size, report, expected) => {
    expect(told(channel, size, report)).toEqual(expected);
  });
});

describe('a report', () => {
  it('that is not whole, or no Status, shows nothing', () => {
    const whole = exit('3');
    for (let end = 0; end < whole.length; end++) expect(outcomeOf(Buffer.from(whole.slice(0, end)))).toBe(null);
    for (const odd of ['', '{}', '[]', 'null', '{"status":1}', '{"status":"Unknown"}', '{'.repeat(16_000)])
      expect(outcomeOf(Buffer.from(odd))).toBe(null);
  });

  it('is believed only where it is what it should be', () => {
    for (const code of ['three', '3; rm', '', 3, null, {}, '99999999999'])
      expect(outcomeOf(Buffer.from(exit(code)))?.exitCode).toBe(undefined);
    for (const details of [null, 5, { causes: 5 }, { causes: [null, 7, {}] }])
      expect(outcomeOf(Buffer.from(failure(details)))).toMatchObject({ success: false, exitCode: undefined });
    expect(outcomeOf(Buffer.from(failure({}, 'Hostile \u001b[31m words')))?.reason).toBe(undefined);
  });
});
