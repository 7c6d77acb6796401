// Adds a note with the duration where nothing is drawn for a while: a back-off, a lost leader, a person who waits.

import { elapsedText } from '../../core/duration.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { arrowsOf, type Note, type Step } from '../model.js';

/**
 * @param drawn messages in the order of the capture, including those in loops.
 * @param ends first and last lifeline.
 */
export function withPauses(steps: readonly Step[], drawn: readonly Message[], ends: Note['over']): readonly Step[] {
  const pauses = new Map<Message, bigint>();
  for (let i = 1; i < drawn.length; i++) {
    const pause = drawn[i].time - drawn[i - 1].time;
    if (pause >= PAUSE_NS) pauses.set(drawn[i], pause);
  }
  return pauses.size === 0 ? steps : withNotes(steps, pauses, ends);
}

/** A pause before a loop stands above the loop, and none stands above the first arrow. */
function withNotes(steps: readonly Step[], pauses: ReadonlyMap<Message, bigint>, ends: Note['over']): readonly Step[] {
  const first = arrowsOf(steps)[0]?.message;
  return steps.flatMap((step): Step[] => {
    // A loop of repeated steps shows only the first repetition, without pauses.
    const isOne = step.kind === 'loop' && step.title !== undefined;
    const shown = isOne ? { ...step, steps: withNotes(step.steps, pauses, ends) } : step;
    const begins = arrowsOf([step])[0]?.message;
    const pause = begins === undefined || begins === first ? undefined : pauses.get(begins);
    return pause === undefined
      ? [shown]
      : [{ kind: 'note', over: ends, lines: [`${elapsedText(pause)} later`] }, shown];
  });
}

/** ns. Shorter pauses are usual processing times; the shortest back-offs of Kubernetes are 10 s. */
const PAUSE_NS = 5_000_000_000n;
