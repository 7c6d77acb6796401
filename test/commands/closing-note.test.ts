// The last note of diagrams: three lines at most, in which nothing is uncounted.

import { describe, expect, it } from 'vitest';
import { closingLines, remarksFor } from '../../src/diagram/notes/closing-note.js';
import { buildSequence, firstLook, foldAnswers, type Sequence } from '../../src/index.js';
import { renderMermaid } from '../../src/render/sequence/mermaid.js';
import { capturedFixtures } from '../kit/fixture-observations.js';
import { COMPLETE_COVERAGE } from '../kit/messages.js';
import { observeWhole } from '../kit/whole-fixtures.js';

const EMPTY: Sequence = {
  participants: [],
  steps: [],
  closing: [],
  coverage: COMPLETE_COVERAGE,
  folded: {},
  drawn: 0,
  total: 0,
};

/** Messages that the note counts as not drawn. */
function countedIn({ closing }: Sequence): number {
  const line = closing
    .find((one) => one.startsWith('not drawn: '))
    ?.replace('of similar objects, same steps', 'of similar objects');
  const [counts = ''] = line?.split(': ')[1].split('; ') ?? [];
  return counts.split(/, | and /).reduce((sum, part) => sum + (Number.parseInt(part, 10) || 0), 0);
}

describe.each(capturedFixtures())('%s', (name) => {
  it('has at most three short lines, and counts all that is not drawn', async () => {
    const observation = await observeWhole(name);
    const whole = buildSequence(observation);
    expect(whole.drawn > 0).toBe(whole.participants.length > 0);
    if (whole.participants.length === 0) return;
    for (const sequence of [whole, foldAnswers(whole), firstLook(observation, {}, { isWanted: true })]) {
      expect(sequence.closing.length).toBeLessThanOrEqual(3);
      // A sentence on a failed connection is not cut.
      const longest = Math.max(110, ...sequence.coverage.failed.map((one) => one.length + 60));
      for (const line of sequence.closing) expect(line.length, line).toBeLessThanOrEqual(longest);
    }
    const folded = Object.values(whole.folded).reduce((sum, one) => sum + one, 0);
    expect(countedIn(whole)).toBe(folded);
    expect(whole.drawn + folded).toBe(whole.total);
    // What failed, and what could not be read, is never left out.
    const failed = Object.values(whole.coverage.foldedFailures).reduce((sum, one) => sum + one, 0);
    if (failed > 0) expect(whole.closing.join('\n')).toMatch(new RegExp(`\\b${failed} requests? failed`));
    expect(whole.closing.at(-1)).toMatch(
      whole.coverage.missing.length === 0 ? /^complete/ : /missing in the capture: /,
    );
  });
});

it('the text of a diagram has all that its note leaves out, as comments', async () => {
  const sequence = buildSequence(await observeWhole('not-starting-tls'));
  const comments = renderMermaid(sequence).match(/^ +%% not drawn: .*$/m)?.[0] ?? '';
  const reasons = Object.entries(sequence.folded);
  expect(reasons.length).toBeGreaterThan(10);
  for (const [reason, number] of reasons) expect(comments).toContain(`${number} ${reason}`);
});

it('a short one is said whole, and has no comments', () => {
  const coverage = { ...COMPLETE_COVERAGE, folded: { leases: 2 }, foldedFailures: { leases: 1 } };
  const lines = ['not drawn: 2 leases', 'of what is not drawn, 1 request failed: leases', 'complete'];
  expect(closingLines(coverage)).toEqual(lines);
  expect(remarksFor({ ...EMPTY, coverage, closing: closingLines(coverage) })).toEqual([]);
});

it('receivers without reaction give way first, then all that could not be read shares a line', () => {
  const coverage = {
    ...COMPLETE_COVERAGE,
    delivered: ['a (1 watch)'],
    folded: { leases: 2 },
    missing: ['1 gap of lost bytes'],
  };
  const failed = ['4 connections were refused'];
  const rest = ['not drawn: 2 leases', ...failed, 'missing in the capture: 1 gap of lost bytes'];
  expect(closingLines({ ...coverage, failed })).toEqual(rest);
  const others = ['3 steps of the path not drawn'];
  expect(closingLines({ ...coverage, failed, others })).toEqual([`${rest[0]}; ${others[0]}`, ...rest.slice(1)]);
  expect(closingLines({ ...coverage, folded: {}, failed, others: ['x', 'y'] })).toEqual([
    'x',
    'y',
    `${failed[0]}; ${rest[2]}`,
  ]);
});
