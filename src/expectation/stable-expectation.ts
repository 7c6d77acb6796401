// A picture that is to hold for other runs, too: without what is there by chance, and with answers where they belong. Knows what
// differs from run to run; which names do is generated.ts's.

import { buildSequence } from '../diagram/build.js';
import { nondeterministicExchanges } from '../diagram/folding/nondeterminism.js';
import { indexMessages, type Observation } from '../diagram/message-index.js';
import type { Sequence } from '../diagram/model.js';
import type { PictureOptions } from '../diagram/selection/visibility.js';
import { stableOrder } from './stable-order.js';

/** @returns the picture, and how many exchanges are left out as there by chance. */
export function stableExpectation(
  observation: Observation,
  options: PictureOptions,
): { readonly sequence: Sequence; readonly nondeterministic: number } {
  // Who wants everything wants it as it was.
  if (options.all === true) return { sequence: buildSequence(observation, options), nondeterministic: 0 };
  const seen = indexMessages(observation.messages);
  const nondeterministic = nondeterministicExchanges(seen);
  const isSelected = options.selected ?? (() => true);
  const selected: PictureOptions['selected'] =
    nondeterministic.size === 0
      ? options.selected
      : (message) => !nondeterministic.has(message.exchange) && isSelected(message);
  const sequence = buildSequence(observation, { ...options, selected });
  return {
    sequence: { ...sequence, steps: stableOrder(sequence.steps, seen) },
    nondeterministic: nondeterministic.size,
  };
}
