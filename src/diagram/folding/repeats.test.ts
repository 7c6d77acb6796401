import { describe, expect, it } from 'vitest';
import { changed, message } from '../../../test/kit/messages.js';
import { type Arrow, arrowsOf, type Step } from '../model.js';
import { foldRepeats } from './repeats.js';

function arrow(label: string, more: Partial<Arrow> = {}, exchange?: number): Arrow {
  const sent = message({ label, ...(exchange === undefined ? {} : { exchange }) });
  return { kind: 'arrow', message: sent, from: 'C', to: 'AS', activates: false, deactivates: false, ...more };
}

let exchange = 1000;
function exchanged(label: string): Step[] {
  exchange += 1;
  return [
    arrow(label, { activates: true }, exchange),
    arrow(`${label} OK`, { from: 'AS', to: 'C', deactivates: true }, exchange),
  ];
}

const shape = (steps: readonly Step[]): unknown[] =>
  steps.map((step) =>
    step.kind === 'loop' ? [step.times, shape(step.steps)] : step.kind === 'arrow' ? step.message.label : 'note',
  );

describe('foldRepeats', () => {
  it('folds equal exchanges in a row', () => {
    const { steps, repeated } = foldRepeats([
      ...exchanged('a'),
      ...exchanged('a'),
      ...exchanged('a'),
      ...exchanged('b'),
    ]);
    expect(shape(steps)).toEqual([[3, ['a', 'a OK']], 'b', 'b OK']);
    expect(repeated).toBe(4);
  });

  it('folds repeated refusals with generated names, and notes it', () => {
    const refused = (name: string, status = 403): Step[] => {
      exchange += 1;
      const answer = arrow('[RESP] 403 Forbidden', { from: 'AS', to: 'C', deactivates: true }, exchange);
      return [
        arrow('POST pods', { activates: true }, exchange),
        { ...answer, message: { ...answer.message, status } },
        { kind: 'note', over: ['C', 'AS'], lines: [`pods "web-65d84d5d9b-${name}" is forbidden`] },
      ];
    };
    const { steps, repeated } = foldRepeats([...refused('bc2j8'), ...refused('xhg5j'), ...refused('tbzcg')]);
    expect(steps).toMatchObject([{ kind: 'loop', times: 3, title: '3 times, each with another name' }]);
    expect(repeated).toBe(4);
    // Another name altogether, or no refusal: each is drawn.
    expect(foldRepeats([...refused('bc2j8'), ...refused('other')]).repeated).toBe(0);
    expect(foldRepeats([...refused('bc2j8', 201), ...refused('xhg5j', 201)]).repeated).toBe(0);
  });

  it('begins no loop with a note, which belongs to the arrow above', () => {
    const note: Step = { kind: 'note', over: ['C'], lines: ['no'] };
    const [first, ...others] = [1, 2, 3].flatMap(() => [...exchanged('a'), note]);
    const drawn = foldRepeats([first, arrow('x'), ...others]).steps;
    expect(shape(drawn)).toEqual(['a', 'x', 'a OK', 'note', [2, ['a', 'a OK', 'note']]]);
  });

  it('folds nothing together of which only the last has a note', () => {
    const note: Step = { kind: 'note', over: ['C'], lines: ['no answer'] };
    const drawn = [...exchanged('a'), ...exchanged('a'), ...exchanged('a'), note, ...exchanged('a')];
    expect(shape(foldRepeats(drawn).steps)).toEqual([[2, ['a', 'a OK']], 'a', 'a OK', 'note', 'a', 'a OK']);
  });

  it('folds blocks of several exchanges', () => {
    const round = (): Step[] => [...exchanged('get'), ...exchanged('patch')];
    expect(shape(foldRepeats([...round(), ...round()]).steps)).toEqual([[2, ['get', 'get OK', 'patch', 'patch OK']]]);
  });

  it('tears no exchange apart', () => {
    const [a1, a2] = exchanged('a');
    const [b1, b2] = exchanged('a');
    expect(shape(foldRepeats([a1, b1, a2, b2]).steps)).toEqual(['a', 'a', 'a OK', 'a OK']);
  });

  it('folds a storm of equal requests, and its answers, without bars', () => {
    const all = Array.from({ length: 30 }, () => exchanged('a'));
    const { steps, repeated } = foldRepeats([...all.map(([ask]) => ask), ...all.map(([, answer]) => answer)]);
    expect(shape(steps)).toEqual([
      [30, ['a']],
      [30, ['a OK']],
    ]);
    expect(repeated).toBe(58);
    expect(arrowsOf(steps).some((one) => one.activates || one.deactivates)).toBe(false);
  });

  it('lists the responses of a storm kind by kind, with their reasons', () => {
    const all = Array.from({ length: 6 }, () => exchanged('a'));
    const note: Step = { kind: 'note', over: ['C', 'AS'], lines: ['busy'] };
    const answers = all.flatMap(([, answer], i): Step[] => {
      if (answer.kind !== 'arrow' || i % 2 === 0) return [answer];
      return [{ ...answer, message: changed(answer.message, { kind: 'response', label: '429' }) }, note];
    });
    const responses = answers.map(
      (step): Step => (step.kind === 'arrow' ? { ...step, message: { ...step.message, kind: 'response' } } : step),
    );
    const { steps, repeated } = foldRepeats([...all.map(([ask]) => ask), ...responses]);
    expect(shape(steps)).toEqual([
      [6, ['a']],
      [3, ['a OK']],
      [3, ['429', 'note']],
    ]);
    expect(repeated).toBe(5 + 2 + 2);
  });

  it('lists responses of one status with different reasons as different kinds', () => {
    const all = Array.from({ length: 6 }, () => exchanged('a'));
    const answers = all.flatMap(([, answer], i): Step[] => {
      if (answer.kind !== 'arrow') return [];
      const reason = i % 2 === 0 ? 'Forbidden' : 'Expired';
      const note: Step = { kind: 'note', over: ['C', 'AS'], lines: [reason] };
      return [{ ...answer, message: changed(answer.message, { kind: 'response', reason }) }, note];
    });
    const { steps } = foldRepeats([...all.map(([ask]) => ask), ...answers]);
    expect(shape(steps)).toEqual([
      [6, ['a']],
      [3, ['a OK', 'note']],
      [3, ['a OK', 'note']],
    ]);
  });

  it('leaves what differs alone', () => {
    const steps = [arrow('a'), arrow('b'), arrow('a')];
    expect(foldRepeats(steps)).toEqual({ steps, repeated: 0 });
  });
});
