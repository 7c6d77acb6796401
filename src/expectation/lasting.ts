// A picture that is to hold for other runs, too: without what is there by chance, and with answers where they belong. Knows what
// differs from run to run; which names do is generated.ts's.

import { picture } from '../sequence/build.js';
import { exchangesByChance } from '../sequence/chance.js';
import type { PictureOptions } from '../sequence/decide.js';
import { indexMessages, type Observation } from '../sequence/message-index.js';
import type { Sequence } from '../sequence/model.js';
import { asEarlyAsPossible } from './early.js';

/** @returns the picture, and how many exchanges are left out as there by chance. */
export function lastingPicture(
  observation: Observation,
  options: PictureOptions,
): { readonly sequence: Sequence; readonly byChance: number } {
  // Who wants everything wants it as it was.
  if (options.all === true) return { sequence: picture(observation, options), byChance: 0 };
  const seen = indexMessages(observation.messages);
  const chance = exchangesByChance(seen);
  const isSelected = options.selected ?? (() => true);
  const selected: PictureOptions['selected'] =
    chance.size === 0 ? options.selected : (message) => !chance.has(message.exchange) && isSelected(message);
  const sequence = picture(observation, { ...options, selected });
  return { sequence: { ...sequence, steps: asEarlyAsPossible(sequence.steps, seen) }, byChance: chance.size };
}
