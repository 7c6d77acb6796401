import { describe, expect, it } from 'vitest';
import type { Message } from '../../kubernetes/messages/message.js';
import type { Arrow, Loop, Step } from '../model.js';
import { withPauses } from './pauses.js';

const SECOND = 1_000_000_000n;

/** Arrows at these seconds, told in their order. */
function arrowsAt(...seconds: number[]): Arrow[] {
  return seconds.map((at, seq) => ({
    kind: 'arrow',
    message: { seq, time: (BigInt(at * 1000) * SECOND) / 1000n } as Message,
    from: 'A',
    to: 'B',
    activates: false,
    deactivates: false,
  }));
}

/** Seconds of arrows, and what notes say. */
function read(steps: readonly Step[]): unknown[] {
  return steps.map((step) =>
    step.kind === 'note'
      ? step.lines.join()
      : step.kind === 'loop'
        ? read(step.steps)
        : Number(step.message.time) / 1e9,
  );
}

function told(steps: readonly Step[], arrows: readonly Arrow[]): unknown[] {
  const messages = arrows.map(({ message }) => message);
  return read(withPauses(steps, messages, ['A', 'B']));
}

describe('pauses', () => {
  it('notes how long nothing was drawn, in the one form of durations', () => {
    const arrows = arrowsAt(100, 104.999, 109.999, 127.6, 252.7);
    expect(told(arrows, arrows)).toEqual([
      100,
      104.999,
      '5.0 s later',
      109.999,
      '18 s later',
      127.6,
      '2 min 5 s later',
      252.7,
    ]);
  });

  it('counts from the last of what repeats', () => {
    const arrows = arrowsAt(0, 10, 20, 26);
    const loop: Loop = { kind: 'loop', times: 3, steps: arrows.slice(0, 1) };
    expect(told([loop, arrows[3]], arrows)).toEqual([[0], '6.0 s later', 26]);
  });

  it('notes it inside what is drawn of one for many, and once', () => {
    const arrows = arrowsAt(0, 7, 17, 17);
    const loop: Loop = { kind: 'loop', times: 2, title: '2 Pods: a, b', steps: arrows.slice(1, 3) };
    expect(told([arrows[0], loop, arrows[3]], arrows)).toEqual([0, '7.0 s later', [7, '10 s later', 17], 17]);
  });

  it('notes nothing of a capture without times, nor of clocks that go back', () => {
    const arrows = arrowsAt(0, 0, 30, 0);
    expect(told(arrows, arrows)).toEqual([0, 0, '30 s later', 30, 0]);
  });
});
