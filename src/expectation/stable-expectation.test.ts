import { describe, expect, it } from 'vitest';
import { APISERVER, KUBECTL, message, REPLICASETS } from '../../test/kit/messages.js';
import { indexMessages } from '../diagram/message-index.js';
import type { Arrow, Note, Step } from '../diagram/model.js';
import type { Message, Participant } from '../kubernetes/messages/message.js';
import { stableOrder } from './stable-expectation.js';

const IDS = new Map<Participant, string>([
  [KUBECTL, 'C'],
  [REPLICASETS, 'R'],
  [APISERVER, 'AS'],
]);

const put = (from: Participant, label: string) => message({ from, to: APISERVER, label, verb: 'update' });
const answer = ({ from, exchange, label }: Message) =>
  message({ kind: 'response', from: APISERVER, to: from, exchange, label: `${label}'` });
const event = ({ seq, label }: Message, to: Participant) =>
  message({ kind: 'event', from: APISERVER, to, causedBy: seq, label: `${label}!` });

function arrow(one: Message): Arrow {
  const [from, to] = [IDS.get(one.from)!, IDS.get(one.to)!];
  return { kind: 'arrow', message: one, from, to, activates: false, deactivates: false };
}

/** Labels in their new order; a note is its text. */
function early(steps: readonly (Message | Note)[]): string {
  const made = steps.map((step): Step => (step.kind === 'note' ? step : arrow(step)));
  const messages = steps.flatMap((step) => (step.kind === 'note' ? [] : [step]));
  return stableOrder(made, indexMessages(messages))
    .map((step) => (step.kind === 'arrow' ? step.message.label : step.kind === 'note' ? step.lines.join() : step.kind))
    .join(' ');
}

describe('what a server sends', () => {
  const a = put(KUBECTL, 'a');
  const b = put(REPLICASETS, 'b');

  it('stands behind what it answers to, not behind what came meanwhile', () => {
    expect(early([a, b, answer(a), answer(b)])).toBe("a a' b b'");
  });

  it('an event stands behind its write, and behind the review of that write', () => {
    const told = event(a, KUBECTL);
    const asked = message({ from: APISERVER, to: REPLICASETS, label: 'may?', causedBy: a.seq });
    const may = message({
      kind: 'response',
      from: REPLICASETS,
      to: APISERVER,
      exchange: asked.exchange,
      label: 'may!',
    });
    expect(early([a, asked, b, may, answer(b), answer(a), told])).toBe("a may? may! a! a' b b'");
    expect(early([a, b, event(a, REPLICASETS), answer(b), answer(a)])).toBe("a a' b b' a!");
  });

  it('never moves before what its receiver sent', () => {
    const again = put(KUBECTL, 'c');
    expect(early([a, b, again, answer(a)])).toBe("a b c a'");
  });

  it('a response to people does not pass what they received before it: they would have received it after it', () => {
    const watch = put(REPLICASETS, 'w');
    const [toKubectl, toController] = [KUBECTL, REPLICASETS].map((to) => event(watch, to));
    expect(early([watch, a, toKubectl, answer(a)])).toBe("w a w! a'");
    const loose = message({ kind: 'event', from: APISERVER, to: KUBECTL, label: 'loose' });
    expect(early([watch, a, loose, answer(a)])).toBe("w a loose a'");
    expect(early([watch, b, toController, loose, answer(b)])).toBe("w b b' w! loose");
  });

  it('of unknown messages stays where it is', () => {
    const loose = message({ kind: 'event', from: APISERVER, to: REPLICASETS, label: 'loose' });
    expect(early([a, loose])).toBe('a loose');
  });

  it('takes the notes on it along, and none of the others', () => {
    const on: Note = { kind: 'note', over: ['C', 'AS'], lines: ['on'] };
    const chapter: Note = { kind: 'note', over: ['C', 'R'], lines: ['chapter'] };
    expect(early([a, b, answer(a), on, chapter, answer(b)])).toBe("a a' on b chapter b'");
  });
});
