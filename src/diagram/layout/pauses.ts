// Where nothing is drawn for a while, a picture says for how long: a back-off, a leader that is gone, a person who thinks.
// Knows steps and the times of what is drawn, with its repeats; not why nobody spoke.

import type { Message } from '../../kubernetes/messages/message.js';
import { arrowsOf, type Note, type Step } from '../model.js';

/**
 * @param drawn in the order of the capture, repeats that were folded into loops among them.
 * @param ends first and last participant.
 * @returns the steps with a note wherever `PAUSE_NS` or more pass between one and the next.
 */
export function withPauses(steps: readonly Step[], drawn: readonly Message[], ends: Note['over']): readonly Step[] {
  const pauses = new Map<Message, bigint>();
  for (let i = 1; i < drawn.length; i++) {
    const pause = drawn[i].time - drawn[i - 1].time;
    if (pause >= PAUSE_NS) pauses.set(drawn[i], pause);
  }
  return pauses.size === 0 ? steps : told(steps, pauses, ends);
}

/** Before the first arrow of all, and of a loop, nothing is said: what comes before a loop is said in front of it. */
function told(steps: readonly Step[], pauses: ReadonlyMap<Message, bigint>, ends: Note['over']): readonly Step[] {
  const first = arrowsOf(steps)[0]?.message;
  return steps.flatMap((step): Step[] => {
    // What came in a row is drawn as it came first: how long the others took is not known here.
    const isOne = step.kind === 'loop' && step.title !== undefined;
    const shown = isOne ? { ...step, steps: told(step.steps, pauses, ends) } : step;
    const begins = arrowsOf([step])[0]?.message;
    const pause = begins === undefined || begins === first ? undefined : pauses.get(begins);
    return pause === undefined ? [shown] : [{ kind: 'note', over: ends, lines: [`${words(pause)} later`] }, shown];
  });
}

/** `17 s`, `2 min 5 s`. */
export function words(ns: bigint): string {
  const seconds = Number((ns + 500_000_000n) / 1_000_000_000n);
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `9.5`: of what takes a network's time, not a person's. */
export function seconds(ns: bigint): string {
  return (Number(ns) / 1e9).toFixed(1);
}

/** Shorter ones are how fast programs are; the shortest back-offs of Kubernetes are 10 s. */
const PAUSE_NS = 5_000_000_000n;
